package edge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Request is what the server in front knows of a request.
type Request struct {
	// Key is the site's. It may be no key of a site, or no valid one.
	Key string
	// URL is the path and the query as the client sent them, before any rewriting.
	URL *url.URL
	// Client is the client's IP address by the word of trusted proxies, or empty where
	// it is the connection's.
	Client string
	// Secure tells that the client uses TLS, perhaps to a trusted proxy.
	Secure bool
}

// AsSent is the request with the address that the client asked for, whose scheme is
// https where it used TLS, and with the client's own address.
func (q *Request) AsSent(r *http.Request) *http.Request {
	sent, address := *r, *q.URL
	if q.Secure {
		address.Scheme = "https"
	}
	sent.URL = &address
	if q.Client != "" {
		sent.RemoteAddr = net.JoinHostPort(q.Client, "0")
	}
	return &sent
}

// Next passes a request on, to the site's origin.
type Next func(http.ResponseWriter, *http.Request) error

// Block serves the sites that share settings. It is safe for concurrent use.
type Block struct {
	edge     *Edge
	settings Settings
	numbers  *numbers // of all sites that have none of their own
	defaults *effect  // of all sites that have no settings of their own, without code
	routes   *http.ServeMux

	compiling sync.Mutex // held while an effect is made: it may take some milliseconds

	mu      sync.RWMutex
	effects map[string]*effect // by the sites' keys
}

// Add makes a block of settings that are complete. The error says what cannot be
// compiled or drawn. Nothing is kept of a block in the Edge until it runs, see
// [Block.Keep].
func (e *Edge) Add(settings Settings) (*Block, error) {
	b := &Block{edge: e, settings: settings, effects: make(map[string]*effect)}
	var err error
	if b.numbers, err = b.compileNumbers(b.settings.Declaration()); err != nil {
		return nil, err
	}
	if b.defaults, err = b.compile(site.Site{Key: "example"}); err != nil {
		return nil, err
	}
	b.routes = b.table()
	return b, nil
}

// Keep, which is called when the configuration runs, keeps the block's pictures for the pages that will be open when it is replaced.
func (b *Block) Keep() { b.edge.Pictures.add(b.numbers.drawings) }

// Serve answers what is under the prefix. The rest passes to next: as a page, into which
// the insertion code and the numbers are woven, if tracked says so.
func (b *Block) Serve(w http.ResponseWriter, r *http.Request, q *Request, tracked func() bool, next Next) error {
	if strings.HasPrefix(q.URL.Path, b.settings.Prefix) {
		return b.serveRoute(w, r, q, next)
	}
	return b.servePage(w, r, q, tracked, next)
}

// provisionTimeout is how long a call may wait for its site to be made.
const provisionTimeout = 2 * time.Second

// provision makes the site known that the configuration names, if the service has not
// yet.
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

// named is the site of a key that the configuration names, while the service does not
// tell of it.
func (b *Block) named(key string, err error) (site.Site, bool) {
	return site.Site{Key: key}, !errors.Is(err, site.ErrUnknown) && b.edge.Names(key)
}
