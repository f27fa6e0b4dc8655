package lease

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// key is the key by which the visitors of a pool take their numbers one after another on this node. It is negative: on
// every node, the numbers of pools are locked before the rows of visitors, and before those that [Leases.Prolong] does
// not skip.
func key(pool *number.Pool) int64 { return db.Hash(pool.Name) | math.MinInt64 }

// leased is a number of a pool with its current or last lease.
type leased struct {
	digits, pool, replaces   string
	id, site, visitor, visit int64
	begun, until, hold       int64
}

func (n *leased) fields() []any {
	return []any{&n.digits, &n.pool, &n.replaces, &n.id, &n.site, &n.visitor, &n.visit, &n.begun, &n.until, &n.hold}
}

const leasedColumns = `digits, pool, replaces, lease_id, site_id, visitor_id, visit_id, begun_at, until, hold`

// taking is the state of [Leases.Take] in its transaction.
type taking struct {
	Want
	leases *Leases
	tx     db.Tx
	pool   int64 // the pool's key
	id     int64 // of the lease that may begin
	now    int64
}

// Lasting returns how long a lease is valid after a page view without a further word. See [Want.Provisional].
func Lasting(pool *number.Pool, provisional bool) time.Duration {
	if provisional {
		return stay
	}
	return stay + pool.Hold
}

// until returns when a lease ends if the visitor is not heard of again.
func (t *taking) until() int64 { return t.now + Lasting(t.Pool, t.Provisional).Milliseconds() }

// introduced is the key of a pool whose numbers are in the database.
func introduced(pool *number.Pool) string { return pool.Name + " " + pool.List() }

