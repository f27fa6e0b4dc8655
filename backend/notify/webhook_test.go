package notify_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// received is a message as it came.
type received struct {
	http.Header
	body []byte
	at   time.Time
}

// receiver takes webhooks, over TLS.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []received
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts messages from 1
}

// receiver starts one that answers so; nil takes everything.
func (w *world) receiver(answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	w.t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewTLSServer(r)
	w.t.Cleanup(r.Close)
	roots := x509.NewCertPool()
	roots.AddCert(r.Certificate())
	w.Trust(roots)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.all = append(r.all, received{q.Header, body, time.Now()})
	n := len(r.all)
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(n, w, q)
	}
}

func (r *receiver) list() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.all...)
}

// wait waits until so many messages have come.
func (r *receiver) wait(t testing.TB, n int) []received {
	t.Helper()
	require.Eventually(t, func() bool { return len(r.list()) >= n }, time.Minute, 10*time.Millisecond, "%d messages are to come", n)
	return r.list()
}

// schema is the documented one.
func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("../../docs/webhooks.schema.json")
	require.NoError(t, err)
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("webhooks.schema.json", document))
	s, err := compiler.Compile("webhooks.schema.json")
	require.NoError(t, err)
	return s
}

// signed tells whether what came is signed with the secret.
func signed(t testing.TB, m received, secret string) {
	t.Helper()
	keys, err := signature.Parse(secret)
	require.NoError(t, err)
	require.True(t, keys.Signed(m.Get("webhook-id"), m.Get("webhook-timestamp"), m.Get("webhook-signature"), m.body), "%s", m.body)
}

// message is what came, which must be signed with the secret and be as documented.
func (m received) message(t testing.TB, secret string) (typ string, data map[string]any) {
	t.Helper()
	signed(t, m, secret)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(m.body)))
	require.NoError(t, err)
	require.NoError(t, schema(t).Validate(document), "%s", m.body)
	var said struct {
		Type string
		Data map[string]any
	}
	require.NoError(t, json.Unmarshal(m.body, &said))
	return said.Type, said.Data
}

func TestLeadGoesToItsWebhook(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		earlier := w.lead() // of which nobody has wanted to hear
		r := w.receiver(nil)
		e, secret := w.endpoint(notify.Endpoint{Address: r.URL + "/hooks?key=1"})
		w.run()
		l := w.lead()
		require.NotEqual(t, earlier.ID, l.ID)
		m := r.wait(t, 1)[0]
		typ, data := m.message(t, secret)
		require.Equal(t, "lead.added", typ)
		require.Equal(t, "application/json", m.Get("Content-Type"))
		for name, value := range map[string]any{
			"site": "shop.example", "lead_id": float64(l.ID), "name": "Ada", "email": "ada@example.com", "phone": "+7 (912) 345-67-89", "phone_digits": "79123456789",
			"message": "Is the lamp in stock?", "form_name": "Order", "user_fields": map[string]any{"city": "London"}, "origin": "script", "is_sale": false, "marks": []any{}, "site_error": 0.0,
			"visitor_id": float64(l.Visitor), "page_url": "https://shop.example/order", "console_url": "https://desk.example/leads/1/" + jsonNumber(l.ID),
		} {
			require.Equal(t, value, data[name], name)
		}
		require.Equal(t, "news", data["source"].(map[string]any)["source"])
		done := w.until(state("delivered"))
		require.Equal(t, []any{m.Get("webhook-id"), 1, 200, "", e.ID, l.ID}, []any{done.ID(), done.Attempts, done.Status, done.Reason, done.EndpointID, done.Subject})
		require.Eventually(t, func() bool { return w.results.delivered.Load() == 1 }, time.Minute, 10*time.Millisecond, "it is counted after it is stored")
		require.Len(t, r.list(), 1)
	})
}

