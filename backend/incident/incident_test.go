package incident_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site = 7

// watch is the incidents of a database, with a clock.
type watch struct {
	t *testing.T
	*incident.Incidents
	db    *db.DB
	clock time.Time
}

func each(t *testing.T, test func(t *testing.T, w *watch)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := &watch{t: t, db: d, clock: time.UnixMilli(1_790_000_000_000)}
		w.Incidents = incident.New(d, func() time.Time { return w.clock })
		test(t, w)
	})
}

func (w *watch) write(f func(ctx context.Context, tx db.Tx) error) {
	w.t.Helper()
	require.NoError(w.t, w.db.Write(w.t.Context(), 0, f))
}

// note notes that something is wrong, after a time.
func (w *watch) note(after time.Duration, kind incident.Kind, about string, sure bool) {
	w.t.Helper()
	w.clock = w.clock.Add(after)
	w.write(func(ctx context.Context, tx db.Tx) error {
		return incident.Note(ctx, tx, incident.Incident{SiteID: site, Kind: kind, About: about, Name: "name of " + about, Status: 500}, sure, w.clock)
	})
}

func (w *watch) mend(after time.Duration, kind incident.Kind, about string) {
	w.t.Helper()
	w.clock = w.clock.Add(after)
	w.write(func(ctx context.Context, tx db.Tx) error { return incident.Mend(ctx, tx, site, kind, about, w.clock) })
}

// settle settles on several nodes at once, after a time.
func (w *watch) settle(after time.Duration) {
	w.t.Helper()
	w.clock = w.clock.Add(after)
	var nodes sync.WaitGroup
	for range 3 {
		nodes.Go(func() { assert.NoError(w.t, w.Settle(w.t.Context())) })
	}
	nodes.Wait()
}

// told is what the journal was told since the start.
func (w *watch) told() (said []string) {
	w.t.Helper()
	for _, e := range journaltest.Entries(w.t, w.db) {
		var of incident.News
		require.NoError(w.t, json.Unmarshal(e.Data, &of))
		require.EqualValues(w.t, site, e.SiteID)
		require.Equal(w.t, "name of "+of.About, of.Name)
		said = append(said, fmt.Sprintf("%s %s %s", e.Kind, of.Kind, of.About))
	}
	return said
}

// wrong is what is wrong now.
func (w *watch) wrong() (about []string) {
	w.t.Helper()
	now, err := w.Now(w.t.Context(), scope.Of(site))
	require.NoError(w.t, err)
	for _, i := range now {
		about = append(about, i.About)
	}
	return about
}

// A pool that runs out again and again is told once an hour, and again when it has sufficed for half an hour.
func TestPool(t *testing.T) {
	each(t, func(t *testing.T, w *watch) {
		w.note(0, incident.Pool, "main", true)
		want := []string{"incident.begun pool main"}
		require.Equal(t, want, w.told())
		require.Equal(t, []string{"main"}, w.wrong())
		for range 20 {
			w.note(10*time.Minute, incident.Pool, "main", true)
			w.settle(time.Minute)
		}
		require.Equal(t, want, w.told())
		w.settle(incident.PoolOver)
		want = append(want, "incident.over pool main")
		require.Equal(t, want, w.told())
		require.Empty(t, w.wrong())

		w.note(0, incident.Pool, "main", true) // more than an hour after the first
		want = append(want, "incident.begun pool main")
		require.Equal(t, want, w.told())
		w.settle(incident.PoolOver)
		want = append(want, "incident.over pool main")
		w.note(0, incident.Pool, "main", true)
		require.Equal(t, want, w.told(), "it was told half an hour ago")
		require.Equal(t, []string{"main"}, w.wrong())
		w.note(29*time.Minute, incident.Pool, "main", true)
		w.settle(time.Minute)
		want = append(want, "incident.begun pool main")
		require.Equal(t, want, w.told(), "an hour has passed, and it lasts")
	})
}

// An endpoint is away when attempts fail for a while, or when one proves it.
func TestEndpoint(t *testing.T) {
	each(t, func(t *testing.T, w *watch) {
		w.note(0, incident.Endpoint, "1", false)
		w.note(incident.Grace-time.Second, incident.Endpoint, "1", false)
		require.Empty(t, w.told())
		require.Empty(t, w.wrong())
		w.mend(0, incident.Endpoint, "1")
		w.note(time.Hour, incident.Endpoint, "1", false)
		w.settle(time.Hour)
		require.Empty(t, w.told(), "one failure proves nothing")
		w.note(0, incident.Endpoint, "1", false)
		want := []string{"incident.begun endpoint 1"}
		require.Equal(t, want, w.told())

		w.mend(0, incident.Endpoint, "1")
		w.settle(incident.Calm - time.Second)
		w.note(0, incident.Endpoint, "1", false)
		w.settle(incident.Calm)
		require.Equal(t, want, w.told(), "it has failed again")
		w.mend(0, incident.Endpoint, "1")
		w.settle(incident.Calm)
		want = append(want, "incident.over endpoint 1")
		require.Equal(t, want, w.told())

		w.note(0, incident.Endpoint, "2", true)
		want = append(want, "incident.begun endpoint 2")
		require.Equal(t, want, w.told())
		w.write(func(ctx context.Context, tx db.Tx) error {
			return incident.End(ctx, tx, site, incident.Endpoint, "2", w.clock)
		})
		want = append(want, "incident.over endpoint 2")
		require.Equal(t, want, w.told())
	})
}

// What nobody notices any more ends without a word, and the rows of a site are bounded.
func TestIncidentsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *watch) {
		rows := func() int {
			n, _, err := db.One(t.Context(), w.db.Read(), db.Only[int], `SELECT COUNT(*) FROM incidents`)
			require.NoError(t, err)
			return n
		}
		w.write(func(ctx context.Context, tx db.Tx) error {
			for i := range incident.MaxOfSite + 20 {
				path := fmt.Sprint("/form/", i)
				if err := incident.Note(ctx, tx, incident.Incident{SiteID: site, Kind: incident.Form, About: path, Name: "name of " + path}, true, w.clock); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, incident.MaxOfSite, rows())
		require.Len(t, w.told(), incident.MaxOfSite)
		w.note(time.Minute, incident.Form, "/form/0", true)
		now, err := w.Now(t.Context(), scope.Of(site))
		require.NoError(t, err)
		require.Len(t, now, incident.MaxOfSite)
		others, err := w.Now(t.Context(), scope.Of(8))
		require.NoError(t, err)
		require.Empty(t, others)
		w.settle(incident.Stale)
		require.Zero(t, rows())
		require.Len(t, w.told(), incident.MaxOfSite)
	})
}

func TestIncidentThatNamesAPersonIsErased(t *testing.T) {
	each(t, func(t *testing.T, w *watch) {
		w.note(0, incident.Form, "/call/8-495/111-22/33.html", true)
		w.note(0, incident.Form, "/order", true)
		require.Equal(t, map[string]int64{"incidents": 1}, persontest.Erase(t, w.db, "8 495 111 22 33", incident.Traces()))
		require.Equal(t, []string{"/order"}, w.wrong())
	})
}
