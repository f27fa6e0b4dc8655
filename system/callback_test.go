package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

const pbxSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// exchange is a PBX that takes signed orders. Hang has it take none for long, and status is
// what it answers.
type exchange struct {
	*httptest.Server
	mu     sync.Mutex
	orders []map[string]any
	status int
	hangs  bool
}

func newExchange(t *testing.T) *exchange {
	keys, err := signature.Parse(pbxSecret)
	require.NoError(t, err)
	e := &exchange{status: http.StatusNoContent}
	ended := make(chan struct{})
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct {
			Type string         `json:"type"`
			Data map[string]any `json:"data"`
		}
		if !keys.Signed(r.Header.Get(signature.ID), r.Header.Get(signature.Timestamp), r.Header.Get(signature.Signature), body) || json.Unmarshal(body, &message) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		e.mu.Lock()
		if message.Type == "callback.order" {
			e.orders = append(e.orders, message.Data)
		}
		status, hangs := e.status, e.hangs
		e.mu.Unlock()
		if hangs {
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() { close(ended); e.Close() })
	return e
}

func (e *exchange) set(status int, hangs bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status, e.hangs = status, hangs
}

// placed is the order of the index, and all that there are.
func (e *exchange) placed(t *testing.T, n int) map[string]any {
	t.Helper()
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.orders) > n
	}, time.Minute, 20*time.Millisecond)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.orders[n]
}

func (e *exchange) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.orders)
}

// calling is a site that calls back, with the lines put in for its database, platforms and
// callbacks.
const calling = `{
	admin $ADMIN
	servers {
		trusted_proxies static 127.0.0.1/32 ::1/128
	}
	frontdesk {
		database DATABASE
		PLATFORM
	}
}
http://localhost:$PORT {
	frontdesk shop {
		region RU
		callback {
			LINES
		}
	}
	respond ok
}`

// eachCalling runs the test with the real program, on both engines.
func eachCalling(t *testing.T, platform, lines string, test func(t *testing.T, s *server, caddyfile string)) {
	eachDatabase(t, func(t *testing.T, _, database string) {
		caddyfile := strings.NewReplacer("DATABASE", database, "PLATFORM", platform, "LINES", lines).Replace(calling)
		test(t, run(t, caddyfile).Ready(), caddyfile)
	})
}

func (e *exchange) directive() string {
	return "telephony webhook " + e.URL + "/orders {\n secret " + pbxSecret + "\n}"
}

var callbacksAsked int

// callBack asks for a callback as the script does, from a page view of its own.
func (s *server) callBack(request map[string]any, headers ...string) (status int, code string, success bool) {
	s.T.Helper()
	callbacksAsked++
	body, err := json.Marshal(map[string]any{
		"hit": map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%017d", callbacksAsked), "url": s.Text("http://localhost:$PORT/"), "kind": "load"},
		"id":  fmt.Sprintf("call-%017d", callbacksAsked), "request": request,
	})
	require.NoError(s.T, err)
	return s.callBackAs(string(body), headers...)
}

func (s *server) callBackAs(body string, headers ...string) (status int, code string, success bool) {
	s.T.Helper()
	headers = append(headers, "Content-Type", "application/json", "User-Agent", "Mozilla/5.0 Chrome/140.0.0.0")
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/callback", body, headers...)
	for begun := time.Now(); err == nil && got.StatusCode == http.StatusServiceUnavailable && time.Since(begun) < wait; {
		got, err = s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/callback", body, headers...) // it is one callback
	}
	require.NoError(s.T, err)
	require.Equal(s.T, http.StatusOK, got.StatusCode, got.Content)
	var answer struct {
		Success bool             `json:"success"`
		Result  *callback.Result `json:"result"`
		Error   string           `json:"error"`
	}
	require.NoError(s.T, json.Unmarshal([]byte(got.Content), &answer), got.Content)
	require.NotNil(s.T, answer.Result, got.Content)
	require.Equal(s.T, answer.Success, answer.Error == "", got.Content)
	return answer.Result.Status, answer.Result.Code, answer.Success
}

// tells has the PBX tell what becomes of an order.
func (s *server) tells(body string) int {
	s.T.Helper()
	keys, err := signature.Parse(pbxSecret)
	require.NoError(s.T, err)
	header := make(http.Header)
	keys.Sign(header, "msg", time.Now(), []byte(body))
	var headers []string
	for name := range header {
		headers = append(headers, name, header.Get(name))
	}
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/calls/webhook", body, headers...)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) { // as beside a configuration that is replaced: platforms tell again
		got, err = s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/calls/webhook", body, headers...)
	}
	require.NoError(s.T, err)
	return got.StatusCode
}

