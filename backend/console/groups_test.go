package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

func TestAdminKeepsGroups(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		at := fmt.Sprintf("/sites/%d/groups", d.shop.ID)
		require.Contains(t, b.get(at).body, "No groups yet")
		fields := []string{"group", "0", "name", "<b>Sales</b>", "phone", "+7 495 000-00-01", "zone", "Europe/Moscow", "routing", "least_busy",
			"day1", "9-13, 14:00–18", "holidays", "2026-05-08\r\n01-01"}
		require.Equal(t, http.StatusSeeOther, b.post(at, fields...).status)
		groups, err := d.Groups.Of(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Len(t, groups, 1)
		g := groups[0]
		require.Equal(t, "74950000001", g.Phone)
		require.Equal(t, []group.Span{{From: 540, To: 780}, {From: 840, To: 1080}}, g.Hours[time.Monday])
		require.Equal(t, []group.Holiday{"01-01", "2026-05-08"}, g.Holidays)

		list := b.get(at).body
		require.Contains(t, list, "&lt;b&gt;Sales&lt;/b&gt;")
		page := b.get(fmt.Sprintf("%s/%d", at, g.ID)).body
		for _, shown := range []string{"09:00-13:00, 14:00-18:00", "2026-05-08", "Europe/Moscow", `value="least_busy" selected`} {
			require.Contains(t, page, shown)
		}
		for field, wrong := range map[string]string{"phone": "12", "zone": "Mars", "day3": "25-26", "holidays": "tomorrow", "name": " ", "routing": "fate", "members": "999"} {
			a := b.post(at, slices.Concat(fields, []string{"name", "Others", field, wrong})...)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, field)
			require.Contains(t, a.body, "role=\"alert\"", field)
		}
		require.Contains(t, b.post(at, slices.Concat(fields, []string{"name", "Others", "zone", ""})...).body, "Which time zone are the hours in?")
		require.Equal(t, http.StatusNotFound, b.get(at+"/999").status)
		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("%s/%d/removal", at, g.ID)).status)
		require.Equal(t, http.StatusNotFound, b.post(fmt.Sprintf("%s/%d/removal", at, g.ID)).status)
		require.Contains(t, b.get("/history").body, "Group removed")
	})
}
