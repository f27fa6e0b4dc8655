package telephony

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

var anOrder = Order{ID: "ORDERWITH26LETTERSANDDIGIT", Site: "shop", Operator: "74951234567", Visitor: "79123456789", CallerID: "74957654321", Ring: 30 * time.Second}

// described checks a message against a definition of the documented schema.
func described(t *testing.T, definition string, body []byte) {
	t.Helper()
	file, err := os.Open("../../docs/callbacks.schema.json")
	require.NoError(t, err)
	defer file.Close()
	schema, err := jsonschema.UnmarshalJSON(file)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("callbacks.schema.json", schema))
	compiled, err := compiler.Compile("callbacks.schema.json#/$defs/" + definition)
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(body)))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(value), "%s", body)
}

// The examples of docs/callbacks.md are such as the schema wants.
func TestDocumentedOrders(t *testing.T) {
	page, err := os.ReadFile("../../docs/callbacks.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?ms)^```json\n(.*?)^```").FindAllSubmatch(page, -1)
	require.Len(t, examples, 3)
	described(t, "message", examples[0][1])
	w, err := NewWebhook(secret)
	require.NoError(t, err)
	for _, example := range examples[1:] {
		described(t, "event", example[1])
		e, err := w.Read(sign(keyOf(t, secret), "m1", noon, string(example[1])), noon)
		require.NoError(t, err)
		require.NotNil(t, e.Progress)
	}
}

func TestOrdersByWebhook(t *testing.T) {
	keys, err := signature.Parse(secret)
	require.NoError(t, err)
	status := http.StatusOK
	var got []map[string]any
	var ids []string
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, http.MethodPost, r.Method)
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		id := r.Header.Get(signature.ID)
		require.True(t, keys.Signed(id, r.Header.Get(signature.Timestamp), r.Header.Get(signature.Signature), body))
		described(t, "message", body)
		var message map[string]any
		require.NoError(t, json.Unmarshal(body, &message))
		got, ids = append(got, message), append(ids, id)
		w.WriteHeader(status)
	}))
	defer platform.Close()
	orders, err := NewWebhookOrders(platform.URL+"/orders?token=hidden", time.Now, secret)
	require.NoError(t, err)
	require.NoError(t, orders.Place(t.Context(), anOrder))
	require.NoError(t, orders.Cancel(t.Context(), anOrder.ID))
	require.Equal(t, map[string]any{
		"callback": anOrder.ID, "site": "shop", "operator": "74951234567", "visitor": "79123456789", "caller_id": "74957654321", "ring_seconds": 30.0,
	}, got[0]["data"])
	require.Equal(t, "callback.cancel", got[1]["type"])
	require.NotEqual(t, ids[0], ids[1])

	for _, wrong := range []int{http.StatusFound, http.StatusBadRequest, http.StatusServiceUnavailable} {
		status = wrong
		require.ErrorContains(t, orders.Place(t.Context(), anOrder), fmt.Sprint(wrong))
	}
	platform.Close()
	err = orders.Place(t.Context(), anOrder)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hidden")
	for _, address := range []string{"", "pbx", "ftp://pbx/", "https://"} {
		_, err := NewWebhookOrders(address, time.Now, secret)
		require.Error(t, err, address)
	}
}

