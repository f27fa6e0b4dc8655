package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

// Reader reads the rows of a file.
type Reader struct {
	lines *bufio.Scanner
	n     int64  // the line
	first []byte // of which the caller has read it; then nil
	rows  int64
	// tables is how many have begun.
	tables int
}

// NewReader returns a reader of what comes behind the first line of rows, which is the n-th of the file.
func NewReader(lines *bufio.Scanner, n int64, first []byte) *Reader {
	return &Reader{lines: lines, n: n, first: bytes.Clone(first)}
}

// errEnd is the error of a file that was cut off.
var errEnd = errors.New("the end of the file is missing")

// next returns the next line; ok is false at the end of the file.
func (r *Reader) next() (line []byte, ok bool) {
	if r.first != nil {
		line, r.first = r.first, nil
		return line, true
	}
	if ok = r.lines.Scan(); ok {
		r.n++
	}
	return r.lines.Bytes(), ok
}

// at names the line of an error.
func (r *Reader) at(err error) error { return fmt.Errorf("line %d: %w", r.n, err) }

// taker is told what a file has. Its errors are those of a line.
type taker interface {
	operator(Operator) error
	row(m *moved, t table.Table, r *record) error
}

// read hands the rows of the tables to the taker, and returns when it has seen the end. The error names the line.
func (r *Reader) read(all []table.Table, to taker) error {
	for {
		line, ok := r.next()
		switch {
		case !ok && r.lines.Err() != nil:
			r.n++
			return r.at(r.lines.Err())
		case !ok:
			return errEnd
		}
		if len(line) > 0 && line[0] == '[' {
			if r.tables == 0 {
				return r.at(errors.New("expected a table"))
			}
			if err := r.row(&plan[r.tables-1], all[r.tables-1], line, to); err != nil {
				return r.at(err)
			}
			continue
		}
		var l Line
		if err := strictly(line, &l); err != nil {
			return r.at(err)
		}
		switch {
		case l.Table != nil && r.tables < len(all):
			r.tables++
			if err := sameTable(all[r.tables-1], *l.Table); err != nil {
				return r.at(err)
			}
		case l.Operator != nil:
			if err := to.operator(*l.Operator); err != nil {
				return r.at(err)
			}
		case l.End != nil:
			return r.end(*l.End, r.tables == len(all))
		default:
			return r.at(errors.New("expected a row, or the next table"))
		}
	}
}

// end returns an error unless the file has what its end says, and nothing behind it.
func (r *Reader) end(e End, whole bool) error {
	switch {
	case !whole:
		return r.at(errors.New("expected the next table"))
	case e.Lines != r.n || e.Rows != r.rows:
		return fmt.Errorf("the file has %d lines with %d rows: expected %d with %d", r.n, r.rows, e.Lines, e.Rows)
	}
	if _, more := r.next(); more {
		return r.at(errors.New("expected the end"))
	}
	return r.lines.Err()
}

func sameTable(t table.Table, named Table) error {
	if named.Name != t.Name {
		return fmt.Errorf("expected the table %s, not %.40q", t.Name, named.Name)
	}
	same := len(named.Columns) == len(t.Columns)
	for i := 0; same && i < len(t.Columns); i++ {
		same = named.Columns[i] == t.Columns[i].Name
	}
	if !same {
		return fmt.Errorf("the table %s has other columns here: export the site with the same release", t.Name)
	}
	return nil
}

// maxLine bounds lines that are no rows, in bytes. Pieces are the longest.
const maxLine = 2 * pieceSize

// strictly reads a line that is no row, and of which each field is known.
func strictly(line []byte, to any) error {
	if len(line) > maxLine {
		return fmt.Errorf("expected a row, or %d bytes at most", maxLine)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errors.New("expected one object")
	}
	return nil
}

// row reads a row, with the bytes that follow, and hands it on.
func (r *Reader) row(m *moved, t table.Table, line []byte, to taker) error {
	read, err := readRow(m, t.Columns, line)
	if err != nil {
		return err
	}
	for i, value := range read.values {
		if n, is := value.(awaited); is {
			if read.values[i], err = r.pieces(int(n)); err != nil {
				return err
			}
		}
	}
	r.rows++
	return to.row(m, t, &read)
}

// pieces reads n bytes.
func (r *Reader) pieces(n int) ([]byte, error) {
	content := make([]byte, 0, min(n, pieceSize))
	for len(content) < n {
		line, ok := r.next()
		if !ok {
			return nil, errors.Join(errEnd, r.lines.Err())
		}
		var l Line
		if err := strictly(line, &l); err != nil {
			return nil, err
		}
		if len(l.Piece) == 0 || len(l.Piece) > n-len(content) {
			return nil, fmt.Errorf("expected a piece of %d bytes at most", n-len(content))
		}
		content = append(content, l.Piece...)
	}
	return content, nil
}
