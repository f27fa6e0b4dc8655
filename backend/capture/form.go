// Package capture reads the forms that visitors send to a site while they pass: which fields
// there are, which of them say who asks for what, and which are nobody's business.
//
// It takes nothing from the site: the origin reads the same bytes, whatever is made of them
// here.
package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// Field is one of a form, as it was sent.
type Field struct{ Name, Value string }

// Form is a form as it was read.
type Form struct {
	// Fields are in the order in which they were sent. Those of JSON have the names of what they are in, with
	// dots between: contact.phone.
	Fields []Field
	// Cut tells that more was sent than is read.
	Cut bool
}

const (
	// maxFields is how many fields of a form are read.
	maxFields = 500
	// maxDepth is how deep objects and lists of JSON may stand in one another.
	maxDepth = 16
)

// ErrUnreadable is returned for a body that is not what its type says.
var ErrUnreadable = errors.New("the form cannot be read")

// Form reads the form. Its text is in the character set that the body names, or in UTF-8 if it is UTF-8, or in
// that of the page, which is a label of the Encoding Standard and may be empty.
func (b *Body) Form(page string) (Form, error) {
	f := Form{Cut: b.cut}
	var err error
	switch {
	case b.parts != nil:
		err = f.readParts(b.kept, string(b.parts.delimiter[4:]))
	case b.media == "application/x-www-form-urlencoded":
		f.readPairs(b.kept)
	default:
		err = f.readJSON(b.kept)
	}
	if err != nil && !(b.cut && len(f.Fields) > 0) {
		return Form{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	f.decode(b.charset, page)
	return f, nil
}

// Names are the names of the fields, each once.
func (f Form) Names() []string {
	names := []string{}
	for _, field := range f.Fields {
		if !slices.Contains(names, field.Name) {
			names = append(names, field.Name)
		}
	}
	return names
}

// add adds a field, and tells whether there may be another.
func (f *Form) add(name, value string) bool {
	if len(f.Fields) == maxFields {
		f.Cut = true
		return false
	}
	f.Fields = append(f.Fields, Field{name, value})
	return true
}

// readPairs reads name=value&… (URL Standard, section 5.1). What is escaped wrongly stays as
// it is written.
func (f *Form) readPairs(body []byte) {
	for pair := range strings.SplitSeq(string(body), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if !f.add(unescape(name), unescape(value)) {
			return
		}
	}
}

func unescape(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

func (f *Form) readParts(body []byte, boundary string) error {
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if part.FileName() != "" || part.FormName() == "" {
			continue
		}
		value, err := io.ReadAll(part)
		if err == nil || f.Cut { // then what there is of it counts
			if !f.add(part.FormName(), string(value)) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

func (f *Form) readJSON(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if first, err := decoder.Token(); err != nil {
		return err
	} else if first != json.Delim('{') {
		return errors.New("expected an object")
	}
	return f.readObject(decoder, "", 1)
}

// readObject reads the rest of an object.
func (f *Form) readObject(d *json.Decoder, within string, depth int) error {
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := f.readValue(d, within+name.(string), depth); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (f *Form) readValue(d *json.Decoder, name string, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch value := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return fmt.Errorf("expected at most %d objects in one another", maxDepth)
		}
		if value == '{' {
			return f.readObject(d, name+".", depth+1)
		}
		for i := 0; d.More(); i++ {
			if err := f.readValue(d, name+"."+strconv.Itoa(i), depth+1); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	case nil:
	default:
		f.add(name, fmt.Sprint(value))
	}
	return nil
}

// charsetField is the name of the field in which browsers say which character set they have used
// (HTML Standard, section 4.10.22.5).
const charsetField = "_charset_"

// decode has all names and values in UTF-8.
func (f *Form) decode(labels ...string) {
	valid := true
	for _, field := range f.Fields {
		valid = valid && utf8.ValidString(field.Name) && utf8.ValidString(field.Value)
		if field.Name == charsetField {
			labels = append([]string{field.Value}, labels...)
		}
	}
	if valid {
		return
	}
	for _, label := range append(labels, "windows-1252") { // which is what browsers read pages without a label as
		encoding, err := htmlindex.Get(label)
		if err != nil {
			continue
		}
		if name, _ := htmlindex.Name(encoding); name == "utf-8" {
			continue // it is not
		}
		decoder := encoding.NewDecoder()
		for i, field := range f.Fields {
			f.Fields[i] = Field{decoded(decoder.String, field.Name), decoded(decoder.String, field.Value)}
		}
		return
	}
}

func decoded(decode func(string) (string, error), s string) string {
	text, err := decode(s)
	if err != nil {
		text = s
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
