package system

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

const twilioToken = "0123456789abcdef0123456789abcdef"

// exchanges are telephone platforms in front of a shop, on the database that is put in.
const exchanges = `{
	admin $ADMIN
	metrics
	frontdesk {
		database DATABASE
		telephony webhook {
			secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
		}
		telephony twilio {
			account AC0123456789abcdef0123456789abcdef
			auth_token ` + twilioToken + `
			destination 74950000000
		}
	}
}
http://localhost:$PORT {
	frontdesk shop {
		number 74951234567 {
			static 74957654321 utm_source=news*
		}
	}
	respond ok
}`

// twilio sends what Twilio would, and returns the status and the answer.
func (s *server) twilio(route, query string, fields ...string) (int, string) {
	s.T.Helper()
	sent := url.Values{"AccountSid": {"AC0123456789abcdef0123456789abcdef"}, "CallSid": {"CA1"}}
	for i := 0; i < len(fields); i += 2 {
		sent.Set(fields[i], fields[i+1])
	}
	address := s.Text("http://localhost:$PORT/frontdesk/calls/twilio/" + route + query)
	mac := hmac.New(sha1.New, []byte(twilioToken))
	mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		mac.Write([]byte(name + sent.Get(name)))
	}
	got, err := s.Do(http.MethodPost, address, sent.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	require.NoError(s.T, err)
	return got.StatusCode, got.Content
}

func (s *server) storedCalls() []call.Call {
	s.T.Helper()
	desk, done, err := caddymodule.Use()
	require.NoError(s.T, err)
	defer done()
	calls, err := desk.Calls.List(s.T.Context(), call.Filter{Sites: scope.All(), Unattributed: true}, call.Cursor{}, 100)
	require.NoError(s.T, err)
	return calls
}

// TestDocumentedCall sends a call by hand, as the documentation says.
func TestDocumentedCall(t *testing.T) {
	s := run(t, strings.Replace(exchanges, "DATABASE", "sqlite $DIR/frontdesk.db", 1)).Ready()
	content, err := os.ReadFile("../docs/calls.md")
	require.NoError(t, err)
	script := regexp.MustCompile("(?ms)^```sh\n(url=.*?)^```").FindStringSubmatch(string(content))
	require.NotNil(t, script)
	text := strings.Replace(script[1], "https://shop.example/", s.Text("http://localhost:$PORT/"), 1)
	said, err := exec.CommandContext(t.Context(), "sh", "-euc", text).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.JSONEq(t, `{"success":true}`, string(said))
	calls := s.storedCalls()
	require.Len(t, calls, 1)
	require.Equal(t, call.Campaign, calls[0].Reason)
	require.Equal(t, "utm_source=news*", calls[0].Conditions)
	require.Equal(t, "79123456789", calls[0].Caller)

	said, err = exec.CommandContext(t.Context(), "sh", "-euc", strings.Replace(text, "whsec_Mf", "whsec_Nf", 1)).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), `"code":"forged"`)
	require.Len(t, s.storedCalls(), 1)
	metrics := s.Get("http://" + s.Admin + "/metrics").Content
	require.Contains(t, metrics, `frontdesk_call_events_total{outcome="new",platform="webhook"} 1`)
	require.Contains(t, metrics, `frontdesk_call_events_total{outcome="forged",platform="webhook"} 1`)
}

