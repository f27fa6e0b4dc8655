package panel

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/callback/request"
	"github.com/seed-3405227d/frontdesk/backend/limit"
)

const (
	// callbacksAtOnce is how many callbacks an address may ask for at once, and callbackPause the
	// pause before each further one. An office shares an address.
	callbacksAtOnce = 15
	callbackPause   = 2 * time.Minute
	// callbackTime bounds the work of one: the page waits no longer than 3 seconds.
	callbackTime = 2800 * time.Millisecond
)

// callbackAnswer is the result object of sitePhoneCall (browser interface, section 2.7).
type callbackAnswer struct {
	Success bool            `json:"success"`
	Result  callback.Result `json:"result"`
	// Error says in words what was wrong, and Code is that of the result.
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
}

// statusWords say what the statuses mean.
var statusWords = map[int]string{
	callback.CaptchaWrong: "the digits of the captcha are wrong, too old or used up",
	callback.NoScenario:   "this callback cannot be carried out",
	callback.Unreachable:  "the telephone platform has not taken the call",
	callback.TooMany:      "too many calls were asked for",
}

// codeWords say more, where more can be said.
var codeWords = map[string]string{
	request.WrongPhone:         request.ErrPhone.Error(),
	callback.TypeNotAllowed:    request.ErrType.Error(),
	callback.CountryNotAllowed: "numbers of this country are not called",
	callback.NoPlatform:        "no telephone platform is configured",
	callback.NobodyToCall:      "there is no number that is called first",
	callback.Off:               "this site has no callbacks",
}

func answerOf(r callback.Result, words string) callbackAnswer {
	answer := callbackAnswer{Success: r.Status == callback.Sent, Result: r}
	if answer.Success {
		return answer
	}
	if answer.Error, answer.Code = words, r.Code; words == "" {
		if answer.Error = codeWords[r.Code]; answer.Error == "" {
			answer.Error = statusWords[r.Status]
		}
	}
	return answer
}

// callback serves v1/callback: sitePhoneCall. What cannot be carried out is told with the
// status 200, as pages expect.
func (p *Panel) callback(ctx context.Context, r *gate.Request) (any, error) {
	ctx, stop := context.WithTimeout(ctx, callbackTime)
	defer stop()
	var sent struct {
		view.From
		Request json.RawMessage `json:"request"`
		Proof   string          `json:"proof"` // of the captcha's puzzle
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	wanted, err := request.Read(sent.Request, p.now())
	if wrong, is := errors.AsType[request.Wrong](err); is {
		return answerOf(callback.Result{Status: callback.NoScenario, Code: wrong.Code}, wrong.Reason), nil
	}
	region := r.Site.Region(ctx)
	if err := p.orders.Within(r.Request, ""); err != nil {
		return answerOf(callback.Result{Status: callback.TooMany, Code: callback.LimitAddress}, ""), nil
	}
	v, err := p.views.FindOnce(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	if r.Site.Within(ctx, limit.Callbacks, limit.Disk) != nil {
		return answerOf(callback.Result{Status: callback.TooMany, Code: gate.LimitReached}, ""), nil
	}
	result, err := p.callbacks.Order(ctx, callback.Asked{
		Request: wanted, SiteID: r.Site.ID, Ref: v.Ref, URL: v.URI, ID: sent.ID, Region: region, Network: gate.NetworkOf(r.Request), Proof: sent.Proof,
	}, r.Site.Callback)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, gate.NewFailure(http.StatusServiceUnavailable, "unavailable", "the service cannot store anything at the moment")
	}
	if err != nil {
		return nil, err
	}
	if result.Status == callback.Sent {
		r.Site.Used(limit.Callbacks)
	}
	return answerOf(result, ""), nil
}
