package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

// State is how a delivery stands.
type State string

// The states.
const (
	waiting   State = "waiting"   // it will be tried, or tried again
	delivered State = "delivered" // it was taken
	failed    State = "failed"    // it is not tried any more
	held      State = "held"      // its endpoint is paused
	dropped   State = "dropped"   // what it was about has been erased
)

// States are all states.
var States = []State{waiting, delivered, failed, held, dropped}

// Delivery is one event on its way to one endpoint. Nothing in it names a person, unless the path of a form or a mail
// server's answer does.
type Delivery struct {
	SiteID, EndpointID int64
	// Entry numbers the deliveries of an endpoint, in the order in which things happened.
	Entry int64
	Event Event
	// Subject is the lead or the call; 0 for neither.
	Subject int64
	// At is when it happened.
	At    time.Time
	State State
	// Attempts are those that have been made, TriedAt is when the last one ended, and Status what it was answered; 0
	// when there was no answer. Reason is a word for programs: why it was not delivered, see [Reasons]; Detail says
	// more, where more may be said.
	Attempts int
	TriedAt  time.Time
	Status   int
	Reason   string
	Detail   string

	data json.RawMessage // of the entry
	kind Kind
	lane int64
}

// KeepFor is how long a delivery stands in the log. One that has waited so long is not delivered any more.
const KeepFor = 30 * 24 * time.Hour

// Key names the delivery within its site.
func (r Delivery) Key() string {
	return strconv.FormatInt(r.EndpointID, 10) + "_" + strconv.FormatInt(r.Entry, 10)
}

// ID is that of the message: the same, however often it is sent.
func (r Delivery) ID() string { return "msg_" + r.Key() }

type deliveryRow struct {
	Delivery
	at, tried int64
	data      string
}

const deliveryColumns = `d.site_id, d.endpoint_id, d.entry, d.event, d.subject_id, d.data, d.at, d.state, d.attempts, d.status, d.reason, d.detail, d.tried_at, e.kind`

func (r *deliveryRow) fields() []any {
	return []any{&r.SiteID, &r.EndpointID, &r.Entry, &r.Event, &r.Subject, &r.data, &r.at, &r.State, &r.Attempts, &r.Status, &r.Reason, &r.Detail, &r.tried, &r.kind}
}

func (r *deliveryRow) delivery() Delivery {
	one := r.Delivery
	one.At, one.TriedAt, one.data = time.UnixMilli(r.at), db.Time(r.tried), json.RawMessage(r.data)
	if one.Event.ofCall() || one.kind.isOut() {
		one.lane = one.Subject
	}
	return one
}

// reading reads deliveries of endpoints that there are.
const reading = `SELECT ` + deliveryColumns + ` FROM deliveries d JOIN endpoints e ON e.site_id = d.site_id AND e.id = d.endpoint_id`

func deliveries(ctx context.Context, from db.Queries, query string, args ...any) ([]Delivery, error) {
	rows, err := db.List(ctx, from, (*deliveryRow).fields, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading deliveries: %w", err)
	}
	list := make([]Delivery, len(rows))
	for i := range rows {
		list[i] = rows[i].delivery()
	}
	return list, nil
}

// Log returns deliveries of the site behind the cursor, the latest first, limit at most: of one endpoint, or of all with
// 0; of one state, or of all with none.
func (d *Deliveries) Log(ctx context.Context, siteID, endpointID int64, state State, behind Cursor, limit int) ([]Delivery, error) {
	if behind == (Cursor{}) {
		behind.Entry = math.MaxInt64
	}
	query, args := reading+` WHERE d.site_id = $1 AND (d.entry < $2 OR d.entry = $2 AND d.endpoint_id > $3)`, []any{siteID, behind.Entry, behind.Endpoint, limit}
	if endpointID != 0 {
		args = append(args, endpointID)
		query += ` AND d.endpoint_id = $` + strconv.Itoa(len(args))
	}
	if state != "" {
		args = append(args, string(state))
		query += ` AND d.state = $` + strconv.Itoa(len(args))
	}
	return deliveries(ctx, d.DB.Read(), query+` ORDER BY d.entry DESC, d.endpoint_id LIMIT $4`, args...)
}

// Cursor is a position in the log. The zero Cursor is its top.
type Cursor struct{ Entry, Endpoint int64 }

// Cursor returns the position behind the delivery.
func (r Delivery) Cursor() Cursor { return Cursor{r.Entry, r.EndpointID} }

// Count is how many deliveries of an endpoint are in a state.
type Count struct {
	EndpointID int64
	State      State
	Number     int
}

// undelivered has the order by which SQLite takes the index of states, and passes by what was delivered.
const undelivered = `SELECT endpoint_id, state, COUNT(*) FROM deliveries WHERE site_id = $1 AND state IN ('waiting', 'failed', 'held') GROUP BY state, endpoint_id`

