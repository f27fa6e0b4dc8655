package edge

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api"
)

// serveTelephony answers a telephone platform. A call belongs to the site whose number was called, even if the platform
// uses the address of another site.
func (e *Edge) serveTelephony(w http.ResponseWriter, r *http.Request) {
	route := r.PathValue("route")
	if e.Calls == nil {
		api.Unknown(w)
		return
	}
	desk, done, err := e.Service.Use()
	if err != nil { // callers are connected without the database too
		e.Calls.Serve(w, r, route, nil)
		return
	}
	e.Calls.Serve(w, r, route, &api.Ready{Calls: desk.Calls, Callbacks: desk.Callbacks, Done: done})
}
