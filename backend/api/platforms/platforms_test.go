package platforms_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/platforms"
	telephone "github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

const callSecret = "a secret of the exchange"

// exchange takes calls as the service does.
type exchange struct {
	t       *testing.T
	calls   *telephone.Calls
	handler *platforms.Platforms
	away    atomic.Bool
	mu      sync.Mutex
	counted map[string]int
}

func (x *exchange) Call(platform, outcome string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.counted[platform+" "+outcome]++
}

func newExchange(t *testing.T, d *db.DB, known ...telephony.Platform) *exchange {
	t.Helper()
	visits := visittest.Open(t, d, time.Now)
	x := &exchange{t: t, counted: make(map[string]int), calls: telephone.New(telephone.Subjects{DB: d, Visits: visits.Visits, Leases: lease.New(d, time.Now, nil)}, time.Now)}
	webhook, err := telephony.NewWebhook(callSecret)
	require.NoError(t, err)
	x.handler = x.answers(append(known, webhook)...)
	return x
}

// answers returns the handler of what the platforms send.
func (x *exchange) answers(known ...telephony.Platform) *platforms.Platforms {
	use := func() (*telephone.Calls, func()) {
		if x.away.Load() {
			return nil, func() {}
		}
		return x.calls, func() {}
	}
	return platforms.New(known, telephone.NewSwitchboard(use, zap.NewNop(), x), nil, time.Now)
}

// serve answers the request at the route behind "calls/".
func (x *exchange) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	x.handler.Serve(w, r, strings.TrimPrefix(r.URL.Path, "/frontdesk/calls/"))
	return w
}

// signed is what a platform sends.
func signed(body string) *http.Request { return signedAt(time.Now(), body) }

func signedAt(moment time.Time, body string) *http.Request {
	at := fmt.Sprint(moment.Unix())
	mac := hmac.New(sha256.New, []byte(callSecret))
	mac.Write([]byte("m." + at + "." + body))
	r := httptest.NewRequest(http.MethodPost, "/frontdesk/calls/webhook", strings.NewReader(body))
	r.RemoteAddr = "198.51.100.7:1234"
	r.Header.Set("Webhook-Id", "m")
	r.Header.Set("Webhook-Timestamp", at)
	r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

func ringing(id string) string {
	return fmt.Sprintf(`{"call_id":%q,"event":"start","time":%q,"called":"74957654321","caller":"79123456789","recording_url":"file:///etc/passwd"}`,
		id, time.Now().Format(time.RFC3339))
}

func (x *exchange) stored() int {
	x.t.Helper()
	list, err := x.calls.List(x.t.Context(), telephone.Filter{Sites: scope.All(), Unattributed: true}, telephone.Cursor{}, 20_000)
	require.NoError(x.t, err)
	return len(list)
}

func TestCallsOfAPlatform(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		x := newExchange(t, d)
		for range 2 {
			w := x.serve(signed(ringing("c1")))
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.JSONEq(t, `{"success":true,"notes":["recording"]}`, w.Body.String())
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		}
		require.Equal(t, 1, x.stored())

		refused := func(status int, code string, r *http.Request) {
			t.Helper()
			w := x.serve(r)
			require.Equal(t, status, w.Code, w.Body)
			require.Contains(t, w.Body.String(), `"code":"`+code+`"`)
		}
		forged := signed(ringing("c2"))
		forged.Header.Set("Webhook-Id", "other")
		refused(http.StatusUnauthorized, "forged", forged)
		refused(http.StatusUnauthorized, "stale", signedAt(time.Now().Add(-6*time.Minute), ringing("c2")))
		refused(http.StatusBadRequest, "malformed", signed(`{"call_id":"c2"`))
		refused(http.StatusBadRequest, "malformed", signed(`{"call_id":"c2\u0007","event":"start","time":"2026-11-22T12:00:00Z","called":"74957654321"}`))
		refused(http.StatusRequestEntityTooLarge, "too_large", signed(ringing("c2")+strings.Repeat(" ", 32<<10)))
		get := signed("")
		get.Method = http.MethodGet
		refused(http.StatusMethodNotAllowed, "method_not_allowed", get)
		other := signed(ringing("c2"))
		other.URL.Path = "/frontdesk/calls/pigeon"
		refused(http.StatusNotFound, "unknown_route", other)
		require.Equal(t, 1, x.stored())
		require.Equal(t, map[string]int{"webhook new": 1, "webhook repeated": 1, "webhook forged": 1, "webhook stale": 1, "webhook malformed": 3}, x.counted)

		x.away.Store(true)
		refused(http.StatusServiceUnavailable, "unavailable", signed(ringing("c2")))
		x.away.Store(false)
		require.Equal(t, http.StatusOK, x.serve(signed(ringing("c2"))).Code)
	})
}

