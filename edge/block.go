package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
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
	printed  *snippet.Printed
	drawings drawings
	defaults *effect // of all sites that have no settings of their own, without code
	routes   *http.ServeMux

	mu      sync.RWMutex
	effects map[string]*effect // by the sites' keys
	shown   map[number.Choice]snippet.Shown
}

// Add makes a block of settings that are complete. The error says what cannot be
// compiled or drawn. Nothing is kept of a block in the Edge until it runs, see
// [Block.Keep].
func (e *Edge) Add(settings Settings) (*Block, error) {
	b := &Block{edge: e, settings: settings, drawings: make(drawings), effects: make(map[string]*effect), shown: make(map[number.Choice]snippet.Shown)}
	var err error
	if b.printed, err = b.print(); err != nil {
		return nil, err
	}
	if b.defaults, err = b.compile(site.Site{Key: "example"}); err != nil {
		return nil, err
	}
	b.routes = b.table()
	return b, nil
}

// Keep, which is called when the configuration runs, keeps the block's pictures for the pages that will be open when it is replaced.
func (b *Block) Keep() { b.edge.Pictures.add(b.drawings) }

// print compiles the numbers, and draws the pictures of all tracking numbers, so that
// what cannot be drawn is refused with the configuration.
func (b *Block) print() (*snippet.Printed, error) {
	var numbers []snippet.Number
	for _, declared := range b.settings.Numbers {
		n := snippet.Number{Digits: declared.Number, Targets: declared.Targets, Selectors: declared.Selectors}
		var renderers []*picture.Renderer
		for _, p := range declared.Pictures {
			renderer, err := p.renderer()
			if err != nil {
				return nil, err
			}
			renderers = append(renderers, renderer)
			n.Pictures = append(n.Pictures, p.Place)
		}
		for _, digits := range b.settings.trackingOf(declared) {
			tracking := snippet.Tracking{Digits: digits}
			for i, renderer := range renderers {
				name, err := b.drawings.add(renderer, snippet.FormatNumber(digits))
				if err != nil {
					return nil, fmt.Errorf("picture %q of %s: %w", n.Pictures[i], digits, err)
				}
				tracking.Pictures = append(tracking.Pictures, b.settings.Prefix+"phone/"+name)
			}
			n.Tracking = append(n.Tracking, tracking)
		}
		numbers = append(numbers, n)
	}
	for name, content := range b.drawings {
		b.drawings[name] = b.edge.Pictures.shared(name, content)
	}
	return snippet.NewPrinted(numbers)
}

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
