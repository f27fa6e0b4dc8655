package fact

import (
	"encoding/binary"

	"github.com/seed-3405227d/frontdesk/backend/report/column"
)

// A day with few rows is kept in one piece: all its columns, each with its name. Sites that few visit have many such days,
// and a report over a thousand sites would read a dozen rows of the database for each. A day with more than wholeRows is
// kept by column, and its piece is empty.
const (
	wholeRows = 256
	whole     = "*" // what the piece is called, in place of a column's name
)

// joined are the columns of a day in one piece.
func (f *Family) joined(columns []stored) []byte {
	var b []byte
	for _, c := range columns {
		name := f.nameOf(c)
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		b = append(binary.AppendUvarint(b, uint64(len(c.content))), c.content...)
	}
	return b
}

// nameOf is the name of the column in the family.
func (f *Family) nameOf(c stored) string { return c.name[len(f.Name)+1:] }

// divide calls each for the columns of a piece. The error is [column.ErrBroken], or that of each.
func divide(piece []byte, each func(name string, content []byte) error) error {
	next := func() (part []byte, ok bool) {
		n, size := binary.Uvarint(piece)
		if size <= 0 || n > uint64(len(piece)-size) {
			return nil, false
		}
		part, piece = piece[size:size+int(n)], piece[size+int(n):]
		return part, true
	}
	for len(piece) > 0 {
		name, named := next()
		content, has := next()
		if !named || !has {
			return column.ErrBroken
		}
		if err := each(string(name), content); err != nil {
			return err
		}
	}
	return nil
}
