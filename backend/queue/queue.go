// Package queue does durable work: what has to be done later, somewhere else, and as often as it takes.
//
// A job is added in the transaction of what it belongs to, so there is never one without the other. It is done at least
// once: a node that dies while it does a job leaves it to another, so whoever receives it has to know it again.
//
// Jobs go to targets. Each target has its own few places, and while it is away its jobs wait for a probe: a receiver
// that hangs costs the others nothing, and one that comes back after a day gets everything within a minute.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// topic wakes the queues of all nodes.
const topic = "jobs"

// Job is work that waits to be done.
type Job struct {
	ID     int64
	SiteID int64
	// Kind says who does it, see [Queue.Handle]. It has no space in it.
	Kind string
	// Target is where the job goes, such as an address. Jobs of one kind and target wait together while it is away.
	Target string
	// Lane is for jobs that must not overtake each other: those of a target with the same lane are done one after the
	// other, in the order in which they were added. Jobs of lane 0 have no order.
	Lane int64
	// VisitorID is whom the job concerns, in public form; 0 for nobody.
	VisitorID int64
	// Payload is a JSON value of the kind's own. Nil is stored as null.
	Payload json.RawMessage
	// Due is when the job may be done at the earliest. Zero, for one that is added, is at once.
	Due time.Time
	// Added is when it was added, and Attempts how often it has been tried before.
	Added    time.Time
	Attempts int
}

// queued is the name under which jobs of the kind and target wait together.
func queued(kind, target string) string { return kind + " " + target }

// Add adds the jobs, whose ID, Added and Attempts are not read, and wakes those who do them when the transaction is
// committed.
func Add(ctx context.Context, tx db.Tx, jobs ...Job) error {
	type row struct {
		site          int64
		kind, target  string
		lane, visitor int64
		payload       string
		due           int64
	}
	rows := make([]row, len(jobs))
	for i, j := range jobs {
		if j.Kind == "" || strings.Contains(j.Kind, " ") {
			return fmt.Errorf("adding a job: %q is no kind", j.Kind)
		}
		rows[i] = row{j.SiteID, j.Kind, queued(j.Kind, j.Target), j.Lane, j.VisitorID, string(j.Payload), 0}
		if j.Payload == nil {
			rows[i].payload = "null"
		}
		if !j.Due.IsZero() {
			rows[i].due = j.Due.UnixMilli()
		}
	}
	now := db.Clock(tx.Engine())
	for some := range db.Parts(rows) {
		values, args := db.Values(some, func(r *row) []any {
			return []any{&r.site, &r.kind, &r.target, &r.lane, &r.visitor, &r.payload, &r.due}
		})
		if _, err := tx.Exec(ctx, `WITH new (site_id, kind, target, lane, visitor_id, payload, due_at) AS (`+values+`)
			INSERT INTO jobs (site_id, kind, target, lane, visitor_id, payload, due_at, added_at, attempts, dead_at, reason)
			SELECT site_id, kind, target, lane, visitor_id, payload, CASE WHEN due_at = 0 THEN `+now+` ELSE due_at END, `+now+`, 0, 0, '' FROM new`, args...); err != nil {
			return fmt.Errorf("adding jobs: %w", err)
		}
	}
	if len(rows) > 0 {
		tx.Wake(topic)
	}
	return nil
}

// Handler does the jobs of a kind.
type Handler struct {
	// Do does the job; nil means that it is done for good. See [Never], [After] and [Away] for other ends. Any other
	// error has it tried again by Next.
	Do func(ctx context.Context, j Job) error
	// Next is the pause before the next attempt, after so many that have failed, the last one counted; false for no
	// further one. Nil is a pause of a second that doubles up to a minute, without end.
	Next func(attempts int) (pause time.Duration, again bool)
	// Timeout ends an attempt; 0 is 20 seconds.
	Timeout time.Duration
}

// Queue does the jobs. It is safe for concurrent use.
type Queue struct {
	db       *db.DB
	logger   *zap.Logger
	handlers map[string]Handler

	places chan struct{} // of all jobs under way
	again  chan struct{} // a target is not served any more
	work   sync.WaitGroup

	mu      sync.Mutex
	served  map[string]bool // targets that have a goroutine
	resting map[string]rest
}

// rest is that of a target that is away.
type rest struct {
	until time.Time
	pause time.Duration
}

// New returns the queue of the database, which does nothing before [Queue.Run].
func New(d *db.DB, logger *zap.Logger) *Queue {
	return &Queue{
		db: d, logger: logger,
		handlers: make(map[string]Handler),
		places:   make(chan struct{}, underWay),
		again:    make(chan struct{}, 1),
		served:   make(map[string]bool),
		resting:  make(map[string]rest),
	}
}

// Handle has the jobs of the kind done by the handler. It is called before [Queue.Run]. Jobs of a kind that nobody
// handles wait.
func (q *Queue) Handle(kind string, h Handler) {
	if h.Next == nil {
		h.Next = doubling
	}
	if h.Timeout == 0 {
		h.Timeout = defaultTimeout
	}
	q.handlers[kind] = h
}

func doubling(attempts int) (time.Duration, bool) {
	return min(firstPause<<min(attempts-1, 10), lastPause), true
}
