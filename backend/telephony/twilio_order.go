package telephony

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// TwilioAPI is the base of the addresses of Twilio's REST API.
const TwilioAPI = "https://api.twilio.com"

// TwilioOrders carries out orders with Twilio. The REST API calls the operator, and TwiML then dials the visitor
// (https://www.twilio.com/docs/voice/api/call-resource). Twilio reports the progress to [Twilio].
//
// Twilio cannot recognise an order that comes twice. If a node dies after it has placed an order and before it has
// stored that, the operator is called again.
type TwilioOrders struct {
	account, token string
	from           string // digits
	address        string // of the service's prefix, with a slash at the end
	api            string // without a slash at the end
	client         *http.Client

	mu    sync.Mutex
	calls *simplelru.LRU[string, string] // the SID of the operator's call, by order
}

// rememberedCalls bounds the orders whose calls are remembered.
const rememberedCalls = 4096

// NewTwilioOrders returns the orders of the account. from is one of its numbers, which people see unless the order
// names another. address is the public address of the service's prefix on any of its sites, such as
// https://shop.example/frontdesk/: Twilio reports the progress of calls there. api is [TwilioAPI].
func NewTwilioOrders(account, token, from, address, api string) (*TwilioOrders, error) {
	if err := cmp.Or(CheckAccount(account), CheckToken(token), CheckFrom(from), CheckAddress(address)); err != nil {
		return nil, err
	}
	calls, err := simplelru.NewLRU[string, string](rememberedCalls, nil)
	if err != nil {
		return nil, err
	}
	return &TwilioOrders{
		account: account, token: token, from: digitsOf(from), address: strings.TrimSuffix(address, "/") + "/", api: strings.TrimSuffix(api, "/"),
		client: newClient(), calls: calls,
	}, nil
}

// CheckFrom returns an error for a text that is not a number of an account.
func CheckFrom(number string) error {
	if digitsOf(number) == "" {
		return errors.New("from must be one of the account's numbers in international form, such as 74951234567")
	}
	return nil
}

// CheckAddress returns an error for a text that is not a public address of the service.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("address must be that of the service on one of its sites, such as https://shop.example/frontdesk/")
	}
	return nil
}

// Name implements [Dialler].
func (*TwilioOrders) Name() string { return "twilio" }

// orderRoute is the path to which Twilio reports the progress of an order. The legs are the operator's call, the
// visitor's call, and the end of dialling from one to the other.
const (
	orderRoute  = "twilio/callback"
	legOperator = "operator"
	legVisitor  = "visitor"
	legDial     = "dial"
)

// told returns the address to which Twilio reports a leg of the order.
func (t *TwilioOrders) told(order, leg string) string {
	return t.address + "calls/" + orderRoute + "?" + url.Values{"order": {order}, "leg": {leg}}.Encode()
}

// joining returns the TwiML that dials the visitor after the operator has answered.
type joining struct {
	XMLName xml.Name `xml:"Response"`
	Dial    struct {
		CallerID string `xml:"callerId,attr"`
		Timeout  int    `xml:"timeout,attr"`
		Action   string `xml:"action,attr"`
		Number   leg    `xml:"Number"`
	} `xml:"Dial"`
}

// Place implements [Dialler].
func (t *TwilioOrders) Place(ctx context.Context, o Order) error {
	from := "+" + cmp.Or(o.CallerID, t.from)
	ring := int(o.Ring / time.Second)
	var join joining
	join.Dial.CallerID, join.Dial.Timeout, join.Dial.Action = from, ring, t.told(o.ID, legDial)
	join.Dial.Number = leg{t.told(o.ID, legVisitor), "ringing answered", "+" + o.Visitor}
	twiml, err := xml.Marshal(join)
	if err != nil {
		return fmt.Errorf("writing an order: %w", err)
	}
	var made struct {
		SID string `json:"sid"`
	}
	if err := t.post(ctx, "Calls.json", url.Values{
		"To": {"+" + o.Operator}, "From": {from}, "Twiml": {string(twiml)}, "Timeout": {strconv.Itoa(ring)},
		"StatusCallback": {t.told(o.ID, legOperator)}, "StatusCallbackMethod": {http.MethodPost},
		"StatusCallbackEvent": {"initiated", "ringing", "answered", "completed"},
	}, &made); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls.Add(o.ID, made.SID)
	return nil
}