// Who guesses is held up. The platform is not, whatever others send from the same address.
func TestForgeriesAreLimited(t *testing.T) {
	const account, token = "AC0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"
	twilio, err := telephony.NewTwilio(account, token, "74950000000")
	require.NoError(t, err)
	x := newExchange(t, dbtest.Open(t, dbtest.SQLite(t)), twilio)
	from := func(address string, r *http.Request) int {
		r.RemoteAddr = address
		return x.serve(r).Code
	}
	voice := func(token string) *http.Request {
		mac := hmac.New(sha1.New, []byte(token))
		mac.Write([]byte("http://shop.example/frontdesk/calls/twilio/voiceAccountSid" + account + "CallSidCA1From+79123456789To+74957654321"))
		sent := url.Values{"AccountSid": {account}, "CallSid": {"CA1"}, "From": {"+79123456789"}, "To": {"+74957654321"}}
		r := httptest.NewRequest(http.MethodPost, "http://shop.example/frontdesk/calls/twilio/voice", strings.NewReader(sent.Encode()))
		r.URL.Scheme, r.URL.Host = "", ""
		r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		return r
	}
	forged := func() *http.Request {
		r := signed(ringing("c"))
		r.Header.Set("Webhook-Signature", "v1,AAAA")
		return r
	}
	stranger := func() *http.Request { return voice("a token of somebody else's") }
	broken := func() *http.Request {
		return httptest.NewRequest(http.MethodPost, "/frontdesk/calls/twilio/voice", strings.NewReader("a=%"))
	}
	tooLarge := func() *http.Request {
		return httptest.NewRequest(http.MethodPost, "/frontdesk/calls/webhook", strings.NewReader(strings.Repeat("a", 40<<10)))
	}

	const one, other = "203.0.113.5:1", "203.0.113.6:1"
	limited := 0
	for range 200 {
		if from(one, forged()) == http.StatusTooManyRequests {
			limited++
		}
	}
	require.Positive(t, limited)
	require.Equal(t, limited, x.counted["webhook limited"])
	for _, request := range []func() *http.Request{stranger, broken, tooLarge} {
		require.Eventually(t, func() bool { // one is let in each 200 ms, which may be now
			for from(one, forged()) != http.StatusTooManyRequests {
			}
			return from(one, request()) == http.StatusTooManyRequests
		}, time.Minute, time.Millisecond)
	}
	require.Equal(t, http.StatusUnauthorized, from(other, forged()), "others are not held up")
	for i := range 300 {
		require.Equal(t, http.StatusOK, from(one, signed(ringing(fmt.Sprint(i%3)))))
		require.Equal(t, http.StatusBadRequest, from(one, signed(`{}`)), "what the platform signs and nobody can read")
		require.Equal(t, http.StatusUnauthorized, from(one, signedAt(time.Now().Add(-time.Hour), ringing("c"))), "what it signed long ago")
		require.Equal(t, http.StatusOK, from(one, voice(token)))
	}
}

// slow is a platform that takes its time for reading.
type slow struct {
	telephony.Platform
	reading, most atomic.Int64
	begun         chan struct{}
	end           chan struct{}
}

func (s *slow) Read(r *telephony.Request, now time.Time) (telephony.Event, error) {
	reading := s.reading.Add(1)
	defer s.reading.Add(-1)
	for most := s.most.Load(); reading > most && !s.most.CompareAndSwap(most, reading); most = s.most.Load() {
	}
	s.begun <- struct{}{}
	<-s.end
	return s.Platform.Read(r, now)
}

// However many requests come at once, some are verified at a time, and the others wait.
func TestFewAreVerifiedAtOnce(t *testing.T) {
	const many = 50
	webhook, err := telephony.NewWebhook(callSecret)
	require.NoError(t, err)
	platform := &slow{Platform: webhook, begun: make(chan struct{}, many), end: make(chan struct{})}
	x := newExchange(t, dbtest.Open(t, dbtest.SQLite(t)))
	x.handler = x.answers(platform)
	var coming sync.WaitGroup
	for i := range many {
		coming.Go(func() {
			assert.Equal(t, http.StatusOK, x.serve(signed(ringing(fmt.Sprint("c", i)))).Code)
		})
	}
	<-platform.begun
	close(platform.end)
	coming.Wait()
	for range many - 1 {
		<-platform.begun
	}
	require.LessOrEqual(t, platform.most.Load(), int64(4))
	require.Equal(t, many, x.stored())

	platform.end = make(chan struct{})
	for range 4 {
		coming.Go(func() { x.serve(signed(ringing("c"))) })
	}
	for range 4 {
		<-platform.begun
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.Equal(t, http.StatusServiceUnavailable, x.serve(signed(ringing("c")).WithContext(gone)).Code, "it is to come again")
	close(platform.end)
	coming.Wait()
}

// Ten thousand calls that come at once are all kept, and take little memory. Under the race detector a thousand are
// many.
func TestManyCallsAtOnce(t *testing.T) {
	many := 10_000
	if stepstest.Raced {
		many = 1_000
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		x := newExchange(t, d)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var again atomic.Int64
		begun := time.Now()
		var coming sync.WaitGroup
		for i := range many {
			coming.Go(func() {
				// A busy machine may not store all of them in time. Then they come again a while later, as from a platform.
				for x.serve(signed(ringing(fmt.Sprint("c", i)))).Code != http.StatusOK {
					if again.Add(1) > int64(10*many) {
						return
					}
					time.Sleep(time.Second)
				}
			})
		}
		coming.Wait()
		runtime.ReadMemStats(&after)
		t.Logf("%d calls in %v, %d of them sent again, %d MB more from the system", many, time.Since(begun).Round(time.Millisecond), again.Load(), (after.Sys-before.Sys)>>20)
		require.Equal(t, many, x.stored())
		if !stepstest.Raced {
			require.Less(t, after.Sys-before.Sys, uint64(512<<20))
		}
	})
}
