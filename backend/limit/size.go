package limit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
)

const (
	// lookEvery is how often it is looked whose size is to be counted.
	lookEvery = 5 * time.Second
	// countEvery is how often the size of a site is counted, and countFullEvery how often that of one that is nearly full,
	// perhaps because much of it has been deleted since.
	countEvery     = time.Hour
	countFullEvery = 10 * time.Minute
	// countedAtOnce is how many rows a query adds up.
	countedAtOnce = 2000
	// countShare is how many times as long a pause is as the query before it, so that others hardly notice.
	countShare = 9
	// numberSize is how many bytes a number counts for.
	numberSize = 8
)

// RowSize is about how many bytes a row has beside its texts, with what else is stored because of it.
const RowSize = 256

// uncounted are tables whose rows go soon, or are made of others.
var uncounted = []string{"jobs", "journal", "lead_search"}

// size is what is stored of a site. Its bytes are those that were counted last and those that were written since.
type size struct{ site, bytes, countedAt, at int64 }

func (s *size) fields() []any { return []any{&s.site, &s.bytes, &s.countedAt, &s.at} }

// CountSizes counts now and then what is stored of the sites that have a limit of it, until ctx ends. One node does so
// at a time.
func (u *Uses) CountSizes(ctx context.Context) {
	failing := false
	for aside.Sleep(ctx, lookEvery) {
		err := u.CountDue(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			u.logger.Warn("counting how much is stored of sites failed: it is tried again", zap.Error(err))
		}
		failing = err != nil
	}
}

// CountDue counts the sizes that were counted too long ago, the oldest first.
func (u *Uses) CountDue(ctx context.Context) error {
	due := u.sizesDue()
	if len(due) == 0 {
		return nil
	}
	tables, err := table.List(ctx, u.db)
	if err != nil {
		return err
	}
	_, err = duties.Do(ctx, u.db, "sizes", func(ctx context.Context) error {
		for _, id := range due {
			if err := u.countSize(ctx, tables, id); err != nil {
				return fmt.Errorf("counting how much is stored of a site: %w", err)
			}
		}
		return nil
	})
	return err
}

// sizesDue are the ids of the sites whose sizes are to be counted.
func (u *Uses) sizesDue() (due []int64) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	now, since := u.now(), make(map[int64]int64)
	for id, of := range u.sites {
		every := countEvery
		if of.used(Disk) >= of.most[Disk]/10*9 {
			every = countFullEvery
		}
		if of.most[Disk] > 0 && now.Sub(time.UnixMilli(of.countedAt)) >= every {
			due = append(due, id)
			since[id] = of.countedAt
		}
	}
	slices.SortFunc(due, func(a, b int64) int { return cmp.Compare(since[a], since[b]) })
	return due
}

// countSize counts what is stored of a site. What is written meanwhile may be counted twice, until the next time.
func (u *Uses) countSize(ctx context.Context, tables []table.Table, siteID int64) error {
	before, _, err := db.One(ctx, u.db.Read(), (*size).fields, `SELECT site_id, bytes, counted_at, at FROM limit_sizes WHERE site_id = $1`, siteID)
	if err != nil {
		return err
	}
	if u.now().Sub(time.UnixMilli(before.countedAt)) < countFullEvery { // another node has done so
		u.know(before)
		return nil
	}
	bytes := int64(0)
	for _, t := range tables {
		if len(t.Key) == 0 || t.Key[0] != "site_id" || slices.Contains(uncounted, t.Name) {
			continue
		}
		some, err := u.sizeOf(ctx, t, siteID)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		bytes += some
	}
	at := u.now().UnixMilli()
	return u.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(Topic)
		_, err := tx.Exec(ctx, `INSERT INTO limit_sizes (site_id, bytes, counted_at, at) VALUES ($1, $2, $4, $4)
			ON CONFLICT (site_id) DO UPDATE SET bytes = limit_sizes.bytes + $3, counted_at = $4, at = $4`, siteID, bytes, bytes-before.bytes, at)
		return err
	})
}

