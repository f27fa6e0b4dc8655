// Package sheet reads tables as people and programs export them: as CSV, with commas, semicolons or tabs between the
// columns, in UTF-8, UTF-16 or windows-1251. Whoever takes a file that somebody sends asks it. What the columns mean, each
// of them knows.
package sheet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Text is the text of the content: UTF-16 with its mark, as Google and Microsoft export for Excel, UTF-8, and
// windows-1251, which Excel writes in Russia. What cannot be read becomes U+FFFD.
func Text(content []byte) string {
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

// Signs are those that may stand between the columns, the most frequent first.
func Signs(text string) []rune {
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	found := []rune{',', ';', '\t'}
	slices.SortStableFunc(found, func(a, b rune) int {
		return cmp.Compare(strings.Count(text, string(b)), strings.Count(text, string(a)))
	})
	return found
}

// Reader reads the lines, which may have different numbers of cells. A line is valid until the next one. With lazy, a
// quotation mark may stand anywhere in a cell.
func Reader(text string, sign rune, lazy bool) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = sign, lazy, -1, true
	return r
}

// Clean leaves out what programs for tables have around a text, such as ="2026-10-01".
func Clean(cell string) string {
	cell = strings.TrimSpace(strings.Trim(cell, "\ufeff \t"))
	if inner, marked := strings.CutPrefix(cell, `="`); marked {
		cell = strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimSpace(cell)
}
