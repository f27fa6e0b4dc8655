package table

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// csvFile is a table of CSV (RFC 4180). Every cell is quoted, and none holds a formula.
type csvFile struct {
	to        *bufio.Writer
	zone      *time.Location
	separator byte
	point     string // of numbers
}

func newCSV(to io.Writer, h Head) (format, error) {
	c := &csvFile{bufio.NewWriterSize(to, 32<<10), h.Zone, ',', "."}
	if h.Words.Code == "ru" { // where the comma is in numbers, spreadsheets expect this
		c.separator, c.point = ';', ","
	}
	c.to.WriteString("\ufeff") // by which spreadsheets know that it is UTF-8
	return c, c.row(h.heads())
}

func (c *csvFile) row(cells []Cell) error {
	for i, cell := range cells {
		if i > 0 {
			c.to.WriteByte(c.separator)
		}
		c.to.WriteByte('"')
		switch cell.kind {
		case number:
			c.to.WriteString(strings.Replace(cell.text, ".", c.point, 1))
		case moment:
			c.to.WriteString(cell.at.In(c.zone).Format(time.DateTime))
		default:
			c.to.WriteString(strings.ReplaceAll(harmless(cell.text), `"`, `""`))
		}
		c.to.WriteByte('"')
	}
	_, err := c.to.WriteString("\r\n")
	return err
}

func (c *csvFile) end() error { return c.to.Flush() }

func (c *csvFile) close() {}

// cellEnds are what separates cells in any kind of table. A program that reads a table as of another kind takes quotes
// within a line for a part of the text, and so begins a cell behind each of these.
const cellEnds = ",;\t\r\n"

// harmless is the text as spreadsheets take it for a text: what begins like a formula has an apostrophe
// before it, at the start of the text and wherever a cell may begin.
func harmless(text string) string {
	if !strings.ContainsAny(text, "=+-@|%＝＋－＠") && !strings.HasPrefix(text, "\t") && !strings.HasPrefix(text, "\r") && !strings.HasPrefix(text, "\n") {
		return text
	}
	var b strings.Builder
	if text != "" && strings.ContainsAny(text[:1], "\t\r\n") {
		b.WriteByte('\'')
	}
	for rest := text; rest != ""; {
		end := strings.IndexAny(rest, cellEnds) + 1
		if end == 0 {
			end = len(rest)
		}
		if isFormula(rest[:end]) {
			b.WriteByte('\'')
		}
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return b.String()
}

// isFormula tells whether spreadsheets may take the text for a formula. They look behind blanks and the signs that begin
// other texts, too.
func isFormula(text string) bool {
	text = strings.TrimLeft(text, " \v\f\u00a0\ufeff\u200b'\"")
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@|%＝＋－＠", first) && !plainPhone.MatchString(strings.TrimRight(text, cellEnds))
}

// plainPhone is a telephone number that no spreadsheet computes with, such as +7 (495) 123-45-67. Of +7-495 it would
// take the difference.
var plainPhone = regexp.MustCompile(`^\+\d[\d ()]{4,}$|^\+\d+ ?\(\d+\)[\d -]*$`)
