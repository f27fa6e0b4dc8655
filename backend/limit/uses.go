package limit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Uses count what sites use of their limits. They are safe for concurrent use. Sites without limits cost nothing.
//
// A node counts in memory. Every five seconds it stores what it has counted and reads what other nodes have. So several
// nodes may together exceed a limit of a day by what they take in these seconds; one node does not. A node that is killed
// forgets the last seconds.
type Uses struct {
	db     *db.DB
	now    func() time.Time
	logger *zap.Logger
	told   func(Kind) // of each refusal; nil for nobody
	asks   [kinds]Gauge

	storing    sync.Mutex    // held while counts are stored
	configured chan struct{} // holds a value while new limits wait to be stored

	mu     sync.RWMutex
	day    int64
	sites  map[int64]*use // those with limits
	served map[int64]*Limits
	readAt int64 // of the latest row that was read

	sizesAt int64 // the same of sizes
}

// Gauge tells how much of a kind a site uses now.
type Gauge func(ctx context.Context, siteID int64) (int64, error)

// use is what a site uses.
type use struct {
	own     bool // its limits are those of this node's configuration
	leaving bool // and these are none: it is not told again once that is stored
	most    [kinds]int64
	saved   [kinds]int64 // the limits as they are stored for this day
	known   [kinds]int64 // what all nodes have stored
	stored  [kinds]int64 // what is being stored
	counted [kinds]int64 // what is to be stored
	refused [kinds]int64 // the same of what was refused
	logged  [kinds]bool  // on this day
	streams int64        // open now on this node

	countedAt int64 // when what is stored of the site was counted; 0 for never
}

// used is how much of a daily kind is used today, or how many bytes are stored.
func (u *use) used(k Kind) int64 { return u.known[k] + u.stored[k] + u.counted[k] }

// Subjects are what uses are counted by.
type Subjects struct {
	DB     *db.DB
	Chats  Gauge // conversations that are open
	Logger *zap.Logger
	// Told is called for each refusal. It may be nil.
	Told func(Kind)
}

// Open returns the uses of the database, with what was counted today.
func Open(ctx context.Context, s Subjects, now func() time.Time) (*Uses, error) {
	u := &Uses{db: s.DB, now: now, logger: s.Logger, told: s.Told, sites: make(map[int64]*use), configured: make(chan struct{}, 1)}
	u.asks[Chats] = s.Chats
	u.asks[Streams] = func(_ context.Context, siteID int64) (n int64, _ error) {
		u.mu.RLock()
		defer u.mu.RUnlock()
		if of := u.sites[siteID]; of != nil {
			n = of.streams
		}
		return n, nil
	}
	u.day = db.Day(now())
	if err := u.read(ctx, u.day); err != nil {
		return nil, err
	}
	return u, nil
}

// Reached says whether the site has used up its limit. Then it counts a refusal. It does not wait for the database,
// except for [Chats].
func (u *Uses) Reached(ctx context.Context, siteID int64, k Kind) bool {
	return u.Exceeded(ctx, siteID, k, 1)
}

// Exceeded says whether n more would exceed the site's limit. Then it counts a refusal.
func (u *Uses) Exceeded(ctx context.Context, siteID int64, k Kind, n int64) bool {
	used, most := u.usedOf(siteID, k)
	if most == 0 {
		return false
	}
	if ask := u.asks[k]; ask != nil {
		var err error
		if used, err = ask(ctx, siteID); err != nil {
			return false // it is found out where it is stored
		}
	}
	if used+n <= most {
		return false
	}
	u.refuse(siteID, k, most)
	return true
}

// usedOf is how much of a daily kind the site has used today, or how many bytes are stored of it, and its limit; 0 for
// none.
func (u *Uses) usedOf(siteID int64, k Kind) (used, most int64) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	of := u.sites[siteID]
	if of == nil || of.most[k] == 0 {
		return 0, 0
	}
	if k == Disk || db.Day(u.now()) == u.day {
		used = of.used(k)
	}
	return used, of.most[k]
}

