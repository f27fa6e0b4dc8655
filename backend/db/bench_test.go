package db_test

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const insertRow = `INSERT INTO journal (site_id, at, kind, subject_id, visitor_id, data) VALUES ($1, $2, $3, $4, $5, $6)`

func rowArgs(n int64) []any {
	return []any{1, n, "a kind", n, n * 7919, `{"name":"a row of some length"}`}
}

// BenchmarkWriter compares the group-committing writer, used by 128 at once,
// with a loop over the bare driver that commits as many rows at a time as the
// writer's groups had on the average. The two take turns, so that what else the
// machine does meets both.
func BenchmarkWriter(b *testing.B) {
	const turns = 20
	rows := max(b.N/turns, 1)
	writer := dbtest.Open(b, dbtest.SQLite(b))
	driver := openDriver(b)
	var grouped, bare time.Duration
	var perCommit int
	var ratios []float64
	for range turns {
		began := time.Now()
		perCommit = writeGrouped(b, writer, rows)
		between := time.Now()
		writeBare(b, driver, rows, perCommit)
		ended := time.Now()
		grouped += between.Sub(began)
		bare += ended.Sub(between)
		ratios = append(ratios, float64(ended.Sub(between))/float64(between.Sub(began)))
	}
	slices.Sort(ratios)
	total := float64(turns * rows)
	b.ReportMetric(total/grouped.Seconds(), "rows/s")
	b.ReportMetric(total/bare.Seconds(), "bare-rows/s")
	b.ReportMetric(ratios[turns/2], "median-ratio")
	b.ReportMetric(float64(perCommit), "rows/commit")
	b.ReportMetric(0, "ns/op")
}

// writeGrouped writes the rows through the writer and returns how many it
// committed together on the average.
func writeGrouped(b *testing.B, d *db.DB, rows int) (perCommit int) {
	var last any // seen by the one writer alone
	var commits, taken atomic.Int64
	var running sync.WaitGroup
	for range 128 {
		running.Go(func() {
			for n := taken.Add(1); n <= int64(rows); n = taken.Add(1) {
				err := d.Write(context.Background(), 0, func(ctx context.Context, tx db.Tx) error {
					if tx.Transaction() != last {
						last = tx.Transaction()
						commits.Add(1)
					}
					_, err := tx.Exec(ctx, insertRow, rowArgs(n)...)
					return err
				})
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	running.Wait()
	return max(1, rows/int(commits.Load()))
}

// openDriver opens a database of the same tables with nothing but the driver.
func openDriver(b *testing.B) *sql.DB {
	settings := dbtest.SQLite(b)
	require.NoError(b, dbtest.Open(b, settings).Close())
	driver, err := sql.Open("sqlite", "file:"+settings.Source+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-32768)&_pragma=wal_autocheckpoint(4000)&_txlock=immediate")
	require.NoError(b, err)
	b.Cleanup(func() { driver.Close() })
	driver.SetMaxOpenConns(1)
	return driver
}

func writeBare(b *testing.B, driver *sql.DB, rows, perCommit int) {
	insert, err := driver.Prepare(insertRow)
	require.NoError(b, err)
	defer insert.Close()
	for n := 0; n < rows; {
		tx, err := driver.Begin()
		require.NoError(b, err)
		statement := tx.Stmt(insert)
		for range min(perCommit, rows-n) {
			n++
			_, err := statement.Exec(rowArgs(int64(n))...)
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit())
	}
}
