package sighting_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
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

func BenchmarkNote(b *testing.B) {
	s := sighting.New(nil, time.Now)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			s.Note(7, sighting.Script)
		}
	})
}
