// Package keeper keeps the figures of reports current: it reads what has changed, and puts it into the columns of its day.
package keeper

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// pause is between two looks at what has changed. A look is followed by a pause of at least rest times its length, so that a site with
	// long days costs others little.
	pause = 2 * time.Second
	rest  = 39
	// overlap is how much earlier the visits are read again that were read by the last look: longer than a node's transaction may take, and
	// than the triggers take a visit for late.
	overlap = 3 * time.Minute
	// atOnce is how many marks are read at once.
	atOnce = 1000
	// settledAtOnce is how many marks one transaction takes away.
	settledAtOnce = 128
	// visitsAtOnce is how many visits are read at once. The whole day is written anew for them, so few would be dear on a long day.
	visitsAtOnce = 20_000

	dayLength = 24 * int64(time.Hour/time.Millisecond)

	visit = "visit"
)

// Duty is the [db.DB.Duty] of keeping figures: while somebody else has it, they stay as they are.
const Duty = "reports"

// Keeper keeps the figures of all sites. Only one at a time is at work, on all nodes together.
type Keeper struct {
	db     *db.DB
	keys   *key.Keys
	secret []byte
	salt   []byte
	now    func() time.Time

	// The visits of the last look that the next reads again, each with a hash. Most of them are then as they were, and the day
	// need not be written anew for them.
	looking sync.Mutex
	seed    maphash.Seed
	looked  map[visitKey]uint64
}

type visitKey struct{ site, id int64 }

// maxLooked bounds the visits that are remembered.
const maxLooked = 100_000

// Open returns the keeper of the database, which has to be migrated. The first call makes the secret by which contacts are hashed.
func Open(ctx context.Context, d *db.DB, keys *key.Keys, now func() time.Time) (*Keeper, error) {
	secret, err := d.Secret(ctx, "report.contacts")
	if err != nil {
		return nil, err
	}
	return &Keeper{db: d, keys: keys, secret: secret, salt: []byte(rand.Text()), now: now, seed: maphash.MakeSeed()}, nil
}

// hash is what is kept of a contact; 0 for none.
func (k *Keeper) hash(contact string) int64 {
	if contact == "" {
		return 0
	}
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(contact))
	return int64(binary.BigEndian.Uint64(h.Sum(nil))>>16) | 1<<48
}

// Run keeps the figures current until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for {
		began := time.Now()
		if _, err := duties.Do(ctx, k.db, Duty, k.Keep); err != nil && ctx.Err() == nil {
			k.db.Logger().Warn("cannot keep the figures of reports current", zap.Error(err))
		}
		if !aside.Sleep(ctx, max(pause, rest*time.Since(began))) {
			return
		}
	}
}

// Keep puts all into the columns that has changed so far.
func (k *Keeper) Keep(ctx context.Context) error {
	if err := k.keepVisits(ctx); err != nil {
		return err
	}
	for {
		n, err := k.keepDue(ctx)
		if err != nil || n < atOnce {
			return err
		}
	}
}

// keepVisits puts the visits that went on since the last look into the columns.
func (k *Keeper) keepVisits(ctx context.Context) error {
	k.looking.Lock()
	defer k.looking.Unlock()
	looked := make(map[visitKey]uint64, len(k.looked))
	now := k.now()
	last, err := fact.Until(ctx, k.db.Read())
	if err != nil {
		return err
	}
	if last.IsZero() { // an installation that has just begun, or has to be rebuilt
		last = now
	}
	for _, bots := range []string{"NOT bot", "bot"} { // each kind has an index
		for at, after := last.Add(-overlap).UnixMilli(), int64(-1); ; {
			type seen struct {
				rawVisit
				lastAt int64
			}
			rows, err := db.List(ctx, k.db.Read(), func(s *seen) []any { return append(s.rawVisit.fields(), &s.lastAt) },
				fmt.Sprintf(`SELECT %s, last_at FROM report_visits WHERE %s AND (last_at > $1 OR last_at = $1 AND id > $2) ORDER BY last_at, id LIMIT %d`, visitColumns, bots, visitsAtOnce), at, after)
			if err != nil {
				return fmt.Errorf("reading the visits that went on: %w", err)
			}
			var raw []rawVisit
			for i := range rows {
				v := &rows[i].rawVisit
				of, hash := visitKey{v.site, v.id}, maphash.Comparable(k.seed, *v)
				if before, is := k.looked[of]; !is || before != hash {
					raw = append(raw, *v)
				}
				if len(looked) < maxLooked {
					looked[of] = hash
				}
			}
			if err := k.putVisits(ctx, raw); err != nil {
				return err
			}
			if len(rows) < visitsAtOnce {
				break
			}
			at, after = rows[len(rows)-1].lastAt, rows[len(rows)-1].id
		}
	}
	k.looked = looked
	return k.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error { return fact.SetUntil(ctx, tx, now) })
}

