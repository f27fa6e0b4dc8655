package edge

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Next passes a request on to the site's origin.
type Next func(http.ResponseWriter, *http.Request) error

// Block serves the sites that share a configuration's settings. It is safe for concurrent use.
type Block struct {
	edge     *Edge
	settings Settings
	numbers  *numbers // of the sites without numbers of their own
	defaults *effect  // for keys that are no known site's; it has no site's code
	routes   *http.ServeMux

	compiling sync.Mutex                  // held while an effect is compiled, which may take some milliseconds
	effects   *lru.Cache[string, *effect] // by site key
}

// Add makes a block of complete settings. It returns an error if something in them cannot be compiled or drawn. The
// Edge holds nothing of the block before [Block.Keep].
func (e *Edge) Add(settings Settings) (*Block, error) {
	b := &Block{edge: e, settings: settings}
	b.effects, _ = lru.New[string, *effect](maxEffects) // the size is positive
	var err error
	if b.numbers, err = b.compileNumbers(b.settings.Declaration()); err != nil {
		return nil, err
	}
	if b.defaults, err = b.compile(site.Site{Key: "example"}); err != nil {
		return nil, err
	}
	if b.settings.remote == nil {
		b.routes = e.routes(b.settings.Prefix)
	} else {
		b.routes = http.NewServeMux()
		b.mountRelay(b.routes)
	}
	return b, nil
}

// Keep keeps the block's pictures for pages that are still open when another configuration replaces it. It is called
// when the configuration runs.
func (b *Block) Keep() { b.edge.Pictures.add(b.numbers.drawings) }

// Serve answers requests under the prefix, and passes others to next. If tracked returns true, Serve weaves the
// insertion code and the numbers into the answers of next. The error is that of next.
func (b *Block) Serve(w http.ResponseWriter, r *http.Request, q *Request, tracked func() bool, next Next) error {
	if strings.HasPrefix(q.URL.Path, b.settings.Prefix) {
		return b.serveRoute(w, r, q, next)
	}
	found := b.edge.guard("at the door", func() {
		if tracked() {
			q.site, q.err = b.edge.Site(r.Context(), q.Key)
			b.find(q, r)
		}
	})
	if !found {
		b.edge.Observer.Passed(panicked)
	}
	return b.servePage(w, r, q, next)
}

// provisionTimeout is how long a call may wait until its site is made.
const provisionTimeout = 2 * time.Second

// provision makes the site in the service. The configuration names the site, but the service does not know it yet.
func (b *Block) provision(ctx context.Context, key string) (site.Site, error) {
	desk, done, err := b.edge.Service.Use()
	if err != nil {
		return site.Site{}, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, provisionTimeout)
	defer cancel()
	return desk.Sites.Provision(ctx, key)
}
