package rows

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

// Heads is what the first line of a file says of the rows in it.
type Heads struct {
	// Sequences are above all numbers of the rows, by what they number.
	Sequences map[string]int64 `json:"sequences"`
}

// group is the number of a group, or 0 for one that no group has had: pages name groups as they like.
func (h Heads) group(n int64) int64 {
	if n < 0 || n >= h.Sequences[string(ofGroup)] {
		return 0
	}
	return n
}

// Line is a line of the part with rows, unless it is a row: that is a list of values, in the order of its table's columns.
// Bytes are written as how many there are, and follow in pieces.
type Line struct {
	// Table begins a table, also one without rows. The tables come in one order, and each once.
	Table *Table `json:"table,omitempty"`
	// Operator has an operator named who is the operator of rows behind.
	Operator *Operator `json:"operator,omitempty"`
	// Piece is a part of the bytes of the row before.
	Piece []byte `json:"piece,omitempty"`
	// End is the last line.
	End *End `json:"end,omitempty"`
}

// Table is a table of rows.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// Operator is the account of an operator.
type Operator struct {
	Number int64  `json:"number"`
	Login  string `json:"login"`
}

// End says how much the file has.
type End struct {
	Lines int64 `json:"lines"` // with this one
	Rows  int64 `json:"rows"`
}

// pieceSize is how many bytes a piece has.
const pieceSize = 192 << 10

// appendRow appends the row as a line, without its bytes, which it returns.
func (r *record) appendRow(b []byte) (line, content []byte, err error) {
	b = append(b, '[')
	for i, value := range r.values {
		if i > 0 {
			b = append(b, ',')
		}
		switch v := value.(type) {
		case nil:
			b = append(b, "null"...)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case bool:
			b = strconv.AppendBool(b, v)
		case string:
			text, err := json.Marshal(strings.ReplaceAll(v, "\x00", "")) // which PostgreSQL does not store
			if err != nil {
				return nil, nil, err
			}
			b = append(b, text...)
		case []byte:
			b, content = strconv.AppendInt(b, int64(len(v)), 10), v
		default:
			return nil, nil, fmt.Errorf("a value of type %T cannot be written", value)
		}
	}
	return append(b, ']', '\n'), content, nil
}

func appendPiece(b, piece []byte) []byte {
	b = append(b, `{"piece":"`...)
	b = base64.StdEncoding.AppendEncode(b, piece)
	return append(b, '"', '}', '\n')
}

// awaited is how many bytes follow for a value.
type awaited int64

// readRow reads the values of a row, bytes as [awaited].
func readRow(m *moved, columns []table.Column, line []byte) (r record, err error) {
	// One value after the other: a line may have millions.
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return r, err
	}
	r = record{columns: columns, values: make([]any, len(columns))}
	n := 0
	for ; n < len(columns) && d.More(); n++ {
		c := columns[n]
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return r, err
		}
		if r.values[n], err = readValue(m, c, value); err != nil {
			return r, fmt.Errorf("%s.%s: %w", m.name, c.Name, err)
		}
	}
	more := d.More()
	if _, err := d.Token(); !more && err != nil {
		return r, io.ErrUnexpectedEOF
	}
	if more || n < len(columns) {
		return r, fmt.Errorf("%s: expected %d values", m.name, len(columns))
	}
	if len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return r, errors.New("expected one row")
	}
	return r, nil
}

// MaxRow is how many bytes the line of a row may have, and maxBytes how many it may have beside its texts: what the largest
// column of figures takes, or a file.
const MaxRow, maxBytes = 16 << 20, 64 << 20

func readValue(m *moved, c table.Column, text json.RawMessage) (any, error) {
	if string(text) == "null" {
		if !c.Nullable {
			return nil, errors.New("expected a value")
		}
		return nil, nil
	}
	switch c.Type {
	case table.Number, table.Bytes:
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("expected a number, not %.40s", text)
		}
		switch {
		case c.Type == table.Number && !inRange(m, c.Name, n), c.Type == table.Bytes && (n < 0 || n > maxBytes):
			return nil, fmt.Errorf("%d is out of range", n)
		case c.Type == table.Bytes:
			return awaited(n), nil
		}
		return n, nil
	case table.Truth:
		if string(text) != "true" && string(text) != "false" {
			return nil, fmt.Errorf("expected true or false, not %.40s", text)
		}
		return string(text) == "true", nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("expected a text, not %.40s", text)
	}
	return checkText(m, c.Name, s)
}