func (s *server) callbacks() []callback.Callback {
	s.T.Helper()
	desk, done, err := caddymodule.Use()
	require.NoError(s.T, err)
	defer done()
	list, err := desk.Callbacks.List(s.T.Context(), callback.Filter{Sites: scope.All()}, 100)
	require.NoError(s.T, err)
	return list
}

func mobile(n int) string { return fmt.Sprintf("+7 912 345-%02d-%02d", n/100, n%100) }

func TestCallbackOverHTTP(t *testing.T) {
	pbx := newExchange(t)
	eachCalling(t, pbx.directive(), "phone 74951234567\nrepeat 1 10s\ncaller_id 74957654321", func(t *testing.T, s *server, caddyfile string) {
		pbx.set(http.StatusNoContent, false)
		first := pbx.count()
		status, code, success := s.callBack(map[string]any{"phone": "8 (912) 345-67-89", "captcha_key": "", "captcha_value": "", "group_id": nil, "delayed_call_time": "0"})
		require.Equal(t, callback.Sent, status, code)
		require.True(t, success)
		order := pbx.placed(t, first)
		require.Equal(t, "79123456789", order["visitor"])
		require.Equal(t, "74951234567", order["operator"])
		require.Equal(t, "74957654321", order["caller_id"])
		require.Equal(t, "shop", order["site"])
		id := order["callback"].(string)

		// The program is started anew in the middle.
		require.Equal(t, http.StatusOK, s.tells(`{"callback":"`+id+`","step":"operator_rings"}`))
		require.NoError(t, s.Load(strings.Replace(caddyfile, "database ", "addresses whole\ndatabase ", 1)))
		s.Ready()
		require.Equal(t, http.StatusOK, s.tells(`{"callback":"`+id+`","step":"visitor_rings"}`))
		require.Equal(t, callback.CallingVisitor, s.callbacks()[0].State)
		require.Equal(t, http.StatusOK, s.tells(`{"callback":"`+id+`","step":"ended","outcome":"visitor_no_answer"}`))
		require.Equal(t, callback.Waiting, s.callbacks()[0].State)
		second := pbx.placed(t, first+1)["callback"].(string)
		require.NotEqual(t, id, second)
		require.Equal(t, http.StatusOK, s.tells(`{"callback":"`+second+`","step":"talking"}`))
		require.Equal(t, http.StatusOK, s.tells(`{"callback":"`+second+`","step":"ended","outcome":"talked","talk_seconds":42}`))
		done := s.callbacks()[0]
		require.Equal(t, callback.Done, done.State)
		require.EqualValues(t, 42, done.Talk)
		require.NotZero(t, done.Visitor)
		require.Equal(t, http.StatusNotFound, s.tells(`{"callback":"NOBODYS","step":"talking"}`))
		require.Equal(t, http.StatusBadRequest, s.tells(`{"callback":"`+second+`","step":"dancing"}`))

		// The same call of the page is one callback.
		callbacksAsked++
		body := fmt.Sprintf(`{"hit":{"site_key":"shop","view":"view-%017d","url":%q,"kind":"load"},"id":"call-%017d","request":{"phone":%q}}`, callbacksAsked, s.Text("http://localhost:$PORT/"), callbacksAsked, mobile(1))
		for range 2 {
			status, code, _ := s.callBackAs(body)
			require.Equal(t, callback.Sent, status, code)
		}
		require.Len(t, s.callbacks(), 2)

		// A platform that refuses, and one that hangs.
		pbx.set(http.StatusServiceUnavailable, false)
		status, code, success = s.callBack(map[string]any{"phone": mobile(2)})
		require.Equal(t, callback.Unreachable, status)
		require.Equal(t, callback.PlatformError, code)
		require.False(t, success)
		pbx.set(http.StatusNoContent, true)
		status, _, _ = s.callBack(map[string]any{"phone": mobile(3)}) // the other hangs until the test ends
		require.Equal(t, callback.Unreachable, status)
		list := s.callbacks()
		require.Len(t, list, 4, "those that failed are kept")
		require.Equal(t, callback.Failed, list[0].State)
		require.Equal(t, callback.Failed, list[1].State)
	})
}

