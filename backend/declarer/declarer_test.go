package declarer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestDeclarersThatAreNotShownAreGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		write := func(f func(context.Context, db.Tx) error) {
			t.Helper()
			require.NoError(t, d.Write(t.Context(), 0, f))
		}
		show := func(name string) (known bool) {
			t.Helper()
			write(func(ctx context.Context, tx db.Tx) (err error) {
				known, err = declarer.Show(ctx, tx, name)
				return err
			})
			return known
		}
		gone := func() (names []string) {
			t.Helper()
			write(func(ctx context.Context, tx db.Tx) (err error) {
				names, err = declarer.Gone(ctx, tx)
				return err
			})
			return names
		}
		// pass makes all that was shown so far older.
		pass := func(by time.Duration) {
			t.Helper()
			write(func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE declarers SET seen_at = seen_at - $1`, by.Milliseconds())
				return err
			})
		}
		for _, name := range []string{"b", "a", "here"} {
			require.False(t, show(name))
		}
		pass(declarer.KeepFor - time.Hour)
		require.True(t, show("here"))
		require.Empty(t, gone())
		pass(2 * time.Hour)

		failure := errors.New("what they declared cannot be ended")
		err := d.Attempt(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			names, err := declarer.Gone(ctx, tx)
			require.Len(t, names, 2)
			return errors.Join(err, failure)
		})
		require.ErrorIs(t, err, failure)
		require.Equal(t, []string{"a", "b"}, gone(), "until it has been done")
		require.Empty(t, gone())
		require.False(t, show("a"))
		require.True(t, show("here"))
		require.Empty(t, gone())
	})
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"edge", "edge-1.example", "a:b_c", "рынок", strings.Repeat("n", 64)} {
		require.NoError(t, declarer.ValidName(name), name)
	}
	for _, name := range []string{"", " ", "two words", "a/b", "a\n", "a\x00", strings.Repeat("n", 65)} {
		require.Error(t, declarer.ValidName(name), name)
	}
}