func TestProgressByWebhook(t *testing.T) {
	w, err := NewWebhook(secret)
	require.NoError(t, err)
	read := func(body string) (Event, error) { return w.Read(sign(keyOf(t, secret), "m1", noon, body), noon) }
	for body, expected := range map[string]Progress{
		`{"callback":"A1","step":"operator_rings"}`:                                                        {Order: "A1", Step: OperatorRings, Talk: Untold},
		`{"callback":"A1","step":"visitor_rings","time":"2026-11-22T12:00:00Z","more":[1]}`:                {Order: "A1", Step: VisitorRings, Talk: Untold, At: noon},
		`{"callback":"A1","step":"talking"}`:                                                               {Order: "A1", Step: Talking, Talk: Untold},
		`{"callback":"A1","step":"ended","outcome":"talked","talk_seconds":42,"reason":"16 normal"}`:       {Order: "A1", Step: Ended, Outcome: Talked, Talk: 42, Reason: "16 normal"},
		`{"callback":"A1","step":"ended","outcome":"visitor_busy","time":"2026-11-22T15:00:00.000+03:00"}`: {Order: "A1", Step: Ended, Outcome: VisitorBusy, Talk: Untold, At: noon},
		`{"callback":"A1","step":"ended"}`:                                                                 {Order: "A1", Step: Ended, Talk: Untold},
	} {
		described(t, "event", []byte(body))
		e, err := read(body)
		require.NoError(t, err, body)
		require.NotNil(t, e.Progress, body)
		require.True(t, expected.At.Equal(e.Progress.At), body)
		e.Progress.At = expected.At
		require.Equal(t, expected, *e.Progress, body)
	}
	for _, body := range []string{
		`{"callback":"","step":"talking"}`, `{"callback":"A1"}`, `{"callback":"A1","step":"dancing"}`, `{"callback":"A1","step":"ended","outcome":"won"}`,
		`{"callback":"A1","step":"ended","talk_seconds":-1}`, `{"callback":"A1","step":"ended","talk_seconds":9999999}`, `{"callback":"A1","step":"talking","time":"noon"}`,
		`{"callback":"A1\n","step":"talking"}`, `{"callback":"` + strings.Repeat("A", 65) + `","step":"talking"}`, `{"callback":"A1","step":"ended","reason":"` + strings.Repeat("x", 300) + `"}`,
		`{"callback":"A1","step":"ended","talk_seconds":"many"}`,
	} {
		_, err := read(body)
		refusal, is := errors.AsType[Refusal](err)
		require.True(t, is, body)
		require.Equal(t, Malformed, refusal.Code, body)
	}
	r := sign([]byte("another secret of theirs"), "m1", noon, `{"callback":"A1","step":"talking"}`)
	_, err = w.Read(r, noon)
	refusal, _ := errors.AsType[Refusal](err)
	require.Equal(t, Forged, refusal.Code)
	e, err := read(ringing) // what is of a call stays one
	require.NoError(t, err)
	require.Nil(t, e.Progress)
}

