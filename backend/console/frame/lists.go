package frame

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Cursor is a place in a list, the newest first.
type Cursor struct {
	At time.Time
	ID int64
}

// CursorOf reads the place in the list from the query; without a good one it is
// the top.
func CursorOf(query url.Values) Cursor {
	at, errAt := strconv.ParseInt(query.Get("at"), 10, 64)
	id, errID := strconv.ParseInt(query.Get("id"), 10, 64)
	if errAt != nil || errID != nil {
		return Cursor{}
	}
	return Cursor{At: time.UnixMilli(at), ID: id}
}

// Behind is the address of the part of a list behind the place, which cursorOf reads.
func (c Cursor) Behind(path string) string {
	return path + "?" + url.Values{"at": {strconv.FormatInt(c.At.UnixMilli(), 10)}, "id": {strconv.FormatInt(c.ID, 10)}}.Encode()
}

// Option is a value of a select with its name.
type Option struct{ Value, Name string }

// Tab is a choice of what a list shows.
type Tab struct {
	Option
	Link    string
	Current bool
}

// Numbers are those that the address has under the names. The error is notFound.
func Numbers(r *http.Request, first, second string) (a, b int64, err error) {
	a, errA := strconv.ParseInt(r.PathValue(first), 10, 64)
	b, errB := strconv.ParseInt(r.PathValue(second), 10, 64)
	if errA != nil || errB != nil {
		err = NotFound
	}
	return a, b, err
}

// AllowRecordings lets the page play recordings, which stand on the hosts of telephone
// platforms. Nothing is loaded before somebody presses the button.
func AllowRecordings(h http.Header) {
	const policy = "Content-Security-Policy"
	h.Set(policy, h.Get(policy)+"; media-src http: https:")
}
