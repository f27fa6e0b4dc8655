package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What a reader has read costs it nothing any more. SQLite finds its place by both numbers, and does not go there from the beginning.
func TestAPlaceIsFoundByBothNumbers(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	j := New(d)
	for compares, found := range map[string]string{">": "(tx=? AND seq>?)", "<": "(tx=? AND seq<?)", "<=": "(tx=? AND seq<?)"} {
		for _, direction := range []string{"", " DESC"} {
			plan := dbtest.Plan(t, d, columns+` WHERE `+j.place(compares, "$1", "$2")+fmt.Sprintf(` ORDER BY tx%s, seq%[1]s LIMIT 10`, direction), 0, 5)
			require.Len(t, plan, 1)
			require.Contains(t, plan[0], found)
		}
	}
}

// Who follows some sites does not go through the entries of all.
func TestEntriesOfSitesAreFoundBySite(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	j := New(d)
	for _, sites := range []scope.Sites{scope.Of(7), scope.Of(7, 8)} {
		plan := dbtest.Plan(t, d, columns+j.by(sites)+` WHERE `+j.place(">", "$1", "$2")+` AND `+sites.SQL("site_id")+` ORDER BY tx, seq LIMIT 10`, 0, 5)
		require.Contains(t, plan, "SEARCH journal USING INDEX journal_of_site (site_id=? AND tx=? AND seq>?)")
	}
	require.Empty(t, j.by(scope.All()))
}

// Leads of sites are found without what else happened there.
func TestLeadsOfSitesAreFoundByThemselves(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	for _, sites := range []scope.Sites{scope.Of(7), scope.Of(7, 8)} {
		plan := dbtest.Plan(t, d, New(d).latestLeads(sites), 0, 5, 0, 9, 10)
		require.Contains(t, strings.Join(plan, "\n"), "USING INDEX journal_leads_of_site (site_id=? AND tx=? AND seq")
	}
	require.Contains(t, strings.Join(dbtest.Plan(t, d, New(d).latestLeads(scope.All()), 0, 5, 0, 9, 10), "\n"), "USING INDEX journal_leads (tx=? AND seq")
}

// What was done at a site is looked for among what was done at all sites, not among all that happened there.
func TestAdministrationIsFoundByItself(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	for _, sites := range []scope.Sites{scope.All(), scope.Of(7), scope.Of(7, 8)} {
		plan := dbtest.Plan(t, d, New(d).administration(sites), 0, 5, 10)
		require.Equal(t, []string{"SEARCH journal USING INDEX journal_of_administration (tx=? AND seq<?)"}, plan)
	}
}

// BenchmarkNothingNew asks for what has come behind the end, as readers do at each piece of news, after many entries and after few.
func BenchmarkNothingNew(b *testing.B) {
	for _, engine := range []struct {
		name     string
		settings func(testing.TB) db.Settings
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		for _, n := range []int{1_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", engine.name, n), func(b *testing.B) {
				d := dbtest.Open(b, engine.settings(b))
				j := New(d)
				for from := 0; from < n; from += 1000 {
					require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) error {
						return AppendAll(ctx, tx, slices.Repeat([]Entry{{SiteID: 1, Kind: "lead.added", Data: []byte(`{"name":"a row of some length"}`)}}, 1000))
					}))
				}
				end, err := j.End(b.Context())
				require.NoError(b, err)
				for b.Loop() {
					entries, err := j.After(b.Context(), end, 100)
					require.NoError(b, err)
					require.Empty(b, entries)
				}
			})
		}
	}
}
