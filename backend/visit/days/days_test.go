package days_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestDays(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		monday := time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
		c.Pass(monday.Sub(c.Now()))
		ann := v.See(t, 0, "https://shop.example/?utm_source=news").Visitor
		v.See(t, ann, "https://shop.example/lamps")
		again := visit.Arrival{Nonce: "the same view", URL: "https://shop.example/", Kind: "load", UserAgent: chrome}
		v.Report(t, ann, again)
		v.Report(t, ann, again)
		v.Report(t, 0, visit.Arrival{Nonce: "a bot", URL: "https://shop.example/", Kind: "load", UserAgent: "Googlebot/2.1 (+http://www.google.com/bot.html)"})
		c.Pass(24*time.Hour - time.Millisecond)
		v.See(t, ann, "https://shop.example/")
		c.Pass(time.Millisecond)
		v.See(t, ann, "https://shop.example/lamps")

		between := func(from, to time.Time) []days.Day {
			found, err := v.Days.Of(t.Context(), site, from, to)
			require.NoError(t, err)
			return found
		}
		first := days.Day{Start: monday, Views: 4, Visits: map[string]int64{source.Campaign: 1, source.Direct: 1}}
		second := days.Day{Start: monday.AddDate(0, 0, 1), Views: 1, Visits: map[string]int64{}}
		require.Equal(t, []days.Day{first, second}, between(monday, monday.AddDate(0, 0, 2)))
		require.Equal(t, []days.Day{first}, between(monday, monday.AddDate(0, 0, 1)))
		require.Empty(t, between(monday.Add(time.Second), monday.AddDate(0, 0, 1)), "the day had begun")
	})
}

// Two nodes that count the same days of the same sites count everything.
func TestDaysOfTwoNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	c := new(visittest.Clock)
	one := visittest.Open(t, dbtest.Open(t, settings), c.Now)
	other := visittest.Open(t, dbtest.Open(t, settings), c.Now)
	const clients, sites, views = 8, 3, 20
	var running sync.WaitGroup
	for client := range clients {
		node := []*visittest.Rooms{one, other}[client%2]
		running.Go(func() {
			for i := range views {
				_, err := node.Arrive(context.Background(), int64(1+(client+i)%sites), 0, visit.Arrival{
					Nonce: fmt.Sprint(client, " ", i), URL: "https://shop.example/", Kind: "load", UserAgent: chrome,
				})
				assert.NoError(t, err)
			}
		})
	}
	running.Wait()
	var all int64
	for s := range sites {
		counted, err := one.Days.Of(t.Context(), int64(1+s), c.Now().AddDate(0, 0, -1), c.Now())
		require.NoError(t, err)
		require.Len(t, counted, 1)
		require.Equal(t, counted[0].Views, counted[0].Visits[source.Direct])
		all += counted[0].Views
	}
	require.EqualValues(t, clients*views, all)
}
