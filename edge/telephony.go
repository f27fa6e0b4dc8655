package edge

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api"
)

// serveTelephony answers a telephone platform. Its calls are of the site whose number was
// called, whichever site's address it has been given.
func (b *Block) serveTelephony(w http.ResponseWriter, r *http.Request) {
	route := r.PathValue("route")
	if b.edge.Calls == nil {
		api.Unknown(w)
		return
	}
	desk, done, err := b.edge.Service.Use()
	if err != nil { // callers are connected all the same
		b.edge.Calls.Serve(w, r, route, nil)
		return
	}
	b.edge.Calls.Serve(w, r, route, &api.Ready{Calls: desk.Calls, Callbacks: desk.Callbacks, Done: done})
}
