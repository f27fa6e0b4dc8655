package limit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
)

const (
	// storeEvery is how often counts are stored and those of other nodes read.
	storeEvery = 5 * time.Second
	// storeTimeout bounds how long that may take, also at the end of the process.
	storeTimeout = 5 * time.Second
	// atOnce is how many rows a transaction stores.
	atOnce = 500
	// kept is for how many days counts are kept.
	kept = 31
	// clocksApart is by how much the clocks of nodes may differ.
	clocksApart = time.Minute
)

// row is what is stored of a site, a kind and a day.
type row struct {
	site, day           int64
	kind                string
	most, used, refused int64
	at                  int64
	news                bool // the limit was another before
}

func (r *row) fields() []any {
	return []any{&r.site, &r.kind, &r.day, &r.most, &r.used, &r.refused, &r.at}
}

// Run stores what was counted, and reads what other nodes have, every five seconds, and once more when ctx ends. New
// limits of this node's configuration are stored at once, and those of others read.
func (u *Uses) Run(ctx context.Context) {
	news, cancel := u.db.Subscribe(Topic)
	defer cancel()
	again := time.NewTicker(storeEvery)
	defer again.Stop()
	failing := false
	for going := true; going; {
		select {
		case <-ctx.Done():
			going = false
		case <-again.C:
		case <-news:
		case <-u.configured:
		}
		err := u.Store(context.WithoutCancel(ctx))
		if err != nil && !failing {
			u.logger.Warn("storing what sites have used of their limits failed: it is tried again", zap.Error(err))
		}
		failing = err != nil
	}
}

// Store stores what was counted, notes the limits that were reached as incidents, and reads what other nodes have counted.
func (u *Uses) Store(ctx context.Context) error {
	u.storing.Lock()
	defer u.storing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	rows, sizes, day := u.take()
	failed := u.writeSizes(ctx, sizes)
	for some := range slices.Chunk(rows, atOnce) {
		if failed == nil {
			failed = u.write(ctx, some)
		}
		u.settle(some, day, failed == nil)
	}
	if failed == nil {
		failed = u.read(ctx, day)
	}
	if failed == nil {
		failed = u.readSizes(ctx)
	}
	if failed != nil {
		return fmt.Errorf("storing what sites have used of their limits: %w", failed)
	}
	return nil
}

// take returns what is to be stored, in the order in which all nodes lock rows.
func (u *Uses) take() (rows []row, sizes []size, day int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begin()
	at := u.now().UnixMilli()
	sizes = u.takeSizes(at)
	for id, of := range u.sites {
		for _, k := range Kinds {
			news := of.own && of.most[k] != of.saved[k]
			if of.counted[k] == 0 && of.refused[k] == 0 && !news {
				continue
			}
			rows = append(rows, row{site: id, kind: k.String(), day: u.day, most: of.most[k], used: of.counted[k], refused: of.refused[k], at: at, news: news})
			of.stored[k] += of.counted[k]
			of.counted[k], of.refused[k], of.saved[k] = 0, 0, of.most[k]
		}
		if of.leaving {
			of.own, of.leaving = false, false
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.kind, b.kind)) })
	return rows, sizes, u.day
}

func (u *Uses) write(ctx context.Context, rows []row) error {
	now := u.now()
	return u.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		for some := range db.Parts(rows) {
			values, args := db.Values(some, (*row).fields)
			if _, err := tx.Exec(ctx, `INSERT INTO limit_uses (site_id, kind, day, most, used, refused, at) `+values+`
				ON CONFLICT (site_id, kind, day) DO UPDATE SET most = excluded.most, used = limit_uses.used + excluded.used,
					refused = limit_uses.refused + excluded.refused, at = excluded.at`, args...); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(rows, func(r row) bool { return r.news }) {
			tx.Wake(Topic)
		}
		for _, r := range rows {
			if r.refused == 0 {
				continue
			}
			reached := incident.Incident{SiteID: r.site, Kind: incident.Limit, About: r.kind, Name: r.kind}
			if err := incident.Note(ctx, tx, reached, true, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// settle notes what became of rows that were to be stored.
func (u *Uses) settle(rows []row, day int64, well bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.day != day {
		return
	}
	for _, r := range rows {
		k, _ := KindOf(r.kind)
		of := u.sites[r.site]
		if of.stored[k] -= r.used; well {
			of.known[k] += r.used
			continue
		}
		of.counted[k] += r.used
		of.refused[k] += r.refused
		if of.saved[k] = -1; r.news && !of.own {
			of.own, of.leaving = true, true
		}
	}
}

// read reads what all nodes have stored since the last time.
func (u *Uses) read(ctx context.Context, day int64) error {
	u.mu.RLock()
	since := u.readAt - clocksApart.Milliseconds()
	u.mu.RUnlock()
	rows, err := db.List(ctx, u.db.Read(), (*row).fields, `SELECT site_id, kind, day, most, used, refused, at FROM limit_uses WHERE day = $1 AND at > $2`, day, since)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.day != day {
		return nil
	}
	for _, r := range rows {
		k, known := KindOf(r.kind)
		if !known {
			continue // of a newer program
		}
		of := u.sites[r.site]
		if of == nil {
			if r.most == 0 {
				continue
			}
			of = new(use)
			u.sites[r.site] = of
		}
		if of.saved[k] = r.most; !of.own {
			of.most[k] = r.most
		}
		if k != Disk {
			of.known[k] = r.used
		}
		u.readAt = max(u.readAt, r.at)
	}
	return nil
}

// Prune deletes what is older than a month.
func (u *Uses) Prune(ctx context.Context) error {
	err := u.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM limit_uses WHERE day < $1`, db.Day(u.now())-kept)
		return err
	})
	if err != nil {
		return fmt.Errorf("pruning what sites have used of their limits: %w", err)
	}
	return nil
}
