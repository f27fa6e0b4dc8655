package telephony

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// sign is a request as a sender signs it who knows the key.
func sign(key []byte, id string, at time.Time, body string) *Request {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
	header := make(http.Header)
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", fmt.Sprint(at.Unix()))
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return &Request{Route: "webhook", Header: header, Body: []byte(body)}
}

func keyOf(t testing.TB, secret string) []byte {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	return key
}

const ringing = `{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":"+7 495 765-43-21","caller":"+7 912 345-67-89"}`

func TestWebhookTakesWhatItsSecretsSign(t *testing.T) {
	const plainSecret = "a secret that is the key itself"
	w, err := NewWebhook(secret, plainSecret)
	require.NoError(t, err)
	for name, key := range map[string][]byte{"base64": keyOf(t, secret), "plain": []byte(plainSecret)} {
		for _, off := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
			e, err := w.Read(sign(key, "m1", noon.Add(off), ringing), noon)
			require.NoError(t, err, name)
			require.Equal(t, Event{Platform: "webhook", Call: "c1", Kind: Start, At: noon, Called: "74957654321", Caller: "79123456789", Talk: Untold, Wait: Untold}, e)
		}
	}
	// Several signatures, of which one is ours.
	r := sign(keyOf(t, secret), "m1", noon, ringing)
	good := r.Header.Get("Webhook-Signature")
	r.Header.Set("Webhook-Signature", "v1a,AAAA v1,AAAA v1,"+strings.Repeat("/", 43)+"= "+good)
	_, err = w.Read(r, noon)
	require.NoError(t, err)
}

func TestWebhookRefusesWhatIsForgedOrReplayed(t *testing.T) {
	w, err := NewWebhook(secret)
	require.NoError(t, err)
	key := keyOf(t, secret)
	for name, c := range map[string]struct {
		change func(*Request)
		now    time.Time
		code   string
	}{
		"another body":       {func(r *Request) { r.Body = []byte(strings.Replace(ringing, "c1", "c2", 1)) }, noon, Forged},
		"another id":         {func(r *Request) { r.Header.Set("Webhook-Id", "m2") }, noon, Forged},
		"a later time":       {func(r *Request) { r.Header.Set("Webhook-Timestamp", fmt.Sprint(noon.Unix()+1)) }, noon, Forged},
		"no time":            {func(r *Request) { r.Header.Set("Webhook-Timestamp", "now") }, noon, Forged},
		"no id":              {func(r *Request) { r.Header.Del("Webhook-Id") }, noon, Forged},
		"no signature":       {func(r *Request) { r.Header.Del("Webhook-Signature") }, noon, Forged},
		"an empty signature": {func(r *Request) { r.Header.Set("Webhook-Signature", "v1,") }, noon, Forged},
		"another version":    {func(r *Request) { r.Header.Set("Webhook-Signature", "v2"+r.Header.Get("Webhook-Signature")[2:]) }, noon, Forged},
		"too many": {func(r *Request) {
			r.Header.Set("Webhook-Signature", strings.Repeat("v1,AAAA ", 10)+r.Header.Get("Webhook-Signature"))
		}, noon, Forged},
		"another secret":       {func(r *Request) { *r = *sign([]byte("another secret of others"), "m1", noon, ringing) }, noon, Forged},
		"replayed later":       {func(*Request) {}, noon.Add(5*time.Minute + time.Second), Stale},
		"signed in the future": {func(*Request) {}, noon.Add(-5*time.Minute - time.Second), Stale},
		"no JSON":              {func(r *Request) { *r = *sign(key, "m1", noon, ringing[:50]) }, noon, Malformed},
	} {
		r := sign(key, "m1", noon, ringing)
		c.change(r)
		_, err := w.Read(r, c.now)
		refusal, is := errors.AsType[Refusal](err)
		require.True(t, is, name)
		require.Equal(t, c.code, refusal.Code, name)
		require.NotContains(t, refusal.Reason, "c1", name)
	}
}

