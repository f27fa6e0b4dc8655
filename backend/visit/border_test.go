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
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// toBorder moves the clock to the time before the first day of the next partition of the usual length.
func toBorder(c *visittest.Clock, before time.Duration) {
	const length = 28 * 24 * time.Hour
	now := c.Now()
	c.Pass(time.UnixMilli((now.UnixMilli()/length.Milliseconds()+1)*length.Milliseconds()).Sub(now) - before)
}

// Views are stored while the days of a partition end, and a visit goes on across the border.
func TestVisitsAcrossABorder(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		toBorder(c, 2*time.Minute)
		through := v.See(t, 0, "https://shop.example/")
		var working sync.WaitGroup
		for n := range 4 {
			working.Go(func() {
				for i := range 40 {
					c.Pass(time.Second) // 160 seconds in all
					_, err := v.Arrive(context.Background(), visittest.Site, 0, visit.Arrival{Nonce: fmt.Sprint(n, " ", i), URL: "https://shop.example/", Kind: "load"})
					assert.NoError(t, err)
				}
			})
		}
		working.Wait()
		later := v.See(t, through.Visitor, "https://shop.example/lamps")
		require.Equal(t, through.Visit, later.Visit)
		require.NoError(t, v.TrackEvent(t.Context(), visittest.Site, later.Ref, "", visit.UserEvent{Category: "a", Action: "b"}))
		known, err := v.Again(t.Context(), visittest.Site, later.Ref, "")
		require.NoError(t, err)
		require.Equal(t, "https://shop.example/lamps", known.URL)

		days, err := db.List(t.Context(), d.Read(), db.Only[int64], fmt.Sprintf(`SELECT DISTINCT id / %d FROM visits ORDER BY 1`, int64(1)<<db.DayBits))
		require.NoError(t, err)
		today := db.Day(c.Now())
		require.Equal(t, []int64{today - 1, today}, days)
		early, err := db.List(t.Context(), d.Read(), db.Only[int64], fmt.Sprintf(`SELECT id FROM visits WHERE id / %d < started_at / 86400000`, int64(1)<<db.DayBits))
		require.NoError(t, err)
		require.LessOrEqual(t, len(early), 4, "numbers tell the day on which they were drawn")
		views, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(*) FROM views`)
		require.NoError(t, err)
		require.Equal(t, 162, views)
	})
}

// A node draws from a new block when the day of its block is over, and goes on with it while its clock is set back.
func TestNumbersAfterIdlingAndBehindTheClock(t *testing.T) {
	visittest.Each(t, func(t *testing.T, v *visittest.Rooms, c *visittest.Clock, d *db.DB) {
		last := v.Keys.Row(v.See(t, 0, "https://shop.example/").Ref).View
		for _, step := range []struct {
			pass time.Duration
			more bool // days have passed since the latest number
		}{
			{40 * 24 * time.Hour, true}, {-time.Hour, false}, {-48 * time.Hour, false}, {time.Hour, false}, {400 * 24 * time.Hour, true}, {-800 * 24 * time.Hour, false},
		} {
			c.Pass(step.pass)
			view := v.See(t, 0, "https://shop.example/")
			number := v.Keys.Row(view.Ref).View
			require.Greater(t, number, last, "%v", step.pass)
			require.GreaterOrEqual(t, number, partition.First(c.Now()))
			require.Equal(t, step.more, number>>db.DayBits > last>>db.DayBits)
			last = number
			found, known, err := v.Find(t.Context(), visittest.Site, view.Visitor, view.View)
			require.NoError(t, err)
			require.True(t, known)
			require.Equal(t, view.Ref, found)
		}
	})
}

// Two nodes come to a new day at once, and one whose clock is behind comes later.
func TestNodesAtABorder(t *testing.T) {
	settings := dbtest.Postgres(t)
	c := new(visittest.Clock)
	behind := func() time.Time { return c.Now().Add(-90 * 24 * time.Hour) }
	var nodes []*visittest.Rooms
	for _, now := range []func() time.Time{c.Now, c.Now, behind} {
		nodes = append(nodes, visittest.Open(t, dbtest.Open(t, settings), now))
	}
	for range 3 {
		toBorder(c, -time.Minute)
		var working sync.WaitGroup
		for n, node := range nodes {
			for i := range 8 {
				working.Go(func() {
					_, err := node.Arrive(context.Background(), visittest.Site, 0, visit.Arrival{Nonce: fmt.Sprint(n, i, c.Now()), URL: "https://shop.example/", Kind: "load"})
					assert.NoError(t, err)
				})
			}
			working.Go(func() { assert.NoError(t, node.Keys.Prepare(context.Background(), 0)) })
		}
		working.Wait()
	}
	d := dbtest.Open(t, settings)
	views, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT COUNT(DISTINCT id) FROM views`)
	require.NoError(t, err)
	require.Equal(t, 3*3*8, views)
}

// A node that has seen a partition makes it anew if somebody has dropped it, or takes it back that was taken out by hand.
func TestMissingPartitions(t *testing.T) {
	d := dbtest.Open(t, dbtest.Postgres(t))
	c := new(visittest.Clock)
	v := visittest.Open(t, d, c.Now)
	for _, by := range []string{`DROP TABLE %[2]s`, `DROP TABLE %[4]s`, `ALTER TABLE %[3]s DETACH PARTITION %[4]s; ALTER TABLE %[1]s DETACH PARTITION %[2]s`} {
		first := v.See(t, 0, "https://shop.example/")
		names := v.Keys.Tables(v.Keys.Row(first.Ref).Visit)
		require.NotEqual(t, "visits", names.Visits)
		direct, err := db.Direct(d)
		require.NoError(t, err)
		_, err = direct.ExecContext(t.Context(), fmt.Sprintf(by, "visits", names.Visits, "views", names.Views))
		require.NoError(t, err)
		require.NoError(t, direct.Close())
		v.Keys.Parts.Forget()
		view := v.See(t, 0, "https://shop.example/")
		_, err = v.Again(t.Context(), visittest.Site, view.Ref, "")
		require.NoError(t, err)
		back := v.See(t, first.Visitor, "https://shop.example/")
		require.Equal(t, first.Visitor, back.Visitor)
	}
	first := v.See(t, 0, "https://shop.example/")
	direct, err := db.Direct(d)
	require.NoError(t, err)
	_, err = direct.ExecContext(t.Context(), `DROP TABLE `+v.Keys.Tables(v.Keys.Row(first.Ref).Visit).Views)
	require.NoError(t, err)
	require.NoError(t, direct.Close())
	v.See(t, 0, "https://shop.example/") // though the node does not know
}
