// Package live keeps open pages up to date over server-sent events. Rooms add feeds, which say what a page has to hear
// of, and announcers for what every page is told. It looks for all streams together whether their sessions go on.
package live

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Live keeps open pages up to date. Rooms tell it what pages have to hear of.
type Live struct {
	*frame.Frame
	db         *db.DB
	streams    streams
	attendance attendance
	feeds      map[string]Opening
	announcers []Announcer
	own        []string // kinds of entries
	staff      *Shared[scope.Sites, []operator.Operator]
	sites      *Shared[struct{}, []site.Site]
}

// Feed is what one kind of page has to hear of.
type Feed interface {
	// News returns the data of events for what the journal says, and Refresh that
	// for what is seen now; see dataOf. Each is at most maxData long, and there may be none. They are not changed, since
	// other streams may send the same.
	News(ctx context.Context, entries []journal.Entry) ([][]byte, error)
	Refresh(ctx context.Context) ([][]byte, error)
}

// Watch tells when a feed is to be refreshed.
type Watch interface {
	News() <-chan struct{}
	Close()
}

// ConversationFeed is a feed of conversations.
type ConversationFeed interface {
	// Pause is the least time between two events.
	Pause() time.Duration
	// Hear returns a channel that receives when something was overheard, until forget is
	// called, and Overheard the data of an event for it, which has no place in the journal.
	Hear() (heard <-chan struct{}, forget func())
	Overheard() ([][]byte, error)
}

// Opening opens the feed for the stream that the request asks for. There is none where it is nil, and nothing to be
// refreshed from where watch is nil.
type Opening func(r *http.Request, to *Listener) (feed Feed, watch Watch)

// Announcer returns the data of events for what is announced on every page, whatever it shows.
type Announcer func(ctx context.Context, to *Listener, entries []journal.Entry) ([][]byte, error)

// New returns streams around which pages the frame stands.
func New(f *frame.Frame, database *db.DB) *Live {
	l := &Live{Frame: f, db: database, streams: newStreams(), feeds: make(map[string]Opening)}
	l.attendance.live = l
	l.staff = NewShared(64, 3*time.Second, f.Now, func(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
		return f.Operators.List(ctx, sites)
	})
	l.sites = NewShared(1, 3*time.Second, f.Now, func(ctx context.Context, _ struct{}) ([]site.Site, error) { return f.Sites.List(ctx) })
	f.SignedIn("GET /stream/{view}", l.stream)
	l.Feed("other", func(_ *http.Request, to *Listener) (Feed, Watch) { return to, nil })
	return l
}

// Feed adds a feed, by the name that pages call it in the addresses of their streams.
func (l *Live) Feed(name string, open Opening) { l.feeds[name] = open }

// Announce has the announcer tell every page what has happened: at the sites of its operator, and what entries of the
// own kinds say of the operator.
func (l *Live) Announce(a Announcer, own ...string) {
	l.announcers, l.own = append(l.announcers, a), append(l.own, own...)
}

// ownOf are the subjects of the entries about the operator.
func (l *Live) ownOf(operator int64) []journal.Subject {
	subjects := make([]journal.Subject, len(l.own))
	for i, kind := range l.own {
		subjects[i] = journal.Subject{Kind: kind, ID: operator}
	}
	return subjects
}

// Close ends the open streams for good, and waits some seconds for them.
func (l *Live) Close() { l.streams.Close() }

// Staff are the operators who see one of the sites. They may be some seconds old.
func (l *Live) Staff(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
	return l.staff.Get(ctx, sites)
}

// SitesOf are those of the sites that may be seen. They may be some seconds old.
func (l *Live) SitesOf(ctx context.Context, sites scope.Sites) ([]site.Site, error) {
	all, err := l.sites.Get(ctx, struct{}{})
	return frame.SeenOf(all, sites), err
}

// Listener is the operator whom a stream tells, on a page of the feed.
type Listener struct {
	Feed     string
	Words    *words.Tongue
	Operator operator.Operator
	Counted  scope.Sites // of which the badges of the menu are

	live *Live
}