// bodies are what may be sent, and what becomes of it: "ok" or words of the refusal. In
// the schema are those of whom it says so.
var bodies = []struct {
	body, expected string
	lax            bool // the schema does not know that it is refused
}{
	{ringing, "ok", false},
	{`{"call_id":"c1","event":"answer","time":"2026-11-22T15:00:05.123+03:00"}`, "ok", false},
	{`{"call_id":"c1","event":"end","time":"2026-11-22T12:01:00Z","status":"answered","talk_seconds":55,"wait_seconds":5,"recording_url":"https://pbx.example/r/1.mp3","price":"1.50","currency":"RUB"}`, "ok", false},
	{`{"call_id":"c1","event":"end","time":"2026-11-22T12:01:00Z","status":"missed","price":1.5,"currency":null,"caller":null,"called":null,"talk_seconds":null,"line":7}`, "ok", false},
	{`{"call_id":"c1","event":"recording","time":"2026-11-22T12:01:00Z","recording_url":"javascript:alert(1)"}`, "ok", false},
	{`[]`, "JSON object", false},
	{`"x"`, "JSON object", false},
	{`null`, "call_id", false},
	{`{}`, "call_id", false},
	{`{"call_id":7,"event":"start","time":"2026-11-22T12:00:00Z","called":74957654321}`, "ok", false},
	{`{"call_id":["c1"],"event":"start","time":"2026-11-22T12:00:00Z","called":"74957654321"}`, "call_id", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":true}`, "called must be a number", false},
	{`{"call_id":"c1","event":"end","time":{},"status":"missed"}`, "time", false},
	{`{"call_id":"c1","event":"end","time":"2026-11-22T12:01:00Z","status":1}`, "status must be", false},
	{`{"call_id":"","event":"start","time":"2026-11-22T12:00:00Z","called":"74957654321"}`, "call_id", false},
	{`{"call_id":"` + strings.Repeat("c", 201) + `","event":"start","time":"2026-11-22T12:00:00Z","called":"74957654321"}`, "call_id", false},
	{`{"call_id":"c\u0000","event":"start","time":"2026-11-22T12:00:00Z","called":"74957654321"}`, "call_id", true},
	{`{"call_id":"c1","event":"ring","time":"2026-11-22T12:00:00Z"}`, "event", false},
	{`{"call_id":"c1","event":"","time":"2026-11-22T12:00:00Z"}`, "event", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22 12:00","called":"74957654321"}`, "time", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00","called":"74957654321"}`, "time", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z"}`, "called is missing", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":null}`, "called is missing", false},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":"sales"}`, "called must be a number", true},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":"12"}`, "called must be a number", true},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":"7495765432112345"}`, "called must be a number", true},
	{`{"call_id":"c1","event":"end","time":"2026-11-22T12:01:00Z"}`, "status is missing", false},
	{`{"call_id":"c1","event":"end","time":"2026-11-22T12:01:00Z","status":"gone"}`, "status must be", false},
	{`{"call_id":"c1","event":"recording","time":"2026-11-22T12:01:00Z"}`, "recording_url is missing", false},
	{`{"call_id":"c1","event":"recording","time":"2026-11-22T12:01:00Z","recording_url":""}`, "recording_url is missing", true},
	{`{"call_id":"c1","event":"start","time":"2026-11-22T12:00:00Z","called":""}`, "called is missing", true},
}

func TestWhatAWebhookTells(t *testing.T) {
	schema := compile(t)
	for _, b := range bodies {
		e, err := readCall([]byte(b.body))
		value, parseErr := jsonschema.UnmarshalJSON(strings.NewReader(b.body))
		require.NoError(t, parseErr, b.body)
		valid := schema.Validate(value) == nil
		if b.expected == "ok" {
			require.NoError(t, err, b.body)
			require.True(t, valid, "the schema has it: %s", b.body)
			require.NotEmpty(t, e.Kind)
			continue
		}
		require.ErrorContains(t, err, b.expected, b.body)
		require.Equal(t, b.lax, valid, "the schema says the same: %s", b.body)
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("../../docs/calls.schema.json")
	require.NoError(t, err)
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("calls.schema.json", document))
	schema, err := compiler.Compile("calls.schema.json")
	require.NoError(t, err)
	return schema
}

