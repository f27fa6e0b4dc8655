// Package edge handles a site's requests: it weaves the insertion code and the numbers into pages, keeps forms, and
// answers requests under the site's prefix. It does not know Caddy. The server in front describes each request by an
// [effect.Request].
//
// The page comes first. Whatever fails here, a page leaves as its origin sent it.
package edge

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/platforms"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/edge/post"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// Observer counts events. Its methods must not block.
type Observer interface {
	post.Observer
	// Page is called for each page that a block has looked at, with the key of its site.
	Page(site string, of page.Result)
	// Passed is called for each page that a block has not looked at, with the reason.
	Passed(reason string)
	// Arrived is called for each page that waited for its visit.
	Arrived(Arrival)
}

// Reasons to pass a page without looking at it. They are counted beside the outcomes of package page.
const (
	notReady    = "not_ready"    // the service has not opened its database yet, or the database's file is lost
	unknownSite = "unknown_site" // no known site has the key
	retired     = "retired"      // an admin has retired the site
	suspended   = "suspended"    // whoever hosts the site has suspended it
	lookup      = "lookup"       // the site was not found in time
	limited     = "limited"      // the site has used up the page views of the day
	panicked    = "panic"
)

// Subjects are what an edge needs.
type Subjects struct {
	*effect.Shared
	Observer Observer
	// Spool keeps forms while the database is away. nil keeps none.
	Spool *spool.Spool
	// Intake bounds the memory of bodies that are being received. nil bounds nothing.
	Intake *intake.Budget
	// StatusOf returns the status with which the server answers a request whose handler has returned the error.
	StatusOf func(error) int
	// Platforms answers telephone platforms. nil knows none.
	Platforms *platforms.Platforms
}

// Edge is shared by the blocks of one configuration. It is safe for concurrent use.
type Edge struct {
	*effect.Shared
	Observer  Observer
	Intake    *intake.Budget
	Platforms *platforms.Platforms
	posts     *post.Posts
	sampling  *sampling

	pages    atomic.Uint64 // pages that a block has looked at
	arriving atomic.Int64  // visits that are being stored for pages
	patience time.Duration // how long a page waits for its visit; 0 means siteBudget
	mu       sync.Mutex
	mounted  map[string]*http.ServeMux // routes by prefix
}

// New makes an edge that does nothing beside requests before [Edge.Run].
func New(s Subjects) *Edge {
	e := &Edge{Shared: s.Shared, Observer: s.Observer, Intake: s.Intake, Platforms: s.Platforms, mounted: make(map[string]*http.ServeMux)}
	e.posts = post.New(e.Shared, s.Observer, s.Spool, s.Intake, s.StatusOf)
	e.sampling = newSampling(e, time.Now)
	return e
}

// Run learns which numbers and forms the sites have, and stores the forms that wait for the database. It returns when ctx
// is done.
func (e *Edge) Run(ctx context.Context) {
	e.posts.Run(ctx)
	aside.Keep(ctx, e.Logger, "learning which numbers are shown", e.sampling.run)
}