func TestBadCallbacks(t *testing.T) {
	pbx := newExchange(t)
	eachCalling(t, pbx.directive(), "phone 74951234567\ncountries RU KZ", func(t *testing.T, s *server, _ string) {
		before := pbx.count()
		for n, c := range []struct {
			code    string
			request map[string]any
		}{
			{request.WrongPhone, map[string]any{}},
			{request.WrongPhone, map[string]any{"phone": ""}},
			{request.WrongPhone, map[string]any{"phone": nil}},
			{request.WrongPhone, map[string]any{"phone": []string{"79123456789"}}},
			{request.WrongPhone, map[string]any{"phone": "79123456789\r\nVariable: x=1"}},
			{request.WrongPhone, map[string]any{"phone": "7912345\n6789"}},
			{request.WrongPhone, map[string]any{"phone": "79123456789@evil.example"}},
			{request.WrongPhone, map[string]any{"phone": "call me"}},
			{request.WrongPhone, map[string]any{"phone": "112"}},
			{request.WrongPhone, map[string]any{"phone": strings.Repeat("7", 100_000/4)}},
			{callback.TypeNotAllowed, map[string]any{"phone": "8 809 555-11-22"}},    // premium
			{callback.TypeNotAllowed, map[string]any{"phone": "+44 909 8790000"}},    // premium
			{callback.TypeNotAllowed, map[string]any{"phone": "+49 180 5 123456"}},   // shared cost
			{callback.CountryNotAllowed, map[string]any{"phone": "+49 30 12345678"}}, // another country
			{request.WrongTime, map[string]any{"phone": mobile(1), "delayed_call_time": time.Now().AddDate(1, 0, 0).UnixMilli()}},
			{request.WrongTime, map[string]any{"phone": mobile(1), "delayed_call_time": "tomorrow"}},
			{request.WrongTime, map[string]any{"phone": mobile(1), "delayed_call_time": "1e400"}},
			{request.WrongGroup, map[string]any{"phone": mobile(1), "group_id": map[string]any{"id": 1}}},
		} {
			status, code, success := s.callBack(c.request, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", n+1))
			require.Equal(t, callback.NoScenario, status, "%v", c.request)
			require.Equal(t, c.code, code, "%v", c.request)
			require.False(t, success)
		}
		require.Equal(t, before, pbx.count(), "nobody was called")
		kept := s.callbacks()
		require.Len(t, kept, 1, "whoever can be called by hand")
		require.Equal(t, "493012345678", kept[0].Phone)
		require.Equal(t, callback.CountryNotAllowed, kept[0].Reason)

		// What is wrong with the call itself is told as everywhere.
		for _, body := range []string{``, `{`, `[]`, `{"request":{"phone":"79123456789"}}`, `{"id":"call-00000000000000001","credentials":{"site_key":"shop","visitor_id":1,"hit_id":2,"session_id":3},"request":{"phone":"79123456789"}}`} {
			got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/callback", body, "Content-Type", "application/json", "X-Forwarded-For", "198.51.101.1")
			require.NoError(t, err)
			require.Contains(t, got.Content, `"success":false`, body)
		}
		require.Len(t, s.callbacks(), 1)
	})
}

func TestCallbackLimits(t *testing.T) {
	pbx := newExchange(t)
	eachCalling(t, pbx.directive(), "phone 74951234567", func(t *testing.T, s *server, _ string) {
		before := pbx.count()
		for n := range 12 {
			status, code, success := s.callBack(map[string]any{"phone": mobile(n)}, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", n+1))
			if n < callback.PerMinute {
				require.Equal(t, callback.Sent, status, code)
				continue
			}
			require.Equal(t, callback.TooMany, status, "the eleventh within a minute")
			require.Equal(t, callback.LimitMinute, code)
			require.False(t, success)
		}
		require.Equal(t, before+callback.PerMinute, pbx.count())
		require.Len(t, s.callbacks(), callback.PerMinute)
	})
}

func TestNoScenario(t *testing.T) {
	pbx := newExchange(t)
	for name, c := range map[string]struct{ platform, lines, code string }{
		"no platform":     {"", "phone 74951234567", callback.NoPlatform},
		"nobody to call":  {pbx.directive(), "repeat 0", callback.NobodyToCall},
		"another's":       {pbx.directive(), "phone 74951234567\nplatform twilio", callback.NoPlatform},
		"other countries": {pbx.directive(), "phone 74951234567\ncountries KZ", callback.CountryNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			eachCalling(t, c.platform, c.lines, func(t *testing.T, s *server, _ string) {
				status, code, _ := s.callBack(map[string]any{"phone": mobile(1)})
				require.Equal(t, callback.NoScenario, status)
				require.Equal(t, c.code, code)
				kept := s.callbacks()
				require.Len(t, kept, 1, "no request is lost")
				require.Equal(t, callback.Failed, kept[0].State)
				require.Equal(t, c.code, kept[0].Reason)
			})
		})
	}
	require.Zero(t, pbx.count())
}

func TestCallbackWithCaptcha(t *testing.T) {
	pbx := newExchange(t)
	eachCalling(t, pbx.directive(), "phone 74951234567\ncaptcha on", func(t *testing.T, s *server, _ string) {
		before := pbx.count()
		another := func() {
			jar, err := cookiejar.New(nil)
			require.NoError(t, err)
			s.Client.Jar = jar
		}
		another()
		issue := func() (key, digits string) {
			callbacksAsked++
			status, body := s.call("captcha", map[string]any{
				"hit": map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%017d", callbacksAsked), "url": s.Text("http://localhost:$PORT/"), "kind": "load"},
				"id":  fmt.Sprintf("call-%017d", callbacksAsked),
			})
			require.Equal(t, http.StatusOK, status, body)
			key = body["key"].(string)
			require.Equal(t, "image/png", s.Get(body["url"].(string)).Header.Get("Content-Type"))
			desk, done, err := caddymodule.Use()
			require.NoError(t, err)
			defer done()
			digits, found, err := db.One(t.Context(), desk.DB.Read(), db.Only[string], `SELECT digits FROM captchas WHERE key = $1`, key)
			require.NoError(t, err)
			require.True(t, found)
			return key, digits
		}
		asked := 0
		ask := func(key, value any) int {
			asked++
			status, _, _ := s.callBack(map[string]any{"phone": mobile(asked), "captcha_key": key, "captcha_value": value})
			return status
		}
		key, digits := issue()
		require.Equal(t, callback.CaptchaWrong, ask(nil, nil))
		require.Equal(t, callback.CaptchaWrong, ask("", ""))
		require.Equal(t, callback.CaptchaWrong, ask("AAAAAAAAAAAAAAAAAAAAAAAAAA", digits))
		mine := s.Client.Jar
		another()
		require.Equal(t, callback.CaptchaWrong, ask(key, digits), "another visitor's")
		s.Client.Jar = mine
		require.Equal(t, callback.Sent, ask(key, digits), "and it is not used up by that")
		require.Equal(t, callback.CaptchaWrong, ask(key, digits), "replayed")
		key, digits = issue()
		require.Equal(t, callback.CaptchaWrong, ask(key, "x"+digits))
		require.Equal(t, callback.CaptchaWrong, ask(key, digits), "the wrong value has used it up")
		key, digits = issue()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		defer done()
		require.NoError(t, desk.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE captchas SET until = $1`, time.Now().Add(-time.Second).UnixMilli())
			return err
		}))
		require.Equal(t, callback.CaptchaWrong, ask(key, digits), "too old")
		require.Equal(t, before+1, pbx.count())
		require.Len(t, s.callbacks(), 1)
	})
}

// A callback that waits for its time is carried out by the program that runs then.
func TestDelayedCallbackOutlivesARestart(t *testing.T) {
	pbx := newExchange(t)
	eachCalling(t, pbx.directive(), "phone 74951234567", func(t *testing.T, s *server, caddyfile string) {
		before := pbx.count()
		status, code, _ := s.callBack(map[string]any{"phone": mobile(1), "delayed_call_time": fmt.Sprint(time.Now().Add(15 * time.Second).UnixMilli())})
		require.Equal(t, callback.Sent, status)
		require.Equal(t, callback.CodeLater, code)
		require.Equal(t, before, pbx.count())
		require.NoError(t, s.Load("{\n admin $ADMIN\n}\n")) // the service ends
		require.NoError(t, s.Load(caddyfile))
		s.Ready()
		require.Equal(t, "79123450001", pbx.placed(t, before)["visitor"])
		require.Eventually(t, func() bool { return s.callbacks()[0].State == callback.CallingOperator }, time.Minute, 20*time.Millisecond)
	})
}
