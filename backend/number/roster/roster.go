// Package roster reads tables of tracking numbers, as other services export them, and says what becomes of them among a
// site's own numbers and pools. It stores nothing: the console and the API show what would be added, and change the site
// at once or not at all.
package roster

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/sheet"
)

const (
	// MaxBytes is how large a table may be.
	MaxBytes = 64 << 10
	// MaxRows is how many lines it may have below its heads.
	MaxRows = 1000
	// maxWrong is how many mistakes are told one by one.
	maxWrong = 100
	// headLines is within how many lines the heads of the columns stand.
	headLines = 10
	// maxCell is how many bytes a cell may have that is read.
	maxCell = 300
)

// Errors of tables.
var (
	ErrLarge   = errors.New("the table is larger than 64 KB")
	ErrColumns = errors.New("the table has no column for the numbers under a head such as number, phone, номер or виртуальный номер")
	ErrRows    = errors.New("the table has more than 1,000 lines")
	ErrEmpty   = errors.New("the table has no numbers")
)

// Row is a tracking number of the table.
type Row struct {
	// Line counts from 1.
	Line int
	// Number is in international form, as digits.
	Number string
	// Printed is the number in whose place it is shown, as digits. It is empty for a number of a pool that no column and
	// nobody else names one for.
	Printed string
	// Name is what people call it.
	Name string
	// Pool is the name of the pool that it belongs to, and Titled how the table calls that. They are empty for a number
	// that all visitors of some sources see.
	Pool, Titled string
	// When are the conditions of sources; see [number.Tracking].
	When []string
}

// Wrong is a mistake in a line.
type Wrong struct {
	// Line counts from 1. It is 0 for a mistake of the whole.
	Line int
	// Err is a [number.Mistake], or an error of the file's quotation marks.
	Err error
}

// Table is what was read.
type Table struct {
	Rows []Row
	// Wrong are the first mistakes, at most 100, and Further is how many there are beside.
	Wrong   []Wrong
	Further int
}

func (t *Table) refuse(line int, err error) {
	if len(t.Wrong) == maxWrong {
		t.Further++
		return
	}
	t.Wrong = append(t.Wrong, Wrong{line, err})
}

// Read reads a table of at most [MaxBytes]. printed is the number, as digits, in whose place those are shown for which the
// table names none. beside is a number beside which others are read; see [number.Beside]. Both may be empty. The error is one
// of this package's.
func Read(content []byte, printed, beside string) (*Table, error) {
	if len(content) > MaxBytes {
		return nil, ErrLarge
	}
	text := sheet.Text(content)
	for _, sign := range sheet.Signs(text) {
		r := sheet.Reader(text, sign, false)
		for range headLines {
			cells, err := r.Read()
			if err != nil {
				break
			}
			if c, found := columnsOf(cells); found {
				return c.read(r, printed, beside)
			}
		}
	}
	return nil, ErrColumns
}

func (c *columns) read(r *csv.Reader, printed, beside string) (*Table, error) {
	t := new(Table)
	lines := make(map[string]int) // of the numbers
	for n := 0; ; {
		cells, err := r.Read()
		var malformed *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			if n == 0 {
				return nil, ErrEmpty
			}
			return t, nil
		case errors.As(err, &malformed):
			t.refuse(malformed.Line, number.About("table_quotes", "expected a quotation mark in a cell to be written twice, and the cell in quotation marks"))
			return t, nil
		case err != nil:
			return nil, err
		}
		if c.isBlank(cells) {
			continue
		}
		if n++; n > MaxRows {
			return nil, ErrRows
		}
		line, _ := r.FieldPos(0)
		row, err := c.row(cells, printed, beside)
		if err == nil && lines[row.Number] != 0 {
			err = number.About("twice", "number %s is given already: expected it once", row.Number)
		}
		if err != nil {
			t.refuse(line, err)
			continue
		}
		lines[row.Number], row.Line = line, line
		t.Rows = append(t.Rows, row)
	}
}

// row reads a line. The error is a [number.Mistake].
func (c *columns) row(cells []string, printed, beside string) (row Row, err error) {
	for _, cell := range cells {
		if len(cell) > maxCell || strings.ContainsFunc(cell, func(r rune) bool { return unicode.IsControl(r) && r != '\t' || r == unicode.ReplacementChar }) {
			return row, number.About("table_cell", "expected at most 300 bytes in a cell, without line breaks and control characters")
		}
	}
	if row.Printed = printed; c.cell(cells, c.printed) != "" {
		if row.Printed, err = number.Beside(beside, c.cell(cells, c.printed)); err != nil {
			return row, err
		}
	}
	if row.Printed != "" {
		beside = row.Printed
	}
	if row.Number, err = number.Beside(beside, c.cell(cells, c.number)); err != nil {
		return row, err
	}
	row.Name, row.Titled = c.cell(cells, c.name), c.cell(cells, c.pool)
	for _, of := range c.conditions {
		if value := c.cell(cells, of.place); value != "" {
			row.When = append(row.When, of.field+"="+value)
		}
	}
	if _, err := number.ParseConditions(row.When); err != nil {
		return row, err
	}
	if row.Titled != "" {
		if row.Pool = poolName(row.Titled); row.Pool == "" {
			return row, number.About("table_pool", "pool %q: expected a name with letters", row.Titled)
		}
		return row, nil
	}
	switch {
	case row.Printed == "":
		return row, number.About("table_printed", "number %s: expected the printed number in whose place it is shown", row.Number)
	case len(row.When) == 0:
		return row, number.About("table_source", "number %s: expected a pool, or a source whose visitors see it", row.Number)
	}
	return row, nil
}
