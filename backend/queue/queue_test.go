package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// add adds the jobs in a transaction of their own.
func add(t testing.TB, d *db.DB, jobs ...queue.Job) {
	t.Helper()
	require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { return queue.Add(ctx, tx, jobs...) }))
}

// run has a node do jobs of the kind "test" until the test ends, or until the node is stopped.
func run(t testing.TB, d *db.DB, h queue.Handler) (q *queue.Queue, stop func()) {
	q = queue.New(d, zap.NewNop())
	q.Handle("test", h)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			assert.Fail(t, "the queue does not end")
		}
	})
	t.Cleanup(stop)
	return q, stop
}

// done notes what has been done, in its order.
type done struct {
	mu    sync.Mutex
	texts []string
}

func (d *done) add(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts = append(d.texts, text)
}

func (d *done) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.texts...)
}

// wait waits until so many are done.
func (d *done) wait(t testing.TB, n int) []string {
	t.Helper()
	require.Eventually(t, func() bool { return len(d.list()) >= n }, time.Minute, 5*time.Millisecond, "%d are to be done", n)
	return d.list()
}

func quickly(int) (time.Duration, bool) { return 10 * time.Millisecond, true }

// left waits until so many jobs are neither done nor dead.
func left(t testing.TB, q *queue.Queue, n int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		waiting, _, err := q.Waiting(t.Context(), "test", scope.All())
		return err == nil && waiting == n
	}, time.Minute, 5*time.Millisecond)
}

func TestJobsAreDoneAsTheyWereAdded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		before := time.Now().Add(-time.Second)
		jobs := make(chan queue.Job, 2)
		q, _ := run(t, d, queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
			jobs <- j
			return nil
		}})
		require.Error(t, d.Attempt(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return errors.Join(queue.Add(ctx, tx, queue.Job{SiteID: 1, Kind: "test", Target: "taken back"}), errors.New("no"))
		}))
		require.Error(t, d.Attempt(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return queue.Add(ctx, tx, queue.Job{Kind: "two words"})
		}))
		add(t, d, queue.Job{SiteID: 7, Kind: "test", Target: "https://a b", Lane: 3, VisitorID: 4, Payload: json.RawMessage(`{"a":"й"}`)})
		add(t, d, queue.Job{SiteID: 8, Kind: "test"}, queue.Job{SiteID: 8, Kind: "unknown"})
		for range 2 {
			j := <-jobs
			assert.True(t, j.Added.After(before) && j.Added.Before(time.Now().Add(time.Second)), "%v", j.Added)
			assert.NotZero(t, j.ID)
			j.ID, j.Added, j.Due = 0, time.Time{}, time.Time{}
			if j.SiteID == 7 {
				assert.Equal(t, queue.Job{SiteID: 7, Kind: "test", Target: "https://a b", Lane: 3, VisitorID: 4, Payload: json.RawMessage(`{"a":"й"}`)}, j)
			} else {
				assert.Equal(t, queue.Job{SiteID: 8, Kind: "test", Payload: json.RawMessage("null")}, j)
			}
		}
		left(t, q, 0)
		waiting, oldest, err := q.Waiting(t.Context(), "unknown", scope.Of(8))
		require.NoError(t, err)
		require.EqualValues(t, 1, waiting)
		require.WithinRange(t, oldest, before, time.Now().Add(time.Second))
		require.Empty(t, jobs)
	})
}

func TestJobWaitsUntilItIsDue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var all done
		q, _ := run(t, d, queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
			all.add(j.Target)
			return nil
		}})
		due := time.Now().Add(700 * time.Millisecond)
		add(t, d, queue.Job{Kind: "test", Target: "later", Due: due}, queue.Job{Kind: "test", Target: "next year", Due: due.AddDate(1, 0, 0)})
		all.wait(t, 1)
		require.False(t, time.Now().Before(due))
		left(t, q, 1)
		require.Equal(t, []string{"later"}, all.list())
	})
}

// What fails is tried again, and holds up its lane only.
func TestLanesKeepTheirOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const lanes, each = 9, 20
		var all done
		var tries atomic.Int64
		q, _ := run(t, d, queue.Handler{Next: quickly, Do: func(ctx context.Context, j queue.Job) error {
			if tries.Add(1)%5 == 0 {
				return errors.New("once more")
			}
			all.add(string(j.Payload))
			return nil
		}})
		for i := range each {
			var jobs []queue.Job
			for lane := range lanes {
				jobs = append(jobs, queue.Job{Kind: "test", Lane: int64(lane), Payload: fmt.Appendf(nil, "[%d,%d]", lane, i)})
			}
			add(t, d, jobs...)
		}
		left(t, q, 0)
		next := map[int]int{}
		count := 0
		for _, text := range all.list() {
			var at [2]int
			require.NoError(t, json.Unmarshal([]byte(text), &at))
			count++
			if at[0] != 0 { // lane 0 has no order
				require.Equal(t, next[at[0]], at[1], "lane %d", at[0])
				next[at[0]]++
			}
		}
		require.Equal(t, lanes*each, count, "each is done once")
	})
}

