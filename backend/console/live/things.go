package live

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// subjectKey names a lead, a call, a callback or a conversation, as it is since the place in
// the journal.
type subjectKey struct {
	Site, ID int64
	At       journal.Position
}

// Things are the things of one kind of which entries of the journal tell, for all open streams together.
type Things[T any] struct {
	known *Shared[subjectKey, T]
	live  *Live
}

// NewThings returns the things that get reads.
func NewThings[T any](l *Live, get func(ctx context.Context, site, id int64) (T, error)) Things[T] {
	return Things[T]{NewShared(1000, 10*time.Second, l.Now, func(ctx context.Context, k subjectKey) (T, error) { return get(ctx, k.Site, k.ID) }), l}
}

// Get is the thing of which the entry tells.
func (t Things[T]) Get(ctx context.Context, e journal.Entry) (T, error) {
	return t.known.Get(ctx, subjectKey{e.SiteID, e.SubjectID, e.Position})
}

// Told are the things of which the entries of the kind tell, each once, the newest first, but for those that are gone by
// now. Those of no site are for the admins of all sites.
func (t Things[T]) Told(ctx context.Context, to *Listener, entries []journal.Entry, kind string) (list []T, err error) {
	seen := make(map[int64]bool)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Kind != kind || seen[e.SubjectID] || e.SiteID == 0 && !frame.IsChief(to.Operator) {
			continue
		}
		seen[e.SubjectID] = true
		thing, err := t.Get(ctx, e)
		if t.live.IsUnknown(err) { // it has been erased, or is of another site by now
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, thing)
	}
	return list, nil
}

// toldView is a list in which whatever the journal tells of comes to the top.
type toldView[T, R any] struct {
	*Listener
	things Things[T]
	kind   string // of the entries
	row    func(frame.Page, T) R
	event  string // the template of the rows
}

// ToldView is the view of a list, in which each thing of which entries of the kind tell comes to the top, as a row that
// the template of the event shows.
func ToldView[T, R any](things Things[T], kind, event string, row func(frame.Page, T) R) Opening {
	return func(_ *http.Request, to *Listener) (View, Watch) {
		return &toldView[T, R]{to, things, kind, row, event}, nil
	}
}

// News tells of the things.
func (v *toldView[T, R]) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	things, err := v.things.Told(ctx, v.Listener, entries, v.kind)
	if err != nil || len(things) == 0 {
		return nil, err
	}
	p, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	return RenderRows(v.live, v.Words, v.event, frame.Rows(p, things, v.row), Whatever)
}

// Whatever is for templates that are given the rows alone.
func Whatever[R any](rows []R) any { return rows }
