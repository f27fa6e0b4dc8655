// Package live keeps open pages up to date over server-sent events. Rooms add views, which say what a page has to hear
// of, and announcers for what every page is told. It looks for all streams together whether their sessions go on.
package live

import (
	"context"
	"net/http"
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
	views      map[string]Opening
	announcers []Announcer
	own        []string // kinds of entries
	staff      *Shared[scope.Sites, []operator.Operator]
	sites      *Shared[struct{}, []site.Site]
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

// New returns streams around which pages the frame stands.
func New(f *frame.Frame, database *db.DB) *Live {
	l := &Live{Frame: f, db: database, streams: newStreams(), views: make(map[string]Opening)}
	l.attendance.live = l
	l.staff = NewShared(64, 3*time.Second, f.Now, func(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
		return f.Operators.List(ctx, sites)
	})
	l.sites = NewShared(1, 3*time.Second, f.Now, func(ctx context.Context, _ struct{}) ([]site.Site, error) { return f.Sites.List(ctx) })
	f.SignedIn("GET /stream/{view}", l.stream)
	l.View("other", func(_ *http.Request, to *Listener) (View, Watch) { return to, nil })
	return l
}

// View adds a view, by the name that pages call it in the addresses of their streams.
func (l *Live) View(name string, open Opening) { l.views[name] = open }

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

// Close ends the open streams for good, and returns when they have ended.
func (l *Live) Close() { l.streams.close() }

// Staff are the operators who see one of the sites. They may be some seconds old.
func (l *Live) Staff(ctx context.Context, sites scope.Sites) ([]operator.Operator, error) {
	return l.staff.Get(ctx, sites)
}

// SitesOf are those of the sites that may be seen. They may be some seconds old.
func (l *Live) SitesOf(ctx context.Context, sites scope.Sites) ([]site.Site, error) {
	all, err := l.sites.Get(ctx, struct{}{})
	return frame.SeenOf(all, sites), err
}

// Listener is the operator whom a stream tells, on a page of the view.
type Listener struct {
	View     string
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
	return &Listener{View: r.PathValue("view"), Words: l.Words(r), Operator: o, Counted: counted, live: l}
}

// Page is what rows are made with.
func (to *Listener) Page(ctx context.Context) (frame.Page, error) {
	sites, err := to.live.SitesOf(ctx, to.Operator.Sites)
	if err != nil {
		return frame.Page{}, err
	}
	staff, err := to.live.Staff(ctx, to.Operator.Sites)
	return frame.Page{Words: to.Words, Operator: to.Operator, Sites: sites, Staff: staff}, err
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
