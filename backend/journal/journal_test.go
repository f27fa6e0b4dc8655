package journal_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func appendEntry(t *testing.T, d *db.DB, key int64, entry journal.Entry) bool {
	return assert.NoError(t, d.Write(context.Background(), key, func(ctx context.Context, tx db.Tx) error {
		return journal.Append(ctx, tx, entry)
	}))
}

func TestEntriesComeBackAsTheyWere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		j := journal.New(d)
		end, err := j.End(t.Context())
		require.NoError(t, err)
		require.Zero(t, end)

		first := journal.Entry{SiteID: 1, At: time.UnixMilli(1700000000123), Kind: "lead.added", SubjectID: 2, VisitorID: 3, Data: []byte(`{"name":"Ада"}`)}
		appendEntry(t, d, 0, first)
		appendEntry(t, d, 0, journal.Entry{Kind: "second"})

		entries := journaltest.Entries(t, d)
		require.Len(t, entries, 2)
		first.Position = entries[0].Position
		require.Equal(t, first, entries[0])
		require.JSONEq(t, `{}`, string(entries[1].Data))

		end, err = j.End(t.Context())
		require.NoError(t, err)
		require.Equal(t, entries[1].Position, end)
		limited, err := j.After(t.Context(), journal.Position{}, 1)
		require.NoError(t, err)
		require.Equal(t, entries[:1], limited)
		rest, err := j.After(t.Context(), limited[0].Position, 10)
		require.NoError(t, err)
		require.Equal(t, entries[1:], rest)
	})
}

// A reader that follows the journal while many write sees every entry once.
func TestReaderMissesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, each = 8, 50
		news, cancel := d.Subscribe(journal.Topic)
		defer cancel()
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				for i := range each {
					appendEntry(t, d, int64(w), journal.Entry{Kind: fmt.Sprintf("%d/%d", w, i)})
				}
			})
		}
		defer writing.Wait()

		j := journal.New(d)
		seen := map[string]bool{}
		var position journal.Position
		deadline := time.After(time.Minute)
		for len(seen) < writers*each {
			entries, err := j.After(t.Context(), position, 17)
			require.NoError(t, err)
			for _, e := range entries {
				require.False(t, seen[e.Kind], "seen twice: %s", e.Kind)
				seen[e.Kind] = true
				position = e.Position
			}
			if len(entries) > 0 {
				continue
			}
			select {
			case <-news:
			case <-time.After(50 * time.Millisecond): // an entry may settle after its wake
			case <-deadline:
				t.Fatalf("saw %d entries", len(seen))
			}
		}
	})
}

// On PostgreSQL a transaction that takes its number early and commits late is
// not passed by.
func TestReaderWaitsForEarlierTransactions(t *testing.T) {
	d := dbtest.Open(t, dbtest.Postgres(t))
	j := journal.New(d)
	slow, err := d.Read().BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer slow.Rollback()
	_, err = slow.ExecContext(t.Context(), `SET LOCAL idle_in_transaction_session_timeout = 0`)
	require.NoError(t, err)
	_, err = slow.ExecContext(t.Context(), `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) VALUES (1, 0, 'slow', 0, 0, '{}')`)
	require.NoError(t, err)
	appendEntry(t, d, 0, journal.Entry{Kind: "quick"})

	entries, err := j.After(t.Context(), journal.Position{}, 10)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.NoError(t, slow.Commit())
	entries = journaltest.Entries(t, d)
	require.Len(t, entries, 2)
	require.Equal(t, "slow", entries[0].Kind)
}

// A position of another database, such as of PostgreSQL before its data was moved to SQLite, is behind all on SQLite.
func TestPositionsOfAnotherDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		j := journal.New(d)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return journal.AppendAll(ctx, tx, []journal.Entry{{SiteID: 1, Kind: "site.added"}, {SiteID: 1, Kind: "lead.added"}})
		}))
		journaltest.Entries(t, d) // waits until all can be read
		far := journal.Position{Tx: math.MaxInt64}
		after, err := j.After(t.Context(), far, 10)
		require.NoError(t, err)
		require.Empty(t, after)
		latest, err := j.LatestLeads(t.Context(), scope.All(), journal.Position{}, far, 10)
		require.NoError(t, err)
		require.Len(t, latest, 1)
		for _, before := range []journal.Position{{}, far} {
			of, err := j.Administration(t.Context(), scope.All(), before, 10)
			require.NoError(t, err)
			require.Len(t, of, 1)
		}
	})
}

func TestPositionText(t *testing.T) {
	p := journal.Position{Tx: 712, Seq: 34}
	parsed, err := journal.ParsePosition(p.String())
	require.NoError(t, err)
	require.Equal(t, p, parsed)
	for _, bad := range []string{"", "-", "1", "1-", "-1", "a-1", "1-b", "1--1", "-1-1", "9223372036854775808-1"} {
		_, err := journal.ParsePosition(bad)
		require.Error(t, err, bad)
	}
}
