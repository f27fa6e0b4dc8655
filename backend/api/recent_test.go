package api

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestRecentViews(t *testing.T) {
	var v recentViews
	stored := 0
	store := func() (visit.Hit, error) {
		stored++
		return visit.Hit{Ref: visit.Ref{Hit: visit.ID(stored)}, NewVisitor: true}, nil
	}
	_, _, err := v.once(1, "a", func() (visit.Hit, error) { return visit.Hit{}, errors.New("not stored") })
	require.Error(t, err)
	hit, repeated, err := v.once(1, "a", store)
	require.NoError(t, err)
	require.False(t, repeated)
	require.True(t, hit.NewVisitor)
	again, repeated, err := v.once(1, "a", store)
	require.NoError(t, err)
	require.True(t, repeated)
	require.False(t, again.NewVisitor)
	require.Equal(t, hit.Ref, again.Ref)
	_, repeated, _ = v.once(2, "a", store)
	require.False(t, repeated, "another site")

	for i := range 3 * viewCount {
		v.once(1, strconv.Itoa(i), store)
		require.LessOrEqual(t, len(v.recent)+len(v.earlier), 2*viewCount)
	}
	_, repeated, _ = v.once(1, "a", store)
	require.False(t, repeated, "forgotten")
}
