package telephony

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

const (
	account = "AC0123456789abcdef0123456789abcdef"
	token   = "0123456789abcdef0123456789abcdef"
	voice   = "https://shop.example/frontdesk/calls/twilio/voice"
	status  = "https://shop.example/frontdesk/calls/twilio/status?called=74957654321&caller=79123456789"
)

// The vector is that of Twilio's own libraries.
func TestSignatureOfTwilio(t *testing.T) {
	platform := &Twilio{token: "12345"}
	const address, signature = "https://mycompany.com/myapp.php?foo=1&bar=2", "RSOYDt4T1cUTdK1PDd93/VVr8B8="
	sent := url.Values{"CallSid": {"CA1234567890ABCDE"}, "Caller": {"+14158675309"}, "Digits": {"1234"}, "From": {"+14158675309"}, "To": {"+18005551212"}}
	require.True(t, platform.signed(address, sent, signature))
	require.False(t, platform.signed(address+"1", sent, signature))
	require.False(t, platform.signed(address, sent, ""))
	sent.Set("Digits", "1235")
	require.False(t, platform.signed(address, sent, signature))
}

// twilioSigns is a request as Twilio signs it for the address.
func twilioSigns(route, address string, fields ...string) *Request {
	sent := url.Values{"AccountSid": {account}, "CallSid": {"CA1"}}
	for i := 0; i < len(fields); i += 2 {
		sent.Set(fields[i], fields[i+1])
	}
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		mac.Write([]byte(name + sent.Get(name)))
	}
	header := make(http.Header)
	header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return &Request{Route: route, URL: address, Header: header, Body: []byte(sent.Encode())}
}

func newTwilio(t testing.TB) *Twilio {
	t.Helper()
	platform, err := NewTwilio(account, token, "+7 495 000-00-00")
	require.NoError(t, err)
	return platform
}

func TestTwilioIsPutThrough(t *testing.T) {
	platform := newTwilio(t)
	r := twilioSigns(voiceRoute, voice, "From", "+79123456789", "To", "+74957654321", "CallStatus", "ringing")
	e, err := platform.Read(r, noon)
	require.NoError(t, err)
	require.Equal(t, Event{Platform: "twilio", Call: "CA1", Kind: Start, Called: "74957654321", Caller: "79123456789", Talk: Untold, Wait: Untold, Connects: true}, e)
	address := "https://shop.example/frontdesk/calls/twilio/status?called=74957654321&amp;caller=79123456789"
	for number, dialled := range map[string]string{"74951234567": "+74951234567", "": "+74950000000"} {
		reply := platform.Reply(r, e, number)
		require.Equal(t, "text/xml; charset=utf-8", reply.Type)
		require.Equal(t, xml.Header+`<Response><Dial answerOnBridge="true" action="`+address+`"><Number statusCallback="`+address+
			`" statusCallbackEvent="answered completed">`+dialled+`</Number></Dial></Response>`, string(reply.Body))
	}
	require.Equal(t, xml.Header+`<Response><Reject></Reject></Response>`, string(platform.Reply(r, e, "74957654321").Body), "no call goes in circles")
	withheld, err := platform.Read(twilioSigns(voiceRoute, voice, "From", "+266696687", "To", "sip:desk@pbx.example"), noon)
	require.NoError(t, err)
	require.Empty(t, withheld.Caller+withheld.Called)
	require.True(t, withheld.Connects)
}

func TestWhatTwilioTells(t *testing.T) {
	platform := newTwilio(t)
	const at = "Sun, 22 Nov 2026 12:00:00 +0000"
	for name, c := range map[string]struct {
		fields []string
		kind   Kind
		status Status
		talk   int64
	}{
		"ringing":            {[]string{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "ringing"}, Other, "", Untold},
		"answered":           {[]string{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "in-progress", "Timestamp", at}, Answer, "", Untold},
		"over":               {[]string{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "completed", "CallDuration", "61"}, End, Answered, 61},
		"nobody":             {[]string{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "no-answer", "CallDuration", "0"}, End, Missed, Untold},
		"busy":               {[]string{"ParentCallSid", "CA1", "CallSid", "CA2", "CallStatus", "busy"}, End, Busy, Untold},
		"put through":        {[]string{"DialCallStatus", "completed", "DialCallDuration", "61", "CallStatus", "in-progress"}, End, Answered, 61},
		"not put through":    {[]string{"DialCallStatus", "failed", "CallStatus", "in-progress"}, End, Failed, Untold},
		"the caller left":    {[]string{"CallStatus", "canceled"}, End, Missed, Untold},
		"answered by Twilio": {[]string{"CallStatus", "completed", "CallDuration", "70"}, Other, "", Untold},
		"a recording":        {[]string{"RecordingUrl", "https://api.twilio.com/r/1", "RecordingStatus", "completed"}, Record, "", Untold},
		"a wrong length":     {[]string{"DialCallStatus", "completed", "DialCallDuration", "-5"}, End, Answered, Untold},
	} {
		e, err := platform.Read(twilioSigns(statusRoute, status, c.fields...), noon)
		require.NoError(t, err, name)
		require.Equal(t, "CA1", e.Call, name)
		require.Equal(t, c.kind, e.Kind, name)
		require.Equal(t, c.status, e.Status, name)
		require.Equal(t, c.talk, e.Talk, name)
		require.Equal(t, "74957654321", e.Called, name)
		require.Equal(t, "79123456789", e.Caller, name)
		require.False(t, e.Connects)
		require.Equal(t, name == "answered", e.At.Equal(noon), name)
		require.Equal(t, xml.Header+`<Response></Response>`, string(platform.Reply(twilioSigns(statusRoute, status), e, "").Body))
	}
}

