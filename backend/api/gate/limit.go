package gate

import (
	"context"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// LimitReached is the code of requests that are refused because their site has used up a limit.
const LimitReached = "limit_reached"

// limitWords say what is used up.
var limitWords = map[limit.Kind]string{
	limit.Views: "the page views of the day", limit.Leads: "the leads of the day", limit.Chats: "the conversations at once",
	limit.Streams: "the streams at once", limit.Disk: "the room for its data", limit.Callbacks: "the callbacks of the day",
}

// Within refuses a request if the site has used up its limit of one of the kinds.
func (s Site) Within(ctx context.Context, kinds ...limit.Kind) error {
	for _, k := range kinds {
		if err := s.WithinBy(ctx, k, 1); err != nil {
			return err
		}
	}
	return nil
}

// WithinBy refuses a request if n more would exceed the site's limit of the kind.
func (s Site) WithinBy(ctx context.Context, k limit.Kind, n int64) error {
	if s.Uses == nil || !s.Uses.Exceeded(ctx, s.ID, k, n) {
		return nil
	}
	return NewFailure(http.StatusForbidden, LimitReached, "this site has used up %s", limitWords[k])
}

// Enter counts a stream of a visitor. ok is false if the site has too many. Otherwise the caller calls leave once.
func (s Site) Enter() (leave func(), ok bool) {
	if s.Uses == nil {
		return func() {}, true
	}
	return s.Uses.Enter(s.ID)
}

// Used counts one more of a daily kind.
func (s Site) Used(k limit.Kind) {
	if s.Uses != nil {
		s.Uses.Add(s.ID, k, 1)
	}
}

// Stored counts a row that was stored, with so many bytes of texts and files.
func (s Site) Stored(bytes int) {
	if s.Uses != nil {
		s.Uses.Add(s.ID, limit.Disk, int64(bytes)+limit.RowSize)
	}
}
