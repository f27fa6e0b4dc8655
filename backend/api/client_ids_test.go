package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
)

// The ids of platforms are kept where the site has a destination and the visitor has agreed; else nothing of them is.
func TestIDsOfPlatforms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		site := siteOf(variantB)
		site.Consent.Refusals = []string{"Sec-GPC"}
		s := serve(t, d, site)
		hit := func(cookies string, headers ...string) visit.ID {
			t.Helper()
			a := s.script("hit", viewOf("https://shop.example/"), append([]string{"Cookie", cookies}, headers...)...)
			if a.status != 200 {
				return 0
			}
			return visitorOf(t, a)
		}
		known := func(visitor visit.ID, ids client.IDs) bool {
			stored, err := s.clients.Get(t.Context(), siteID, visitor)
			require.NoError(t, err)
			return stored == ids
		}
		const cookies = "_ga=GA1.1.7.1700000000; _ym_uid=1700000000123456789"
		ids := client.IDs{GA: "7.1700000000", YM: "1700000000123456789"}
		nobodyAsks := hit(cookies)
		s.clients.Want([]int64{siteID})
		visitor := hit(cookies)
		require.Eventually(t, func() bool { return known(visitor, ids) }, time.Minute, 10*time.Millisecond)
		forged := hit("_ga=GA1.1.7.17; _fbp=<script>")
		require.Zero(t, hit(cookies, "Sec-GPC", "1"), "who refuses is not served")

		// What a later request does not bring stays, and what is new is added.
		v := s.open(viewOf("https://shop.example/"), cookies)
		later := client.IDs{GA: "8.1700000000", YM: ids.YM, PK: "0123456789abcdef"}
		require.Equal(t, 200, s.script("hit", viewOf("https://shop.example/lamps"), "Cookie", v.cookie+"; _ga=GA1.1.8.1700000000; _pk_id.1.1fff=0123456789abcdef.1700000000.").status)
		require.Eventually(t, func() bool { return known(visitorOf(t, v.answer), later) }, time.Minute, 10*time.Millisecond)
		require.True(t, known(nobodyAsks, client.IDs{}))
		require.True(t, known(forged, client.IDs{}))
	})
}

func visitorOf(t testing.TB, a answer) visit.ID {
	t.Helper()
	id, err := a.body["visitor_id"].(json.Number).Int64()
	require.NoError(t, err)
	return visit.ID(id)
}
