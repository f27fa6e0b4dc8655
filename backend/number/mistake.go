package number

import "fmt"

// Mistake is what is wrong with a declaration of numbers. Its text is for those who write
// configurations; by its kind, others say it in words of their own.
type Mistake struct {
	Kind string
	// Of is what the mistake is about, such as digits; for each kind the same things.
	Of   []string
	text string
}

func (m *Mistake) Error() string { return m.text }

// wrong makes a mistake of which the text is formatted from other values.
func wrong(kind string, of []string, format string, values ...any) error {
	return &Mistake{kind, of, fmt.Sprintf(format, values...)}
}

// about makes a mistake of which the text is formatted from what it is about.
func about(kind, format string, of ...string) error {
	values := make([]any, len(of))
	for i, v := range of {
		values[i] = v
	}
	return wrong(kind, of, format, values...)
}

// Place says where in a declaration an error is. Its text is that of the error.
type Place struct {
	// Number is the printed number, as it is written; empty for an error of a pool.
	Number string
	// Pool is the name of a pool; empty for an error of a number.
	Pool string
	// Field is the name of the field in JSON, and Index the place in its list.
	Field string
	Index int
	Err   error
}

func (p *Place) Error() string { return p.Err.Error() }

// Unwrap is the error without the place.
func (p *Place) Unwrap() error { return p.Err }
