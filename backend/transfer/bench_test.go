package transfer_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

var views = flag.Int("views", 200_000, "how many views the site of the benchmark has; it has a tenth as many leads")

// asCommand has the program of these tests export or import a file, as the command does, so that its memory is its own:
// "export" or "import", the engine, its source, and the file.
const asCommand = "FRONTDESK_TRANSFER"

func commanded(ctx context.Context) error {
	what := strings.SplitN(os.Getenv(asCommand), "|", 4)
	desk, err := backend.Open(ctx, db.Settings{Engine: what[1], Source: what[2]}, zap.NewNop(), nil)
	if err != nil {
		return err
	}
	defer desk.Close()
	defer func() {
		status, _ := os.ReadFile("/proc/self/status")
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Println(strings.Fields(peak)[0]) // in KB
	}()
	if what[0] == "export" {
		file, err := os.Create(what[3])
		if err != nil {
			return err
		}
		_, err = subjects(desk).Export(ctx, file, transfer.Wanted{Key: "large", Data: true, At: last, Tell: func(int64) {}})
		return err
	}
	file, err := os.Open(what[3])
	if err != nil {
		return err
	}
	read, err := transfer.Read(ctx, bufio.NewReader(file))
	if err != nil {
		return err
	}
	_, err = subjects(desk).ImportData(ctx, read, "large", quiet)
	return err
}

// command runs it, and returns how long it took and how many bytes of memory it had at most.
func command(b *testing.B, what string, settings db.Settings, file string) (took time.Duration, memory int64) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join([]string{what, settings.Engine, settings.Source, file}, "|"))
	cmd.Stderr = os.Stderr
	began := time.Now()
	said, err := cmd.Output()
	require.NoError(b, err)
	took = time.Since(began)
	_, err = fmt.Sscan(string(said), &memory)
	require.NoError(b, err)
	return took, memory << 10
}

