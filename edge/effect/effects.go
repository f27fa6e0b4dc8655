package effect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Shared is what the effects of all blocks of a configuration have in common. Its exported fields are set before it is
// used, and do not change.
type Shared struct {
	Service  *backend.Service
	Pictures *Pictures
	Logger   *zap.Logger
	// WholeAddresses makes the service store clients' addresses in full.
	WholeAddresses bool
	// Ending is closed when the configuration ends, so that no stream outlives it. nil is never closed.
	Ending <-chan struct{}
	// Pools returns the pools of the configuration. It is called only after the configuration runs.
	Pools func() number.ConfiguredPools
	// Names says whether the configuration itself names the site of the key. It is called only after the configuration
	// runs.
	Names func(key string) bool
	// Hosts returns the hosts at which the configuration serves the site of the key. It is called only after the
	// configuration runs.
	Hosts func(key string) []string
	// Fault is called for each panic that Guard has recovered. place says in words what was being done.
	Fault func(place string, cause any, stack []byte)

	starting sync.Once
	scripts  *lru.Cache[snippet.ScriptSettings, *snippet.Script]
}

// Guard calls do. It reports a panic to Fault and returns false. [http.ErrAbortHandler] goes on: it breaks an answer off.
func (e *Shared) Guard(place string, do func()) (well bool) {
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			panic(cause)
		default:
			e.Fault(place, cause, debug.Stack())
			well = false
		}
	}()
	do()
	return true
}

// maxScripts is how many scripts are kept, each of about 50 KB. Sites with consent settings of their own need scripts
// of their own.
const maxScripts = 256

// script returns the core script for the settings. Sites with the same settings share it.
func (e *Shared) script(settings snippet.ScriptSettings) (*snippet.Script, error) {
	e.starting.Do(func() {
		e.scripts, _ = lru.New[snippet.ScriptSettings, *snippet.Script](maxScripts) // the size is positive
	})
	if script, known := e.scripts.Get(settings); known {
		return script, nil
	}
	script, err := snippet.NewScript(settings)
	if err == nil {
		e.scripts.Add(settings, script)
	}
	return script, err
}

// SiteBudget is how long a page may wait for the database.
const SiteBudget = 50 * time.Millisecond

// Site returns the site of the key as the service knows it. The error is [site.ErrUnknown] if no site with this key is
// served, and [backend.ErrNotReady] while the service is not ready. It is another error if the site was not found
// within 50 ms.
func (e *Shared) Site(ctx context.Context, key string) (site.Site, error) {
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
		ctx, cancel = context.WithTimeout(ctx, SiteBudget)
		defer cancel()
	}
	return desk.Sites.ByKey(ctx, key)
}

// Effects returns the effects of the sites of one block. It is safe for concurrent use.
type Effects struct {
	*Shared
	Settings Settings
	numbers  *numbers // of the sites without their own numbers
	Defaults *effect  // for keys of no known site; it has no site's code

	compiling sync.Mutex                  // held while an effect is compiled, which may take some milliseconds
	known     *lru.Cache[string, *effect] // by site key
}

// Effects compiles complete settings. It returns an error if something in them cannot be compiled or drawn.
func (e *Shared) Effects(settings Settings) (*Effects, error) {
	b := &Effects{Shared: e, Settings: settings}
	b.known, _ = lru.New[string, *effect](maxEffects) // the size is positive
	var err error
	if b.numbers, err = b.compileNumbers(b.Settings.Declaration(), b.Settings.Messengers); err != nil {
		return nil, err
	}
	b.Defaults, err = b.compile(site.Site{Key: "example"}, nil)
	return b, err
}

// Keep keeps the block's pictures for pages that are still open when another configuration replaces it. The caller
// calls it when the configuration runs.
func (b *Effects) Keep() { b.Pictures.add(b.numbers.drawings) }

// maxEffects is how many effects a block keeps.
const maxEffects = 1 << 14

// For returns the effect for the site. told is false while the service does not tell the site's settings. Then
// effectFor returns the last effect, or one of the block's settings.
func (b *Effects) For(s site.Site, told bool) (*effect, error) {
	f, _ := b.known.Get(s.Key)
	if f != nil && (!told || f.id == s.ID && f.version == s.Version) {
		return f, nil
	}
	if !b.compiling.TryLock() {
		if f != nil && f.id == s.ID { // another request compiles it; this one uses the last effect
			return f, nil
		}
		b.compiling.Lock()
	}
	defer b.compiling.Unlock()
	if f, _ = b.known.Get(s.Key); f != nil && f.id == s.ID && f.version == s.Version {
		return f, nil
	}
	f, err := b.compile(s, b.Hosts(s.Key))
	if err != nil {
		return nil, err
	}
	b.known.Add(s.Key, f)
	return f, nil
}

// ErrSettings is the error of a request if its site's settings cannot be put into effect.
var ErrSettings = errors.New("making the insertion code failed")

// Find finds what is in effect for the request, whose site has been looked up.
func (b *Effects) Find(q *Request, r *http.Request) {
	if q.Err != nil {
		q.Site = site.Site{Key: q.Key}
		if q.IsUnknown() || !b.Names(q.Key) {
			return
		}
	}
	f, err := b.For(q.Site, q.Err == nil)
	if err != nil {
		q.Err = fmt.Errorf("%w: %w", ErrSettings, err)
		return
	}
	q.Effect, q.Preview = f, b.previewing(q.Site.ID, r.Header)
}

// provisionTimeout is how long a request may wait until its site is made.
const provisionTimeout = 2 * time.Second

// Provision makes the site in the service. The configuration names the site, but the service does not know it yet.
func (b *Effects) Provision(ctx context.Context, key string) (site.Site, error) {
	desk, done, err := b.Service.Use()
	if err != nil {
		return site.Site{}, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, provisionTimeout)
	defer cancel()
	return desk.Sites.Provision(ctx, key)
}

// ShownTo returns the numbers that a new visitor sees who comes from the referrer to the address. It does not matter
// whether numbers are replaced before a page leaves the server.
func (b *Effects) ShownTo(address *url.URL, referrer string) snippet.Shown {
	r := &http.Request{Host: address.Host, Header: http.Header{"Referer": {referrer}}}
	choice, _, _ := b.Settings.Attribution.Follow(b.numbers.plan, nil, pageOf(r, address, source.OwnOf(b.Settings.Origins, nil), time.Now()))
	return b.numbers.show(choice)
}
