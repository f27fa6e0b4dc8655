package conversion_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
)

const matomoToken = "0123456789abcdef0123456789abcdef"

// piwik is a Matomo with the site 3, which has the goals 1 and 2.
type piwik struct {
	*httptest.Server
	mu      sync.Mutex
	tracked []url.Values
	wrong   []string
}

func (p *piwik) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/stats/index.php":
		q, _ := url.ParseQuery(string(body))
		if q.Get("token_auth") != matomoToken {
			fmt.Fprint(w, `{"result":"error","message":"You must be logged in to access this functionality."}`)
			return
		}
		fmt.Fprint(w, `{"1":{"idsite":"3","idgoal":"1","name":"Lead"},"2":{"idsite":"3","idgoal":"2","name":"Call"}}`)
	case "/stats/matomo.php":
		var bulk struct {
			Requests []string `json:"requests"`
			Token    string   `json:"token_auth"`
		}
		if err := json.Unmarshal(body, &bulk); err != nil || bulk.Token != matomoToken {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"status":"error","tracked":0,"message":"token_auth specified does not have write permission for idsite=3"}`)
			return
		}
		invalid := 0
		for _, one := range bulk.Requests {
			q, err := url.ParseQuery(strings.TrimPrefix(one, "?"))
			_, when := time.Parse(time.DateTime, q.Get("cdt"))
			goal := q.Get("idgoal")
			if err != nil || q.Get("idsite") != "3" || q.Get("rec") != "1" || !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(q.Get("cid")) || q.Get("url") == "" || when != nil ||
				goal != "1" && goal != "2" && (goal != "0" || q.Get("ec_id") == "" || q.Get("revenue") == "") {
				p.wrong = append(p.wrong, one)
				invalid++
				continue
			}
			p.tracked = append(p.tracked, q)
		}
		fmt.Fprintf(w, `{"status":"success","tracked":%d,"invalid":%d}`, len(bulk.Requests)-invalid, invalid)
	default:
		http.NotFound(w, r)
	}
}

func (p *piwik) take(t testing.TB, n int) []url.Values {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.tracked) >= n || len(p.wrong) > 0
	}, time.Minute, 10*time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(t, p.wrong)
	require.Len(t, p.tracked, n)
	return p.tracked
}

func TestLeadsAndSalesGoToMatomo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := new(piwik)
		p.Server = httptest.NewServer(p)
		t.Cleanup(p.Close)
		d := platform.Destination{Address: p.URL + "/stats/", Credential: matomoToken, Settings: platform.Settings{Site: "3", Currency: "EUR",
			Names: map[platform.Goal]string{platform.Lead: "1", platform.Sale: "0", platform.Call: "2"}}}
		e := w.destination(conversion.Matomo, d)
		l := w.lead(w.known("order", 7))
		first := p.take(t, 1)[0]
		require.Equal(t, []string{"1", "0123456789abcde7", "https://shop.example/order", chrome}, []string{first.Get("idgoal"), first.Get("cid"), first.Get("url"), first.Get("ua")})
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "99.90"))
		sale := p.take(t, 2)[1]
		require.Equal(t, []string{"0", "99.9"}, []string{sale.Get("idgoal"), sale.Get("revenue")})
		require.NotEmpty(t, sale.Get("ec_id"))
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Spam))
		require.Equal(t, "stays", w.told(notify.TakenBack, 1, "dropped").Reason)

		// A test asks for the goals, and records nothing.
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"))
		w.told(notify.Test, 1, "delivered")
		p.take(t, 2)
		d.Names[platform.Chat] = "9"
		unknown := w.destination(conversion.Matomo, d)
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, unknown.ID, "vera"))
		require.Equal(t, "goal 9: unknown", w.told(notify.Test, 2, "failed").Detail)
		d.Names, d.Credential = map[platform.Goal]string{platform.Lead: "1"}, strings.Repeat("f", 32)
		refused := w.destination(conversion.Matomo, d)
		w.lead(w.known("order", 8))
		require.Eventually(t, func() bool {
			log, err := w.Deliveries.Log(t.Context(), w.shop, refused.ID, "failed", notify.Cursor{}, 10)
			return err == nil && len(log) == 1 && log[0].Reason == "refused" && strings.Contains(log[0].Detail, "write permission")
		}, time.Minute, 10*time.Millisecond)
	})
}