// large makes a site of so many views: three to a visit, and a tenth as many leads.
func large(b *testing.B, d *backend.Desk) {
	b.Helper()
	ctx := b.Context()
	s, err := d.Sites.Provision(ctx, "large")
	require.NoError(b, err)
	view, err := d.Visits.Arrive(ctx, s.ID, 0, visit.Arrival{Nonce: "one", URL: "https://shop.example/lamps/arc?utm_source=news&utm_campaign=autumn", Title: "Lamps for every room", Kind: "load", UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"})
	require.NoError(b, err)
	_, _, err = d.Leads.Add(ctx, submission.Submission{SiteID: s.ID, Ref: view.Ref, Origin: lead.Form, Name: "Boris Godunov", Phone: "+7 912 000-00-00", Email: "boris@mail.example",
		Message: "Is the lamp in stock? I should like two of them, by Friday if that is possible. Please call after 6 p.m.", UserFields: map[string]string{"city": "London"}, URL: "https://shop.example/lamps/desk"})
	require.NoError(b, err)
	for _, of := range []struct {
		table, sequence string
		rows            int
		set             map[string]string
	}{
		{"visitors", "day.visit.views", *views / 3, map[string]string{"id": "f + 3 * i", "visit_id": "f + 3 * i", "nonce": "'n' || i", "first_at": "first_at - 20000 * i"}},
		{"visits", "", *views / 3, map[string]string{"id": "f + 3 * i", "visitor_id": "f + 3 * i", "view_id": "f + 3 * i + 2", "started_at": "started_at - 20000 * i", "last_at": "last_at - 20000 * i"}},
		{"views", "", *views, map[string]string{"id": "f + i", "visit_id": "f + 3 * (i / 3)", "visitor_id": "f + 3 * (i / 3)", "at": "at - 20000 * (i / 3)"}},
		{"leads", "leads", *views / 10, map[string]string{"id": "f + i", "at": "at - 100000 * i", "phone_digits": "'7912' || (1000000 + i)", "email": "'boris' || i || '@mail.example'", "message": "message || ' ' || i"}},
	} {
		clone(b, d.DB, of.table, of.sequence, of.rows, of.set)
	}
	require.NoError(b, d.Figures.Keep(ctx))
}

// drawn is the first of the numbers that were drawn last.
var drawn int64

// clone adds so many rows that are like the one of the table, but for what is set.
func clone(b *testing.B, d *db.DB, table, sequence string, rows int, set map[string]string) {
	b.Helper()
	found, err := d.Read().QueryContext(b.Context(), `SELECT * FROM `+table)
	require.NoError(b, err)
	columns, err := found.Columns()
	require.NoError(b, err)
	require.NoError(b, found.Close())
	values := slices.Clone(columns)
	for column, value := range set {
		values[slices.Index(columns, column)] = value
	}
	id, _, err := db.One(b.Context(), d.Read(), db.Only[int64], `SELECT MIN(id) FROM `+table)
	require.NoError(b, err)
	const atOnce = 5000
	for from := 0; from < rows; from += atOnce {
		require.NoError(b, d.Write(b.Context(), 0, func(ctx context.Context, tx db.Tx) (err error) {
			if from == 0 && sequence != "" {
				if drawn, err = d.Sequence(sequence, 1).Take(ctx, tx, 3*int64(rows)+3); err != nil {
					return err
				}
			}
			_, err = tx.Exec(ctx, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`)
				WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $2), f(f) AS (SELECT CAST($3 AS BIGINT)) SELECT `+strings.Join(values, ", ")+` FROM `+table+`, n, f WHERE id = $4`,
				from, min(from+atOnce, rows)-1, drawn, id)
			return err
		}))
	}
}

// arrivals are how long views of the site take to be stored, of 16 visitors at once, until do ends.
func arrivals(b *testing.B, d *backend.Desk, s site.Site, do func()) []time.Duration {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	var visitors sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	for v := range 16 {
		visitors.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				began := time.Now()
				_, err := d.Visits.Arrive(b.Context(), s.ID, 0, visit.Arrival{Nonce: fmt.Sprint(began.UnixNano(), v, n), URL: "https://neighbour.example/", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140.0"})
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
				time.Sleep(20 * time.Millisecond) // a steady load, not as much as it takes
			}
		})
	}
	do()
	stop()
	visitors.Wait()
	slices.Sort(took)
	return took
}

// BenchmarkSite exports a large site and imports it elsewhere, by a process of its own, while visitors of another site
// have their views stored; and measures these visitors alone, too.
func BenchmarkSite(b *testing.B) {
	for name, settings := range engines {
		b.Run(name, func(b *testing.B) {
			from, to := settings(b), settings(b)
			source, target := open(b, from), open(b, to)
			large(b, source)
			file := filepath.Join(b.TempDir(), "large.jsonl")
			other, err := target.Sites.Provision(b.Context(), "neighbour")
			require.NoError(b, err)
			for b.Loop() {
				took, memory := command(b, "export", from, file)
				info, err := os.Stat(file)
				require.NoError(b, err)
				content, err := os.ReadFile(file)
				require.NoError(b, err)
				rows := float64(strings.Count(string(content), "\n["))
				b.ReportMetric(rows, "rows")
				b.ReportMetric(float64(info.Size())/1e6, "file-MB")
				b.ReportMetric(rows/took.Seconds(), "exported-rows/s")
				b.ReportMetric(float64(memory)/1e6, "export-MB")
				alone := arrivals(b, target, other, func() { time.Sleep(10 * time.Second) })
				beside := arrivals(b, target, other, func() { took, memory = command(b, "import", to, file) })
				b.ReportMetric(rows/took.Seconds(), "imported-rows/s")
				b.ReportMetric(float64(memory)/1e6, "import-MB")
				for what, times := range map[string][]time.Duration{"alone": alone, "beside": beside} {
					b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, what+"-p50-ms")
					b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1e3, what+"-p99-ms")
				}
			}
		})
	}
}
