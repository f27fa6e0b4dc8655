package onsite_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// whoIsHere says for each visitor whether they are on the site. It checks that the card of the first one agrees.
func whoIsHere(t *testing.T, v *visittest.Rooms, visitors ...visit.ID) (here []bool) {
	t.Helper()
	live, err := v.Onsite.Live(t.Context(), scope.Of(site))
	require.NoError(t, err)
	for _, visitor := range visitors {
		is := false
		for _, l := range live.Visits {
			is = is || l.Visitor == visitor
		}
		alone, err := v.Onsite.Here(t.Context(), site, visitor)
		require.NoError(t, err)
		require.Equal(t, is, alone, "the list and the card say the same")
		here = append(here, is)
	}
	return here
}

func TestThoseAreHereWhosePagesSaySo(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		say := func(h visit.View, p onsite.Presence) {
			t.Helper()
			v.Onsite.See(site, h.Ref, p)
			require.NoError(t, v.Onsite.StorePresence())
		}
		reader, silent := v.See(t, 0, "https://shop.example/long-read"), v.See(t, 0, "https://shop.example/")
		require.Equal(t, []bool{true, true}, whoIsHere(t, v, reader.Visitor, silent.Visitor))
		for range 30 { // half an hour on one page
			c.Pass(time.Minute)
			say(reader, onsite.Here)
		}
		require.Equal(t, []bool{true, false}, whoIsHere(t, v, reader.Visitor, silent.Visitor), "those whose pages say nothing are gone")
		c.Pass(89 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "a word may be late")
		c.Pass(2 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))

		say(reader, onsite.Here) // the computer has slept
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))
		say(reader, onsite.Away)
		c.Pass(59 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "it is open behind another")
		c.Pass(2 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))
		say(reader, onsite.Here)
		say(reader, onsite.Left)
		c.Pass(6 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor))

		// The visitor leaves the page for the next one.
		first := v.See(t, reader.Visitor, "https://shop.example/lamps")
		say(first, onsite.Left)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor), "the next page is on its way")
		second := v.See(t, reader.Visitor, "https://shop.example/order")
		c.Pass(10 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))

		// Two windows are side by side, and one that closes does not hide the other.
		third := v.See(t, reader.Visitor, "https://shop.example/about")
		say(second, onsite.Here)
		say(third, onsite.Left)
		c.Pass(30 * time.Second)
		require.Equal(t, []bool{true}, whoIsHere(t, v, reader.Visitor))
		say(second, onsite.Left)
		c.Pass(6 * time.Second)
		require.Equal(t, []bool{false}, whoIsHere(t, v, reader.Visitor), "although the last view is younger than a minute and a half")
	})
}

// A node knows the reports that another node has received.
func TestPresenceHoldsAcrossNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	clock := new(visittest.Clock)
	here := visittest.Open(t, dbtest.Open(t, settings), clock.Now)
	otherClock := new(visittest.Clock)
	other := visittest.Open(t, dbtest.Open(t, settings), otherClock.Now)
	h := here.See(t, 0, "https://shop.example/")
	for range 3 {
		clock.Pass(time.Minute)
		otherClock.Pass(time.Minute)
		here.Onsite.See(site, h.Ref, onsite.Here)
		require.NoError(t, here.Onsite.StorePresence())
		require.Equal(t, []bool{true}, whoIsHere(t, other, h.Visitor))
	}
	other.Onsite.See(site, h.Ref, onsite.Left) // the last word reaches the other node
	require.NoError(t, other.Onsite.StorePresence())
	clock.Pass(6 * time.Second)
	require.Equal(t, []bool{false}, whoIsHere(t, here, h.Visitor))
}

// The reports of any number of pages are written together, and old ones are deleted.
func TestWordsOfPagesAreWrittenTogether(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		count := func() int {
			n, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM presences`)
			require.NoError(t, err)
			return n
		}
		var views []visit.View
		for i := range 300 {
			views = append(views, v.See(t, 0, fmt.Sprintf("https://shop.example/%d", i)))
		}
		for _, h := range views {
			v.Onsite.See(site, h.Ref, onsite.Away)
			v.Onsite.See(site, h.Ref, onsite.Here)
		}
		require.Zero(t, count(), "no word has waited for the database")
		require.NoError(t, v.Onsite.StorePresence())
		require.Equal(t, len(views), count())
		live, err := v.Onsite.Live(t.Context(), scope.Of(site))
		require.NoError(t, err)
		require.Len(t, live.Visits, onsite.MaxLive)
		require.True(t, live.More)

		c.Pass(time.Hour)
		v.Onsite.See(site, views[0].Ref, onsite.Here)
		require.NoError(t, v.Onsite.StorePresence())
		require.Equal(t, 1, count())
	})
}

// The reports of pages are written by themselves a moment later. Watches see who has left without any other event.
func TestWatchSeesWhoHasLeft(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, _ *db.DB) {
		h := v.See(t, 0, "https://shop.example/")
		w, card := v.Onsite.Watch(scope.Of(site)), v.Onsite.WatchVisitor(site, h.Visitor)
		defer w.Close()
		defer card.Close()
		until(t, w, func(s *onsite.Scene) bool { return len(s.Visits) == 1 })
		until(t, card, func(s *onsite.Scene) bool { return s.Here })
		v.Onsite.See(site, h.Ref, onsite.Left)
		c.Pass(6 * time.Second)
		until(t, w, func(s *onsite.Scene) bool { return len(s.Visits) == 0 })
		until(t, card, func(s *onsite.Scene) bool { return !s.Here })
	})
}
