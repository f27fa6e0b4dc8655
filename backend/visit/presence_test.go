package visit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// whoIsHere says for each visitor whether they are on the site. It checks that the card of the first one agrees.
func whoIsHere(t *testing.T, v *visit.Visits, visitors ...visit.ID) (here []bool) {
	t.Helper()
	live, err := v.Live(t.Context(), scope.Of(site))
	require.NoError(t, err)
	for _, visitor := range visitors {
		is := false
		for _, l := range live.Visits {
			is = is || l.Visitor == visitor
		}
		card, err := v.Card(t.Context(), site, visitor)
		require.NoError(t, err)
		require.Equal(t, is, card.Here, "the list and the card say the same")
		here = append(here, is)
	}
	return here
}

func TestThoseAreHereWhosePagesSaySo(t *testing.T) {
	each(t, func(t *testing.T, v *visit.Visits, c *clock, _ *db.DB) {
		say := func(h visit.View, p visit.Presence) {
			t.Helper()
			v.See(site, h.Ref, p)
			require.NoError(t, v.StorePresence())
		}
		reader, silent := see(t, v, 0, "https://shop.example/long-read"), see(t, v, 0, "https://shop.example/")
		require.Equal(t, []bool{true, true}, whoIsHere(t, v, reader.Visitor, silent.Visitor))
		for range 30 { // half an hour on one page
			c.pass(time.Minute)
			say(reader, visit.Here)
		}
		require.Equal(t, []bool{true, false}, whoIsHere(t, v, reader.Visitor, silent.Visitor), "those whose pages say nothing are gone")
		c.pass(89 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "a word may be late")
		c.pass(2 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))

		say(reader, visit.Here) // the computer has slept
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))
		say(reader, visit.Away)
		c.pass(59 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "it is open behind another")
		c.pass(2 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))
		say(reader, visit.Here)
		say(reader, visit.Left)
		c.pass(6 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))

		// The visitor leaves the page for the next one.
		first := see(t, v, reader.Visitor, "https://shop.example/lamps")
		say(first, visit.Left)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "the next page is on its way")
		second := see(t, v, reader.Visitor, "https://shop.example/order")
		c.pass(10 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))

		// Two windows are side by side, and one that closes does not hide the other.
		third := see(t, v, reader.Visitor, "https://shop.example/about")
		say(second, visit.Here)
		say(third, visit.Left)
		c.pass(30 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))
		say(second, visit.Left)
		c.pass(6 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor), "although the last view is younger than a minute and a half")
	})
}

// A node knows the reports that another node has received.
func TestPresenceHoldsAcrossNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	here, clock := open(t, dbtest.Open(t, settings))
	other, otherClock := open(t, dbtest.Open(t, settings))
	h := see(t, here, 0, "https://shop.example/")
	for range 3 {
		clock.pass(time.Minute)
		otherClock.pass(time.Minute)
		here.See(site, h.Ref, visit.Here)
		require.NoError(t, here.StorePresence())
		require.Equal(t, []bool{true}, whoIsHere(t, other, h.Visitor))
	}
	other.See(site, h.Ref, visit.Left) // the last word reaches the other node
	require.NoError(t, other.StorePresence())
	clock.pass(6 * time.Second)
	require.Equal(t, []bool{false}, whoIsHere(t, here, h.Visitor))
}

// The reports of any number of pages are written together, and old ones are deleted.
func TestWordsOfPagesAreWrittenTogether(t *testing.T) {
	each(t, func(t *testing.T, v *visit.Visits, c *clock, d *db.DB) {
		count := func() int {
			n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM presences`)
			require.NoError(t, err)
			return n
		}
		var views []visit.View
		for i := range 300 {
			views = append(views, see(t, v, 0, fmt.Sprintf("https://shop.example/%d", i)))
		}
		for _, h := range views {
			v.See(site, h.Ref, visit.Away)
			v.See(site, h.Ref, visit.Here)
		}
		require.Zero(t, count(), "no word has waited for the database")
		require.NoError(t, v.StorePresence())
		require.Equal(t, len(views), count())
		live, err := v.Live(t.Context(), scope.Of(site))
		require.NoError(t, err)
		require.Len(t, live.Visits, visit.MaxLive)
		require.True(t, live.More)

		c.pass(time.Hour)
		v.See(site, views[0].Ref, visit.Here)
		require.NoError(t, v.StorePresence())
		require.Equal(t, 1, count())
	})
}

// The reports of pages are written by themselves a moment later. Watches see who has left without any other event.
func TestWatchSeesWhoHasLeft(t *testing.T) {
	each(t, func(t *testing.T, v *visit.Visits, c *clock, _ *db.DB) {
		h := see(t, v, 0, "https://shop.example/")
		w, card := v.Watch(scope.Of(site)), v.WatchVisitor(site, h.Visitor)
		defer w.Close()
		defer card.Close()
		until(t, w, func(s *visit.Scene) bool { return len(s.Visits) == 1 })
		until(t, card, func(s *visit.Scene) bool { return s.Here })
		v.See(site, h.Ref, visit.Left)
		c.pass(6 * time.Second)
		until(t, w, func(s *visit.Scene) bool { return len(s.Visits) == 0 })
		until(t, card, func(s *visit.Scene) bool { return !s.Here })
	})
}
