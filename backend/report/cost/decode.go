package cost

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decoded is the text of the content: UTF-16 with its mark, as Google and Microsoft export for Excel, UTF-8, and
// windows-1251, which Excel writes in Russia. What cannot be read becomes U+FFFD.
func decoded(content []byte) string {
	switch {
	case bytes.HasPrefix(content, []byte{0xFF, 0xFE}), bytes.HasPrefix(content, []byte{0xFE, 0xFF}):
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(content)
		if err == nil {
			return string(text)
		}
	case !utf8.Valid(content):
		if text, err := charmap.Windows1251.NewDecoder().Bytes(content); err == nil {
			return string(text)
		}
	}
	return string(bytes.TrimPrefix(content, []byte("\ufeff")))
}