func TestTwilioRefusesWhatIsForged(t *testing.T) {
	platform := newTwilio(t)
	for name, change := range map[string]func(*Request){
		"another address":  func(r *Request) { r.URL = "https://other.example/frontdesk/calls/twilio/voice" },
		"over plain HTTP":  func(r *Request) { r.URL = "http" + r.URL[5:] },
		"another port":     func(r *Request) { r.URL = "https://shop.example:8443/frontdesk/calls/twilio/voice" },
		"another body":     func(r *Request) { r.Body = append(r.Body, "&a=b"...) },
		"no signature":     func(r *Request) { r.Header.Del("X-Twilio-Signature") },
		"another account":  func(r *Request) { *r = *twilioSigns(voiceRoute, voice, "AccountSid", "AC1") },
		"of another token": func(r *Request) { platform.token += "0" },
	} {
		r := twilioSigns(voiceRoute, voice)
		change(r)
		_, err := platform.Read(r, noon)
		refusal, is := errors.AsType[Refusal](err)
		require.True(t, is, name)
		require.Equal(t, Forged, refusal.Code, name)
		platform = newTwilio(t)
	}
	r := twilioSigns(voiceRoute, "https://shop.example:443/frontdesk/calls/twilio/voice")
	r.URL = voice
	_, err := platform.Read(r, noon)
	require.NoError(t, err, "with the port that https has anyway")
}

func TestTwilioIsSetUp(t *testing.T) {
	for _, wrong := range [][3]string{{"", token, "74951234567"}, {"AC1", token, "74951234567"}, {account, "", "74951234567"}, {account, token, "desk"}, {account, token, ""}} {
		_, err := NewTwilio(wrong[0], wrong[1], wrong[2])
		require.Error(t, err)
		require.NotContains(t, err.Error(), token)
	}
}

// priceOfNames is that of parameters of few letters: each has its place in a map, and is sorted.
var priceOfNames = stepstest.Price{Each: stepstest.Cost{Walked: 64, Allocated: 128}, Besides: stepstest.Usual.Besides}

func FuzzTwilio(f *testing.F) {
	for _, seed := range []string{"CallSid=CA1&From=%2B79123456789&To=%2B74957654321", "CallSid=CA1&DialCallStatus=completed&DialCallDuration=61", "CallSid=%00", "a;b", "%", "CallSid=CA1&RecordingUrl=javascript:1"} {
		f.Add(seed, status)
	}
	f.Add("CallSid=CA1", "?order=a")
	f.Add("DialCallStatus=completed", "https://x/?order=a&leg=dial")
	var names strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&names, "&%x", n)
	}
	f.Add("CallSid=CA1", "?"+names.String()[1:])
	f.Add("CallSid=CA1"+names.String(), status)
	platform := newTwilio(f)
	f.Fuzz(func(t *testing.T, body, address string) {
		for _, route := range platform.Routes() {
			r := &Request{Route: route, URL: address, Header: make(http.Header), Body: []byte(body + "&AccountSid=" + account)}
			_, err := platform.Read(r, noon)
			require.Error(t, err, "nobody else signs")
			sent, err := url.ParseQuery(string(r.Body))
			if err != nil {
				continue
			}
			mac := hmac.New(sha1.New, []byte(token))
			mac.Write([]byte(address))
			for _, name := range slices.Sorted(maps.Keys(sent)) {
				for _, value := range slices.Compact(slices.Sorted(slices.Values(sent[name]))) {
					mac.Write([]byte(name + value))
				}
			}
			r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
			var e Event
			priceOfNames.Hold(t, len(address)+len(r.Body), func() { e, err = platform.Read(r, noon) })
			if err != nil || route == orderRoute { // FuzzTwilioProgress has what is told of orders
				continue
			}
			require.True(t, plain(e.Call) && e.Call != "")
			require.Regexp(t, `^([0-9]{3,15})?$`, e.Called)
			require.Regexp(t, `^([0-9]{3,15})?$`, e.Caller)
			require.Equal(t, e.Kind == End, e.Status != "")
			require.NoError(t, xml.Unmarshal(platform.Reply(r, e, "74951234567").Body, new(response)))
		}
	})
}