// What stands beside the call and cannot be used is left out, and the call is taken.
func TestWhatIsLeftOut(t *testing.T) {
	read := func(fields string) Event {
		t.Helper()
		e, err := readCall([]byte(`{"call_id":"c1","event":"end","time":"2026-11-22T12:00:00Z","status":"missed",` + fields + `}`))
		require.NoError(t, err, fields)
		return e
	}
	for text, digits := range map[string]string{
		"+7 (912) 345-67-89": "79123456789", "79123456789": "79123456789", "0079123456789": "79123456789", "101": "101",
		"": "", "anonymous": "", "Restricted": "", " ": "", "+266696687": "",
	} {
		e := read(`"caller":"` + text + `"`)
		require.Equal(t, digits, e.Caller, text)
		require.Empty(t, e.Notes, text)
	}
	for _, text := range []string{"bob", "sip:bob@pbx.example", "79123456789x", "12", "+7912345678901234567", "7912\\u0000345", "7+912", strings.Repeat("7", 100)} {
		e := read(`"caller":"` + text + `"`)
		require.Empty(t, e.Caller, text)
		require.Equal(t, []string{NoteCaller}, e.Notes, text)
	}
	for _, address := range []string{
		"javascript:alert(1)", "data:audio/wav;base64,AA", "file:///etc/passwd", "//pbx.example/r", "/r.mp3", "https:///r", "https://user:word@pbx.example/r", "ftp://pbx.example/r",
		"https://pbx.example/\\u0000", "https://pbx.example/\\u202e", "https://pbx.example/" + strings.Repeat("r", 2000), "http://[::1", " https://pbx.example/r",
	} {
		e := read(`"recording_url":"` + address + `"`)
		require.Empty(t, e.Recording, address)
		require.Equal(t, []string{NoteRecording}, e.Notes, address)
	}
	require.Equal(t, "http://pbx.example:8080/r%20/1.mp3?a=b&c", read(`"recording_url":"http://pbx.example:8080/r%20/1.mp3?a=b&c"`).Recording)
	for fields, expected := range map[string]string{
		`"price":"1.50","currency":"RUB"`: "1.50 RUB", `"price":-0.02`: "-0.02 ", `"price":"0"`: "0 ", `"currency":"USD"`: " USD",
		`"price":""`: " ", `"price":"","currency":""`: " ", `"price":null,"currency":null`: " ",
		`"price":"1,50"`: "- ", `"price":"12.50 RUB"`: "- ", `"price":"free"`: "- ", `"price":true`: "- ", `"price":{"amount":1}`: "- ", `"price":"1","currency":643`: "- ",
		`"price":1e5`: "- ", `"price":"1","currency":"rub"`: "- ", `"price":1234567890123`: "- ",
	} {
		e := read(fields)
		if expected == "- " {
			require.Equal(t, []string{NotePrice}, e.Notes, fields)
			expected = " "
		}
		require.Equal(t, expected, e.Price+" "+e.Currency, fields)
	}
	for fields, seconds := range map[string][2]int64{
		`"talk_seconds":55,"wait_seconds":"5"`: {55, 5}, `"talk_seconds":null,"wait_seconds":""`: {Untold, Untold}, `"wait_seconds":604800`: {Untold, 604800},
	} {
		e := read(fields)
		lasted := [2]int64{e.Talk, e.Wait}
		require.Equal(t, seconds, lasted, fields)
		require.Empty(t, e.Notes, fields)
	}
	for _, value := range []string{`-1`, `604801`, `1.5`, `"1:20"`, `[]`, `false`, `99999999999999999999`} {
		e := read(`"talk_seconds":` + value + `,"wait_seconds":` + value)
		require.Equal(t, [2]int64{Untold, Untold}, [2]int64{e.Talk, e.Wait}, value)
		require.Equal(t, []string{NoteSeconds}, e.Notes, value)
	}
	for fields, note := range map[string]string{
		`"called":"sales"`: NoteCalled, `"called":{}`: NoteCalled, `"caller":[]`: NoteCaller, `"recording_url":false`: NoteRecording, `"recording_url":7`: NoteRecording,
	} {
		require.Equal(t, []string{note}, read(fields).Notes, fields)
	}
}

func TestSecretsOfAWebhook(t *testing.T) {
	for _, wrong := range [][]string{
		nil, {""}, {"fifteen bytes.."}, {"whsec_"}, {"whsec_c2hvcnQ="}, {"whsec_%%"}, {secret, secret}, {secret, "sixteen bytes..."[:16], "another one of those"},
		{strings.Repeat("x", 257)},
	} {
		_, err := NewWebhook(wrong...)
		require.Error(t, err, wrong)
		for _, text := range wrong {
			if len(text) > 10 {
				require.NotContains(t, err.Error(), text)
			}
		}
	}
}

func FuzzWebhook(f *testing.F) {
	for _, b := range bodies {
		f.Add([]byte(b.body), "v1,AAAA", "1")
	}
	w, err := NewWebhook(secret)
	require.NoError(f, err)
	key := keyOf(f, secret)
	f.Fuzz(func(t *testing.T, body []byte, signature, stamp string) {
		r := sign(key, "m1", noon, string(body))
		var e Event
		var err error
		stepstest.Hold(t, len(body), func() { e, err = w.Read(r, noon) })
		if err != nil {
			refusal, is := errors.AsType[Refusal](err)
			require.True(t, is)
			require.Equal(t, Malformed, refusal.Code)
		} else {
			require.True(t, plain(e.Call) && e.Call != "")
			require.Contains(t, []Kind{Start, Answer, End, Record}, e.Kind)
			require.Regexp(t, `^([0-9]{3,15})?$`, e.Called)
			require.Regexp(t, `^([0-9]{3,15})?$`, e.Caller)
			require.Regexp(t, `^(https?://[^\x00-\x1f]+)?$`, e.Recording)
			require.Equal(t, e.Kind == End, e.Status != "")
		}
		good := r.Header.Get("Webhook-Signature")
		r.Header.Set("Webhook-Signature", signature)
		r.Header.Set("Webhook-Timestamp", stamp)
		if _, err := w.Read(r, noon); err == nil {
			require.Contains(t, signature, good, "nobody else signs")
		}
	})
}
