package posted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Field is a field of a form, as it was sent.
type Field struct{ Name, Value string }

// Form is a form that was read.
type Form struct {
	// Fields are in the order in which they were sent. Fields of JSON are named after the objects and lists around
	// them, with dots between: contact.phone. Of a name longer than 200 bytes, the beginning and the end are kept, with
	// three dots between.
	Fields []Field
	// Cut is true if more was sent than is read.
	Cut bool
}

const (
	// maxFields is how many fields of a form are read.
	maxFields = 500
	// maxParts limits the parts of a multipart body, and the values of JSON, since some are not fields.
	maxParts = 4 * maxFields
	// MaxName is how long the name of a field is, in bytes.
	MaxName = 200
	// maxDepth limits the depth of objects and lists in JSON. Deeper values are left out.
	maxDepth = 16
	// maxGrowth limits the bytes of names and values for each byte of the body, and maxGrown the bytes in addition: a
	// field of JSON has the names of everything around it.
	maxGrowth, maxGrown = 4, 1024
)

// ErrUnreadable is returned for a body that is not what its type says.
var ErrUnreadable = errors.New("the form cannot be read")

// Form reads the form. Its text is in UTF-8 if it is UTF-8, or in the character set that the body names, or in the
// first of those of the page, which are labels of the Encoding Standard and may be empty. Where none is known, Cyrillic
// letters are told from Latin ones by what reads as words.
//
// It takes time and memory in proportion to the body. All names and values together are at most four times as long as
// the body and 1,024 bytes, before they are decoded.
func (b *Body) Form(page ...string) (Form, error) {
	steps.Walk(len(b.kept))
	f := formReader{Form: Form{Cut: b.cut}, room: maxGrowth*len(b.kept) + maxGrown}
	var err error
	switch {
	case b.parts != nil:
		err = f.readParts(b.kept, string(b.parts.delimiter.text[4:]))
	default:
		err = f.readText(b.media, b.kept)
	}
	if errors.Is(err, errFull) {
		f.Cut, err = true, nil
	}
	if err != nil && !(b.cut && len(f.Fields) > 0) {
		return Form{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	f.decode(append([]string{b.charset}, page...)...)
	return f.Form, nil
}

// Names returns the names of the fields, each once.
func (f Form) Names() []string {
	names, known := []string{}, make(map[string]bool)
	for _, field := range f.Fields {
		if !known[field.Name] {
			known[field.Name] = true
			names = append(names, field.Name)
		}
	}
	return names
}

// formReader is a form that is being read.
type formReader struct {
	Form
	room  int // bytes that names and values may still take
	parts int // what was read of a multipart body or of JSON
}

// errFull stops reading a form that is full.
var errFull = errors.New("the form has more than is read")

// add adds a field, or returns errFull.
func (f *formReader) add(name, value string) error {
	name = Shortened(name)
	if f.room -= len(name) + len(value); f.room < 0 || len(f.Fields) == maxFields {
		return errFull
	}
	f.Fields = append(f.Fields, Field{name, value})
	return nil
}

// part counts a part of the body, whether it is a field or not, or returns errFull.
func (f *formReader) part() error {
	if f.parts++; f.parts > maxParts {
		return errFull
	}
	return nil
}

// Shortened returns the name of a field as a Form has it.
func Shortened[T string | []byte](name T) string {
	if len(name) <= MaxName {
		return string(name)
	}
	const between = "..."
	head, tail := (MaxName-len(between))/2, len(name)-(MaxName-len(between))/2
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(name[head]); i++ {
		head--
	}
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(name[tail]); i++ {
		tail++
	}
	return string(name[:head]) + between + string(name[tail:])
}

// readText reads a body of one text by its content: scripts often send JSON and pairs with the type of the other, or
// without one.
func (f *formReader) readText(media string, body []byte) error {
	text := bytes.TrimSpace(body)
	if len(text) == 0 && !isJSON(media) {
		return nil
	}
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		err := f.readJSON(text)
		if err == nil {
			f.Fields = operations(f.Fields)
		}
		if err == nil || media != encoded || f.Cut || errors.Is(err, errFull) {
			return err
		}
		f.Fields = nil
	} else if !bytes.Contains(text, []byte("=")) && media != encoded {
		return errors.New("expected an object, a list, or names with values")
	}
	if media == plainText && bytes.ContainsAny(text, "\r\n") || media == plainText && bytes.HasSuffix(body, []byte("\n")) {
		return f.readLines(text)
	}
	return f.readPairs(body, f.field)
}

// readLines reads name=value, one in each line (HTML Standard, section 4.10.22.8). A line without a name continues the
// value before.
func (f *formReader) readLines(text []byte) error {
	name, value := "", []string(nil)
	add := func() error {
		if value == nil {
			return nil
		}
		return f.add(name, strings.Join(value, "\n"))
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		before, behind, found := strings.Cut(line, "=")
		if !found || len(before) > MaxName {
			value = append(value, line)
			continue
		}
		if err := add(); err != nil {
			return err
		}
		name, value = before, []string{behind}
	}
	return add()
}

// readPairs reads name=value&… (URL Standard, section 5.1). Wrong escapes stay as they are. It gives each field to add.
func (f *formReader) readPairs(body []byte, add func(name, value string) error) error {
	for pair := range strings.SplitSeq(string(body), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if err := add(unescape(name), unescape(value)); err != nil {
			return err
		}
	}
	return nil
}

func unescape(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

func (f *formReader) readParts(body []byte, boundary string) error {
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.part()
		}
		if err != nil {
			return err
		}
		name := part.FormName()
		if part.FileName() != "" || name == "" {
			continue
		}
		value, err := io.ReadAll(part)
		if err == nil || f.Cut { // then what there is of it counts
			if err := f.field(name, string(value)); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// charsetField is the name of the field in which browsers say which character set they have used (HTML Standard,
// section 4.10.22.5).
const charsetField = "_charset_"

// decode converts all names and values to UTF-8. The first known label counts, otherwise the character set that gives
// readable words. Servers name Latin letters by default, so that label does not count against readable words.
func (f *Form) decode(labels ...string) {
	valid, said := true, ""
	for _, field := range f.Fields {
		valid = valid && utf8.ValidString(field.Name) && utf8.ValidString(field.Value)
		if field.Name == charsetField {
			said = field.Value
		}
	}
	if valid {
		return
	}
	chosen := encoding.Encoding(nil)
	for _, label := range append([]string{said}, labels...) {
		of, err := htmlindex.Get(label)
		if err != nil {
			continue
		}
		if name, _ := htmlindex.Name(of); name != "utf-8" && name != latin { // it is not UTF-8
			chosen = of
			break
		}
	}
	if chosen == nil {
		chosen = f.readsAs()
	}
	decoder := chosen.NewDecoder()
	for i, field := range f.Fields {
		f.Fields[i] = Field{decoded(decoder.String, field.Name), decoded(decoder.String, field.Value)}
	}
}

func decoded(decode func(string) (string, error), s string) string {
	text, err := decode(s)
	if err != nil {
		text = s
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
