package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// underWay bounds the jobs that a node does at once, and atOnce those of a target.
	underWay = 512
	atOnce   = 16

	defaultTimeout = 20 * time.Second
	// leaving is what a node has, beyond a job's timeout, to say what became of it. Then another node may do it.
	leaving = 10 * time.Second

	firstPause = time.Second
	lastPause  = time.Minute

	// looking is how often a queue looks for jobs without a wake.
	looking = 5 * time.Second
	// reasonSize bounds, in bytes, what is kept of an error.
	reasonSize = 500
)

// Run does jobs until ctx ends. What is under way then is told so, and is left to whoever runs next.
func (q *Queue) Run(ctx context.Context) {
	added, forget := q.db.Subscribe(topic)
	defer forget()
	defer q.work.Wait()
	for ctx.Err() == nil {
		next, err := q.look(ctx)
		if err != nil && ctx.Err() == nil {
			q.logger.Warn("looking for jobs failed", zap.Error(err))
		}
		wait := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-added:
		case <-q.again:
		case <-wait.C:
		}
		wait.Stop()
	}
}

// look begins to serve the targets that have jobs due. It returns when to look again.
func (q *Queue) look(ctx context.Context) (next time.Duration, err error) {
	type waiting struct {
		target string
		due    int64 // milliseconds from now
	}
	// Each step of the recursion goes to the next target by the index, however many jobs a target has.
	targets, err := db.List(ctx, q.db.Read(), func(w *waiting) []any { return []any{&w.target, &w.due} }, `
		WITH RECURSIVE targets (target) AS (
			SELECT min(target) FROM jobs WHERE dead_at = 0
			UNION ALL SELECT (SELECT min(target) FROM jobs WHERE dead_at = 0 AND target > targets.target) FROM targets WHERE target IS NOT NULL)
		SELECT target, due_at - `+db.Clock(q.db.Engine())+` FROM (
			SELECT target, (SELECT min(due_at) FROM jobs WHERE dead_at = 0 AND jobs.target = targets.target) AS due_at FROM targets) t
		WHERE due_at IS NOT NULL`)
	if err != nil {
		return looking, err
	}
	next = looking
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.resting, func(target string, _ rest) bool {
		return !slices.ContainsFunc(targets, func(w waiting) bool { return w.target == target })
	})
	now := time.Now()
	for _, w := range targets {
		kind, _, _ := strings.Cut(w.target, " ")
		h, handled := q.handlers[kind]
		if !handled || q.served[w.target] {
			continue
		}
		in := max(time.Duration(w.due)*time.Millisecond, q.resting[w.target].until.Sub(now))
		if in > 0 {
			next = min(next, in)
			continue
		}
		q.served[w.target] = true
		q.work.Go(func() { aside.Do(q.logger, "serving a target", func() { q.serve(ctx, w.target, h) }) })
	}
	return next, nil
}

// serve does the target's jobs until none is due, or it turns out to be away.
func (q *Queue) serve(ctx context.Context, target string, h Handler) {
	ended := make(chan bool, atOnce) // true: the target is away
	running, away := 0, false
	more := true
	for {
		if more && !away && ctx.Err() == nil {
			room := atOnce - running
			if q.isResting(target) {
				room = 1 - running // the probe
			}
			places := q.takePlaces(ctx, room, running == 0)
			jobs, err := q.claim(ctx, target, places, h.Timeout)
			if err != nil && ctx.Err() == nil {
				q.logger.Warn("taking jobs failed", zap.Error(err))
			}
			q.leavePlaces(places - len(jobs))
			for _, j := range jobs {
				running++
				q.work.Go(func() {
					defer q.leavePlaces(1)
					isAway := false
					defer func() { ended <- isAway }()
					aside.Do(q.logger, "attempting a job", func() { isAway = q.attempt(ctx, target, h, j) })
				})
			}
			more = err == nil && len(jobs) > 0
		}
		if running == 0 {
			break
		}
		// Those that end together make room together.
		for first := true; first || len(ended) > 0; first = false {
			away = <-ended || away
			running--
			more = true
		}
	}
	q.mu.Lock()
	delete(q.served, target)
	q.mu.Unlock()
	select { // what was added meanwhile has to be looked for
	case q.again <- struct{}{}:
	default:
	}
}

func (q *Queue) isResting(target string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.resting[target].pause > 0
}

// takePlaces takes as many places as there are, limit at most. It waits for one when the caller has none.
func (q *Queue) takePlaces(ctx context.Context, limit int, wait bool) (n int) {
	for n < limit {
		select {
		case q.places <- struct{}{}:
			n++
			continue
		default:
		}
		if n > 0 || !wait {
			return n
		}
		select {
		case q.places <- struct{}{}:
			n++
		case <-ctx.Done():
			return n
		}
	}
	return n
}

func (q *Queue) leavePlaces(n int) {
	for range n {
		<-q.places
	}
}

// claimed is a job that this node does until a moment, by the database's clock.
type claimed struct {
	Job
	until int64
}

const columns = `id, site_id, kind, target, lane, visitor_id, payload, added_at, attempts, due_at`

type row struct {
	claimed
	payload string
	added   int64
}

func (r *row) fields() []any {
	return []any{&r.ID, &r.SiteID, &r.Kind, &r.Target, &r.Lane, &r.VisitorID, &r.payload, &r.added, &r.Attempts, &r.until}
}

