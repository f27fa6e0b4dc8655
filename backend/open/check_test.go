package open_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
)

// The check tells of each part whether it is at work, and what to do where it is not.
func TestCheckOfTheInstallation(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.ReadSites)
		type checked struct {
			Missing int
			Parts   []struct {
				Name, State, Advice, Log string
				SeenAt                   *time.Time `json:"seen_at"`
			}
			Bare []struct {
				Reason string
				Pages  int
			}
			OtherServices []struct{ Script, Path string } `json:"other_services"`
		}
		look := func() (found checked, states []string) {
			o.get("/api/v1/sites/lamps.example/check", secret, &found)
			for _, p := range found.Parts {
				require.Equal(t, p.State == "well", p.Advice == "", p.Name)
				states = append(states, p.Name+" "+p.State+" "+p.Advice)
			}
			return found, states
		}
		found, states := look()
		require.Equal(t, []string{"page missing open_page", "code missing find_cause", "script missing open_script", "hit missing visit", "number unset add_number", "form missing send_form", "call unset no_calls"}, states)
		require.Equal(t, 5, found.Missing)

		o.Sites.Page(o.lamps.ID, "csp")
		require.NoError(t, o.Sites.StorePages(t.Context()))
		require.NoError(t, o.Sightings.SeeRivals(t.Context(), o.lamps.ID, "/contacts", []sighting.Rival{{Loader: "//other.example/cs.js"}}))
		found, states = look()
		require.Equal(t, "page well ", states[0])
		require.NotNil(t, found.Parts[0].SeenAt)
		require.Equal(t, "csp", found.Bare[0].Reason)
		require.Equal(t, 1, found.Bare[0].Pages)
		require.Equal(t, "/contacts", found.OtherServices[0].Path)

		o.clock.Pass(time.Second)
		o.Sites.Page(o.lamps.ID, "woven")
		require.NoError(t, o.Sites.StorePages(t.Context()))
		o.arrives(o.lamps, 1, "")
		require.NoError(t, o.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return o.Numbers.DeclareSite(ctx, tx, "node", o.lamps.ID, []number.Declared{{Digits: "74951234567", Tracking: []string{"74957654321"}}})
		}))
		found, states = look()
		require.Equal(t, []string{"page well ", "code well ", "script missing script_kept", "hit well ", "number missing compare_number", "form missing send_form", "call missing call_number"}, states)
		require.Empty(t, found.Bare)
		require.Equal(t, "handled request … /frontdesk/svc.js", found.Parts[2].Log)

		o.clock.Pass(8 * 24 * time.Hour)
		_, states = look()
		require.Equal(t, "code old find_cause", states[1])
		o.refuses(404, "/api/v1/sites/chairs.example/check", secret, "there is no site of this key")
	})
}
