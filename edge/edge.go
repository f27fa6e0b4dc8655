// Package edge handles a site's requests: it weaves the insertion code and the numbers into pages, keeps forms, and
// answers requests under the site's prefix. It does not know Caddy. The server in front describes each request by a
// [Request].
//
// The page comes first. Whatever fails here, a page leaves as its origin sent it.
package edge

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// Observer counts events. Its methods must not block.
type Observer interface {
	// Page is called for each page that a block has looked at.
	Page(page.Result)
	// Passed is called for each page that a block has not looked at, with the reason.
	Passed(reason string)
	// Arrived is called for each page that waited for its visit.
	Arrived(Arrival)
	// Form is called for each form that a rule matches.
	Form(FormOutcome)
	// Found is called for each form that no rule matches and whose fields are not known.
	Found(FoundOutcome)
	// Fault is called for each panic that the edge has recovered. place says in words what it was doing.
	Fault(place string, cause any, stack []byte)
}

// Reasons to pass a page without looking at it. They are counted beside the outcomes of package snippet.
const (
	notReady    = "not_ready"    // the service has not opened its database yet, or the database's file is lost
	unknownSite = "unknown_site" // no known site has the key
	retired     = "retired"      // an admin has retired the site
	lookup      = "lookup"       // the site was not found in time
	panicked    = "panic"
)

// Edge is shared by the blocks of one configuration. Its exported fields are set before the first block is added, and
// do not change.
type Edge struct {
	Service  *backend.Service
	Pictures *Pictures
	Observer Observer
	Logger   *zap.Logger
	// Forms keeps forms while the database is away. nil keeps none.
	Forms *spool.Spool
	// Intake bounds the memory of bodies that are being received. nil bounds nothing.
	Intake *intake.Budget
	// WholeAddresses makes the service store clients' addresses in full.
	WholeAddresses bool
	// StatusOf returns the status with which the server answers a request whose handler has returned the error.
	StatusOf func(error) int
	// Platforms answers telephone platforms. nil knows none.
	Platforms *api.Platforms
	// Ending is closed when the configuration ends, so that no stream outlives it. nil is never closed.
	Ending <-chan struct{}
	// Pools returns the pools of the configuration. It is called only after the configuration runs.
	Pools func() number.ConfiguredPools
	// Names says whether the configuration itself names the site of the key. It is called only after the configuration
	// runs.
	Names func(key string) bool

	pages    atomic.Uint64 // pages that a block has looked at
	arriving atomic.Int64  // visits that are being stored for pages
	forms    atomic.Int64  // forms that are being stored
	turns    turns         // of visitors whose forms are being stored
	waiting  atomic.Bool   // forms wait on the disk, and the log has told so
	sent     sentForms
	patience time.Duration // how long a page waits for its visit; 0 means siteBudget
	starting sync.Once
	scripts  *lru.Cache[snippet.ScriptSettings, *snippet.Script]
	mu       sync.Mutex
	mounted  map[string]*http.ServeMux // routes by prefix
	sampling *sampling
	finding  *finding
}

// Run learns which numbers and forms the sites have, and stores the forms that wait for the database. It returns when ctx
// is done.
func (e *Edge) Run(ctx context.Context) {
	aside.Go(e.Logger, "storing forms that wait", func() { aside.Keep(ctx, e.Logger, "storing forms that wait", e.takeForms) })
	aside.Go(e.Logger, "reading forms that are found", func() { aside.Keep(ctx, e.Logger, "reading forms that are found", e.finds().run) })
	aside.Keep(ctx, e.Logger, "learning which numbers are shown", e.samples().run)
}

func (e *Edge) samples() *sampling {
	e.begin()
	return e.sampling
}

func (e *Edge) finds() *finding {
	e.begin()
	return e.finding
}

func (e *Edge) begin() {
	e.starting.Do(func() {
		e.sampling, e.finding = newSampling(e, time.Now), newFinding(e)
		e.scripts, _ = lru.New[snippet.ScriptSettings, *snippet.Script](maxScripts) // the size is positive
	})
}

// maxScripts is how many scripts are kept, each of about 50 KB. Sites with consent settings of their own need scripts
// of their own.
const maxScripts = 256

// script returns the core script for the settings. Sites with the same settings share it.
func (e *Edge) script(settings snippet.ScriptSettings) (*snippet.Script, error) {
	e.begin()
	if script, known := e.scripts.Get(settings); known {
		return script, nil
	}
	script, err := snippet.NewScript(settings)
	if err == nil {
		e.scripts.Add(settings, script)
	}
	return script, err
}

// siteBudget is how long a page may wait for the database.
const siteBudget = 50 * time.Millisecond

// Site returns the site of the key as the service knows it. The error is [site.ErrUnknown] if no site with this key is
// served, and [backend.ErrNotReady] while the service is not ready. It is another error if the site was not found
// within 50 ms.
func (e *Edge) Site(ctx context.Context, key string) (site.Site, error) {
	if site.ValidKey(key) != nil {
		return site.Site{}, site.ErrUnknown
	}
	desk, done, err := e.Service.Use()
	if err != nil {
		return site.Site{}, err
	}
	defer done()
	if !desk.Sites.Read() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, siteBudget)
		defer cancel()
	}
	return desk.Sites.ByKey(ctx, key)
}

// guard calls do. It reports a panic to the Observer and returns false.
func (e *Edge) guard(place string, do func()) (well bool) {
	defer func() {
		if cause := recover(); cause != nil {
			e.Observer.Fault(place, cause, debug.Stack())
			well = false
		}
	}()
	do()
	return true
}
