package rows

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// shape returns a text of a column as this program writes it, or an error for one that this program could not read.
type shape func(text string) (string, error)

// checkText returns the text as it may be stored.
func checkText(m *moved, column, text string) (string, error) {
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", errors.New("a text has characters that cannot be stored")
	}
	if words, has := m.words[column]; has && !slices.Contains(words, text) {
		return "", fmt.Errorf("%.40q is none of %s", text, strings.Join(words, ", "))
	}
	if as := m.shapes[column]; as != nil && text != "" {
		return as(text)
	}
	return text, nil
}

func anyJSON(text string) (string, error) {
	if !json.Valid([]byte(text)) {
		return "", errors.New("expected JSON")
	}
	return text, nil
}

func anyObject(text string) (string, error) {
	if text[0] != '{' {
		return "", errors.New("expected an object in JSON")
	}
	return anyJSON(text)
}

// maxSmall bounds JSON of few names, in bytes.
const maxSmall = 1 << 20

// jsonOf is the shape of JSON that is read into a T.
func jsonOf[T any](text string) (string, error) {
	var read T
	if len(text) > maxSmall {
		return "", fmt.Errorf("expected JSON of %d bytes at most", maxSmall)
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return "", fmt.Errorf("expected JSON of another kind: %w", err)
	}
	return text, nil
}

// writings are those of a number on a page; see package inventory.
type writings []struct {
	Text, Place string
	Count       int
}

// objectOfTexts is the shape of user fields. Whoever searches leads reads the beginning of the object, and so relies on how
// it is written.
func objectOfTexts(text string) (string, error) {
	if text == "null" {
		return text, nil
	}
	wrong := errors.New("expected an object of texts in JSON")
	if !json.Valid([]byte(text)) {
		return "", wrong
	}
	d := json.NewDecoder(strings.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return "", wrong
	}
	b := []byte{'{'}
	for n := 0; d.More(); n++ {
		for part := range 2 { // the name and the text
			token, err := d.Token()
			value, is := token.(string)
			if err != nil || !is {
				return "", wrong
			}
			encoded, err := json.Marshal(strings.ReplaceAll(value, "\x00", "")) // which PostgreSQL does not store
			if err != nil {
				return "", err
			}
			switch {
			case part == 1:
				b = append(b, ':')
			case n > 0:
				b = append(b, ',')
			}
			b = append(b, encoded...)
		}
	}
	return string(append(b, '}')), nil
}

// ofBrowsers is the shape of an address that a browser may get.
func ofBrowsers(text string) (string, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Hostname() == "" {
		return "", errors.New("expected an address with http or https")
	}
	return text, nil
}
