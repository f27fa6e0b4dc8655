package onsite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// calm is the least time between two reads.
	calm = time.Second
	// ageing is how often the reader reads without news, since nothing wakes it when a page's report runs out.
	ageing = 5 * time.Second
)

// Scene is what a [Watch] sees. It is shared and immutable.
type Scene struct {
	Live // of a watch over sites
	// Views, LastAt and Here are of a watch over a visitor: the number of page views, the time of the last view or
	// event, and whether the visitor is on the site now.
	Views  int
	LastAt time.Time
	Here   bool
}

// Watch watches who is on some sites, or what one visitor does. All watches of a process share one reader of the
// database.
type Watch struct {
	on    *Visitors
	of    watched
	scene atomic.Pointer[Scene]
	news  chan struct{}
}

// watched is what a watch is over: sites, or a visitor of a site, by number.
type watched struct {
	sites   scope.Sites
	visitor place
}

// Watch returns a watch over the sites. The caller has to close it.
func (o *Visitors) Watch(sites scope.Sites) *Watch { return o.watching.begin(o, watched{sites: sites}) }

// WatchVisitor returns a watch over the visitor. The caller has to close it.
func (o *Visitors) WatchVisitor(siteID int64, visitor key.ID) *Watch {
	return o.watching.begin(o, watched{visitor: place{siteID, o.keys.Visitors.Number(visitor)}})
}

// News returns a channel that receives when there is a new Scene.
func (w *Watch) News() <-chan struct{} { return w.news }

// Scene returns the latest Scene, or nil if none has been read yet.
func (w *Watch) Scene() *Scene { return w.scene.Load() }

// Close ends the watch.
func (w *Watch) Close() { w.on.watching.end(w) }

func (w *Watch) show(s *Scene) {
	w.scene.Store(s)
	select {
	case w.news <- struct{}{}:
	default: // the previous news has not been received yet
	}
}

// watching reads the scenes of all watches, once after each wake. It does not run while there are no watches.
type watching struct {
	mu      sync.Mutex
	watches map[watched]map[*Watch]struct{}
	fresh   chan struct{} // receives when a new watch has no scene
	stop    context.CancelFunc
	ended   chan struct{}
}

func (g *watching) begin(o *Visitors, of watched) *Watch {
	w := &Watch{on: o, of: of, news: make(chan struct{}, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.watches) == 0 {
		var ctx context.Context
		ctx, g.stop = context.WithCancel(context.Background())
		g.watches = make(map[watched]map[*Watch]struct{})
		g.fresh, g.ended = make(chan struct{}, 1), make(chan struct{})
		fresh, ended := g.fresh, g.ended
		aside.Go(o.db.Logger(), "watching visitors", func() {
			defer close(ended)
			aside.Keep(ctx, o.db.Logger(), "watching visitors", func(ctx context.Context) { g.run(ctx, o, fresh) })
		})
	}
	for other := range g.watches[of] {
		if scene := other.Scene(); scene != nil {
			w.show(scene)
		}
		break
	}
	if g.watches[of] == nil {
		g.watches[of] = make(map[*Watch]struct{})
	}
	g.watches[of][w] = struct{}{}
	if w.Scene() == nil {
		select {
		case g.fresh <- struct{}{}:
		default:
		}
	}
	return w
}

func (g *watching) end(w *Watch) {
	g.mu.Lock()
	delete(g.watches[w.of], w)
	if len(g.watches[w.of]) == 0 {
		delete(g.watches, w.of)
	}
	last, stop, ended := len(g.watches) == 0, g.stop, g.ended
	g.mu.Unlock()
	if last {
		stop()
		<-ended
	}
}

func (g *watching) run(ctx context.Context, o *Visitors, fresh <-chan struct{}) {
	moved, forget := o.db.Subscribe(visit.LiveTopic)
	defer forget()
	aged := time.NewTicker(ageing)
	defer aged.Stop()
	for {
		again := !g.look(ctx, o) // the database does not answer
		if !aside.Sleep(ctx, calm) {
			return
		}
		if again {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		case <-aged.C:
		case <-fresh:
		}
	}
}

// look reads the scenes and shows them to the watches. It returns false if it cannot read them.
func (g *watching) look(ctx context.Context, o *Visitors) bool {
	g.mu.Lock()
	var scopes []scope.Sites
	var visitors []place
	for of := range g.watches {
		if of.visitor == (place{}) {
			scopes = append(scopes, of.sites)
		} else {
			visitors = append(visitors, of.visitor)
		}
	}
	g.mu.Unlock()
	scenes := make(map[watched]*Scene, len(scopes)+len(visitors))
	live, err := o.live(ctx, scopes)
	if err != nil {
		return false
	}
	for i, sites := range scopes {
		scenes[watched{sites: sites}] = &Scene{Live: live[i]}
	}
	if o.activity(ctx, visitors, scenes) != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for of, scene := range scenes {
		for w := range g.watches[of] {
			w.show(scene)
		}
	}
	return true
}

// place is a visitor of a site, by number.
type place struct{ site, id int64 }

// Here says whether the visitor is on the site now.
func (o *Visitors) Here(ctx context.Context, siteID int64, visitor key.ID) (bool, error) {
	of, scenes := watched{visitor: place{siteID, o.keys.Visitors.Number(visitor)}}, make(map[watched]*Scene)
	err := o.activity(ctx, []place{of.visitor}, scenes)
	return err == nil && scenes[of].Here, err
}

// doings has the order by which SQLite takes the index of visitors, and does not go through all visits of the sites.
const doings = `SELECT site_id, visitor_id, MAX(last_at), CAST(SUM(views) AS BIGINT), MAX(CASE WHEN %s THEN 1 ELSE 0 END) = 1
	FROM visits AS v WHERE (site_id, visitor_id) IN (%s) GROUP BY visitor_id, site_id`

// activity adds the scenes of the visitors.
func (o *Visitors) activity(ctx context.Context, visitors []place, scenes map[watched]*Scene) error {
	for some := range slices.Chunk(visitors, visitorsAtOnce) {
		read := make(map[place]*Scene, len(some))
		for _, of := range some {
			read[of] = new(Scene)
		}
		type doing struct {
			of     place
			lastAt int64
			views  int
			here   bool
		}
		set, args := db.Among(db.Padded(some), func(of *place) []any { return []any{&of.site, &of.id} })
		rows, err := db.List(ctx, o.db.Read(), func(d *doing) []any { return []any{&d.of.site, &d.of.id, &d.lastAt, &d.views, &d.here} },
			fmt.Sprintf(doings, o.isHere(), set), args...)
		if err != nil {
			return fmt.Errorf("reading what visitors do: %w", err)
		}
		for _, r := range rows {
			s := read[r.of]
			s.Views, s.LastAt, s.Here = r.views, time.UnixMilli(r.lastAt), r.here
		}
		for of, scene := range read {
			scenes[watched{visitor: of}] = scene
		}
	}
	return nil
}
