package console

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Live keeps open pages up to date. Rooms tell it what pages have to hear of.
type Live struct {
	*Frame
	db         *db.DB
	streams    streams
	attendance attendance
	views      map[string]Opening
	announcers []Announcer
	staff      *shared[scope.Sites, []operator.Operator]
	sites      *shared[struct{}, []site.Site]
}

// View is what one kind of page has to hear of.
type View interface {
	// News returns the data of events for what the journal says, and Refresh that
	// for what is seen now; see dataOf. Each is at most maxData long, and there may be none. They are not changed, since
	// other streams may send the same.
	News(ctx context.Context, entries []journal.Entry) ([][]byte, error)
	Refresh(ctx context.Context) ([][]byte, error)
}

// Watch tells when a view is to be refreshed.
type Watch interface {
	News() <-chan struct{}
	Close()
}

// Talking is a view of conversations.
type Talking interface {
	// Pause is the least time between two events.
	Pause() time.Duration
	// Hear returns a channel that receives when something was overheard, until forget is
	// called, and Overheard the data of an event for it, which has no place in the journal.
	Hear() (heard <-chan struct{}, forget func())
	Overheard() ([][]byte, error)
}

// Opening opens the view for the stream that the request asks for. There is none where it is nil, and nothing to be
// refreshed from where watch is nil.
type Opening func(r *http.Request, to *Listener) (view View, watch Watch)

// Announcer returns the data of events for what is announced on every page, whatever it shows.
type Announcer func(ctx context.Context, to *Listener, entries []journal.Entry) ([][]byte, error)

// newLive returns streams around which pages the frame stands.
func newLive(f *Frame, database *db.DB) *Live {
	l := &Live{Frame: f, db: database, streams: newStreams(), views: make(map[string]Opening)}
	l.attendance.live = l
	l.staff = newShared(64, 3*time.Second, f.now, func(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
		return f.Operators.List(ctx, sites)
	})
	l.sites = newShared(1, 3*time.Second, f.now, func(ctx context.Context, _ struct{}) ([]site.Site, error) { return f.Sites.List(ctx) })
	f.SignedIn("GET /stream/{view}", l.stream)
	l.View("other", func(_ *http.Request, to *Listener) (View, Watch) { return to, nil })
	return l
}

// View adds a view, by the name that pages call it in the addresses of their streams.
func (l *Live) View(name string, open Opening) { l.views[name] = open }

// Announce has the announcer tell every page what has happened.
func (l *Live) Announce(a Announcer) { l.announcers = append(l.announcers, a) }

// Close ends the open streams for good, and returns when they have ended.
func (l *Live) Close() { l.streams.close() }

// Staff are the operators who see one of the sites. They may be some seconds old.
func (l *Live) Staff(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
	return l.staff.get(ctx, sites)
}

// SitesOf are those of the sites that may be seen. They may be some seconds old.
func (l *Live) SitesOf(ctx context.Context, sites scope.Sites) ([]site.Site, error) {
	all, err := l.sites.get(ctx, struct{}{})
	return seenOf(all, sites), err
}

// Listener is the operator whom a stream tells, on a page of the view.
type Listener struct {
	View     string
	Words    *words
	Operator operator.Operator
	Counted  scope.Sites // of which the badges of the menu are

	live *Live
}

// listener is who asks for a stream.
func (l *Live) listener(r *http.Request) *Listener {
	o, _ := current(r)
	// What is unread is counted as the pages count it: of the site that lists are narrowed to.
	counted := o.Sites.Only(l.sessions.site(r))
	if counted.None() { // it is no longer the operator's
		counted = o.Sites
	}
	return &Listener{View: r.PathValue("view"), Words: l.wordsFor(r), Operator: o, Counted: counted, live: l}
}

// Page is what rows are made with.
func (to *Listener) Page(ctx context.Context) (frame, error) {
	sites, err := to.live.SitesOf(ctx, to.Operator.Sites)
	if err != nil {
		return frame{}, err
	}
	staff, err := to.live.Staff(ctx, to.Operator.Sites)
	return frame{Words: to.Words, Operator: to.Operator, Sites: sites, Staff: staff}, err
}

// News is that of pages which hear of nothing but what is announced.
func (to *Listener) News(context.Context, []journal.Entry) ([][]byte, error) { return nil, nil }

// Refresh is that of pages which show nothing of what is seen now.
func (to *Listener) Refresh(context.Context) ([][]byte, error) { return nil, nil }

// told is what the journal's entries say to the listener on the page of the view.
func (l *Live) told(ctx context.Context, to *Listener, view View, entries []journal.Entry) (data [][]byte, err error) {
	for _, announce := range l.announcers {
		announced, err := announce(ctx, to, entries)
		if err != nil {
			return nil, err
		}
		data = append(data, announced...)
	}
	news, err := view.News(ctx, entries)
	return append(data, news...), err
}
