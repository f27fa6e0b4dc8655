package rows

import (
	"bufio"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
)

// Table writes rows of CSV (RFC 4180) as an answer. Every cell is quoted, and none holds a formula.
type Table struct {
	to        http.ResponseWriter
	words     *words.Tongue
	buffer    *bufio.Writer
	separator byte
}

// NewTable returns the table that is written in the language.
func NewTable(to http.ResponseWriter, w *words.Tongue) *Table {
	t := &Table{to, w, bufio.NewWriter(to), ','}
	if w.Code == "ru" { // where the comma is in numbers, spreadsheets expect this
		t.separator = ';'
	}
	return t
}

// Begin writes the head of a file of the name and the day, and the columns, which are names of words.
func (t *Table) Begin(name string, day time.Time, columns []string) {
	t.to.Header().Set("Content-Type", "text/csv; charset=utf-8")
	t.to.Header().Set("Content-Disposition", `attachment; filename="`+name+`-`+day.UTC().Format(time.DateOnly)+`.csv"`)
	t.buffer.WriteString("\ufeff") // by which spreadsheets know that it is UTF-8
	header := make([]string, len(columns))
	for i, column := range columns {
		header[i] = t.words.Text(column)
	}
	t.Row(header)
}

// Row writes a row.
func (t *Table) Row(cells []string) {
	for i, cell := range cells {
		if i > 0 {
			t.buffer.WriteByte(t.separator)
		}
		t.buffer.WriteByte('"')
		t.buffer.WriteString(strings.ReplaceAll(harmless(cell), `"`, `""`))
		t.buffer.WriteByte('"')
	}
	t.buffer.WriteString("\r\n")
}

// Flush hands on what has been written. It returns false if nobody reads on.
func (t *Table) Flush() bool { return t.buffer.Flush() == nil }

// Send does what Flush does, and sends it.
func (t *Table) Send() bool { return t.Flush() && http.NewResponseController(t.to).Flush() == nil }

// Decimal is a decimal with a point as the language writes it.
func Decimal(w *words.Tongue, decimal string) string {
	if w.Code == "ru" {
		return strings.Replace(decimal, ".", ",", 1)
	}
	return decimal
}

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
