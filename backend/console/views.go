package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// viewOf is the view that a stream is for, or nil. watch is what it is refreshed
// from; nil when it is about leads alone.
func (c *Console) viewOf(r *http.Request, w *words) (shown view, watch *visit.Watch) {
	o, _ := current(r)
	// What is unread is counted as the pages count it: of the site that lists are narrowed to.
	counted := o.Sites.Only(c.sessions.of(r).GetInt64(r.Context(), sessionSite))
	if counted.None() { // it is no longer the operator's
		counted = o.Sites
	}
	base := arrivals{console: c, words: w, operator: o, counted: counted}
	switch r.PathValue("view") {
	case "visitors":
		return &visitorsView{arrivals: base}, c.Visits.Watch(permitted(r))
	case "leads":
		return &leadsView{arrivals: base}, nil
	case "lead":
		id, err := strconv.ParseInt(r.URL.Query().Get("lead"), 10, 64)
		site := permitted(r).IDs()
		if err != nil || len(site) != 1 {
			return nil, nil
		}
		return &leadView{arrivals: base, name: lead.Name{SiteID: site[0], ID: id}}, nil
	case "calls":
		return &toldView[number.Call, callRow]{base, number.Told, c.sharedCalls, callRowOf, "calls-event"}, nil
	case "callbacks":
		return &toldView[callback.Callback, callbackRow]{base, callback.Changed, c.sharedCallbacks, callbackRowOf, "callbacks-event"}, nil
	case "callback":
		return callbackViewOf(r, base), nil
	case "card":
		visitor, err := strconv.ParseInt(r.URL.Query().Get("visitor"), 10, 64)
		site := permitted(r).IDs()
		if err != nil || len(site) != 1 {
			return nil, nil
		}
		siteID := site[0]
		return &cardView{arrivals: base, siteID: siteID, visitor: visitor}, c.Visits.WatchVisitor(siteID, visit.ID(visitor))
	case "chats":
		return c.chatsViewOf(r, base)
	case "other":
		return &base, nil
	}
	return nil, nil
}

// arrivals announces leads on any page.
type arrivals struct {
	console  *Console
	words    *words
	operator operator.Operator
	counted  scope.Sites // whose unread leads are
}

// leadRows are the leads of which the entries of the kind tell, as rows of a list.
func (a *arrivals) leadRows(ctx context.Context, entries []journal.Entry, kind string) ([]leadRow, error) {
	leads, err := told(ctx, a, entries, kind, a.console.sharedLeads)
	if kind == lead.Added {
		leads = slices.DeleteFunc(leads, func(l lead.Lead) bool { return l.State == lead.Spam }) // which is no news to anybody
	}
	if err != nil || len(leads) == 0 {
		return nil, err
	}
	f, err := a.frame(ctx)
	if err != nil {
		return nil, err
	}
	rows := rowsOf(f, leads, leadRowOf)
	for i := range rows {
		rows[i].Unread, rows[i].Changed = kind == lead.Added, kind == lead.Changed
	}
	return rows, nil
}

func (a *arrivals) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	return a.tell(ctx, entries, "arrival-event")
}

// tell renders the leads among the entries, and what conversations call for the operator.
func (a *arrivals) tell(ctx context.Context, entries []journal.Entry, event string) ([][]byte, error) {
	data, err := a.leads(ctx, entries, event)
	if err != nil {
		return nil, err
	}
	rows, fresh, err := a.chatRows(ctx, entries)
	if err != nil || len(rows) == 0 {
		return data, err
	}
	told, err := a.tellChats(ctx, entries[len(entries)-1].Position, fresh, true)
	return append(data, told...), err
}

// leads renders the leads among the entries, and how many are unread when the
// operator has read some: here or in another browser.
func (a *arrivals) leads(ctx context.Context, entries []journal.Entry, event string) ([][]byte, error) {
	rows, err := a.leadRows(ctx, entries, lead.Added)
	if err != nil {
		return nil, err
	}
	data, err := renderRows(a.console, a.words, event, rows, whatever)
	if err != nil {
		return nil, err
	}
	own := func(e journal.Entry) bool { return e.Kind == lead.Read && e.SubjectID == a.operator.ID }
	if !slices.ContainsFunc(entries, own) {
		return data, nil
	}
	unread, err := a.console.unread(ctx, a.operator, a.counted, entries[len(entries)-1].Position)
	if err != nil {
		return nil, err
	}
	count, err := a.console.render(a.words, "unread-event", len(unread))
	return append(data, count...), err
}

