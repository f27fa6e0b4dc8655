package inventory_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// writings returns the numbers of a page, each in one writing.
func writings(digits ...string) map[string][]inventory.Writing {
	found := make(map[string][]inventory.Writing)
	for _, d := range digits {
		found[d] = append(found[d], inventory.Writing{Text: "+" + d, Place: "text", Count: 1})
	}
	return found
}

// Nodes look at the same pages at the same time, in any order.
func TestNodesLearnTheSamePages(t *testing.T) {
	settings := dbtest.Postgres(t)
	nodes := []*db.DB{dbtest.Open(t, settings), dbtest.Open(t, settings)}
	for range 20 {
		var learning errgroup.Group
		for i, node := range nodes {
			s := inventory.New(node, time.Now)
			for page := range 20 {
				path := fmt.Sprint("/", [...]int{page, 19 - page}[i])
				learning.Go(func() error { return s.Learn(t.Context(), 1, path, writings("74951234567", "74951234568")) })
			}
		}
		require.NoError(t, learning.Wait())
	}
	for _, node := range nodes {
		require.NoError(t, node.Close())
	}
	asking, err := sql.Open("pgx", settings.Source)
	require.NoError(t, err)
	defer asking.Close()
	asking.SetMaxOpenConns(1)
	ask := func(query string) (n int) {
		require.NoError(t, asking.QueryRowContext(t.Context(), query).Scan(&n))
		return n
	}
	// What a connection has counted is told when it ends.
	require.Eventually(t, func() bool {
		return ask(`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`) == 0
	}, time.Minute, 10*time.Millisecond)
	require.Zero(t, ask(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`))
}

func TestPrintedNumbersAreLearnt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.UnixMilli(1_700_000_000_000)
		s := inventory.New(d, func() time.Time { return now })
		started := now
		require.NoError(t, s.Learn(t.Context(), 1, "/contacts.html", map[string][]inventory.Writing{
			"74951234567": {{Text: "8 (495) 123-45-67", Place: "text", Count: 2}, {Text: "+74951234567", Place: "tel", Count: 1}},
			"74951234568": {{Text: "+7 495 123-45-68", Place: "attribute", Count: 1}},
		}))
		now = now.Add(time.Hour)
		require.NoError(t, s.Learn(t.Context(), 1, "/", map[string][]inventory.Writing{
			"74951234567": {{Text: "+74951234567", Place: "tel", Count: 3}},
		}))
		require.NoError(t, s.Learn(t.Context(), 2, "/", writings("442079460018")))
		printed, err := s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, []inventory.PrintedNumber{
			{Digits: "74951234567", Pages: 2, Example: "/", FirstAt: started, LastAt: now, Writings: []inventory.Writing{
				{Text: "+74951234567", Place: "tel", Count: 4}, {Text: "8 (495) 123-45-67", Place: "text", Count: 2}}},
			{Digits: "74951234568", Pages: 1, Example: "/contacts.html", FirstAt: started, LastAt: started, Writings: []inventory.Writing{
				{Text: "+7 495 123-45-68", Place: "attribute", Count: 1}}},
		}, printed)

		sites, err := s.Sites(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[int64]bool{1: true, 2: true}, sites)

		// A number that the page does not show any more is forgotten.
		now = now.Add(time.Hour)
		require.NoError(t, s.Learn(t.Context(), 1, "/contacts.html", writings("74951234567")))
		printed, err = s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, printed, 1)
		require.Equal(t, 2, printed[0].Pages)
		require.Equal(t, started, printed[0].FirstAt)
		for _, path := range []string{"/", "/contacts.html"} {
			require.NoError(t, s.Learn(t.Context(), 1, path, nil))
		}
		printed, err = s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Empty(t, printed)
		printed, err = s.List(t.Context(), 2)
		require.NoError(t, err)
		require.Len(t, printed, 1, "another site's")
	})
}

func TestPrintedNumbersAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.UnixMilli(1_700_000_000_000)
		s := inventory.New(d, func() time.Time { return now })
		for i := range inventory.MaxPages + 10 {
			now = now.Add(time.Second)
			require.NoError(t, s.Learn(t.Context(), 1, fmt.Sprintf("/lamps/%03d", i), writings("74951234567")))
		}
		printed, err := s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, printed, 1)
		require.Equal(t, inventory.MaxPages, printed[0].Pages)
		require.Equal(t, "/lamps/010", printed[0].Example, "the oldest pages are forgotten")

		var many []string
		for i := range inventory.MaxPrinted {
			many = append(many, fmt.Sprintf("7495%07d", i))
		}
		now = now.Add(time.Second)
		require.NoError(t, s.Learn(t.Context(), 1, "/many", writings(many...)))
		printed, err = s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, printed, inventory.MaxPrinted)
		for _, n := range printed {
			require.NotEqual(t, "74951234567", n.Digits, "the one that was seen longest ago is forgotten")
		}
		require.NoError(t, s.Learn(t.Context(), 1, "/too-many", writings(append(many, "74959999999")...)))
		printed, err = s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, printed, inventory.MaxPrinted)
	})
}

// Visitors can choose paths.
func TestPrintedNumbersOnStrangePaths(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := inventory.New(d, time.Now)
		for _, path := range []string{"", "/\x00", "/\xff'\"<b>", "/" + strings.Repeat("й", 4096)} {
			require.NoError(t, s.Learn(t.Context(), 1, path, writings("74951234567")), "%q", path)
		}
		printed, err := s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, 4, printed[0].Pages)
	})
}

// A page behind a door shows its visitor's own number, and visitors can choose paths.
func TestPrintedNumbersOfAPersonAreForgotten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := inventory.New(d, time.Now)
		for path, digits := range map[string]string{"/": "74951234567", "/account": "74951112233", "/call/8 495 111-22-33": "74951234567", "/to/ada@example.com": "74951234567"} {
			require.NoError(t, s.Learn(t.Context(), 1, path, writings(digits)))
		}
		require.Equal(t, map[string]int64{"shown_pages": 3, "shown_numbers": 1}, persontest.Erase(t, d, "8 (495) 111-22-33, +7 495 111 22 33, ada@example.com", s.Traces()))
		printed, err := s.List(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, printed, 1)
		require.Equal(t, []string{"74951234567", "/"}, []string{printed[0].Digits, printed[0].Example})
		require.Equal(t, 1, printed[0].Pages)
	})
}

// The region of a site is that of most of the numbers on its pages.
func TestRegionOfPrintedNumbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.UnixMilli(1_700_000_000_000)
		s := inventory.New(d, func() time.Time { return now })
		region := func() string {
			now = now.Add(time.Minute) // the cached region is too old by then
			found, err := s.Region(t.Context(), 1)
			require.NoError(t, err)
			return found
		}
		require.Empty(t, region())
		require.NoError(t, s.Learn(t.Context(), 1, "/", writings("74951234567", "442079460018")))
		require.Empty(t, region(), "as many of one country as of another")
		require.NoError(t, s.Learn(t.Context(), 1, "/contacts", writings("74951234567")))
		require.NoError(t, s.Learn(t.Context(), 2, "/contacts", writings("442079460018", "442079460019")))
		require.Equal(t, "RU", region())
		require.NoError(t, s.Learn(t.Context(), 1, "/uk", writings("442079460018", "442079460019")))
		found, err := s.Region(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, "RU", found, "remembered for a minute")
		require.Equal(t, "GB", region())
	})
}