// twilioAPI answers as the API does, and checks each field that it is sent.
func twilioAPI(t *testing.T, answer func(form url.Values) (int, string)) *httptest.Server {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, basic := r.BasicAuth()
		if !basic || user != account || password != token {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"code":20003,"message":"Authenticate","more_info":"https://www.twilio.com/docs/errors/20003","status":401}`)
			return
		}
		require.Equal(t, http.MethodPost, r.Method)
		require.Equal(t, "application/x-www-form-urlencoded", r.Header.Get("Content-Type"))
		require.NoError(t, r.ParseForm())
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/2010-04-01/Accounts/" + account + "/Calls.json":
			for name, form := range map[string]string{
				"To": `^\+[1-9][0-9]{1,14}$`, "From": `^\+[1-9][0-9]{1,14}$`, "Timeout": `^[1-9][0-9]{0,2}$`, "StatusCallback": `^https?://`, "StatusCallbackMethod": `^POST$`,
			} {
				require.Len(t, r.PostForm[name], 1, name)
				require.Regexp(t, form, r.PostForm.Get(name))
			}
			require.Equal(t, []string{"initiated", "ringing", "answered", "completed"}, r.PostForm["StatusCallbackEvent"])
			require.Empty(t, r.PostForm["Url"], "Twiml and Url exclude each other")
			require.LessOrEqual(t, len(r.PostForm.Get("Twiml")), 4000)
			require.Len(t, r.PostForm, 7)
		case "/2010-04-01/Accounts/" + account + "/Calls/CA0123456789abcdef0123456789abcdef.json":
			require.Equal(t, url.Values{"Status": {"completed"}}, r.PostForm)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"code":20404,"message":"The requested resource was not found","status":404}`)
			return
		}
		status, body := answer(r.PostForm)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(api.Close)
	return api
}

const madeCall = `{"date_updated":null,"price_unit":"USD","parent_call_sid":null,"caller_name":null,"duration":null,"from":"+74957654321","to":"+74951234567","annotation":null,"answered_by":null,
	"sid":"CA0123456789abcdef0123456789abcdef","queue_time":"0","price":null,"api_version":"2010-04-01","status":"queued","direction":"outbound-api","start_time":null,"date_created":null,
	"from_formatted":"+74957654321","group_sid":null,"trunk_sid":"","forwarded_from":null,"uri":"/2010-04-01/Accounts/` + account + `/Calls/CA0123456789abcdef0123456789abcdef.json",
	"account_sid":"` + account + `","end_time":null,"to_formatted":"+74951234567","phone_number_sid":"PN0123456789abcdef0123456789abcdef","subresource_uris":{}}`

func TestOrdersByTwilio(t *testing.T) {
	var form url.Values
	api := twilioAPI(t, func(sent url.Values) (int, string) { form = sent; return http.StatusCreated, madeCall })
	orders, err := NewTwilioOrders(account, token, "+7 495 765-43-21", "https://shop.example/frontdesk/", api.URL)
	require.NoError(t, err)
	o := anOrder
	o.CallerID = ""
	require.NoError(t, orders.Place(t.Context(), o))
	require.Equal(t, "+74951234567", form.Get("To"))
	require.Equal(t, "+74957654321", form.Get("From"))
	require.Equal(t, "30", form.Get("Timeout"))
	var twiml struct {
		Dial struct {
			CallerID string `xml:"callerId,attr"`
			Timeout  string `xml:"timeout,attr"`
			Action   string `xml:"action,attr"`
			Number   struct {
				Status string `xml:"statusCallback,attr"`
				Events string `xml:"statusCallbackEvent,attr"`
				Digits string `xml:",chardata"`
			} `xml:"Number"`
		} `xml:"Dial"`
	}
	require.NoError(t, xml.Unmarshal([]byte(form.Get("Twiml")), &twiml))
	require.Equal(t, "+79123456789", twiml.Dial.Number.Digits)
	require.Equal(t, "+74957654321", twiml.Dial.CallerID)
	require.NoError(t, orders.Cancel(t.Context(), o.ID))
	require.Equal(t, "completed", form.Get("Status"))
	require.Error(t, orders.Cancel(t.Context(), "another"))

	// What Twilio then tells at these addresses.
	platform := newTwilio(t)
	tell := func(address string, fields ...string) *Progress {
		t.Helper()
		e, err := platform.Read(twilioSigns("twilio/callback", address, fields...), noon)
		require.NoError(t, err)
		return e.Progress
	}
	operator := "https://shop.example/frontdesk/calls/twilio/callback?leg=operator&order=" + o.ID
	visitor, dial := twiml.Dial.Number.Status, twiml.Dial.Action
	at := "Sun, 22 Nov 2026 12:00:00 +0000"
	require.Nil(t, tell(operator, "CallStatus", "initiated"))
	require.Equal(t, Progress{Order: o.ID, Step: OperatorRings, Talk: Untold, At: noon.UTC()}, inUTC(tell(operator, "CallStatus", "ringing", "Timestamp", at)))
	require.Equal(t, Progress{Order: o.ID, Step: VisitorRings, Talk: Untold}, *tell(operator, "CallStatus", "in-progress"))
	require.Equal(t, VisitorRings, tell(visitor, "CallStatus", "ringing").Step)
	require.Equal(t, Talking, tell(visitor, "CallStatus", "in-progress").Step)
	require.Nil(t, tell(visitor, "CallStatus", "completed"))
	require.Equal(t, Progress{Order: o.ID, Step: Ended, Outcome: Talked, Talk: 42}, *tell(dial, "DialCallStatus", "completed", "DialCallDuration", "42", "CallStatus", "in-progress"))
	for status, outcome := range map[string]Outcome{"busy": VisitorBusy, "no-answer": VisitorNoAnswer, "failed": OrderFailed, "canceled": VisitorNoAnswer} {
		require.Equal(t, Progress{Order: o.ID, Step: Ended, Outcome: outcome, Talk: Untold}, *tell(dial, "DialCallStatus", status))
	}
	for status, outcome := range map[string]Outcome{"busy": OperatorBusy, "no-answer": OperatorNoAnswer, "failed": OrderFailed, "canceled": OrderCancelled, "completed": ""} {
		require.Equal(t, Progress{Order: o.ID, Step: Ended, Outcome: outcome, Talk: Untold}, *tell(operator, "CallStatus", status))
	}
	reply := platform.Reply(&Request{}, Event{Progress: new(Progress)}, "")
	require.Contains(t, string(reply.Body), "<Response></Response>")

	forged := twilioSigns("twilio/callback", dial, "DialCallStatus", "completed")
	forged.URL = strings.Replace(dial, o.ID, "ANOTHER", 1)
	_, err = platform.Read(forged, noon)
	refusal, _ := errors.AsType[Refusal](err)
	require.Equal(t, Forged, refusal.Code)
	for _, address := range []string{"https://shop.example/frontdesk/calls/twilio/callback?leg=dial", dial} {
		_, err := platform.Read(twilioSigns("twilio/callback", address), noon)
		refusal, _ := errors.AsType[Refusal](err)
		require.Equal(t, Malformed, refusal.Code)
	}
}

func inUTC(p *Progress) Progress {
	q := *p
	q.At = q.At.UTC()
	return q
}

func TestTwilioThatRefuses(t *testing.T) {
	api := twilioAPI(t, func(url.Values) (int, string) {
		return http.StatusBadRequest, `{"code":21211,"message":"The 'To' number +74951234567 is not a valid phone number.","more_info":"https://www.twilio.com/docs/errors/21211","status":400}`
	})
	orders, err := NewTwilioOrders(account, token, "74957654321", "https://shop.example/frontdesk", api.URL)
	require.NoError(t, err)
	err = orders.Place(t.Context(), anOrder)
	require.ErrorContains(t, err, "21211")
	require.NotContains(t, err.Error(), "74951234567")
	stranger, err := NewTwilioOrders(account, strings.Repeat("f", 32), "74957654321", "https://shop.example/frontdesk/", api.URL)
	require.NoError(t, err)
	require.ErrorContains(t, stranger.Place(t.Context(), anOrder), "20003")

	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see the client go
		<-r.Context().Done()
	}))
	defer hangs.Close()
	waiting, err := NewTwilioOrders(account, token, "74957654321", "https://shop.example/frontdesk/", hangs.URL)
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	require.ErrorIs(t, waiting.Place(ctx, anOrder), context.DeadlineExceeded)
	for _, garbled := range []string{"", "x", "74951234567"} {
		_, err := NewTwilioOrders(account, token, garbled, garbled, api.URL)
		require.Error(t, err)
	}
}

func FuzzReadProgress(f *testing.F) {
	for _, seed := range []string{`{"callback":"A1","step":"talking"}`, `{"callback":"A1","step":"ended","outcome":"talked","talk_seconds":42,"time":"2026-11-22T12:00:00Z"}`, `{"callback":1}`, `[]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p *Progress
		var err error
		stepstest.Hold(t, len(body), func() { p, err = readProgress(body) })
		if err != nil || p == nil {
			return
		}
		require.True(t, p.Order != "" && len(p.Order) <= maxOrder && plain(p.Order) && plain(p.Reason))
		require.Contains(t, Steps, p.Step)
		require.True(t, p.Outcome == "" || p.Step == Ended)
		require.True(t, p.Talk == Untold || p.Talk >= 0 && p.Talk <= maxSeconds)
	})
}