func TestDeadJobs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var mended atomic.Bool
		var all done
		q, _ := run(t, d, queue.Handler{
			Next: func(attempts int) (time.Duration, bool) { return time.Millisecond, attempts < 3 },
			Do: func(ctx context.Context, j queue.Job) error {
				all.add(fmt.Sprint(j.Target, " ", j.Attempts))
				switch {
				case mended.Load():
					return nil
				case j.Target == "never":
					return queue.Never(errors.New("it is refused"))
				}
				panic("at the disco")
			},
		})
		add(t, d, queue.Job{SiteID: 1, Kind: "test", Target: "never"})
		all.wait(t, 1)
		left(t, q, 0)
		add(t, d, queue.Job{SiteID: 2, Kind: "test", Target: "thrice", Lane: 1})
		require.Equal(t, []string{"never 0", "thrice 0", "thrice 1", "thrice 2"}, all.wait(t, 4))
		left(t, q, 0)

		dead, err := q.Dead(t.Context(), "test", scope.All(), queue.Dead{}, 10)
		require.NoError(t, err)
		require.Len(t, dead, 2)
		require.Equal(t, "thrice", dead[0].Target)
		require.Equal(t, 3, dead[0].Attempts)
		require.Equal(t, "panic: at the disco", dead[0].Reason)
		require.WithinDuration(t, time.Now(), dead[0].Since, time.Minute)
		require.Equal(t, "it is refused", dead[1].Reason)
		behind, err := q.Dead(t.Context(), "test", scope.All(), dead[0], 10)
		require.NoError(t, err)
		require.Equal(t, dead[1:], behind)
		ofSite, err := q.Dead(t.Context(), "test", scope.Of(1), queue.Dead{}, 10)
		require.NoError(t, err)
		require.Equal(t, dead[1:], ofSite)

		mended.Store(true)
		found, err := q.Again(t.Context(), 1, dead[0].ID)
		require.NoError(t, err)
		require.False(t, found, "it is of another site")
		found, err = q.Again(t.Context(), 2, dead[0].ID)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, "thrice 0", all.wait(t, 5)[4])
		left(t, q, 0)
		found, err = q.Discard(t.Context(), 1, dead[1].ID)
		require.NoError(t, err)
		require.True(t, found)
		dead, err = q.Dead(t.Context(), "test", scope.All(), queue.Dead{}, 10)
		require.NoError(t, err)
		require.Empty(t, dead)
	})
}

// While a target is away one job looks for it, and a target that hangs has its own places.
func TestTargetsDoNotWaitForEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var back atomic.Bool
		var probes atomic.Int64
		var all done
		q, _ := run(t, d, queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
			switch {
			case j.Target == "hangs":
				<-ctx.Done()
				return ctx.Err()
			case j.Target == "away" && !back.Load():
				probes.Add(1)
				return queue.Away(errors.New("nobody there"))
			}
			all.add(j.Target)
			return nil
		}})
		var jobs []queue.Job
		for _, target := range []string{"hangs", "away", "there"} {
			for range 100 {
				jobs = append(jobs, queue.Job{Kind: "test", Target: target})
			}
		}
		began := time.Now()
		add(t, d, jobs...)
		all.wait(t, 100)
		require.NotContains(t, all.list(), "away")
		require.LessOrEqual(t, probes.Load(), int64(17+time.Since(began)/time.Second), "it is asked by those that began together, and by a probe each second")
		back.Store(true)
		all.wait(t, 200)
		left(t, q, 100)
	})
}

func TestAfterIsObeyed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var times done
		var first time.Time
		run(t, d, queue.Handler{Next: quickly, Do: func(ctx context.Context, j queue.Job) error {
			times.add("")
			if j.Attempts == 0 {
				first = time.Now()
				return queue.After(800*time.Millisecond, errors.New("later"))
			}
			return nil
		}})
		add(t, d, queue.Job{Kind: "test"})
		times.wait(t, 2)
		require.GreaterOrEqual(t, time.Since(first), 800*time.Millisecond)
	})
}

// Two nodes share the jobs, one ends in the middle, one dies with jobs in its hands.
func TestNodesShareTheJobs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const n = 400
		var all done
		var held atomic.Int64
		// The node that dies: it takes jobs and is never heard of again.
		_, stop := run(t, d, queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
			held.Add(1)
			<-ctx.Done()
			return nil // it says so too late: the jobs have been given to others
		}})
		var jobs []queue.Job
		for i := range n {
			jobs = append(jobs, queue.Job{Kind: "test", Lane: int64(i % 50), Payload: fmt.Append(nil, i)})
		}
		add(t, d, jobs...)
		require.Eventually(t, func() bool { return held.Load() > 0 }, time.Minute, time.Millisecond)
		require.NoError(t, d.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error { // its time is up
			_, err := tx.Exec(ctx, `UPDATE jobs SET due_at = 1`)
			return err
		}))
		stop()
		h := queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
			all.add(string(j.Payload))
			return nil
		}}
		q, _ := run(t, d, h)
		_, end := run(t, d, h)
		all.wait(t, n/2)
		end()
		left(t, q, 0)
		times := map[string]int{}
		for _, text := range all.list() {
			times[text]++
		}
		require.Len(t, times, n)
		require.Len(t, all.list(), n, "nobody's time was up, so each is done once")
	})
}

// BenchmarkJobs adds jobs of a thousand lanes and has them done.
func BenchmarkJobs(b *testing.B) {
	for name, settings := range map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, settings(b))
			jobs := make([]queue.Job, b.N)
			for i := range jobs {
				jobs[i] = queue.Job{Kind: "test", Lane: int64(i%1000 + 1), Payload: json.RawMessage(`{"id":1}`)}
			}
			add(b, d, jobs...)
			b.ResetTimer()
			var n atomic.Int64
			all := make(chan struct{})
			_, stop := run(b, d, queue.Handler{Do: func(ctx context.Context, j queue.Job) error {
				if n.Add(1) == int64(b.N) {
					close(all)
				}
				return nil
			}})
			<-all
			b.StopTimer()
			stop()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}
