package conversion_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// google takes events as the Measurement Protocol says, of one stream. Unlike Google, it refuses what is wrong.
type google struct {
	*httptest.Server
	mu     sync.Mutex
	events []map[string]any // with the client id among the parameters
	wrong  []string
	debug  string // what the validation finds, as JSON
}

func newGoogle(t testing.TB) *google {
	g := new(google)
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

var (
	clientID = regexp.MustCompile(`^\d{1,10}\.\d{10}$`)
	named    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)
)

func (g *google) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refuse := func(format string, args ...any) {
		g.wrong = append(g.wrong, fmt.Sprintf(format, args...))
		w.WriteHeader(http.StatusBadRequest)
	}
	q := r.URL.Query()
	if q.Get("measurement_id") != "G-ABC1DEF2GH" || q.Get("api_secret") != "secret-of-google" || len(q) != 2 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		Client string `json:"client_id"`
		At     int64  `json:"timestamp_micros"`
		Events []struct {
			Name   string         `json:"name"`
			Params map[string]any `json:"params"`
		} `json:"events"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&m); {
	case r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || err != nil || len(body) > 130<<10:
		refuse("no message: %s", body)
		return
	case !clientID.MatchString(m.Client) || time.Since(time.UnixMicro(m.At)).Abs() > 72*time.Hour || len(m.Events) == 0 || len(m.Events) > 25:
		refuse("message: %s", body)
		return
	}
	for _, e := range m.Events {
		_, value := e.Params["value"].(float64)
		code, _ := e.Params["currency"].(string)
		id, _ := e.Params["transaction_id"].(string)
		switch {
		case !named.MatchString(e.Name) || len(e.Params) > 25, value && len(code) != 3, (e.Name == "purchase" || e.Name == "refund") && id == "":
			refuse("event: %s", body)
			return
		}
	}
	switch r.URL.Path {
	case "/debug/mp/collect":
		if g.debug == "" {
			g.debug = `[]`
		}
		fmt.Fprintf(w, `{"validationMessages":%s}`, g.debug)
	case "/mp/collect":
		for _, e := range m.Events {
			e.Params["name"], e.Params["client_id"] = e.Name, m.Client
			g.events = append(g.events, e.Params)
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// take waits for so many events, and returns them. None of them was wrong.
func (g *google) take(t testing.TB, n int) []map[string]any {
	t.Helper()
	require.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.events) >= n || len(g.wrong) > 0
	}, time.Minute, 10*time.Millisecond)
	g.mu.Lock()
	defer g.mu.Unlock()
	require.Empty(t, g.wrong)
	require.Len(t, g.events, n)
	return g.events
}

// analytics is a destination of the shop, at a Google of its own.
func (w *world) analytics() (*google, notify.Endpoint) {
	w.t.Helper()
	g := newGoogle(w.t)
	w.At(g.URL)
	return g, w.destination(conversion.GA4, platform.Destination{Address: "G-ABC1DEF2GH", Credential: "secret-of-google", Settings: platform.Settings{Currency: "EUR"}})
}

func (w *world) by() lead.By { return lead.By{ID: 1, Login: "vera"} }

func key(l lead.Lead) lead.Key { return lead.Key{SiteID: l.SiteID, ID: l.ID} }

func TestLeadsSalesCallsAndChatsGoToAnalytics(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g, _ := w.analytics()
		l := w.lead(w.known("order?utm_source=news", 7))
		first := g.take(t, 1)[0]
		entry := w.told(notify.LeadAdded, 1, "delivered")
		require.Equal(t, map[string]any{"name": "generate_lead", "client_id": "7.1700000000", "session_id": "1700000500", "engagement_time_msec": 1.0, "page_location": "https://shop.example/order"}, first)

		// The sale comes later, and is worth more in the end: the first one is refunded.
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "1500.50"))
		sale := g.take(t, 2)[1]
		require.Equal(t, []any{"purchase", 1500.5, "EUR"}, []any{sale["name"], sale["value"], sale["currency"]})
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "1700"))
		all := g.take(t, 4)
		require.Equal(t, []any{"refund", sale["transaction_id"], 1500.5}, []any{all[2]["name"], all[2]["transaction_id"], all[2]["value"]})
		require.Equal(t, []any{"purchase", 1700.0}, []any{all[3]["name"], all[3]["value"]})
		require.NotEqual(t, sale["transaction_id"], all[3]["transaction_id"])

		// What is sent again is the same.
		w.told(notify.SaleAdded, 2, "delivered")
		require.NoError(t, w.Deliveries.Again(t.Context(), w.shop, entry.EndpointID, entry.Entry))
		require.Equal(t, first, g.take(t, 5)[4])

		// A call of somebody who has left the number, and a conversation.
		h := w.known("", 8)
		from := chat.From{SiteID: w.shop, Ref: h.Ref, URL: "https://shop.example/chat", Language: "en"}
		for _, text := range []string{"Hello?", "Anybody?"} {
			_, _, err := w.Chats.SayFrom(t.Context(), from, chat.Message{Text: text})
			require.NoError(t, err)
		}
		require.Equal(t, []any{"chat_started", "8.1700000000"}, []any{g.take(t, 6)[5]["name"], g.take(t, 6)[5]["client_id"]})
		require.NoError(t, w.visits.AddInfo(t.Context(), w.shop, h.Ref, visit.Info{Phone: "+79123456789"}))
		w.call("c1", h)
		all = g.take(t, 8)
		require.Equal(t, []any{"phone_call", "phone_call_answered", "8.1700000000"}, []any{all[6]["name"], all[7]["name"], all[7]["client_id"]})
	})
}

func TestSpamIsTakenBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g, _ := w.analytics()
		l := w.lead(w.known("order", 7), func(s *submission.Submission) { s.IsSale, s.SaleCost = true, "20" })
		sale := g.take(t, 2)
		require.Equal(t, []any{"generate_lead", "purchase"}, []any{sale[0]["name"], sale[1]["name"]})
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Spam))
		back := g.take(t, 3)[2]
		require.Equal(t, []any{"refund", sale[1]["transaction_id"], 20.0, "EUR"}, []any{back["name"], back["transaction_id"], back["value"], back["currency"]})
		w.told(notify.TakenBack, 1, "delivered")
		// It was none after all: it counts anew.
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Fresh))
		again := g.take(t, 5)
		require.Equal(t, []any{"generate_lead", "purchase"}, []any{again[3]["name"], again[4]["name"]})
		require.NotEqual(t, sale[1]["transaction_id"], again[4]["transaction_id"])

		// Of a lead without a sale nothing can be taken back, which the log says.
		l = w.lead(w.known("order", 8))
		g.take(t, 6)
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Spam))
		require.Equal(t, "stays", w.told(notify.TakenBack, 2, "dropped").Reason)
		g.take(t, 6)
	})
}

func TestWhoIsNotKnownIsNotSent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g, _ := w.analytics()
		w.lead(w.view("order"))
		require.Equal(t, "noID", w.told(notify.LeadAdded, 1, "dropped").Reason)
		w.lead(w.view(""), func(s *submission.Submission) {
			*s = submission.Submission{SiteID: s.SiteID, Origin: lead.Server, Message: "only this"}
		})
		require.Equal(t, "noVisitor", w.told(notify.LeadAdded, 2, "dropped").Reason)
		g.take(t, 0)
	})
}

func TestErasedPersonIsNotSent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g, e := w.analytics()
		l := w.lead(w.known("order", 7))
		g.take(t, 1)
		w.told(notify.LeadAdded, 1, "delivered")
		require.NoError(t, w.Deliveries.Endpoints.Pause(t.Context(), w.shop, e.ID, true, "vera"))
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, "20"))
		w.told(notify.SaleAdded, 1, "held")
		rows := persontest.Erase(t, w.db, "ada@example.com", w.visits.Traces(), w.Clients.Traces(), w.Conversions.Traces(), w.Leads.Traces())
		require.Equal(t, []int64{1, 1}, []int64{rows["client_ids"], rows["conversions"]})
		require.NoError(t, w.Deliveries.Endpoints.Pause(t.Context(), w.shop, e.ID, false, "vera"))
		w.told(notify.SaleAdded, 1, "dropped")
		g.take(t, 1)
	})
}

func TestRefusedCredentialsStandInTheLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g := newGoogle(t)
		w.At(g.URL)
		e := w.destination(conversion.GA4, platform.Destination{Address: "G-ABC1DEF2GH", Credential: "another-secret"})
		w.lead(w.known("order", 7))
		failed := w.told(notify.LeadAdded, 1, "failed")
		require.Equal(t, []any{"refused", http.StatusForbidden}, []any{failed.Reason, failed.Status})

		// With the right ones it is sent again. A change that names none leaves them.
		d := conversion.Of(e)
		change := func(credential string) {
			changed, err := conversion.Endpoint(e.Kind, platform.Destination{Address: d.Address, Credential: credential, Settings: d.Settings})
			require.NoError(t, err)
			changed.SiteID, changed.ID = e.SiteID, e.ID
			now, err := w.Deliveries.Endpoints.Get(t.Context(), w.shop, e.ID)
			require.NoError(t, err)
			changed.Version = now.Version
			require.NoError(t, w.Deliveries.Endpoints.Change(t.Context(), changed, "vera"))
		}
		change("secret-of-google")
		change("")
		n, err := w.Deliveries.AgainFailed(t.Context(), w.shop, e.ID, w.now().Add(-time.Hour))
		require.NoError(t, err)
		require.Equal(t, 1, n)
		g.take(t, 1)
		w.told(notify.LeadAdded, 1, "delivered")
	})
}

func TestTestOfAnalytics(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		g, e := w.analytics()
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"))
		test := g.take(t, 1)[0]
		require.Equal(t, []any{"generate_lead", 1.0}, []any{test["name"], test["debug_mode"]})
		w.told(notify.Test, 1, "delivered")
		g.mu.Lock()
		g.debug = `[{"fieldPath":"events[0].name","description":"Event name is reserved.","validationCode":"NAME_RESERVED"}]`
		g.mu.Unlock()
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"))
		require.Equal(t, "NAME_RESERVED events[0].name: Event name is reserved.", w.told(notify.Test, 2, "failed").Detail)
		g.take(t, 1)
	})
}
