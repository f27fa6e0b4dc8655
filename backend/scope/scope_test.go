package scope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestSitesAreReadAsTheyWereWritten(t *testing.T) {
	for text, sites := range map[string]scope.Sites{"": {}, "*": scope.All(), ",7,": scope.Of(7), ",1,7,12,": scope.Of(12, 1, 7, 7, 0, -3)} {
		require.Equal(t, text, sites.String())
		read, err := scope.Parse(text)
		require.NoError(t, err)
		require.Equal(t, sites, read, text)
		var scanned scope.Sites
		require.NoError(t, scanned.Scan([]byte(text)))
		require.Equal(t, sites, scanned, text)
	}
	for _, wrong := range []string{",", ",0,", "-1", "1,*", "x", ",1,,2,", ",1) OR (1=1,"} {
		_, err := scope.Parse(wrong)
		require.Error(t, err, wrong)
	}
}

func TestWhoSeesWhat(t *testing.T) {
	all, none, two := scope.All(), scope.Sites{}, scope.Of(1, 12)
	require.True(t, all.Has(5) && all.Has(0) && two.Has(1) && two.Has(12))
	require.False(t, two.Has(2) || two.Has(0) || two.Has(112) || none.Has(1) || none.Has(0))
	require.Nil(t, all.IDs())
	require.Equal(t, []int64{1, 12}, two.IDs())

	require.True(t, all.Covers(all) && all.Covers(two) && two.Covers(two) && two.Covers(scope.Of(12)) && none.Covers(none) && two.Covers(none))
	require.False(t, two.Covers(all) || two.Covers(scope.Of(1, 2)) || none.Covers(two))

	require.Equal(t, two, all.Common(two))
	require.Equal(t, two, two.Common(all))
	require.Equal(t, scope.Of(12), two.Common(scope.Of(12, 13)))
	require.Equal(t, none, two.Common(none))
	require.Equal(t, two, two.Only(0))
	require.Equal(t, scope.Of(1), two.Only(1))
	require.True(t, two.Only(2).None())
	require.Equal(t, scope.Of(2), all.Only(2))
}

func TestWhoChangesOthersSitesChangesTheirOwnAlone(t *testing.T) {
	require.Equal(t, scope.Of(1, 3), scope.Of(1, 2).Within(scope.Of(2, 3), scope.Of(3, 4)), "2 is taken, 3 is given, 1 stays, 4 is not theirs to give")
	require.Equal(t, scope.Of(4), scope.Of(1, 2).Within(scope.All(), scope.Of(4)))
	require.Equal(t, scope.All(), scope.Of(1).Within(scope.All(), scope.All()))
	require.Equal(t, scope.Of(1, 2), scope.Of(1).Within(scope.Of(2), scope.All()), "all that they have to give")
}

func TestConditions(t *testing.T) {
	require.Equal(t, "1 = 1", scope.All().SQL("site_id"))
	require.Equal(t, "1 = 0", scope.Sites{}.SQL("site_id"))
	require.Equal(t, "s.site_id = 7", scope.Of(7).SQL("s.site_id"))
	require.Equal(t, "site_id IN (1,7)", scope.Of(7, 1).SQL("site_id"))
}
