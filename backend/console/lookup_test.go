package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Everybody and everything is found by one search, and nothing of sites that the operator does not see.
func TestEverythingIsLookedUp(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Do you have brass lamps?")
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, from.Ref, visit.Info{Name: "Анна Петрова", Phone: "8 (495) 111-22-33", Email: "Anna@Mail.example", Region: "RU"}))
		l := d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "Olga", "message": "Two brass candlesticks"})
		require.Equal(t, lead.Script, l.Origin)
		vera := d.signedIn("vera")
		found := func(b *browser, typed string) string {
			var links []string
			for _, a := range b.document("/lookup?" + url.Values{"q": {typed}}.Encode()).Find("#found .brief a").EachIter() {
				links = append(links, a.AttrOr("href", ""))
			}
			return strings.Join(links, " ")
		}
		card, its := fmt.Sprintf("/visitors/%d/%d", d.shop.ID, from.Visitor), fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID)
		for _, typed := range []string{"петрова", "анна ПЕТ", "+7 495 111 22 33", "84951112233", "anna@mail.example"} {
			require.Contains(t, found(vera, typed), card, typed)
		}
		require.Eventually(t, func() bool { return found(vera, "brass") == its+" "+chatPath(c) }, time.Minute, 10*time.Millisecond, "a search may run out of time")
		require.Contains(t, found(vera, "shop.ex"), "/sites/1")
		require.Contains(t, found(vera, "callb"), "/callbacks", "pages of the console")
		for _, typed := range []string{"", " ", "b", "%", "nothing like that", strings.Repeat("я", 5000)} {
			require.Empty(t, found(vera, typed), typed)
		}

		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		d.agentOf("boris", other.ID)
		boris := d.signedIn("boris")
		for _, typed := range []string{"петрова", "84951112233", "brass", "shop.ex"} {
			require.Empty(t, found(boris, typed), typed)
		}
	})
}