// refuse counts a refusal, and logs the first of the day.
func (u *Uses) refuse(siteID int64, k Kind, most int64) {
	u.mu.Lock()
	u.begin()
	first := false
	if of := u.sites[siteID]; of != nil {
		of.refused[k]++
		first, of.logged[k] = !of.logged[k], true
	}
	u.mu.Unlock()
	if u.told != nil {
		u.told(k)
	}
	if first {
		u.logger.Warn("a site has reached its limit", zap.Int64("site_id", siteID), zap.Stringer("limit", k), zap.Int64("most", most))
	}
}

// Add counts n of a daily kind, or n bytes that were stored.
func (u *Uses) Add(siteID int64, k Kind, n int64) {
	if _, most := u.usedOf(siteID, k); most == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begin()
	if of := u.sites[siteID]; of != nil {
		of.counted[k] += n
	}
}

// begin begins a new day, if one has begun. What was counted on the old one and is not stored is no longer needed.
func (u *Uses) begin() {
	today := db.Day(u.now())
	if today <= u.day {
		return
	}
	u.day, u.readAt = today, 0
	for _, of := range u.sites {
		before := *of
		if *of = (use{own: before.own, leaving: before.leaving, streams: before.streams, countedAt: before.countedAt}); of.own {
			of.most = before.most
		}
		of.known[Disk], of.stored[Disk], of.counted[Disk] = before.known[Disk], before.stored[Disk], before.counted[Disk]
	}
}

// Enter counts a stream of a visitor of the site. ok is false if there are too many. Otherwise the caller calls leave
// once.
func (u *Uses) Enter(siteID int64) (leave func(), ok bool) {
	u.mu.Lock()
	of := u.sites[siteID]
	if of == nil {
		u.mu.Unlock()
		return func() {}, true
	}
	most := of.most[Streams]
	if ok = most == 0 || of.streams < most; ok {
		of.streams++
	}
	u.mu.Unlock()
	if !ok {
		u.refuse(siteID, Streams, most)
		return nil, false
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		of.streams--
	}, true
}

// Use is what a site uses of one of its limits.
type Use struct {
	Kind    Kind
	Most    int64
	Used    int64
	Refused int64 // today
	// CountedAt is when what is stored was counted, for [Disk]. It is zero before the first time.
	CountedAt time.Time
}

// IsReached says whether nothing of the limit is left.
func (u Use) IsReached() bool { return u.Used >= u.Most }

// Percent is how much of the limit is used, from 0 to 100.
func (u Use) Percent() int { return int(min(100, 100*float64(u.Used)/float64(u.Most))) }

// Of returns what the site uses of its limits. What other nodes have counted may be some seconds late.
func (u *Uses) Of(ctx context.Context, siteID int64) (all []Use, err error) {
	refused, err := db.List(ctx, u.db.Read(), func(r *row) []any { return []any{&r.kind, &r.refused} },
		`SELECT kind, refused FROM limit_uses WHERE site_id = $1 AND day = $2`, siteID, db.Day(u.now()))
	if err != nil {
		return nil, fmt.Errorf("reading what a site has used of its limits: %w", err)
	}
	for _, k := range Kinds {
		used, most := u.usedOf(siteID, k)
		if most == 0 {
			continue
		}
		if ask := u.asks[k]; ask != nil {
			if used, err = ask(ctx, siteID); err != nil {
				return nil, err
			}
		}
		of := Use{Kind: k, Most: most, Used: used}
		if k == Disk {
			of.CountedAt = u.countedAt(siteID)
		}
		for _, r := range refused {
			if r.kind == k.String() {
				of.Refused = r.refused
			}
		}
		all = append(all, of)
	}
	return all, nil
}

func (u *Uses) countedAt(siteID int64) time.Time {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if of := u.sites[siteID]; of != nil {
		return db.Time(of.countedAt)
	}
	return time.Time{}
}

// Tomorrow is how long it takes until the next day (UTC) begins.
func (u *Uses) Tomorrow() time.Duration {
	now := u.now().UTC()
	return now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
}
