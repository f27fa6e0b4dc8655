package inquiries

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/inquiry"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// recent is how long ago an inquiry came at most that comes to the top of the list. Of one that came earlier, a list that
// has it hears what has become of it.
const recent = time.Hour

// told are the kinds of the journal's entries that tell of inquiries. Those of new ones come first: an inquiry of which both
// tell is a new one.
var told = []struct {
	entry   string
	kind    inquiry.Kind
	changed bool // it tells of one that is on the list
}{
	{call.Told, inquiry.Call, false}, {lead.Added, inquiry.Request, false}, {chat.Said, inquiry.Chat, false}, {callback.Changed, inquiry.Callback, false},
	{lead.Changed, inquiry.Request, true}, {chat.Changed, inquiry.Chat, true},
}

// feed is the list of inquiries.
type feed struct {
	*live.Listener
	room *room
}

func (c *room) open(_ *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	return &feed{to, c}, nil
}

// News tells of inquiries, and of what becomes of them.
func (v *feed) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	var list []inquiry.Inquiry
	changed := make(map[string]bool) // by the keys of rows
	for _, t := range told {
		some, err := v.room.told[t.kind].Told(ctx, v.Listener, entries, t.entry)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			key := keyOf(one)
			if _, heard := changed[key]; heard || one.SiteID == 0 {
				continue
			}
			spam := one.Lead != nil && one.Lead.State == lead.Spam || one.Chat != nil && one.Chat.Banned // which is no news to anybody
			changed[key] = t.changed || spam || v.room.Now().Sub(one.At) > recent
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(list, func(a, b inquiry.Inquiry) int { return b.At.Compare(a.At) })
	p, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	shown, err := v.room.rowsOf(ctx, p, list)
	if err != nil {
		return nil, err
	}
	for i := range shown {
		shown[i].Changed = changed[shown[i].Key]
	}
	return live.RenderRows(v.room.Live, v.Words, "inquiries-event", shown, live.Whatever)
}
