package number

import "fmt"

// Mistake is an error in a declaration of numbers. Its text is for people who write configurations. Others can
// translate it by its kind.
type Mistake struct {
	Kind string
	// Of are the values in the text, such as digits. Each kind has the same values.
	Of   []string
	text string
}

func (m *Mistake) Error() string { return m.text }

// wrong makes a mistake whose text is formatted from values that may differ from of.
func wrong(kind string, of []string, format string, values ...any) error {
	return &Mistake{kind, of, fmt.Sprintf(format, values...)}
}

// About makes a mistake whose text is formatted from of.
func About(kind, format string, of ...string) error {
	values := make([]any, len(of))
	for i, v := range of {
		values[i] = v
	}
	return wrong(kind, of, format, values...)
}

// FieldError is an error with the field of a declaration in which it stands. Its text is that of the error.
type FieldError struct {
	// Number is the printed number as it is written. It is empty for an error in a pool.
	Number string
	// Pool is the name of the pool. It is empty for an error in a number.
	Pool string
	// Field is the field's name in JSON, and Index is the index in its list.
	Field string
	Index int
	Err   error
}

func (f *FieldError) Error() string { return f.Err.Error() }

// Unwrap returns the error without its field.
func (f *FieldError) Unwrap() error { return f.Err }
