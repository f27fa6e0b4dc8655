package load

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// set changes the title of the site's panels again and again, each time from the version that it has read: a change that
// a node has held up cannot come after a later one.
func (l *Load) set(ctx context.Context, pause time.Duration) {
	for sleep(ctx, pause) {
		path := "sites/" + l.Site + "/settings"
		read, err := l.send(ctx, l.api(http.MethodGet, path, nil))
		if err != nil || read.status != http.StatusOK {
			continue
		}
		title := "Title " + l.id()
		l.Book.Add(book.Entry{Kind: book.Setting, Value: title}) // it may be stored before this program hears of it
		a, err := l.send(ctx, l.api(http.MethodPatch, path, map[string]any{"widget": map[string]any{"title": map[string]string{"en": title}}}, "If-Match", read.header.Get("Etag")))
		if err == nil && a.status == http.StatusOK {
			l.Book.Add(book.Entry{Kind: book.Setting, Value: title, Acknowledged: true})
		}
	}
}
