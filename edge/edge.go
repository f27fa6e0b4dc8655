// Package edge is a site's page on its way: what is in effect for the site, what a
// request is about, the page, and everything under the site's prefix. It knows no
// Caddy: what stands in front tells it what it knows of a request.
//
// The page comes first. Whatever fails here, a page leaves as its origin sent it.
package edge

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Observer is told of what is to be counted. Its methods must not block.
type Observer interface {
	// Page is called for each page that was looked at.
	Page(snippet.Result)
	// Passed is called for each page that was not, with the reason.
	Passed(reason string)
	// Arrived is called for each page that was to be sent with its visit.
	Arrived(Arrival)
	// Form is called for each form that a rule matches.
	Form(FormOutcome)
	// Fault is called for each panic of our own that was recovered, with the place
	// in words, its cause and its stack.
	Fault(place string, cause any, stack []byte)
}

// Reasons for which a page passes before it is looked at. They stand beside the
// outcomes of package snippet.
const (
	notReady    = "not_ready"    // the service has not opened its database yet, or its file is lost
	unknownSite = "unknown_site" // the key is none of a known site
	retired     = "retired"      // an admin has retired the site
	lookup      = "lookup"       // whether it is could not be told in time
	panicked    = "panic"
)

// Edge is what the blocks of one configuration share. Its exported fields are set
// before the first block is added, and stay.
type Edge struct {
	Service  *backend.Service
	Pictures *Pictures
	Observer Observer
	Logger   *zap.Logger
	// Forms keeps forms while the database is away; nil for nowhere.
	Forms *capture.Spool
	// WholeAddresses has clients' addresses stored whole.
	WholeAddresses bool
	// Calls answers telephone platforms.
	Calls *api.Calls
	// Ending is closed when the configuration ends, so that no stream outlives it; nil for never.
	Ending <-chan struct{}
	// Pools are those of the configuration. It is asked once requests come.
	Pools func() number.ConfiguredPools
	// Names tells whether the configuration itself names the site of the key. It is
	// asked once requests come.
	Names func(key string) bool

	pages    atomic.Uint64 // that were looked at
	arriving atomic.Int64  // visits that are being stored for their pages
	forms    atomic.Int64  // forms that are being stored
	patience time.Duration // how long a page waits for its visit; 0 for siteBudget
	mu       sync.Mutex
	scripts  map[snippet.ScriptSettings]*snippet.Script
	starting sync.Once
	sampling *sampling
}

// Run learns which numbers the sites' pages show, and stores the forms that have waited for the
// database, until ctx is done.
func (e *Edge) Run(ctx context.Context) {
	aside.Go(e.Logger, "storing forms that wait", func() { aside.Keep(ctx, e.Logger, "storing forms that wait", e.takeForms) })
	aside.Keep(ctx, e.Logger, "learning which numbers are shown", e.samples().run)
}

func (e *Edge) samples() *sampling {
	e.starting.Do(func() { e.sampling = newSampling(e, time.Now) })
	return e.sampling
}

// maxScripts is how many scripts are kept, each of some 50 KB: sites with consent
// settings of their own have scripts of their own.
const maxScripts = 256

// script is the core script for the settings, one for all sites that share them.
func (e *Edge) script(settings snippet.ScriptSettings) (*snippet.Script, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if script, ok := e.scripts[settings]; ok {
		return script, nil
	}
	script, err := snippet.NewScript(settings)
	if err != nil {
		return nil, err
	}
	if e.scripts == nil || len(e.scripts) == maxScripts {
		e.scripts = make(map[snippet.ScriptSettings]*snippet.Script)
	}
	e.scripts[settings] = script
	return script, nil
}

// siteBudget is how long a page may wait for the database.
const siteBudget = 50 * time.Millisecond

// Site is the site of the key as the service knows it. The error is [site.ErrUnknown]
// when there is none, or none that is served, [backend.ErrNotReady] while the service is not ready, and another
// when it could not be told within 50 ms.
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

// guard does what may fail of our own, and says whether it has not.
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
