package console_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/routetest"
)

// Whatever is asked for, and however, is answered: to strangers and to an admin. See [newDesk] for panics.
func TestEveryRouteAnswersEveryMethod(t *testing.T) {
	d := newDesk(t, dbtest.Open(t, dbtest.SQLite(t)))
	require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
	values := d.shopOfSecrets()
	patterns := console.Patterns()
	routetest.Walk(t, d.browser().Client, d.server.URL, patterns, values)

	out := slices.Index(patterns, "POST /sign-out") // comes last
	patterns = append(slices.Delete(patterns, out, out+1), "POST /sign-out")
	vera := d.signedIn("vera")
	routetest.Walk(t, vera.Client, d.server.URL, patterns[:len(patterns)-1], values)
	require.Equal(t, http.StatusOK, vera.do(vera.request(http.MethodHead, "/stream/leads?after=0-0")).status, "which ends")
	require.Equal(t, http.StatusOK, vera.get("/account").status, "vera was signed in all the time")
	routetest.Walk(t, vera.Client, d.server.URL, patterns[len(patterns)-1:], values)
}
