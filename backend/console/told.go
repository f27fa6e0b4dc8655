package console

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// subjectKey names a lead, a call, a callback or a conversation, as it is since the place in
// the journal.
type subjectKey struct {
	site, id int64
	at       journal.Position
}

// told are the things of which the entries of the kind tell, each once, the newest first. Those
// of no site are calls to numbers of no site.
func told[T any](ctx context.Context, a *arrivals, entries []journal.Entry, kind string, things *shared[subjectKey, T]) (list []T, err error) {
	seen := make(map[int64]bool)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Kind != kind || seen[e.SubjectID] || e.SiteID == 0 && !seesUnattributed(a.operator) {
			continue
		}
		seen[e.SubjectID] = true
		thing, err := things.get(ctx, subjectKey{e.SiteID, e.SubjectID, e.Position})
		if isGone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, thing)
	}
	return list, nil
}

// isGone tells whether the thing has been erased since, or the call is of a site by now.
func isGone(err error) bool {
	return errors.Is(err, lead.ErrUnknown) || errors.Is(err, number.ErrUnknownCall) || errors.Is(err, callback.ErrUnknown)
}

// rowsOf are the things as rows of a list.
func rowsOf[T, R any](f frame, things []T, row func(frame, T) R) []R {
	rows := make([]R, len(things))
	for i, thing := range things {
		rows[i] = row(f, thing)
	}
	return rows
}

// toldView is a list of calls or of callbacks, in which whatever the journal tells of comes to
// the top.
type toldView[T, R any] struct {
	arrivals
	kind   string // of the entries
	things *shared[subjectKey, T]
	row    func(frame, T) R
	event  string // the template of the rows
}

func (v *toldView[T, R]) news(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	data, err := v.arrivals.news(ctx, entries)
	if err != nil {
		return nil, err
	}
	things, err := told(ctx, &v.arrivals, entries, v.kind, v.things)
	if err != nil || len(things) == 0 {
		return data, err
	}
	f, err := v.frame(ctx)
	if err != nil {
		return nil, err
	}
	more, err := renderRows(v.console, v.words, v.event, rowsOf(f, things, v.row), whatever)
	return append(data, more...), err
}
