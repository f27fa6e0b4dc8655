package migrations

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a release, what older nodes do not go on with comes last: it waits, and everything behind it would.
func TestStepsWaitLast(t *testing.T) {
	for _, engine := range []string{sqlite, postgres} {
		steps, err := stepsOf(engine)
		require.NoError(t, err)
		require.EqualValues(t, First, steps[0].version)
		require.True(t, slices.IsSorted(released))
		ends := append(slices.Clone(released), Newest())
		last := step{}
		for _, one := range steps {
			require.Greater(t, one.version, last.version, "steps are in the order of their numbers")
			if one.version > ends[0] {
				ends, last = ends[1:], step{}
			}
			waits := func(s step) bool { return s.kind >= piecewise }
			require.False(t, waits(last) && !waits(one), "%d older nodes go on with, and it is behind %d, which waits", one.version, last.version)
			last = one
		}
	}
}

func TestHeads(t *testing.T) {
	one := read(1, "-- in pieces of leads by site_id, id\nUPDATE leads\n", sqlite)
	require.Equal(t, step{version: 1, kind: piecewise, text: "-- in pieces of leads by site_id, id\nUPDATE leads\n", table: "leads", key: []string{"site_id", "id"}}, one)
	require.Equal(t, contracting, read(1, "-- contracts\nDROP TABLE x;\n", sqlite).kind)
	require.Equal(t, expanding, read(1, "-- It contracts\nDROP TABLE x;\n", sqlite).kind)
	twice := read(1, "-- outside of a transaction\n-- sqlite:\nA;\n-- postgres:\nB;\nC;\n", postgres)
	require.Equal(t, outside, twice.kind)
	require.Len(t, twice.statements(), 2)
}