// What is counted is what was stored, by whatever way it has come.
func TestContactsAreCounted(t *testing.T) {
	s := run(t, strings.Replace(exchanges, "DATABASE", "sqlite $DIR/frontdesk.db", 1)).Ready()
	counted := []string{`frontdesk_calls_total{status="missed"}`, `frontdesk_leads_total{origin="missed"}`, `frontdesk_chats_total`, `frontdesk_messages_total{author="visitor"}`, `frontdesk_messages_total{author="operator"}`}
	count := func() (sums []float64) {
		for _, name := range counted {
			sums = append(sums, s.Metric(name))
		}
		return sums
	}
	before := count()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	for range 2 { // the second one says nothing new
		_, _, err = desk.Calls.Take(t.Context(), telephony.Event{
			Platform: "webhook", Call: "counted", Kind: telephony.End, At: time.Now(), Called: "74957654321", Caller: "79123456789", Status: telephony.Missed, Talk: telephony.Untold, Wait: telephony.Untold,
		})
		require.NoError(t, err)
	}
	_, body := s.call("hit", map[string]any{"site_key": "shop", "view": "view-of-the-counted", "url": s.Text("http://localhost:$PORT/"), "kind": "load"})
	ref := visit.Ref{Visitor: visit.ID(body["visitor_id"].(float64)), Visit: visit.ID(body["session_id"].(float64)), View: visit.ID(body["hit_id"].(float64))}
	for _, id := range []string{"first-of-the-counted", "first-of-the-counted", "other-of-the-counted"} {
		_, _, err := desk.Chats.SayFrom(t.Context(), chat.From{SiteID: 1, Ref: ref}, chat.Message{ClientID: id, Text: "Hello"})
		require.NoError(t, err)
	}
	talk, err := desk.Chats.Of(t.Context(), 1, ref.Visitor)
	require.NoError(t, err)
	_, err = desk.Chats.Say(t.Context(), 1, talk.ID, chat.Message{Author: chat.Operator, OperatorID: 1, Text: "Good day"})
	require.NoError(t, err)
	want := []float64{before[0] + 1, before[1] + 1, before[2] + 1, before[3] + 2, before[4] + 1}
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, want, count()) }, wait, tick)
}

func TestCallsAreTakenOnlyFromConfiguredPlatforms(t *testing.T) {
	s := run(t, option+tracked).Ready()
	for _, route := range []string{"webhook", "twilio/voice", "twilio/status", ""} {
		got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/calls/"+route, "{}")
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, got.StatusCode, route)
	}
}

func TestTwilioPutsCallsThrough(t *testing.T) {
	s := run(t, strings.Replace(exchanges, "DATABASE", "sqlite $DIR/frontdesk.db", 1)).Ready()
	var answer string
	require.Eventually(t, func() bool { // a caller does not wait for a database that is slow
		var status int
		status, answer = s.twilio("voice", "", "From", "+79123456789", "To", "+74957654321")
		return status == http.StatusOK && strings.Contains(answer, ">+74951234567</Number>")
	}, wait, tick)
	callback := regexp.MustCompile(`action="[^"]*/frontdesk/calls/twilio/status(\?[^"]*)"`).FindStringSubmatch(answer)
	require.NotNil(t, callback, answer)
	query := strings.ReplaceAll(callback[1], "&amp;", "&")
	for _, fields := range [][]string{
		{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "in-progress"},
		{"DialCallStatus", "completed", "DialCallDuration", "42"},
		{"DialCallStatus", "completed", "DialCallDuration", "42"},
		{"CallStatus", "completed", "CallDuration", "50"},
	} {
		status, answer := s.twilio("status", query, fields...)
		require.Equal(t, http.StatusOK, status, answer)
		require.True(t, strings.HasSuffix(answer, "<Response></Response>"), answer)
	}
	var calls []call.Call
	require.Eventually(t, func() bool { // the start may be stored after it was answered
		calls = s.storedCalls()
		return len(calls) == 1 && calls[0].StartTold && calls[0].Status == telephony.Answered
	}, time.Minute, 50*time.Millisecond)
	require.EqualValues(t, 42, calls[0].Talk)
	require.Equal(t, call.Campaign, calls[0].Reason)
	require.Equal(t, "79123456789", calls[0].Caller)

	_, answer = s.twilio("voice", "", "CallSid", "CA3", "From", "anonymous", "To", "+74959999999")
	require.Contains(t, answer, ">+74950000000</Number>", "nobody knows the number")
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/calls/twilio/voice", "CallSid=CA4", "X-Twilio-Signature", "AAAA")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, got.StatusCode)
}

// Callers are put through while there is no database, and what cannot wait says so.
func TestTwilioWithoutDatabase(t *testing.T) {
	s := run(t, strings.Replace(exchanges, "DATABASE", `postgres "postgres://frontdesk@localhost:$PORT2/frontdesk?connect_timeout=2"`, 1))
	status, answer := s.twilio("voice", "", "From", "+79123456789", "To", "+74957654321")
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, ">+74950000000</Number>")
	status, answer = s.twilio("status", "", "DialCallStatus", "completed")
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
}
