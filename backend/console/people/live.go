package people

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// presenceKey is what a presence is rendered from, and the sites that the operator
// sees. None of it is ever changed.
type presenceKey struct {
	words *words.Tongue
	scene *onsite.Scene
	sites scope.Sites
}

func (k presenceKey) String() string { return fmt.Sprintf("%p %p %s", k.words, k.scene, k.sites) }

// moveKey is what a change of the list of visitors is rendered from: what a page shows,
// or nil, and what it is to show. Neither is ever changed.
type moveKey struct {
	words         *words.Tongue
	before, after *presence
}

func (k moveKey) String() string { return fmt.Sprintf("%p %p %p", k.words, k.before, k.after) }

// cardFeed is a visitor's card. It does not change before the operator's eyes,
// but for whether the visitor is there: it says that there is more.
type cardFeed struct {
	*live.Listener
	room            *room
	watch           *onsite.Watch
	siteID, visitor int64
	seen            *onsite.Scene
}

func (c *room) openCard(r *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	visitor, err := strconv.ParseInt(r.URL.Query().Get("visitor"), 10, 64)
	site := frame.Permitted(r).IDs()
	if err != nil || len(site) != 1 {
		return nil, nil
	}
	watch := c.Cards.Onsite.WatchVisitor(site[0], visit.ID(visitor))
	return &cardFeed{Listener: to, room: c, watch: watch, siteID: site[0], visitor: visitor}, watch
}

// News tells that there is more of the visitor.
func (v *cardFeed) News(_ context.Context, entries []journal.Entry) ([][]byte, error) {
	ofVisitor := func(e journal.Entry) bool { return e.SiteID == v.siteID && e.VisitorID == v.visitor }
	if !slices.ContainsFunc(entries, ofVisitor) {
		return nil, nil
	}
	return v.room.Render(v.Words, "card-event", nil)
}

// Refresh tells whether the visitor is there.
func (v *cardFeed) Refresh(context.Context) ([][]byte, error) {
	before, scene := v.seen, v.watch.Scene()
	v.seen = scene
	var data [][]byte
	var err error
	if before == nil || before.Here != scene.Here { // it may have changed since the page was rendered
		if data, err = v.room.Render(v.Words, "here-event", scene.Here); err != nil {
			return nil, err
		}
	}
	if before == nil || before.Views == scene.Views && before.LastAt.Equal(scene.LastAt) {
		return data, nil
	}
	more, err := v.room.Render(v.Words, "card-event", nil)
	return append(data, more...), err
}

// visitorsFeed is the list of those on the site now. Only rows that changed
// since they were sent are sent again.
type visitorsFeed struct {
	*live.Listener
	room  *room
	watch *onsite.Watch
	sent  *presence // nil at first
}

func (c *room) openVisitors(r *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	watch := c.Cards.Onsite.Watch(frame.Permitted(r))
	return &visitorsFeed{Listener: to, room: c, watch: watch}, watch
}

// Refresh tells who is there.
func (v *visitorsFeed) Refresh(ctx context.Context) ([][]byte, error) {
	present, err := v.room.presences.Get(ctx, presenceKey{v.Words, v.watch.Scene(), v.Operator.Sites})
	if err != nil {
		return nil, err
	}
	data, err := v.room.moves.Get(ctx, moveKey{v.Words, v.sent, present})
	if err == nil {
		v.sent = present
	}
	return data, err
}

// visitorsEvent is what the list is after a change of rows.
type visitorsEvent struct {
	Present *presence
	Order   string // keys of all rows from top to bottom
}

// move renders what changes in the list from one presence to the next, or nothing.
func (c *room) move(k moveKey) ([][]byte, error) {
	var changed []guest
	e := visitorsEvent{Present: k.after, Order: k.after.order()}
	before := make(map[string]string)
	if k.before != nil {
		for _, g := range k.before.Guests {
			before[g.Key] = g.state
		}
	}
	for _, g := range k.after.Guests {
		if state, sent := before[g.Key]; !sent || state != g.state {
			changed = append(changed, g)
		}
	}
	if len(changed) == 0 && k.before != nil && len(before) > 0 && e.Order == k.before.order() {
		return nil, nil
	}
	events, err := live.RenderRows(c.Live, k.words, "guests-event", changed, live.Whatever)
	if err != nil {
		return nil, err
	}
	last, err := c.Render(k.words, "visitors-event", e)
	return append(events, last...), err
}

// order is the keys of all rows from top to bottom.
func (p *presence) order() string {
	var b strings.Builder
	for _, g := range p.Guests {
		b.WriteString(g.Key)
		b.WriteByte(' ')
	}
	return b.String()
}
