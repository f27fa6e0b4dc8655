package sighting_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// Two nodes see the same part: the latest counts, a node stores one sighting an hour, and a restart forgets nothing.
func TestSightingsOfNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.UnixMilli(1_790_000_000_000)
		clock := start
		now := func() time.Time { return clock }
		one, other := sighting.New(d, now), sighting.New(d, now)
		seen := func(want map[sighting.Part]time.Time) {
			t.Helper()
			require.NoError(t, one.Store(t.Context()))
			require.NoError(t, other.Store(t.Context()))
			of, err := sighting.New(d, now).Of(t.Context(), 7) // a node that has just started
			require.NoError(t, err)
			require.Equal(t, want, of)
		}
		seen(map[sighting.Part]time.Time{})
		one.Note(7, sighting.Script)
		one.Note(8, sighting.Script)
		seen(map[sighting.Part]time.Time{sighting.Script: start})
		clock = start.Add(sighting.Apart - time.Millisecond)
		one.Note(7, sighting.Script)
		seen(map[sighting.Part]time.Time{sighting.Script: start})
		other.Note(7, sighting.Script) // which has not seen it
		later := clock
		seen(map[sighting.Part]time.Time{sighting.Script: later})
		clock = start.Add(-time.Minute) // a clock that is behind
		sighting.New(d, now).Note(7, sighting.Script)
		behind := sighting.New(d, now)
		behind.Note(7, sighting.Script)
		behind.Note(7, sighting.Given)
		require.NoError(t, behind.Store(t.Context()))
		seen(map[sighting.Part]time.Time{sighting.Script: later, sighting.Given: clock})
	})
}

// What cannot be stored is stored later.
func TestSightingsOutliveAnOutage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		at := time.UnixMilli(1_790_000_000_000)
		s := sighting.New(d, func() time.Time { return at })
		s.Note(7, sighting.Replaced)
		ended, end := context.WithCancel(t.Context())
		end()
		require.Error(t, s.Store(ended))
		require.NoError(t, s.Store(t.Context()))
		of, err := s.Of(t.Context(), 7)
		require.NoError(t, err)
		require.Equal(t, map[sighting.Part]time.Time{sighting.Replaced: at}, of)
	})
}

// The codes of other services that were seen last are kept, of each site apart.
func TestRivals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		at := time.UnixMilli(1_790_000_000_000)
		s := sighting.New(d, func() time.Time { return at })
		one := sighting.Rival{Loader: "//a.example/static/cs.min.js", Account: "A"}
		see := func(siteID int64, path string, found ...sighting.Rival) {
			t.Helper()
			require.NoError(t, s.SeeRivals(t.Context(), siteID, path, found))
			at = at.Add(time.Minute)
		}
		begin := at
		see(7, "/")
		see(7, "/a", one)
		see(7, "/b\x00\xff"+strings.Repeat("b", 300), one, sighting.Rival{Account: "B"})
		see(8, "/c", one)
		found, err := s.Rivals(t.Context(), 7)
		require.NoError(t, err)
		path := "/b" + strings.Repeat("b", 196)
		require.Equal(t, []sighting.Rival{{Account: "B", Path: path, At: begin.Add(2 * time.Minute), Looks: 1}, {Loader: one.Loader, Account: "A", Path: path, At: begin.Add(2 * time.Minute), Looks: 2}}, found)
		see(8, "/of/84951112233", sighting.Rival{Account: "D"})
		for i := range 20 {
			see(7, "/d", sighting.Rival{Account: fmt.Sprint("C", i)})
		}
		found, err = s.Rivals(t.Context(), 7)
		require.NoError(t, err)
		require.Len(t, found, 8)
		require.Equal(t, "C19", found[0].Account)
		found, err = s.Rivals(t.Context(), 8)
		require.NoError(t, err)
		require.Len(t, found, 2)
		require.Equal(t, map[string]int64{"rivals": 1}, persontest.Erase(t, d, "8 (495) 111-22-33", sighting.Traces()), "a path names a person")
	})
}

func BenchmarkNote(b *testing.B) {
	s := sighting.New(nil, time.Now)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			s.Note(7, sighting.Script)
		}
	})
}
