package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

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
