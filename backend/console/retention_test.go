package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// When visits are as old as they are kept, their leads and calls are still there, with the sources that brought them.
func TestLeadsAndCallsOutliveTheirVisits(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=oldnews&utm_medium=mail"})
		l := d.lead(h, map[string]any{"name": "Anna", "phone": "+7 912 345-67-89", "message": "Red lamp"})
		d.declareNumbers("node", number.Declared{Digits: "74950000000", Tracking: []string{"74950000001"}})
		d.call(telephony.Event{Call: "one", Kind: telephony.Start, Called: "74950000001", Caller: "79123456789"})
		b := d.signedIn("vera")
		lead := fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)
		for _, when := range []string{"before", "after"} {
			for path, texts := range map[string][]string{lead: {"Anna", "oldnews", "Red lamp"}, "/leads": {"Anna", "oldnews"}, "/calls": {"7 912 345-67-89", "oldnews"}, "/visitors": nil} {
				a := b.get(path)
				require.Equal(t, http.StatusOK, a.status, "%s %s", path, when)
				for _, text := range texts {
					require.Contains(t, a.body, text, "%s %s", path, when)
				}
			}
			if when == "before" {
				_, err := retain.New(d.DB, partition.New(d.DB, "visits", "views", "user_events")).Prune(t.Context(), retain.Limit{Before: d.now().Add(time.Hour)})
				require.NoError(t, err)
			}
		}
		a := b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor))
		require.Equal(t, http.StatusNotFound, a.status)
		require.Contains(t, a.body, "their visits have been erased")
	})
}