func jsonNumber(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// All events are as the schema says, and of a call in the order in which it was told.
func TestEventsAreAsDocumented(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, secret := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		take := func(event telephony.Event) {
			event.Platform, event.Call = "webhook", "c1"
			if event.Kind != telephony.End {
				event.Talk, event.Wait = telephony.Untold, telephony.Untold
			}
			_, _, err := w.Calls.Take(t.Context(), event)
			require.NoError(t, err)
		}
		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			if _, err := tx.Exec(ctx, `INSERT INTO declared_numbers (site_id, digits, replaces, first_at, retired_at) VALUES ($1, '74957654321', '74951234567', 1, 0)`, w.shop); err != nil {
				return err
			}
			return journal.Append(ctx, tx, journal.Entry{SiteID: w.shop, At: w.now(), Kind: incident.Begun, Data: json.RawMessage(`{"kind":"form","about":"/order","name":"/order","status":502,"since":"2026-11-22T12:00:00Z"}`)})
		}))
		w.lead(func(s *submission.Submission) { s.IsSale, s.SaleCost, s.UserFields = true, "1500.50", nil })
		w.lead(func(s *submission.Submission) {
			*s = submission.Submission{SiteID: s.SiteID, Origin: lead.Server, Message: "only this"}
		})
		began := w.now()
		take(telephony.Event{Kind: telephony.Start, At: began, Called: "74957654321", Caller: "79123456789"})
		take(telephony.Event{Kind: telephony.Answer, At: began.Add(5 * time.Second)})
		take(telephony.Event{Kind: telephony.End, At: began.Add(50 * time.Second), Status: telephony.Answered, Talk: 45, Wait: 5})
		take(telephony.Event{Kind: telephony.Record, At: began.Add(51 * time.Second), Recording: "https://pbx.example/1.mp3"})
		require.NoError(t, w.Endpoints.Try(t.Context(), w.shop, e.ID, "vera"))
		said := make(map[string]map[string]any)
		var ofCall []string
		for _, m := range r.wait(t, 8) {
			typ, data := m.message(t, secret)
			said[typ] = data
			if strings.HasPrefix(typ, "call.") {
				ofCall = append(ofCall, typ)
			}
		}
		require.Equal(t, []string{"call.started", "call.answered", "call.ended", "call.recorded"}, ofCall)
		require.Equal(t, "1500.50", said["sale.added"]["sale_cost"])
		require.Equal(t, "only this", said["lead.added"]["message"])
		require.Nil(t, said["lead.added"]["source"])
		require.Equal(t, map[string]any{"site": "shop.example", "kind": "form", "name": "/order", "status": 502.0, "since": "2026-11-22T12:00:00Z",
			"console_url": fmt.Sprintf("https://desk.example/sites/%d", w.shop)}, said["incident.begun"])
		require.Equal(t, "79123456789", said["call.recorded"]["caller"])
		require.Equal(t, 45.0, said["call.recorded"]["talk_seconds"])
		require.Equal(t, "https://pbx.example/1.mp3", said["call.recorded"]["recording_url"])
		require.Contains(t, said, "test")
	})
}

// A lead that becomes a sale is told as one once, whoever says so, and whatever is said later.
func TestLeadThatBecomesASaleIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		_, secret := w.endpoint(notify.Endpoint{Address: r.URL, Events: []notify.Event{notify.SaleAdded}})
		w.run()
		vera := lead.By{ID: 1, Login: "vera"}
		mark := func(l lead.Lead, is bool, amount string) {
			t.Helper()
			require.NoError(t, w.Leads.SetSale(t.Context(), vera, l.Key(), is, amount))
		}
		came := w.lead(func(s *submission.Submission) { s.IsSale, s.SaleCost = true, "10" })
		mark(came, false, "")
		mark(came, true, "20")
		marked := w.lead()
		mark(marked, true, "48 500")
		mark(marked, true, "48 000")
		mark(marked, false, "")
		mark(marked, true, "47 000")
		var form submission.Submission
		later := w.lead(func(s *submission.Submission) { form = *s })
		form.Origin, form.IsSale, form.SaleCost = lead.Server, true, "1500"
		joined, _, err := w.Leads.Add(t.Context(), form)
		require.NoError(t, err)
		require.Equal(t, later.ID, joined.ID)
		mark(later, true, "1600")
		last := w.lead(func(s *submission.Submission) { s.IsSale = true })

		told := make(map[float64]int)
		for _, m := range r.wait(t, 4) {
			typ, data := m.message(t, secret)
			require.Equal(t, "sale.added", typ)
			told[data["lead_id"].(float64)]++
		}
		require.Equal(t, map[float64]int{float64(came.ID): 1, float64(marked.ID): 1, float64(later.ID): 1, float64(last.ID): 1}, told)
		require.Eventually(t, func() bool { return w.results.delivered.Load() == 4 }, time.Minute, 10*time.Millisecond)
		require.Len(t, w.log(), 4)
	})
}

