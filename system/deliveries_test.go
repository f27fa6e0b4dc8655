package system

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// A lead goes to the webhook and the mail address of its site, on each database.
func TestNewsOfASiteIsDelivered(t *testing.T) {
	for name, settings := range map[string]func() db.Settings{
		"sqlite": func() db.Settings { return dbtest.SQLite(t) }, "postgres": func() db.Settings { return dbtest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			messages := make(chan []byte, 10)
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				messages <- body
			}))
			defer receiver.Close()
			post := mailtest.Start(t)
			database := settings()
			s := run(t, `{
				admin $ADMIN
				metrics
				frontdesk {
					database `+database.Engine+` "`+database.Source+`"
					webhooks {
						allow 127.0.0.1
					}
					mail smtp://`+post.Address+` {
						from "Shop <desk@shop.example>"
					}
				}
			}
			http://localhost:$PORT {
				frontdesk shop
				respond ok
			}`).Ready()
			desk, done, err := caddymodule.Use()
			require.NoError(t, err)
			defer done()
			shop, err := desk.Sites.ByKey(t.Context(), "shop")
			require.NoError(t, err)
			for _, e := range []notify.Endpoint{{Kind: notify.Webhook, Address: receiver.URL}, {Kind: notify.Mail, Address: "sales@shop.example"}} {
				e.SiteID, e.Events, e.Language = shop.ID, []notify.Event{notify.LeadAdded}, "en"
				_, _, err := desk.Deliveries.Endpoints.Add(t.Context(), e, "vera")
				require.NoError(t, err)
			}
			before := deliveredSoFar(s)
			_, _, err = desk.Leads.Add(t.Context(), submission.Submission{SiteID: shop.ID, Origin: lead.Server, Name: "Ada", Message: "Is the lamp in stock?"})
			require.NoError(t, err)
			deadline := time.After(time.Minute)
			select {
			case body := <-messages:
				var said struct {
					Type string
					Data struct{ Site, Name string }
				}
				require.NoError(t, json.Unmarshal(body, &said))
				require.Equal(t, []string{"lead.added", "shop", "Ada"}, []string{said.Type, said.Data.Site, said.Data.Name})
			case <-deadline:
				require.FailNow(t, "no message has come")
			}
			select {
			case letter := <-post.Letters:
				require.Contains(t, letter, "To: <sales@shop.example>")
				require.Contains(t, letter, "Is the lamp in stock?")
			case <-deadline:
				require.FailNow(t, "no mail has come")
			}
			require.Eventually(t, func() bool { return deliveredSoFar(s) != before }, time.Minute, 50*time.Millisecond)
		})
	}
}

// deliveredSoFar is the line of the metrics.
func deliveredSoFar(s *server) string {
	s.T.Helper()
	for line := range strings.Lines(s.Get("http://" + s.Admin + "/metrics").Content) {
		if strings.HasPrefix(line, `frontdesk_deliveries_total{result="delivered"}`) {
			return line
		}
	}
	require.Fail(s.T, "the metric is missing")
	return ""
}
