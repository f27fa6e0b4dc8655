// Package client knows by which ids analytics and advertising platforms know a visitor's browser. They stand in cookies that
// the platforms' own scripts have set for the site, so that a request to the site brings them.
package client

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// remembered is how many visitors' ids are recognised without the database.
	remembered = 1 << 14
	// waiting is how many visitors' ids may wait to be stored. Those of further ones are left to their next requests.
	waiting = 1 << 12
)

// Clients keeps the ids of the visitors of all sites. It is safe for concurrent use.
type Clients struct {
	db     *db.DB
	keys   *key.Keys
	logger *zap.Logger
	wanted atomic.Pointer[map[int64]struct{}]
	news   chan struct{}

	mu   sync.Mutex
	seen *simplelru.LRU[place, IDs] // what is stored, or will be
	due  map[place]IDs
}

// place is that of a visitor, by the number that the tables have.
type place struct{ site, visitor int64 }

// New returns the clients of the database, which has to be migrated. They keep nothing before [Clients.Want].
func New(d *db.DB, keys *key.Keys, logger *zap.Logger) *Clients {
	seen, err := simplelru.NewLRU[place, IDs](remembered, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Clients{db: d, keys: keys, logger: logger, news: make(chan struct{}, 1), seen: seen, due: make(map[place]IDs)}
}

// Want says of which sites the ids are kept: those of other sites are not looked at.
func (c *Clients) Want(sites []int64) {
	wanted := make(map[int64]struct{}, len(sites))
	for _, id := range sites {
		wanted[id] = struct{}{}
	}
	c.wanted.Store(&wanted)
}

// Wants reports whether the ids of the site's visitors are kept.
func (c *Clients) Wants(siteID int64) bool {
	if c == nil { // where nothing is kept at all
		return false
	}
	wanted := c.wanted.Load()
	if wanted == nil {
		return false
	}
	_, is := (*wanted)[siteID]
	return is
}

// See takes the ids of the visitor from the cookies of a request. The caller knows that the visitor has agreed. It does not
// wait: what is new is stored by [Clients.Run] soon, and what is known costs nothing more.
func (c *Clients) See(siteID int64, visitor key.ID, h http.Header) {
	if !c.Wants(siteID) {
		return
	}
	ids := Of(h)
	if ids == (IDs{}) {
		return
	}
	at := place{siteID, c.keys.Visitors.Number(visitor)}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, _ := c.seen.Get(at)
	if ids = known.with(ids); ids == known || len(c.due) >= waiting {
		return
	}
	c.seen.Add(at, ids)
	c.due[at] = ids
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// with are the ids with those in their place that are newer.
func (i IDs) with(newer IDs) IDs {
	return IDs{
		GA: cmp.Or(newer.GA, i.GA), Sessions: cmp.Or(newer.Sessions, i.Sessions), YM: cmp.Or(newer.YM, i.YM),
		FBP: cmp.Or(newer.FBP, i.FBP), FBC: cmp.Or(newer.FBC, i.FBC), PK: cmp.Or(newer.PK, i.PK),
	}
}

// Run stores what was seen, until ctx ends.
func (c *Clients) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.news:
		}
		if err := c.store(ctx); err != nil && ctx.Err() == nil {
			c.logger.Warn("storing the ids of visitors' browsers failed", zap.Error(err))
			aside.Sleep(ctx, pause)
		}
	}
}

type row struct {
	site, visitor int64
	IDs
}

func (r *row) fields() []any {
	return []any{&r.site, &r.visitor, &r.GA, &r.Sessions, &r.YM, &r.FBP, &r.FBC, &r.PK}
}

// store stores what is due. Of a visitor who has been erased meanwhile nothing is.
func (c *Clients) store(ctx context.Context) error {
	c.mu.Lock()
	due := c.due
	c.due = make(map[place]IDs)
	c.mu.Unlock()
	rows := make([]row, 0, len(due))
	for at, ids := range due {
		rows = append(rows, row{at.site, at.visitor, ids})
	}
	for some := range db.Parts(rows) {
		values, args := db.Values(some, (*row).fields)
		err := c.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `WITH new (site_id, visitor_id, ga, sessions, ym, fbp, fbc, pk) AS (`+values+`)
				INSERT INTO client_ids (site_id, visitor_id, ga, sessions, ym, fbp, fbc, pk)
				SELECT site_id, visitor_id, ga, sessions, ym, fbp, fbc, pk FROM new
					WHERE EXISTS (SELECT 1 FROM visitors v WHERE v.site_id = new.site_id AND v.id = new.visitor_id) ORDER BY site_id, visitor_id
				ON CONFLICT (site_id, visitor_id) DO UPDATE SET `+kept+` WHERE `+differs, args...)
			return err
		})
		if err != nil {
			c.forget(rows)
			return fmt.Errorf("storing client ids: %w", err)
		}
	}
	return nil
}

// forget has the rows looked at anew.
func (c *Clients) forget(rows []row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range rows {
		c.seen.Remove(place{r.site, r.visitor})
	}
}

// Get returns the ids of the visitor, which are all empty where none are known.
func (c *Clients) Get(ctx context.Context, siteID int64, visitor key.ID) (IDs, error) {
	ids, _, err := db.One(ctx, c.db.Read(), func(i *IDs) []any { return []any{&i.GA, &i.Sessions, &i.YM, &i.FBP, &i.FBC, &i.PK} },
		`SELECT ga, sessions, ym, fbp, fbc, pk FROM client_ids WHERE site_id = $1 AND visitor_id = $2`, siteID, c.keys.Visitors.Number(visitor))
	if err != nil {
		return IDs{}, fmt.Errorf("reading client ids: %w", err)
	}
	return ids, nil
}

// Traces are the ids of a person's browsers.
func (c *Clients) Traces() trace.Subject {
	number := func(id int64) int64 { return c.keys.Visitors.Number(key.ID(id)) }
	public := func(number int64) int64 { return int64(c.keys.Visitors.ID(number)) }
	return trace.Subject{Tables: []trace.Table{
		{Name: "client_ids", By: trace.Visitor, Where: `site_id = $1 AND visitor_id = $2`, ID: number, Public: map[string]func(int64) int64{"visitor_id": public}},
	}}
}
