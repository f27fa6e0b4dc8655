package queue

import (
	"context"
	"maps"
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