// listener is who asks for a stream.
func (l *Live) listener(r *http.Request) *Listener {
	o, _ := frame.Current(r)
	// What is unread is counted as the pages count it: of the site that lists are narrowed to.
	counted := o.Sites.Only(l.Sessions.Site(r))
	if counted.None() { // it is no longer the operator's
		counted = o.Sites
	}
	return &Listener{Feed: r.PathValue("view"), Words: l.Words(r), Operator: o, Counted: counted, live: l}
}

// Page is what rows are made with.
func (to *Listener) Page(ctx context.Context) (frame.Page, error) {
	sites, err := to.live.SitesOf(ctx, to.Operator.Sites)
	if err != nil {
		return frame.Page{}, err
	}
	staff, err := to.live.Staff(ctx, to.Operator.Sites)
	return frame.Page{Words: to.Words, Operator: to.Operator, Sites: sites, Staff: staff, Currency: to.live.CurrencyOf}, err
}

// News is that of pages which hear of nothing but what is announced.
func (to *Listener) News(context.Context, []journal.Entry) ([][]byte, error) { return nil, nil }

// Refresh is that of pages which show nothing of what is seen now.
func (to *Listener) Refresh(context.Context) ([][]byte, error) { return nil, nil }

// told is what the journal's entries say to the listener on the page of the feed.
func (l *Live) told(ctx context.Context, to *Listener, feed Feed, entries []journal.Entry) (data [][]byte, err error) {
	for _, announce := range l.announcers {
		announced, err := announce(ctx, to, entries)
		if err != nil {
			return nil, err
		}
		data = append(data, announced...)
	}
	news, err := feed.News(ctx, entries)
	return append(data, news...), err
}

// What is sent to an open page at most, in bytes, whatever is stored.
const (
	maxEvent = 16 << 10
	maxData  = maxEvent - 128 // beside the id of the event
)

// Render gives a part of a page as the data of an event. What does not fit into one is not sent: the page is told to be
// loaded again.
func (l *Live) Render(w *words.Tongue, name string, data any) ([][]byte, error) {
	html, err := l.Part(w, name, data)
	if err != nil {
		return nil, err
	}
	event := dataOf(string(html))
	if len(event) > maxData {
		event, err = l.again(w)
	}
	return [][]byte{event}, err
}

// again tells a page that there is more than it is told.
func (l *Live) again(w *words.Tongue) ([]byte, error) {
	html, err := l.Part(w, "again-event", nil)
	return dataOf(string(html)), err
}

// renderedAtOnce is how many rows are rendered to see whether they fit into an event.
const renderedAtOnce = 8

// RenderRows gives rows as the data of as many events as they need. The last rows come first: a page puts what comes in above what
// it has. data is what the template is given for some of them.
func RenderRows[R any](l *Live, w *words.Tongue, name string, rows []R, data func([]R) any) (events [][]byte, err error) {
	for end := len(rows); end > 0; {
		begin := max(0, end-renderedAtOnce)
		for ; ; begin = (begin + end + 1) / 2 { // half as many, if these do not fit
			html, err := l.Part(w, name, data(rows[begin:end]))
			if err != nil {
				return nil, err
			}
			event := dataOf(string(html))
			if len(event) > maxData && end-begin > 1 {
				continue
			}
			if len(event) > maxData {
				if event, err = l.again(w); err != nil {
					return nil, err
				}
			}
			events = append(events, event)
			break
		}
		end = begin
	}
	return events, nil
}

// dataOf is HTML for the page as an event's data, in its wire form. What visitors wrote
// is part of it, line breaks of all kinds included: each line is marked as data.
func dataOf(html string) []byte {
	html = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(html)
	b := make([]byte, 0, len(html)+len(html)/8)
	for line := range strings.Lines(html) {
		b = append(b, "data: "...)
		b = append(b, strings.TrimSuffix(line, "\n")...)
		b = append(b, '\n')
	}
	return b
}