// The schema is no formality: what lacks a field, or has another, is not as documented.
func TestSchemaRefusesOthers(t *testing.T) {
	s := schema(t)
	for _, body := range []string{
		`{}`, `{"type":"lead.added","timestamp":"2026-11-22T12:00:00Z","data":{}}`, `{"type":"test","timestamp":"now","data":{"site":"a","text":"b"}}`,
		`{"type":"test","timestamp":"2026-11-22T12:00:00Z","data":{"site":"a","text":"b","more":1}}`, `{"type":"other","timestamp":"2026-11-22T12:00:00Z","data":{}}`,
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		require.NoError(t, err)
		require.Error(t, s.Validate(document), body)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"type":"test","timestamp":"2026-11-22T12:00:00Z","data":{"site":"a","text":"b"}}`))
	require.NoError(t, err)
	require.NoError(t, s.Validate(document))
}

func TestAnErrorIsTriedAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		seen := make(chan struct{})
		r := w.receiver(func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				http.Error(w, "what was sent: Ada", http.StatusInternalServerError)
				return
			}
			<-seen
		})
		see := sync.OnceFunc(func() { close(seen) })
		t.Cleanup(see)
		_, secret := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		w.lead()
		r.wait(t, 1)
		d := w.until(func(d notify.Delivery) bool { return d.Attempts == 1 })
		require.Equal(t, []any{notify.State("waiting"), 500, "status", ""}, []any{d.State, d.Status, d.Reason, d.Detail})
		see()
		all := r.wait(t, 2)
		for _, m := range all {
			m.message(t, secret)
		}
		require.Equal(t, all[0].Get("webhook-id"), all[1].Get("webhook-id"))
		require.NotEqual(t, all[0].Get("webhook-timestamp"), all[1].Get("webhook-timestamp"))
		require.NotEqual(t, all[0].Get("webhook-signature"), all[1].Get("webhook-signature"))
		d = w.until(state("delivered"))
		require.Equal(t, 2, d.Attempts)
		require.EqualValues(t, 1, w.results.retried.Load())
	})
}

func TestRetryAfterIsObeyed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const asked = 3 * time.Second
		r := w.receiver(func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				w.Header().Set("Retry-After", "3")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		w.lead()
		r.wait(t, 1)
		w.lead() // which waits with the first
		all := r.wait(t, 3)
		require.GreaterOrEqual(t, all[1].at.Sub(all[0].at), asked)
	})
}

// A receiver that is gone gets nothing more, and nothing is lost.
func TestGoneEndpointWaitsForSomebody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var back atomic.Bool
		r := w.receiver(func(_ int, w http.ResponseWriter, _ *http.Request) {
			if !back.Load() {
				w.WriteHeader(http.StatusGone)
			}
		})
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		first := w.lead()
		d := w.until(state("held"))
		require.Equal(t, []any{410, "gone"}, []any{d.Status, d.Reason})
		e, err := w.Endpoints.Get(t.Context(), w.shop, e.ID)
		require.NoError(t, err)
		require.True(t, e.Gone)
		require.False(t, e.PausedAt.IsZero())
		require.Contains(t, w.kinds(), notify.EndpointGone)
		second := w.lead()
		require.Eventually(t, func() bool { return len(w.log()) == 2 }, time.Minute, 10*time.Millisecond)
		require.Len(t, r.list(), 1)
		back.Store(true)
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, false, "vera"))
		require.Eventually(t, func() bool {
			log := w.log()
			return log[0].State == "delivered" && log[0].Subject == first.ID && log[1].State == "delivered" && log[1].Subject == second.ID
		}, time.Minute, 10*time.Millisecond)
	})
}

func TestHangingReceiverHoldsUpNobodyElse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.GiveUpAfter(5 * time.Second)
		release := make(chan struct{})
		r := w.receiver(func(_ int, _ http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/hangs" {
				select {
				case <-release:
				case <-q.Context().Done():
					panic(http.ErrAbortHandler) // else the answer may still reach who has just given up
				}
			}
		})
		defer close(release)
		hanging, _ := w.endpoint(notify.Endpoint{Address: r.URL + "/hangs"})
		other, _ := w.endpoint(notify.Endpoint{Address: r.URL + "/other"})
		w.run()
		for range 40 {
			w.lead()
		}
		// All have come to the one before the other has given up once.
		require.Eventually(t, func() bool {
			list, err := w.Log(t.Context(), w.shop, other.ID, "delivered", notify.Cursor{}, 100)
			require.NoError(t, err)
			return len(list) == 40
		}, time.Minute, 10*time.Millisecond)
		require.Eventually(t, func() bool {
			list, err := w.Log(t.Context(), w.shop, hanging.ID, "waiting", notify.Cursor{}, 100)
			require.NoError(t, err)
			for _, d := range list {
				if d.Reason == "timeout" {
					return len(list) == 40
				}
			}
			return false
		}, time.Minute, 10*time.Millisecond)
	})
}

// A path may name somebody. It is erased, and then nobody is told of the form again.
func TestFormThatNamesAPersonIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		e, _ := w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		require.NoError(t, w.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return journal.Append(ctx, tx, journal.Entry{SiteID: w.shop, At: w.now(), Kind: incident.Begun, Data: json.RawMessage(`{"kind":"form","about":"/call/8-495/111-22/33.html","name":"/call/8-495/111-22/33.html"}`)})
		}))
		d := w.until(state("delivered"))
		require.Contains(t, string(r.wait(t, 1)[0].body), "/call/8-495/111-22/33.html")
		require.Equal(t, map[string]int64{"deliveries": 1}, persontest.Erase(t, w.db, "8 495 111 22 33", notify.Traces()))
		require.NoError(t, w.Again(t.Context(), w.shop, e.ID, d.Entry))
		w.until(state("dropped"))
		require.Len(t, r.list(), 1)
	})
}

// An endpoint that gets nothing is told to the others, once, and again when it works.
func TestEndpointThatIsAwayIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.postOffice("")
		w.settings.Store(&notify.Settings{Mail: w.settings.Load().Mail, Allowed: loopback, Console: "https://desk.example/"})
		var answer atomic.Int32
		answer.Store(http.StatusGone)
		away := w.receiver(func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(answer.Load())) })
		e, _ := w.endpoint(notify.Endpoint{Address: away.URL + "/secret-of-the-address"})
		w.endpoint(notify.Endpoint{Kind: notify.Mail, Address: "admin@shop.example", Events: []notify.Event{notify.Begun, notify.Over}})
		w.run()
		w.lead()
		host := strings.TrimPrefix(away.URL, "https://")
		m := o.wait(t, 1)[0]
		require.Equal(t, "A receiver gets nothing: "+host+" · shop.example", m.subject(t))
		require.Contains(t, m.plain, fmt.Sprintf("https://desk.example/sites/%d", w.shop))
		require.NotContains(t, m.plain, "secret-of-the-address")

		answer.Store(http.StatusOK)
		require.NoError(t, w.Endpoints.Pause(t.Context(), w.shop, e.ID, false, "vera"))
		require.Equal(t, "A receiver works again: "+host+" · shop.example", o.wait(t, 2)[1].subject(t))
		for _, m := range away.wait(t, 2) {
			require.NotContains(t, string(m.body), "incident.", "it is not told of itself")
		}

		// One that fails is told when that has lasted.
		answer.Store(http.StatusServiceUnavailable)
		w.ahead.Store(int64(incident.TellEvery))
		w.lead()
		require.Eventually(t, func() bool {
			list, err := w.Log(t.Context(), w.shop, e.ID, "waiting", notify.Cursor{}, 1)
			require.NoError(t, err)
			return len(list) == 1 && list[0].Attempts > 0
		}, time.Minute, 10*time.Millisecond)
		require.Len(t, o.list(), 2)
		w.ahead.Add(int64(incident.Grace))
		require.Equal(t, m.subject(t), o.wait(t, 3)[2].subject(t))
		answer.Store(http.StatusOK)
		away.wait(t, 4)
	})
}