// sizeOf is how many bytes the site's rows of the table have: their texts and files, and numberSize for each number.
func (u *Uses) sizeOf(ctx context.Context, t table.Table, siteID int64) (bytes int64, err error) {
	var lengths []string
	numbers := 0
	for _, c := range t.Columns {
		if c.Type == table.Text || c.Type == table.Bytes {
			lengths = append(lengths, "COALESCE(OCTET_LENGTH("+c.Name+"), 0)")
		} else {
			numbers++
		}
	}
	what := strings.Join(append(lengths, fmt.Sprint(numberSize*numbers)), " + ") + " AS size"
	for behind, more := []any(nil), true; more; {
		began := time.Now()
		query, args := t.OfSite(what, siteID, behind, countedAtOnce)
		some, _, err := db.One(ctx, u.db.Read(), db.Only[int64], `SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (`+query+`) AS part`, args...)
		if err != nil {
			return 0, err
		}
		query, args = t.OfSite(t.InOrder(), siteID, behind, 1)
		if behind, more, err = db.One(ctx, u.db.Read(), keyOf(t), query+fmt.Sprintf(" OFFSET %d", countedAtOnce-1), args...); err != nil {
			return 0, err
		}
		if bytes += some; !aside.Sleep(ctx, countShare*time.Since(began)) {
			return 0, ctx.Err()
		}
	}
	return bytes, nil
}

// keyOf are the fields of rows that are the values of the table's key.
func keyOf(t table.Table) func(*[]any) []any {
	return func(key *[]any) []any {
		*key = make([]any, len(t.Key))
		fields := make([]any, len(t.Key))
		for i := range fields {
			fields[i] = &(*key)[i]
		}
		return fields
	}
}

// takeSizes returns what was written since the last time; see take. The caller holds the lock.
func (u *Uses) takeSizes(at int64) (sizes []size) {
	for id, of := range u.sites {
		if of.counted[Disk] != 0 {
			sizes = append(sizes, size{site: id, bytes: of.counted[Disk], at: at})
			of.stored[Disk] += of.counted[Disk]
			of.counted[Disk] = 0
		}
	}
	slices.SortFunc(sizes, func(a, b size) int { return cmp.Compare(a.site, b.site) })
	return sizes
}

// writeSizes stores what was written since the last time.
func (u *Uses) writeSizes(ctx context.Context, sizes []size) (err error) {
	for some := range slices.Chunk(sizes, atOnce) {
		if err == nil {
			err = u.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error { return addSizes(ctx, tx, some) })
		}
		u.settleSizes(some, err == nil)
	}
	return err
}

func addSizes(ctx context.Context, tx db.Tx, sizes []size) error {
	for some := range db.Parts(sizes) {
		values, args := db.Values(some, (*size).fields)
		if _, err := tx.Exec(ctx, `INSERT INTO limit_sizes (site_id, bytes, counted_at, at) `+values+`
			ON CONFLICT (site_id) DO UPDATE SET bytes = limit_sizes.bytes + excluded.bytes, at = excluded.at`, args...); err != nil {
			return err
		}
	}
	return nil
}

// settleSizes notes what became of sizes that were to be stored.
func (u *Uses) settleSizes(sizes []size, well bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, s := range sizes {
		of := u.sites[s.site]
		if of.stored[Disk] -= s.bytes; well {
			of.known[Disk] += s.bytes
		} else {
			of.counted[Disk] += s.bytes
		}
	}
}

// readSizes reads what all nodes have stored since the last time.
func (u *Uses) readSizes(ctx context.Context) error {
	u.mu.RLock()
	since := u.sizesAt - clocksApart.Milliseconds()
	u.mu.RUnlock()
	sizes, err := db.List(ctx, u.db.Read(), (*size).fields, `SELECT site_id, bytes, counted_at, at FROM limit_sizes WHERE at > $1`, since)
	if err != nil {
		return err
	}
	u.know(sizes...)
	return nil
}

func (u *Uses) know(sizes ...size) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, s := range sizes {
		if of := u.sites[s.site]; of != nil {
			of.known[Disk], of.countedAt = max(0, s.bytes), s.countedAt
		}
		u.sizesAt = max(u.sizesAt, s.at)
	}
}
