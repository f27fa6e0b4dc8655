package open_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// What a visitor would see goes by the source, by the visit that decides, and by what the pool has left.
func TestWhoWouldSeeWhat(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.Of(o.lamps.ID), token.WriteNumbers)
		put := func(path, body string) {
			response, said := o.call("PUT", "/api/v1/sites/lamps.example/"+path, secret, body, "If-Match", "*")
			require.Equal(t, 200, response.StatusCode, string(said))
		}
		type foreseen struct {
			Attribution string
			IsElsewhere bool `json:"is_elsewhere"`
			Source      struct{ Kind, Source string }
			Numbers     []struct {
				Printed, Name, Number string
				Rule                  int
				Pool                  *struct {
					Name, Exhausted string
					Size, Free      int
				}
			}
		}
		ask := func(pairs ...string) (told foreseen) {
			query := make(url.Values)
			for i := 0; i < len(pairs); i += 2 {
				query.Set(pairs[i], pairs[i+1])
			}
			o.get("/api/v1/sites/lamps.example/foreseen-numbers?"+query.Encode(), secret, &told)
			return told
		}
		const page, news = "https://lamps.example/", "https://lamps.example/?utm_source=newsletter"
		require.Empty(t, ask("address", page).Numbers)
		put("pools/winter", `{"numbers":["+7 495 765-00-01","+7 495 765-00-09"],"exhausted":"shared"}`)
		put("numbers/74951234567", `{"tracking":[{"name":"News","static":"74957654321","when":["utm_source=news*"]},{"name":"Others","pool":"winter"}]}`)

		told := ask("address", news)
		require.Equal(t, "last_non_direct", told.Attribution)
		require.Equal(t, "newsletter", told.Source.Source)
		require.Equal(t, "News", told.Numbers[0].Name)
		require.Equal(t, "74957654321", told.Numbers[0].Number)
		require.Nil(t, told.Numbers[0].Pool)
		told = ask("address", page, "referrer", "https://www.google.com/")
		require.Equal(t, "google", told.Source.Source)
		require.Equal(t, 2, told.Numbers[0].Rule)
		require.Empty(t, told.Numbers[0].Number)
		require.Equal(t, "shared", told.Numbers[0].Pool.Exhausted)
		require.Equal(t, 2, told.Numbers[0].Pool.Free)

		require.Equal(t, "News", ask("address", news, "again", page).Numbers[0].Name)
		require.Equal(t, "Others", ask("address", news, "again", page, "attribution", "last").Numbers[0].Name)
		require.False(t, told.IsElsewhere)
		require.True(t, ask("address", "https://chairs.example/").IsElsewhere)

		pool := &number.Pool{Name: number.OwnPoolName(o.lamps.ID, "winter"), Digits: []string{"74957650001", "74957650009"}}
		require.NoError(t, pool.Complete())
		view := o.arrives(o.lamps, 1, "")
		_, _, err := o.Leases.Take(t.Context(), lease.Want{Site: o.lamps.ID, Visitor: view.Visitor, Visit: view.Visit, Replaces: "74951234567", Pool: pool, First: true})
		require.NoError(t, err)
		require.Equal(t, 1, ask("address", page).Numbers[0].Pool.Free)
		o.refuses(404, "/api/v1/sites/chairs.example/foreseen-numbers?address="+url.QueryEscape(page), secret, "there is no site of this key")
	})
}