// Cancel implements [Dialler]. It ends the calls that this process has placed.
func (t *TwilioOrders) Cancel(ctx context.Context, id string) error {
	t.mu.Lock()
	call, known := t.calls.Get(id)
	t.mu.Unlock()
	if !known || !callSID(call) {
		return errors.New("this process has not placed the order")
	}
	return t.post(ctx, "Calls/"+call+".json", url.Values{"Status": {"completed"}}, nil)
}

// callSID says whether the text can be the SID of a call.
func callSID(text string) bool {
	return len(text) == 34 && strings.HasPrefix(text, "CA") && strings.Trim(text[2:], "0123456789abcdef") == ""
}

// post sends a request to the REST API and reads the answer, unless into is nil.
func (t *TwilioOrders) post(ctx context.Context, path string, form url.Values, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.api+"/2010-04-01/Accounts/"+t.account+"/"+path, strings.NewReader(form.Encode()))
	if err != nil {
		return errors.New("the address of the API cannot be used")
	}
	request.SetBasicAuth(t.account, t.token)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Frontdesk")
	answer, err := t.client.Do(request)
	if err != nil {
		return unreached(ctx, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return unreached(ctx, err)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		var failed struct {
			Code int `json:"code"`
		}
		if json.Unmarshal(body, &failed) == nil && failed.Code != 0 {
			return fmt.Errorf("twilio has answered with the status %d and the error %d", answer.StatusCode, failed.Code)
		}
		return fmt.Errorf("twilio has answered with the status %d", answer.StatusCode)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return errors.New("the answer of twilio cannot be read")
	}
	return nil
}

// operatorEnds and visitorEnds are the outcomes of an order, by Twilio's words for the operator's call and for the
// visitor's.
var (
	operatorEnds = map[string]Outcome{"busy": OperatorBusy, "no-answer": OperatorNoAnswer, "failed": OrderFailed, "canceled": OrderCancelled, "completed": ""}
	visitorEnds  = map[string]Outcome{"busy": VisitorBusy, "no-answer": VisitorNoAnswer, "failed": OrderFailed, "canceled": VisitorNoAnswer, "completed": Talked, "answered": Talked}
)

// progressOf returns what the request reports about an order, or nil if there is nothing to store.
func progressOf(query, sent url.Values) (*Progress, error) {
	p := Progress{Order: query.Get("order"), Talk: Untold}
	if p.Order == "" || len(p.Order) > maxOrder || !plain(p.Order) {
		return nil, Refusal{Malformed, "the address names no order"}
	}
	if at, err := time.Parse(time.RFC1123Z, sent.Get("Timestamp")); err == nil {
		p.At = at
	}
	status := sent.Get("CallStatus")
	switch leg := query.Get("leg"); {
	case leg == legDial:
		outcome, known := visitorEnds[sent.Get("DialCallStatus")]
		if !known {
			return nil, Refusal{Malformed, "DialCallStatus is missing"}
		}
		p.Step, p.Outcome = Ended, outcome
		if seconds, err := strconv.ParseInt(sent.Get("DialCallDuration"), 10, 64); err == nil && seconds >= 0 && seconds <= maxSeconds && outcome == Talked {
			p.Talk = seconds
		}
	case leg == legOperator && status == "ringing":
		p.Step = OperatorRings
	case leg == legOperator && status == "in-progress", leg == legVisitor && status == "ringing":
		p.Step = VisitorRings
	case leg == legVisitor && status == "in-progress":
		p.Step = Talking
	case leg == legOperator:
		outcome, ended := operatorEnds[status]
		if !ended {
			return nil, nil // queued, initiated
		}
		p.Step, p.Outcome = Ended, outcome
	default: // the visitor's call ends with the dialling
		return nil, nil
	}
	return &p, nil
}
