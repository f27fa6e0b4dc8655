package open

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// list is a list with its filter. Cursors of another are refused.
type list uint64

// listOf is the list of the name, filtered by the values.
func listOf(name string, filter ...any) list {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q", name)
	for _, value := range filter {
		fmt.Fprintf(hash, " %q", fmt.Sprint(value))
	}
	return list(hash.Sum64())
}

// cursorSize is the size of a cursor in bytes: the list's, the time in milliseconds and the id.
const cursorSize = 8 + 8 + 8

// write is the text of a position in the list; empty for its top, at which no page ends.
func (l list) write(at lead.Cursor) string {
	if at == (lead.Cursor{}) {
		return ""
	}
	said := binary.BigEndian.AppendUint64(make([]byte, 0, cursorSize), uint64(l))
	said = binary.BigEndian.AppendUint64(said, uint64(at.At.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(said, uint64(at.ID)))
}

// read is the position that the text is of; the top for none.
func (l list) read(text string) (lead.Cursor, error) {
	if text == "" {
		return lead.Cursor{}, nil
	}
	said, err := base64.RawURLEncoding.Strict().DecodeString(text) // which passes over line breaks
	if err != nil || len(said) != cursorSize || len(text) != base64.RawURLEncoding.EncodedLen(cursorSize) || binary.BigEndian.Uint64(said) != uint64(l) {
		return lead.Cursor{}, huma.Error422UnprocessableEntity("validation failed",
			&huma.ErrorDetail{Location: "query.cursor", Message: "expected the cursor of a page of this list with the same filter", Value: text})
	}
	return lead.Cursor{At: time.UnixMilli(int64(binary.BigEndian.Uint64(said[8:]))), ID: int64(binary.BigEndian.Uint64(said[16:]))}, nil
}
