package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
)

// write changes something in a transaction.
func write(t testing.TB, d *backend.Desk, query string, args ...any) {
	t.Helper()
	require.NoError(t, d.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	}))
}

// An import that was held up, and that another one of the key has taken back meanwhile, leaves that one alone.
func TestImportTakesBackItsOwn(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	shop(t, source, 300, 3)
	content := export(t, source, demo.Site)
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			account(t, d, "anna")
			account(t, d, "boris")
			begun, resumed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				held := false
				read, err := transfer.Read(t.Context(), bytes.NewReader(content))
				if err == nil {
					_, err = subjects(d).ImportData(t.Context(), read, "moved", transfer.Progress{Wait: func() {}, Undo: func() {}, Rows: func(n int64) {
						if n < 500 || held {
							return
						}
						held = true
						close(begun)
						<-resumed
					}})
				}
				ended <- err
			}()
			<-begun
			over := func() { write(t, d, `UPDATE duties SET expires_at = 0`) }
			over()
			read, err := transfer.Read(t.Context(), bytes.NewReader(content))
			require.NoError(t, err)
			undone, looked := false, false
			// The first may have renewed its turn meanwhile, so it may have to be over once more.
			_, err = subjects(d).ImportData(t.Context(), read, "moved", transfer.Progress{Wait: over, Undo: func() { undone = true }, Rows: func(n int64) {
				if n < 500 || looked {
					return
				}
				looked = true
				close(resumed)
				require.Error(t, <-ended, "it has lost its site, or its turn")
			}})
			require.NoError(t, err)
			require.True(t, undone && looked)
			require.NoError(t, d.Sites.Refresh(t.Context()))
			made, err := d.Sites.ByKey(t.Context(), "moved")
			require.NoError(t, err)
			of, err := source.Sites.ByKey(t.Context(), demo.Site)
			require.NoError(t, err)
			same(t, see(t, source, of.ID), see(t, d, made.ID), "all is there")
		})
	}
}

// What is taken back is never served, and what is served is not taken back.
func TestServedSiteIsNotTakenBack(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			s := neighbour(t, d)
			before := stored(t, d.DB)
			attempt := func(do func(context.Context, db.Tx) error) error { return d.DB.Attempt(t.Context(), 0, do) }
			remove := func() error {
				return rows.Remove(t.Context(), d.DB, s.ID, func(ctx context.Context, do func(context.Context) error) error { return do(ctx) })
			}
			leave := func() (leaving, served bool) {
				require.NoError(t, attempt(func(ctx context.Context, tx db.Tx) (err error) {
					leaving, served, err = site.Leave(ctx, tx, s.ID)
					return err
				}))
				return leaving, served
			}
			leaving, served := leave()
			require.True(t, served && !leaving)
			require.ErrorIs(t, subjects(d).TakeBack(t.Context(), "neighbour", quiet), transfer.ErrNotBroken)
			require.ErrorContains(t, remove(), "the site has arrived")
			require.NoError(t, attempt(func(ctx context.Context, tx db.Tx) error { return site.Gone(ctx, tx, s.ID) }))
			require.Equal(t, before, stored(t, d.DB))
			write(t, d, `UPDATE sites SET arriving_at = 5, version = version + 1`)
			require.ErrorContains(t, remove(), "the site has arrived", "not yet said to leave")
			for range 2 {
				leaving, served = leave()
				require.True(t, leaving && !served)
			}
			require.Error(t, attempt(func(ctx context.Context, tx db.Tx) error { return site.Arrived(ctx, tx, s.ID) }))
			require.NoError(t, d.Sites.Refresh(t.Context()))
			_, err := d.Sites.ByKey(t.Context(), "neighbour")
			require.ErrorIs(t, err, site.ErrRetired)
			require.NoError(t, subjects(d).TakeBack(t.Context(), "neighbour", quiet), "one that was broken off, too")
			leaving, served = leave()
			require.False(t, leaving || served)
		})
	}
}

// Figures that somebody is making while an import is taken back do not stay behind.
func TestTakingBackWaitsForFigures(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			s := neighbour(t, d)
			write(t, d, `UPDATE sites SET arriving_at = 5, version = version + 1`)
			waited, ended := make(chan struct{}), make(chan error, 1)
			mine, err := duties.Do(t.Context(), d.DB, keeper.Duty, func(context.Context) error {
				go func() {
					ended <- subjects(d).TakeBack(t.Context(), "neighbour", transfer.Progress{Wait: func() { close(waited) }, Undo: func() {}, Rows: func(int64) {}})
				}()
				select {
				case <-waited:
				case err := <-ended:
					return errors.Join(errors.New("nobody has waited"), err)
				}
				write(t, d, `INSERT INTO report_columns (site_id, day, name, content) VALUES ($1, 20000, 'visit.*', $2)`, s.ID, []byte{})
				return nil
			})
			require.NoError(t, err)
			require.True(t, mine)
			require.NoError(t, <-ended)
			left := stored(t, d.DB)
			require.Zero(t, left["report_columns"])
			require.Zero(t, left["sites"])
		})
	}
}
