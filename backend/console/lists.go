package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// cursor is a place in a list, the newest first.
type cursor struct {
	At time.Time
	ID int64
}

// cursorOf reads the place in the list from the query; without a good one it is
// the top.
func cursorOf(query url.Values) cursor {
	at, errAt := strconv.ParseInt(query.Get("at"), 10, 64)
	id, errID := strconv.ParseInt(query.Get("id"), 10, 64)
	if errAt != nil || errID != nil {
		return cursor{}
	}
	return cursor{At: time.UnixMilli(at), ID: id}
}

// behind is the address of the part of a list behind the place, which cursorOf reads.
func (c cursor) behind(path string) string {
	return path + "?" + url.Values{"at": {strconv.FormatInt(c.At.UnixMilli(), 10)}, "id": {strconv.FormatInt(c.ID, 10)}}.Encode()
}

// option is a value of a select with its name.
type option struct{ Value, Name string }

// tab is a choice of what a list shows.
type tab struct {
	option
	Link    string
	Current bool
}

// twoNumbers are those that the address has under the names. The error is notFound.
func twoNumbers(r *http.Request, first, second string) (a, b int64, err error) {
	a, errA := strconv.ParseInt(r.PathValue(first), 10, 64)
	b, errB := strconv.ParseInt(r.PathValue(second), 10, 64)
	if errA != nil || errB != nil {
		err = notFound
	}
	return a, b, err
}

// allowRecordings lets the page play recordings, which stand on the hosts of telephone
// platforms. Nothing is loaded before somebody presses the button.
func allowRecordings(h http.Header) {
	const policy = "Content-Security-Policy"
	h.Set(policy, h.Get(policy)+"; media-src http: https:")
}
