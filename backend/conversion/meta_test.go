package conversion_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// facebook takes events as the Conversions API says, of one pixel.
type facebook struct {
	*httptest.Server
	mu     sync.Mutex
	events []map[string]any // with the test code among their fields
	wrong  []string
}

const metaToken = "EAABsbCS1iHgBAExampleToken"

var (
	metaBrowser = regexp.MustCompile(`^fb\.[0-2]\.\d{13}\.\d+$`)
	metaClick   = regexp.MustCompile(`^fb\.[0-2]\.\d{13}\.[A-Za-z0-9_-]+$`)
	metaHash    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func (f *facebook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := func(status, code int, message string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"OAuthException","code":%d,"fbtrace_id":"A"}}`, message, code)
	}
	var m struct {
		Data []map[string]any `json:"data"`
		Key  string           `json:"access_token"`
		Test string           `json:"test_event_code"`
	}
	switch err := json.NewDecoder(r.Body).Decode(&m); {
	case err != nil || r.Method != http.MethodPost || r.URL.Path != "/v24.0/1234567890/events" || r.URL.RawQuery != "":
		f.wrong = append(f.wrong, r.URL.String())
		answer(http.StatusBadRequest, 100, "Invalid parameter")
		return
	case m.Key != metaToken:
		answer(http.StatusBadRequest, 190, "Malformed access token "+m.Key)
		return
	}
	for _, e := range m.Data {
		text := func(name string) string { value, _ := e[name].(string); return value }
		at, _ := e["event_time"].(float64)
		user, _ := e["user_data"].(map[string]any)
		is := func(name string, form *regexp.Regexp) bool {
			value, given := user[name].(string)
			return !given || form.MatchString(value)
		}
		hashes := true
		for _, name := range []string{"em", "ph"} {
			list, _ := user[name].([]any)
			for _, one := range list {
				hashes = hashes && metaHash.MatchString(one.(string))
			}
		}
		custom, _ := e["custom_data"].(map[string]any)
		_, value := custom["value"].(float64)
		site := text("action_source") == "website"
		if text("event_name") == "" || text("event_id") == "" || time.Since(time.Unix(int64(at), 0)) > 7*24*time.Hour || !is("fbp", metaBrowser) || !is("fbc", metaClick) || !hashes ||
			site && (text("event_source_url") == "" || user["client_user_agent"] == nil) || !site && text("action_source") != "phone_call" && text("action_source") != "chat" ||
			text("event_name") == "Purchase" && (!value || custom["currency"] == nil) {
			content, _ := json.Marshal(e)
			f.wrong = append(f.wrong, string(content))
			answer(http.StatusBadRequest, 100, "Invalid parameter")
			return
		}
		e["test"] = m.Test
		f.events = append(f.events, e)
	}
	fmt.Fprintf(w, `{"events_received":%d,"messages":[],"fbtrace_id":"A"}`, len(m.Data))
}

func (f *facebook) take(t testing.TB, n int) []map[string]any {
	t.Helper()
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.events) >= n || len(f.wrong) > 0
	}, time.Minute, 10*time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Empty(t, f.wrong)
	require.Len(t, f.events, n)
	return f.events
}

// meta is a destination of the shop, at a Meta of its own.
func (w *world) meta(change func(*platform.Destination)) (*facebook, notify.Endpoint) {
	w.t.Helper()
	f := new(facebook)
	f.Server = httptest.NewServer(f)
	w.t.Cleanup(f.Close)
	w.At(f.URL)
	d := platform.Destination{Address: "1234567890", Credential: metaToken, Settings: platform.Settings{Currency: "EUR", TestCode: "TEST123",
		Names: map[platform.Goal]string{platform.Lead: "Lead", platform.Sale: "Purchase", platform.Call: "Contact"}}}
	if change != nil {
		change(&d)
	}
	return f, w.destination(conversion.Meta, d)
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestLeadsSalesAndCallsGoToMeta(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		f, _ := w.meta(nil)
		h := w.known("order?fbclid=IwAR0-abc_DEF", 7)
		require.NoError(t, w.visits.AddInfo(t.Context(), w.shop, h.Ref, visit.Info{Phone: "+79123456789"}))
		l := w.lead(h)
		first := f.take(t, 1)[0]
		user := first["user_data"].(map[string]any)
		require.Equal(t, []any{"Lead", "website", "https://shop.example/order", ""}, []any{first["event_name"], first["action_source"], first["event_source_url"], first["test"]})
		require.Equal(t, []any{"fb.1.1596403881668.7", chrome}, []any{user["fbp"], user["client_user_agent"]})
		require.Regexp(t, `^fb\.1\.\d{13}\.IwAR0-abc_DEF$`, user["fbc"], "the click of the address, where there is no cookie of it")
		require.NotContains(t, user, "em", "nobody has asked for hashes")
		require.NotContains(t, user, "ph")
		require.NoError(t, w.Leads.SetSale(t.Context(), w.by(), key(l), true, ""))
		sale := f.take(t, 2)[1]
		require.Equal(t, map[string]any{"value": 0.0, "currency": "EUR"}, sale["custom_data"], "a purchase has to have a value")
		require.NotEqual(t, first["event_id"], sale["event_id"])
		w.call("c1", h)
		require.Equal(t, []any{"Contact", "phone_call"}, []any{f.take(t, 3)[2]["event_name"], f.take(t, 3)[2]["action_source"]})

		// Meta takes nothing back, and the log says so.
		require.NoError(t, w.Leads.SetState(t.Context(), w.by(), key(l), lead.Spam))
		require.Equal(t, "stays", w.told(notify.TakenBack, 1, "dropped").Reason)
		f.take(t, 3)
	})
}

func TestHashesGoToMetaWhereTheyAreWanted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		f, _ := w.meta(func(d *platform.Destination) { d.Hashed = true })
		w.lead(w.view("order"))
		user := f.take(t, 1)[0]["user_data"].(map[string]any)
		require.Equal(t, []any{[]any{sha("ada@example.com")}, []any{sha("79123456789")}}, []any{user["em"], user["ph"]})
	})
}

func TestTestOfMetaAndItsToken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		f, e := w.meta(nil)
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"))
		require.Equal(t, "TEST123", f.take(t, 1)[0]["test"])
		w.told(notify.Test, 1, "delivered")
		_, other := w.meta(func(d *platform.Destination) { d.Credential = "EAABsomebody-elses-token" })
		w.At(f.URL)
		require.NoError(t, w.Deliveries.Endpoints.Try(t.Context(), w.shop, other.ID, "vera"))
		require.Equal(t, "190 Malformed access token …", w.told(notify.Test, 2, "failed").Detail, "the token is in no log")
	})
}
