package calls

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// callbackView is the page of one callback, which shows each step as it happens.
type callbackView struct {
	*live.Listener
	room       *room
	siteID, id int64
}

func (c *room) openCallback(r *http.Request, to *live.Listener) (live.View, live.Watch) {
	id, err := strconv.ParseInt(r.URL.Query().Get("callback"), 10, 64)
	sites := frame.Permitted(r).IDs()
	if err != nil || len(sites) != 1 {
		return nil, nil
	}
	return &callbackView{to, c, sites[0], id}, nil
}

// News tells what has become of the callback.
func (v *callbackView) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	changed := func(e journal.Entry) bool {
		return e.Kind == callback.Changed && e.SiteID == v.siteID && e.SubjectID == v.id
	}
	if !slices.ContainsFunc(entries, changed) {
		return nil, nil
	}
	told, err := v.room.callbackTold(ctx, frame.Page{Words: v.Words}, v.siteID, v.id)
	if errors.Is(err, callback.ErrUnknown) { // erased since
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v.room.Render(v.Words, "callback-event", told)
}
