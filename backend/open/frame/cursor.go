package frame

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// List is a list with its filter. Cursors of another are refused.
type List uint64

// ListOf is the list of the name, filtered by the values.
func ListOf(name string, filter ...any) List {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q", name)
	for _, value := range filter {
		fmt.Fprintf(hash, " %q", fmt.Sprint(value))
	}
	return List(hash.Sum64())
}

// Place is a position in a list: two numbers, by which it is ordered. The zero Place is its top.
type Place [2]int64

// PlaceAt is the position behind what has the time and the id.
func PlaceAt(at time.Time, id int64) Place {
	if at.IsZero() && id == 0 {
		return Place{}
	}
	return Place{at.UnixMilli(), id}
}

// At are the time and the id of [PlaceAt].
func (p Place) At() (time.Time, int64) {
	if p == (Place{}) {
		return time.Time{}, 0
	}
	return time.UnixMilli(p[0]), p[1]
}

// cursorSize is the size of a cursor in bytes: the list's, and the two numbers.
const cursorSize = 8 + 8 + 8

// Write is the text of a position in the list; empty for its top, at which no page ends.
func (l List) Write(at Place) string {
	if at == (Place{}) {
		return ""
	}
	said := binary.BigEndian.AppendUint64(make([]byte, 0, cursorSize), uint64(l))
	said = binary.BigEndian.AppendUint64(said, uint64(at[0]))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(said, uint64(at[1])))
}

var errCursor = errors.New("expected the cursor of a page of this list with the same filter")

// Read is the position that the text is of; the top for none.
func (l List) Read(text string) (Place, error) {
	if text == "" {
		return Place{}, nil
	}
	said, err := base64.RawURLEncoding.Strict().DecodeString(text) // which passes over line breaks
	if err != nil || len(said) != cursorSize || len(text) != base64.RawURLEncoding.EncodedLen(cursorSize) || binary.BigEndian.Uint64(said) != uint64(l) {
		return Place{}, Wrong("query.cursor", errCursor, text)
	}
	at := Place{int64(binary.BigEndian.Uint64(said[8:])), int64(binary.BigEndian.Uint64(said[16:]))}
	if at == (Place{}) {
		return Place{}, Wrong("query.cursor", errCursor, text)
	}
	return at, nil
}

// Cut is the page out of what was found, which is one more than the limit where the list goes on, and the text of the place
// behind it.
func Cut[T any](l List, found []T, limit int, place func(T) Place) (page []T, next string) {
	if len(found) <= limit {
		return found, ""
	}
	return found[:limit], l.Write(place(found[limit-1]))
}

// PageInput says which page of a list a call asks for.
type PageInput struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"The value of next of the page before, with the same filter."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
}