// Counts are those of the site's deliveries that have not been delivered.
func (d *Deliveries) Counts(ctx context.Context, siteID int64) ([]Count, error) {
	counts, err := db.List(ctx, d.DB.Read(), func(c *Count) []any { return []any{&c.EndpointID, &c.State, &c.Number} }, undelivered, siteID)
	if err != nil {
		return nil, fmt.Errorf("counting deliveries: %w", err)
	}
	return counts, nil
}

// Again has a delivery of the site sent once more, whatever came of it, or returns
// [ErrUnknown]. One that waits already goes on waiting.
func (d *Deliveries) Again(ctx context.Context, siteID, endpointID, entry int64) error {
	found, err := d.hold(ctx, `endpoint_id = $2 AND entry = $3 AND state NOT IN ('waiting', 'held')`, siteID, endpointID, entry)
	if err != nil || found > 0 {
		return err
	}
	there, err := deliveries(ctx, d.DB.Read(), reading+` WHERE d.site_id = $1 AND d.endpoint_id = $2 AND d.entry = $3`, siteID, endpointID, entry)
	if err == nil && len(there) == 0 {
		err = ErrUnknown
	}
	return err
}

// AgainFailed has the deliveries of the endpoint sent once more that have failed and whose
// events happened after the time, and returns how many there are.
func (d *Deliveries) AgainFailed(ctx context.Context, siteID, endpointID int64, since time.Time) (int, error) {
	return d.hold(ctx, `endpoint_id = $2 AND state = 'failed' AND at >= $3`, siteID, endpointID, since.UnixMilli())
}

// hold has deliveries begin anew that are like that.
func (d *Deliveries) hold(ctx context.Context, which string, args ...any) (number int, err error) {
	err = d.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE deliveries SET state = 'held', attempts = 0 WHERE site_id = $1 AND `+which, args...)
		number = int(changed)
		return err
	})
	if err == nil {
		err = d.release(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("sending deliveries again: %w", err)
	}
	return number, nil
}

// releasedAtOnce and prunedAtOnce bound how many deliveries one transaction releases or deletes.
const releasedAtOnce, prunedAtOnce = 512, 500

// resumable are the endpoints that are not paused and hold something. heldOf reads the first of what one holds.
const (
	resumable = `SELECT e.site_id, e.id FROM endpoints e WHERE e.paused_at = 0
		AND EXISTS (SELECT 1 FROM deliveries d WHERE d.site_id = e.site_id AND d.endpoint_id = e.id AND d.state = 'held')`
	heldOf = reading + ` WHERE d.site_id = $1 AND d.endpoint_id = $2 AND d.state = 'held' AND e.paused_at = 0 ORDER BY d.entry LIMIT $3`
)

// release has all deliveries done that are held and whose endpoints are not paused. These are looked for outside of the
// write: the others may hold a million.
func (d *Deliveries) release(ctx context.Context) error {
	going, err := db.List(ctx, d.DB.Read(), func(e *Endpoint) []any { return []any{&e.SiteID, &e.ID} }, resumable)
	for i := 0; i < len(going) && err == nil; {
		var n int
		err = d.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			// Another node may be at it.
			list, err := deliveries(ctx, tx, heldOf+` FOR UPDATE OF d SKIP LOCKED`, going[i].SiteID, going[i].ID, releasedAtOnce)
			if err != nil {
				return err
			}
			n = len(list)
			jobs := make([]queue.Job, n)
			for i, one := range list {
				jobs[i] = one.job()
			}
			for some := range db.Parts(list) {
				set, args := db.Among(some, keyOf)
				if _, err := tx.Exec(ctx, `UPDATE deliveries SET state = 'waiting' WHERE (site_id, endpoint_id, entry) IN (`+set+`)`, args...); err != nil {
					return err
				}
			}
			return queue.Add(ctx, tx, jobs...)
		})
		if n < releasedAtOnce {
			i++
		}
	}
	if err != nil {
		return fmt.Errorf("releasing deliveries: %w", err)
	}
	return nil
}

func keyOf(r *Delivery) []any { return []any{&r.SiteID, &r.EndpointID, &r.Entry} }

// Prune deletes deliveries that are older than [KeepFor], and those of endpoints that have been removed.
func (d *Deliveries) Prune(ctx context.Context) error {
	old := d.now().Add(-KeepFor).UnixMilli()
	for which, args := range map[string][]any{
		`d.noted_at < $2`: {prunedAtOnce, old},
		`NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.site_id = d.site_id AND e.id = d.endpoint_id)`: {prunedAtOnce},
	} {
		for n := prunedAtOnce; n == prunedAtOnce; {
			// A writer would look through all of them.
			list, err := db.List(ctx, d.DB.Read(), keyOf, `SELECT d.site_id, d.endpoint_id, d.entry FROM deliveries d WHERE `+which+` LIMIT $1`, args...)
			if n = len(list); n > 0 && err == nil {
				err = d.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
					for some := range db.Parts(list) {
						set, args := db.Among(some, keyOf)
						if _, err := tx.Exec(ctx, `DELETE FROM deliveries WHERE (site_id, endpoint_id, entry) IN (`+set+`)`, args...); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err != nil {
				return fmt.Errorf("pruning deliveries: %w", err)
			}
		}
	}
	return nil
}