func (k *Keeper) putVisits(ctx context.Context, raw []rawVisit) error {
	days := make(map[siteDay]*fact.Change)
	for i := range raw {
		c := changeOf(days, siteDay{raw[i].site, raw[i].day()})
		c.Put = append(c.Put, raw[i].row())
	}
	return k.change(ctx, &fact.Visits, days)
}

// mark is one of report_due.
type mark struct {
	site  int64
	kind  string
	id    int64
	day   int64
	times int64
}

// keepDue puts a number of marked rows into the columns, and takes their marks away. It returns how many these were.
func (k *Keeper) keepDue(ctx context.Context) (int, error) {
	marks, err := db.List(ctx, k.db.Read(), func(m *mark) []any { return []any{&m.site, &m.kind, &m.id, &m.day, &m.times} },
		fmt.Sprintf(`SELECT site_id, kind, id, day, times FROM report_due ORDER BY site_id, kind, id, day LIMIT %d`, atOnce))
	if err != nil {
		return 0, fmt.Errorf("reading what has changed for reports: %w", err)
	}
	for rest := marks; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].site == rest[0].site && rest[n].kind == rest[0].kind {
			n++
		}
		if err := k.putDue(ctx, rest[:n]); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(marks), k.settle(ctx, marks)
}

// putDue puts the marked rows of a kind of a site into the columns.
func (k *Keeper) putDue(ctx context.Context, marks []mark) error {
	site, kind := marks[0].site, marks[0].kind
	ids := make([]int64, len(marks))
	for i, m := range marks {
		ids[i] = m.id
	}
	ids = slices.Compact(ids)
	if kind == visit {
		raw, err := visits(ctx, k.db.Read(), site, ids)
		if err != nil {
			return err
		}
		return k.putVisits(ctx, raw)
	}
	if kind == event {
		raw, err := events(ctx, k.db.Read(), site, ids)
		if err != nil {
			return err
		}
		return k.putEvents(ctx, raw)
	}
	raw, err := inquiries(ctx, k.db.Read(), site, kind, ids)
	if err != nil {
		return err
	}
	type place struct{ id, day int64 }
	stands, there := make(map[place]*rawInquiry), make(map[int64]bool)
	for i := range raw {
		stands[place{raw[i].id, raw[i].at / dayLength}], there[raw[i].id] = &raw[i], true
	}
	days := make(map[siteDay]*fact.Change)
	var erased []int64
	for _, m := range marks {
		c := changeOf(days, siteDay{site, m.day})
		row := fact.InquiryID(views[kind].place, m.id)
		if r := stands[place{m.id, m.day}]; r != nil {
			if put, is := k.row(kind, r); is {
				c.Put = append(c.Put, put)
				continue
			}
		} else if !there[m.id] {
			erased = append(erased, row)
			continue
		}
		c.Drop = append(c.Drop, row)
	}
	if len(erased) > 0 {
		for _, c := range days {
			c.Mended, c.Mend = erased, k.forget
		}
	}
	return k.change(ctx, &fact.Inquiries, days)
}

// forget gives an inquiry of somebody who was erased other contacts, which are nobody's: so that a person's inquiries count on as one's, and
// lead to nobody. They come from a salt that is nowhere stored, and are below zero.
func (k *Keeper) forget(r *fact.Row) {
	for _, c := range []int{fact.InquiryPhone, fact.InquiryEmail} {
		if was := r.Numbers[c]; was > 0 {
			h := hmac.New(sha256.New, k.salt)
			fmt.Fprint(h, was)
			r.Numbers[c] = -1 - int64(binary.BigEndian.Uint64(h.Sum(nil))>>16)
		}
	}
}