// introduce adds the pool's numbers to the database. Those that nobody was shown come from any other pool.
func (t *taking) introduce(ctx context.Context) error {
	if err := t.rename(ctx); err != nil {
		return err
	}
	for some := range db.Parts(t.Pool.Digits) {
		values, args := db.Values(some, func(digits *string) []any { return []any{digits, &t.Pool.Name} })
		_, err := t.tx.Exec(ctx, `INSERT INTO pool_numbers (digits, pool, lease_id, site_id, replaces, visitor_id, visit_id, begun_at, until, hold)
			SELECT n.digits, n.pool, 0, 0, '', 0, 0, 0, 0, 0 FROM (WITH v(digits, pool) AS (`+values+`) SELECT digits, pool FROM v) AS n WHERE true
			ON CONFLICT (digits) DO UPDATE SET pool = excluded.pool WHERE pool_numbers.begun_at = 0`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// ownNumber says that there is a visitor, as the index does.
const ownNumber = `SELECT ` + leasedColumns + ` FROM pool_numbers WHERE site_id = $1 AND visitor_id = $2 AND visitor_id <> 0 AND replaces = $3`

func (t *taking) take(ctx context.Context) (string, Outcome, error) {
	own, found, err := db.One(ctx, t.tx, (*leased).fields, ownNumber, t.Site, t.Visitor, t.Replaces)
	if err != nil {
		return "", "", err
	}
	if found {
		outcome, err := t.goOn(ctx, own)
		if outcome != "" || err != nil {
			return own.digits, outcome, err
		}
	}
	if full, err := t.full(ctx); full || err != nil {
		return "", Withheld, err
	}
	free, found, err := t.longestFree(ctx)
	if err != nil {
		return "", "", err
	}
	if found {
		return free.digits, Begun, t.begin(ctx, free)
	}
	switch t.Pool.Exhausted {
	case number.ShowReserve:
		return t.Pool.Reserve, Reserved, nil
	case number.ShareNumber:
		return t.share(ctx)
	}
	return "", Original, nil
}

// goOn continues the visitor's lease. The outcome is empty if the number is not the visitor's any more.
func (t *taking) goOn(ctx context.Context, own leased) (Outcome, error) {
	if !slices.Contains(t.Pool.Digits, own.digits) {
		// The number has left the pool, so its lease ends.
		changed, err := t.tx.Exec(ctx, `UPDATE pool_numbers SET visitor_id = 0 WHERE digits = $1 AND lease_id = $2`, own.digits, own.id)
		if err != nil || changed == 0 {
			return "", err
		}
		return "", t.archive(ctx, own)
	}
	if own.until >= t.now && (own.visit == int64(t.Visit) || t.Again) {
		changed, err := t.tx.Exec(ctx, `UPDATE pool_numbers SET until = CASE WHEN until > $3 THEN until ELSE $3 END, hold = $4 WHERE digits = $1 AND lease_id = $2`,
			own.digits, own.id, t.until(), t.Pool.Hold.Milliseconds())
		if changed == 0 {
			return "", err
		}
		return Kept, err
	}
	if own.until < t.now {
		if full, err := t.full(ctx); full || err != nil {
			return "", err
		}
	}
	// Another visit gets another lease, so that a call can be attributed to the visit.
	locked, found, err := db.One(ctx, t.tx, (*leased).fields, `UPDATE pool_numbers SET hold = hold WHERE digits = $1 AND lease_id = $2 RETURNING `+leasedColumns, own.digits, own.id)
	if err != nil || !found {
		return "", err
	}
	if err := t.begin(ctx, locked); err != nil {
		return "", err
	}
	if own.until >= t.now {
		return Kept, nil
	}
	return Begun, nil
}

// full says whether the visitors of the network have as many numbers of the pool as they may have at once.
func (t *taking) full(ctx context.Context) (bool, error) {
	if !t.Network.IsValid() {
		return false, nil
	}
	var taken []string
	for _, digits := range t.Pool.Digits {
		if by, known := t.leases.takers.Load(digits); known && by == t.Network {
			taken = append(taken, digits)
		}
	}
	most := (len(t.Pool.Digits) + 1) / 2
	if len(taken) < most {
		return false, nil
	}
	values, args := db.Values(db.Padded(taken), db.Only[string], t.now)
	held, _, err := db.One(ctx, t.tx, db.Only[int], `SELECT COUNT(*) FROM pool_numbers WHERE until >= $1 AND digits IN (`+values+`)`, args...)
	return held >= most, err
}

// longestFree returns the pool's number that has been free for the longest time. It is locked until the transaction
// ends.
func (t *taking) longestFree(ctx context.Context) (leased, bool, error) {
	// On PostgreSQL, the query skips numbers that another node is about to lease.
	query := `SELECT ` + leasedColumns + ` FROM pool_numbers WHERE ` + poolDigits(t.tx.Engine(), `digits`) + ` AND until < $2 AND (pool = $3 OR until < $4) ORDER BY until, digits LIMIT 1`
	if t.tx.Engine() == db.Postgres {
		query += ` FOR UPDATE SKIP LOCKED`
	}
	return db.One(ctx, t.tx, (*leased).fields, query, t.Pool.List(), t.now, t.Pool.Name, t.now-rest.Milliseconds())
}

// begin leases the locked number to the visitor, and archives its last lease.
func (t *taking) begin(ctx context.Context, n leased) error {
	if err := t.archive(ctx, n); err != nil {
		return err
	}
	_, err := t.tx.Exec(ctx, `UPDATE pool_numbers SET pool = $2, lease_id = $3, site_id = $4, replaces = $5, visitor_id = $6, visit_id = $7, begun_at = $8, until = $9, hold = $10
		WHERE digits = $1`, n.digits, t.Pool.Name, t.id, t.Site, t.Replaces, t.Visitor, t.Visit, t.now, t.until(), t.Pool.Hold.Milliseconds())
	return err
}

// archive stores the current or last lease of the number among the past ones.
func (t *taking) archive(ctx context.Context, n leased) error {
	if n.visitor == 0 {
		return nil
	}
	_, err := t.tx.Exec(ctx, `INSERT INTO leases (digits, begun_at, id, site_id, replaces, visitor_id, visit_id, ended_at, shared) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		n.digits, n.begun, n.id, n.site, n.replaces, n.visitor, n.visit, min(n.until, t.now), false)
	return err
}

// share lets the visitor see a number that others have too: the one that the visitor already sees, or the one whose
// lease ends first.
func (t *taking) share(ctx context.Context) (string, Outcome, error) {
	digits, found, err := db.One(ctx, t.tx, db.Only[string], `UPDATE leases SET ended_at = $5 WHERE site_id = $1 AND visitor_id = $2 AND replaces = $3 AND shared AND ended_at >= $4 AND visit_id = $6
		RETURNING digits`, t.Site, t.Visitor, t.Replaces, t.now, t.until(), t.Visit)
	if err != nil || found && slices.Contains(t.Pool.Digits, digits) {
		return digits, Shared, err
	}
	query := `SELECT digits FROM pool_numbers WHERE ` + poolDigits(t.tx.Engine(), `digits`) + ` AND pool = $2 ORDER BY until, digits LIMIT 1`
	digits, found, err = db.One(ctx, t.tx, db.Only[string], query, t.Pool.List(), t.Pool.Name)
	if err != nil || !found {
		return "", Original, err
	}
	_, err = t.tx.Exec(ctx, `INSERT INTO leases (digits, begun_at, id, site_id, replaces, visitor_id, visit_id, ended_at, shared) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		digits, t.now, t.id, t.Site, t.Replaces, t.Visitor, t.Visit, t.until(), true)
	return digits, Shared, err
}

// alarmPause is how often a node notes, for each site, that a pool is exhausted.
const alarmPause = 10 * time.Minute

// alarm is a site whose visitors find no number in a pool.
type alarm struct {
	site int64
	pool string
}

// alarms says whether it is time to note that the site's visitors find no number in the pool.
func (l *Leases) alarms(of alarm, now int64) bool {
	last, told := l.alarmed.Load(of)
	if told && now-last.(int64) < alarmPause.Milliseconds() {
		return false
	}
	l.alarmed.Store(of, now)
	return true
}
