package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What a program says of a destination is what conversions are sent by. Its credentials are shown to nobody.
func TestDestinations(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.WriteEndpoints)
		const path, key = "/api/v1/sites/lamps.example/destinations", "abcdefghijklmnopqrstuv"
		made := func(asked string) (told struct {
			ID       int64
			Password string
			Files    []struct{ Name, Address string }
		}) {
			response, body := o.call("POST", path, secret, asked)
			require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
			require.NoError(t, json.Unmarshal(body, &told))
			return told
		}
		stored := func(id int64) notify.Endpoint {
			e, err := o.Deliveries.Endpoints.Get(t.Context(), o.lamps.ID, id)
			require.NoError(t, err)
			return e
		}
		sent := made(`{"kind":"ga4","address":"G-ABC1DEF2GH","credential":"` + key + `","goals":{"lead":"generate_lead","call":"phone_call"},"currency":"EUR"}`)
		fetched := made(`{"kind":"google_ads","address":"ignored","credential":"ignored","goals":{"lead":"Lead"}}`)
		require.Empty(t, sent.Password)
		require.Equal(t, fmt.Sprintf("%s/feeds/%d-%d/conversions.csv", o.url, o.lamps.ID, fetched.ID), fetched.Files[0].Address)
		require.True(t, conversion.MayFetch(stored(fetched.ID), conversion.Login, fetched.Password))
		require.ElementsMatch(t, []notify.Event{notify.LeadAdded, notify.SaleAdded, notify.CallEnded}, stored(sent.ID).Events)

		of := fmt.Sprintf("%s/%d", path, sent.ID)
		response, body := o.call("GET", of, secret, "")
		tag := response.Header.Get("ETag")
		require.NotContains(t, string(body), key)
		response, body = o.call("PUT", of, secret, `{"address":"G-ABC1DEF2GH","goals":{"sale":"purchase"},"currency":"USD"}`, "If-Match", tag)
		require.Equal(t, http.StatusOK, response.StatusCode, string(body))
		require.Equal(t, key, stored(sent.ID).Secret())
		require.Equal(t, "USD", conversion.Of(stored(sent.ID)).Currency)
		o.refusesTo(412, "PUT", of, secret, `{"address":"G-ABC1DEF2GH","goals":{"sale":"purchase"}}`, "somebody else", "If-Match", tag)
		o.refusesTo(409, "POST", of+"/password", secret, "", "fetch files")
		o.refuses(404, of+"/files/conversions.csv", secret, "unknown")
		o.refuses(404, fmt.Sprintf("%s/%d/files/passwords.csv", path, fetched.ID), secret, "unknown")

		response, body = o.call("POST", fmt.Sprintf("%s/%d/password", path, fetched.ID), secret, "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		var again struct{ Password string }
		require.NoError(t, json.Unmarshal(body, &again))
		require.False(t, conversion.MayFetch(stored(fetched.ID), conversion.Login, fetched.Password))
		require.True(t, conversion.MayFetch(stored(fetched.ID), conversion.Login, again.Password))
		response, body = o.call("GET", fmt.Sprintf("%s/%d/files/conversions.csv", path, fetched.ID), secret, "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, fmt.Sprintf("attachment; filename=google_ads-%d-conversions.csv", fetched.ID), response.Header.Get("Content-Disposition"))
		require.True(t, strings.HasPrefix(response.Header.Get("Content-Type"), "text/csv"), string(body))

		// It is an endpoint in all that is not its own, and no endpoint is one.
		endpoint := fmt.Sprintf("/api/v1/sites/lamps.example/endpoints/%d", sent.ID)
		o.refusesTo(409, "PUT", endpoint, secret, `{"address":"https://127.0.0.1/hook","events":["lead.added"]}`, "changed as such", "If-Match", "*")
		o.refusesTo(422, "POST", endpoint+"/secret", secret, "", "only a webhook")
		response, _ = o.call("PUT", endpoint+"/paused", secret, `{"is_paused":true}`)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.False(t, stored(sent.ID).PausedAt.IsZero())
		response, _ = o.call("DELETE", endpoint, secret, "")
		require.Equal(t, http.StatusNoContent, response.StatusCode)
		o.refuses(404, of, secret, "unknown")
		hook, _, err := o.Deliveries.Endpoints.Add(t.Context(), notify.Endpoint{SiteID: o.lamps.ID, Kind: notify.Webhook, Address: "https://127.0.0.1/hook", Events: []notify.Event{notify.LeadAdded}, Language: "en"}, "vera")
		require.NoError(t, err)
		o.refuses(404, fmt.Sprintf("%s/%d", path, hook.ID), secret, "unknown")
		for range notify.MaxEndpoints - 2 {
			made(`{"kind":"yandex","goals":{"lead":"lead"}}`)
		}
		o.refusesTo(409, "POST", path, secret, `{"kind":"yandex","goals":{"lead":"lead"}}`, "at most")
	})
}
