package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/routetest"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// Whatever is asked for under the prefix, and however, is answered, without a panic. The server answers itself, or passes on.
func TestEveryRouteAnswersEveryMethod(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer elsewhere.Close()
	for name, settings := range map[string]effect.Settings{"here": numbered(), "elsewhere": {Service: elsewhere.URL + "/frontdesk/"}} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, settings).ready()
			all := Patterns(f.block.Settings.Prefix)
			if f.block.Settings.Elsewhere() != nil {
				var relayed patterns
				f.block.mountRelay(&relayed)
				all = relayed
			}
			for asset := range snippet.Assets() {
				routetest.Walk(t, http.DefaultClient, f.address, all, map[string]string{"name": asset, "route": "webhook"})
				break
			}
			_, _, faults := f.told.all()
			require.Empty(t, faults)
		})
	}
}
