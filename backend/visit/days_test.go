package visit_test

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
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

func TestDays(t *testing.T) {
	each(t, func(t *testing.T, v *visit.Visits, c *clock, d *db.DB) {
		monday := time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
		c.pass(monday.Sub(c.now()))
		ann := see(t, v, 0, "https://shop.example/?utm_source=news").Visitor
		see(t, v, ann, "https://shop.example/lamps")
		again := visit.Arrival{Nonce: "the same view", URL: "https://shop.example/", Kind: "load", UserAgent: chrome}
		report(t, v, ann, again)
		report(t, v, ann, again)
		report(t, v, 0, visit.Arrival{Nonce: "a bot", URL: "https://shop.example/", Kind: "load", UserAgent: "Googlebot/2.1 (+http://www.google.com/bot.html)"})
		c.pass(24*time.Hour - time.Millisecond)
		see(t, v, ann, "https://shop.example/")
		c.pass(time.Millisecond)
		see(t, v, ann, "https://shop.example/lamps")

		days := func(from, to time.Time) []visit.Day {
			found, err := v.Days(t.Context(), site, from, to)
			require.NoError(t, err)
			return found
		}
		first := visit.Day{Start: monday, Views: 4, Visits: map[string]int64{source.Campaign: 1, source.Direct: 1}}
		second := visit.Day{Start: monday.AddDate(0, 0, 1), Views: 1, Visits: map[string]int64{}}
		require.Equal(t, []visit.Day{first, second}, days(monday, monday.AddDate(0, 0, 2)))
		require.Equal(t, []visit.Day{first}, days(monday, monday.AddDate(0, 0, 1)))
		require.Empty(t, days(monday.Add(time.Second), monday.AddDate(0, 0, 1)), "the day had begun")
	})
}

// Two nodes that count the same days of the same sites count everything.
func TestDaysOfTwoNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	one, c := open(t, dbtest.Open(t, settings))
	other, err := visit.Open(t.Context(), dbtest.Open(t, settings), c.now)
	require.NoError(t, err)
	const clients, sites, views = 8, 3, 20
	var running sync.WaitGroup
	for client := range clients {
		node := []*visit.Visits{one, other}[client%2]
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
		days, err := one.Days(t.Context(), int64(1+s), c.now().AddDate(0, 0, -1), c.now())
		require.NoError(t, err)
		require.Len(t, days, 1)
		require.Equal(t, days[0].Views, days[0].Visits[source.Direct])
		all += days[0].Views
	}
	require.EqualValues(t, clients*views, all)
}
