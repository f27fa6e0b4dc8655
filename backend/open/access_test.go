package open_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // is told
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep/twosteptest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// A program of some sites does nothing to operators who see others.
func TestAccessOfOperators(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		of := func(login string, sites scope.Sites) (operator.Operator, string) {
			account := operatortest.Account(t, o.Operators, login, operator.Agent, sites)
			return account, fmt.Sprintf("/api/v1/operators/%d", account.ID)
		}
		anna, annas := of("anna", scope.Of(o.lamps.ID))
		_, all := of("boris", scope.Of(o.lamps.ID, o.chairs.ID))
		_, theirs := of("chris", scope.Of(o.chairs.ID))
		secret := o.token(scope.Of(o.lamps.ID), token.WriteOperators)
		var picture bytes.Buffer
		require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 200, 100))))
		setup, err := o.TwoStep.Begin(t.Context(), anna, "session", "Frontdesk")
		require.NoError(t, err)
		_, err = o.TwoStep.Confirm(t.Context(), anna, twosteptest.Code(t, setup.Secret, o.clock.Now()))
		require.NoError(t, err)
		for _, call := range [][3]string{{"DELETE", "/sessions", ""}, {"DELETE", "/two-step", ""}, {"PUT", "/face", picture.String()}, {"DELETE", "/face", ""}} {
			response, body := o.call(call[0], annas+call[1], secret, call[2])
			require.Equal(t, http.StatusNoContent, response.StatusCode, string(body))
			o.refusesTo(403, call[0], all+call[1], secret, call[2], "")
			o.refusesTo(404, call[0], theirs+call[1], secret, call[2], "")
			if call[0] == "PUT" {
				seen, err := o.Operators.Get(t.Context(), anna.ID)
				require.NoError(t, err)
				require.NotEmpty(t, seen.Face)
				response, body := o.call("GET", annas+"/face", secret, "")
				require.Equal(t, http.StatusOK, response.StatusCode)
				require.Equal(t, face.Type, response.Header.Get("Content-Type"))
				shown, _, err := image.DecodeConfig(bytes.NewReader(body))
				require.NoError(t, err)
				require.Equal(t, 96, shown.Width)
				o.refuses(404, theirs+"/face", secret, "")
				o.refuses(404, all+"/face", secret, "no such face")
			}
		}
		o.refuses(404, annas+"/face", secret, "no such face")
		require.ErrorIs(t, o.TwoStep.Check(t.Context(), anna, "123456"), twostep.ErrOff)
		for _, wrong := range []string{"<svg/>", "GIF89a", strings.Repeat("a", face.Max)} {
			o.refusesTo(422, "PUT", annas+"/face", secret, wrong, "a face is")
		}
		o.refusesTo(413, "PUT", annas+"/face", secret, strings.Repeat("a", face.Max+1), "too large")
	})
}