// whatever is for templates that are given the rows alone.
func whatever[R any](rows []R) any { return rows }

func (a *arrivals) refresh(context.Context, *visit.Scene) ([][]byte, error) { return nil, nil }

// leadsView is the list of leads.
type leadsView struct{ arrivals }

func (v *leadsView) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	data, err := v.tell(ctx, entries, "leads-event")
	if err != nil {
		return nil, err
	}
	changed, err := v.leadRows(ctx, entries, lead.Changed)
	if err != nil || len(changed) == 0 {
		return data, err
	}
	if err := v.console.countParts(ctx, changed); err != nil {
		return nil, err
	}
	told, err := renderRows(v.console, v.words, "leads-event", changed, whatever)
	return append(data, told...), err
}

// countParts fills in how many leads each of the rows stands for.
func (c *Console) countParts(ctx context.Context, rows []leadRow) error {
	leads := make([]lead.Lead, len(rows))
	for i := range rows {
		leads[i] = rows[i].Lead
	}
	parts, err := c.Leads.PartsOf(ctx, leads)
	for i := range rows {
		rows[i].Parts = len(parts[rows[i].Lead.Key()])
	}
	return err
}

// leadView is the page of a lead, which says when somebody has done something with it.
type leadView struct {
	arrivals
	name lead.Name
}

func (v *leadView) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	data, err := v.arrivals.news(ctx, entries)
	if err != nil {
		return nil, err
	}
	changed := func(e journal.Entry) bool {
		return e.Kind == lead.Changed && e.SiteID == v.name.SiteID && e.SubjectID == v.name.ID
	}
	if !slices.ContainsFunc(entries, changed) {
		return data, nil
	}
	more, err := v.console.render(v.words, "lead-event", nil)
	return append(data, more...), err
}

// cardView is a visitor's card. It does not change before the operator's eyes,
// but for whether the visitor is there: it says that there is more.
type cardView struct {
	arrivals
	siteID, visitor int64
	seen            *visit.Scene
}

func (v *cardView) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	data, err := v.arrivals.news(ctx, entries)
	if err != nil {
		return nil, err
	}
	ofVisitor := func(e journal.Entry) bool { return e.SiteID == v.siteID && e.VisitorID == v.visitor }
	if !slices.ContainsFunc(entries, ofVisitor) {
		return data, nil
	}
	more, err := v.console.render(v.words, "card-event", nil)
	return append(data, more...), err
}

func (v *cardView) refresh(_ context.Context, scene *visit.Scene) ([][]byte, error) {
	before := v.seen
	v.seen = scene
	var data [][]byte
	var err error
	if before == nil || before.Here != scene.Here { // it may have changed since the page was rendered
		if data, err = v.console.render(v.words, "here-event", scene.Here); err != nil {
			return nil, err
		}
	}
	if before == nil || before.Views == scene.Views && before.LastAt.Equal(scene.LastAt) {
		return data, nil
	}
	more, err := v.console.render(v.words, "card-event", nil)
	return append(data, more...), err
}

// visitorsView is the list of those on the site now. Only rows that changed
// since they were sent are sent again.
type visitorsView struct {
	arrivals
	sent *presence // nil at first
}

func (v *visitorsView) refresh(ctx context.Context, scene *visit.Scene) ([][]byte, error) {
	present, err := v.console.sharedPresence.get(ctx, presenceKey{v.words, scene, v.operator.Sites})
	if err != nil {
		return nil, err
	}
	data, err := v.console.sharedMoves.get(ctx, moveKey{v.words, v.sent, present})
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
func (c *Console) move(k moveKey) ([][]byte, error) {
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
	events, err := renderRows(c, k.words, "guests-event", changed, whatever)
	if err != nil {
		return nil, err
	}
	last, err := c.render(k.words, "visitors-event", e)
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
