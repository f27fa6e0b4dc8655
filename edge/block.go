package edge

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// Block serves the sites that share a configuration's settings. It is safe for concurrent use.
type Block struct {
	*effect.Effects
	edge   *Edge
	routes *http.ServeMux
}

// Add makes a block of complete settings. It returns an error if something in them cannot be compiled or drawn. The
// Edge holds nothing of the block before [Block.Keep].
func (e *Edge) Add(settings effect.Settings) (*Block, error) {
	of, err := e.Effects(settings)
	if err != nil {
		return nil, err
	}
	b := &Block{Effects: of, edge: e}
	if settings.Elsewhere() == nil {
		b.routes = e.routes(settings.Prefix)
	} else {
		b.routes = http.NewServeMux()
		b.mountRelay(b.routes)
	}
	return b, nil
}

// Serve answers requests under the prefix, and passes others to next. If tracked returns true, Serve weaves the
// insertion code and the numbers into the answers of next. The error is that of next.
func (b *Block) Serve(w http.ResponseWriter, r *http.Request, q *effect.Request, tracked func() bool, next effect.Next) error {
	if strings.HasPrefix(q.URL.Path, b.Settings.Prefix) {
		return b.serveRoute(w, r, q, next)
	}
	found := b.Guard("at the door", func() {
		if tracked() {
			q.Site, q.Err = b.Site(r.Context(), q.Key)
			b.Find(q, r)
		}
	})
	if !found {
		b.edge.Observer.Passed(panicked)
	}
	return b.servePage(w, r, q, next)
}