func (r *row) complete() claimed {
	r.Target = strings.TrimPrefix(r.Target, queued(r.Kind, ""))
	r.Payload, r.Added, r.Due = json.RawMessage(r.payload), time.UnixMilli(r.added), time.UnixMilli(r.until)
	return r.claimed
}

// claim takes jobs that are due, limit at most, for as long as an attempt may take. Of a lane only the first can be
// taken.
func (q *Queue) claim(ctx context.Context, target string, limit int, timeout time.Duration) (jobs []claimed, err error) {
	if limit <= 0 {
		return nil, nil
	}
	now := db.Clock(q.db.Engine())
	err = q.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		rows, err := db.List(ctx, tx, (*row).fields, `UPDATE jobs SET due_at = `+now+` + $1 WHERE (site_id, id) IN (
				SELECT site_id, id FROM jobs j WHERE target = $2 AND dead_at = 0 AND due_at <= `+now+` AND (lane = 0 OR NOT EXISTS (
					SELECT 1 FROM jobs e WHERE e.target = j.target AND e.lane = j.lane AND e.lane <> 0 AND e.dead_at = 0 AND e.id < j.id))
				ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
			RETURNING `+columns, (timeout + leaving).Milliseconds(), target, limit)
		jobs = make([]claimed, len(rows))
		for i := range rows {
			jobs[i] = rows[i].complete()
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("taking jobs: %w", err)
	}
	return jobs, nil
}

// attempt does a job and notes what became of it. It tells whether the target is away.
func (q *Queue) attempt(ctx context.Context, target string, h Handler, j claimed) (isAway bool) {
	err := q.do(ctx, h, j.Job)
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving/2)
	defer cancel()
	_, isAway = errors.AsType[away](err)
	if ctx.Err() == nil {
		q.note(target, isAway, pauseOf(err))
	}
	var noteErr error
	switch {
	case err == nil:
		noteErr = q.change(noting, j, `DELETE FROM jobs`)
	case ctx.Err() != nil:
		noteErr = q.change(noting, j, `UPDATE jobs SET due_at = `+db.Clock(q.db.Engine()))
	case isAway:
		noteErr = q.putOff(noting, target, j, 0, 0, reasonOf(err))
	default:
		noteErr = q.failed(noting, target, h, j, err)
	}
	if noteErr != nil { // then it is done again, when its time is up
		q.logger.Warn("noting what became of a job failed", zap.Error(noteErr))
	}
	return isAway
}

// do calls the handler. A panic of it is an error.
func (q *Queue) do(ctx context.Context, h Handler, j Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			q.logger.Error("a job panicked", zap.String("kind", j.Kind), zap.Any("panic", p), zap.Stack("stack"))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	return h.Do(ctx, j)
}

// failed has the job tried again, or not.
func (q *Queue) failed(ctx context.Context, target string, h Handler, j claimed, err error) error {
	now, reason := db.Clock(q.db.Engine()), reasonOf(err)
	pause, again := h.Next(j.Attempts + 1)
	if _, dead := errors.AsType[never](err); dead || !again {
		q.logger.Warn("a job is given up", zap.String("kind", j.Kind), zap.Int64("job", j.ID), zap.Int("attempts", j.Attempts+1))
		return q.change(ctx, j, `UPDATE jobs SET attempts = attempts + 1, reason = $4, dead_at = `+now, reason)
	}
	pause = max(jittered(pause), pauseOf(err))
	return q.putOff(ctx, target, j, 1, pause, reason)
}

// putOff has the job done again after a pause, and those of its lane behind it, which would be looked at in vain until
// then.
func (q *Queue) putOff(ctx context.Context, target string, j claimed, failed int64, pause time.Duration, reason string) error {
	now := db.Clock(q.db.Engine())
	return q.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		mine, err := tx.Exec(ctx, `UPDATE jobs SET attempts = attempts + $4, reason = $5, due_at = `+now+` + $6 WHERE site_id = $1 AND id = $2 AND due_at = $3`,
			j.SiteID, j.ID, j.until, failed, reason, pause.Milliseconds())
		if err != nil || mine == 0 || j.Lane == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE jobs SET due_at = `+now+` + $1 WHERE target = $2 AND lane = $3 AND lane <> 0 AND dead_at = 0 AND id > $4 AND due_at <= `+now+` + $1`,
			pause.Milliseconds(), target, j.Lane, j.ID)
		return err
	})
}

// change changes the job, unless its time was up and another node has taken it.
func (q *Queue) change(ctx context.Context, j claimed, change string, args ...any) error {
	return q.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, change+` WHERE site_id = $1 AND id = $2 AND due_at = $3`, append([]any{j.SiteID, j.ID, j.until}, args...)...)
		return err
	})
}

// note notes whether the target is there, and how long it rests when it is not.
func (q *Queue) note(target string, isAway bool, atLeast time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !isAway {
		delete(q.resting, target)
		return
	}
	r := q.resting[target]
	if time.Now().Before(r.until) {
		return // another job has told it
	}
	r.pause = min(max(2*r.pause, firstPause), lastPause)
	r.until = time.Now().Add(max(jittered(r.pause), atLeast))
	q.resting[target] = r
}

// jittered is a duration near that one, so that what failed together does not come together again.
func jittered(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return strings.ToValidUTF8(err.Error()[:min(len(err.Error()), reasonSize)], "")
}
