package telephony

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// Twilio reads what Twilio reports about calls, and answers where to connect them
// (https://www.twilio.com/docs/voice/twiml).
type Twilio struct {
	account, token, destination string
}

const (
	voiceRoute  = "twilio/voice"
	statusRoute = "twilio/status"
)

var accountSID = regexp.MustCompile(`^AC[0-9a-f]{32}$`)

// NewTwilio returns the platform of the account, which signs with the token. If it is not known which printed number
// the called one replaces, the call is connected to the destination, a number in international form.
func NewTwilio(account, token, destination string) (*Twilio, error) {
	if err := cmp.Or(CheckAccount(account), CheckToken(token), CheckDestination(destination)); err != nil {
		return nil, err
	}
	return &Twilio{account, token, digitsOf(destination)}, nil
}

// CheckAccount returns an error for a text that is not the SID of an account at Twilio.
func CheckAccount(account string) error {
	if !accountSID.MatchString(account) {
		return errors.New("account: expected the SID of the account, which is AC and 32 hexadecimal digits")
	}
	return nil
}

// CheckToken returns an error for a text that is not an auth token.
func CheckToken(token string) error {
	if len(token) < signature.MinKey || len(token) > signature.MaxKey {
		return errors.New("auth_token: expected the auth token of the account, which has 32 characters")
	}
	return nil
}

// CheckDestination returns an error for a text that is not a number to connect calls to.
func CheckDestination(number string) error {
	if digitsOf(number) == "" {
		return errors.New("destination: expected a number in international form, such as 74951234567")
	}
	return nil
}

// Name implements [Platform].
func (*Twilio) Name() string { return "twilio" }

// Routes implements [Platform].
func (*Twilio) Routes() []string { return []string{voiceRoute, statusRoute, orderRoute} }

// Read implements [Platform].
func (t *Twilio) Read(r *Request, _ time.Time) (Event, error) {
	steps.Walk(len(r.Body))
	sent, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return Event{}, Refusal{Forged, "the body is not well-formed application/x-www-form-urlencoded, so X-Twilio-Signature cannot be that of its fields"}
	}
	if !t.signed(r.URL, sent, r.Header.Get("X-Twilio-Signature")) {
		return Event{}, Refusal{Forged, "X-Twilio-Signature is not that of the account's auth token for this address and body"}
	}
	if sent.Get("AccountSid") != t.account {
		return Event{}, Refusal{Forged, "the request is of another account"}
	}
	if r.Route == orderRoute {
		address, err := url.Parse(r.URL)
		if err != nil {
			return Event{}, Refusal{Malformed, "the address cannot be read"}
		}
		p, err := progressOf(address.Query(), sent)
		return Event{Platform: t.Name(), Progress: p}, err
	}
	e := Event{Platform: t.Name(), Call: sent.Get("ParentCallSid"), Talk: Untold, Wait: Untold}
	if e.Call == "" {
		e.Call = sent.Get("CallSid")
	}
	if e.Call == "" || len(e.Call) > maxCallID || !plain(e.Call) {
		return Event{}, Refusal{Malformed, "CallSid is missing"}
	}
	from, to := sent.Get("From"), sent.Get("To")
	if r.Route == statusRoute { // of the leg behind it From and To are others
		address, err := url.Parse(r.URL)
		if err != nil {
			return Event{}, Refusal{Malformed, "the address cannot be read"}
		}
		query := address.Query()
		from, to = query.Get("caller"), query.Get("called")
	}
	var readable bool
	if e.Caller, readable = callerOf(from); !readable {
		e.Notes = append(e.Notes, NoteCaller)
	}
	e.Called = digitsOf(to)
	if r.Route == voiceRoute {
		e.Kind, e.Connects = Start, true
		return e, nil
	}
	t.progress(&e, sent)
	return e, nil
}

// outcomes are the ways in which a call ends, by Twilio's words.
var outcomes = map[string]Status{
	"completed": Answered, "answered": Answered, "busy": Busy, "no-answer": Missed, "canceled": Missed, "failed": Failed,
}

// progress reads how the call goes on.
func (t *Twilio) progress(e *Event, sent url.Values) {
	if at, err := time.Parse(time.RFC1123Z, sent.Get("Timestamp")); err == nil {
		e.At = at
	}
	if e.Recording = recordingOf(sent.Get("RecordingUrl")); e.Recording != "" {
		e.Kind = Record
	}
	status, duration := sent.Get("DialCallStatus"), sent.Get("DialCallDuration")
	behind := status != "" // about the leg to the destination, which is what counts
	if !behind {
		status, duration = sent.Get("CallStatus"), sent.Get("CallDuration")
		behind = sent.Get("ParentCallSid") != ""
	}
	ended := outcomes[status]
	switch {
	case status == "in-progress" && behind:
		e.Kind = Answer
	case ended == Answered && !behind: // Twilio itself has answered
	case ended != "":
		e.Kind, e.Status = End, ended
		if seconds, err := strconv.ParseInt(duration, 10, 64); err == nil && seconds >= 0 && seconds <= maxSeconds && ended == Answered {
			e.Talk = seconds
		}
	}
}

// signed says whether the signature is that of the address and the fields. It is the HMAC-SHA1 of the address followed
// by their names and values, sorted by name (https://www.twilio.com/docs/usage/security).
func (t *Twilio) signed(address string, sent url.Values, signature string) bool {
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	var fields strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(sent[name]))) {
			fields.WriteString(name + value)
		}
	}
	return slices.ContainsFunc(writings(address), func(written string) bool {
		mac := hmac.New(sha1.New, []byte(t.token))
		mac.Write([]byte(written + fields.String()))
		return hmac.Equal(given, mac.Sum(nil))
	})
}

// writings returns the address with the port of its scheme and without: Twilio signs either.
func writings(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	with, without := *u, *u
	without.Host = strings.TrimSuffix(u.Host, port)
	with.Host = without.Host
	if u.Port() == "" || u.Host != without.Host {
		with.Host += port
	}
	return []string{address, with.String(), without.String()}
}
