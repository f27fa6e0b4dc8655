package door

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
)

// second is the second step of signing in, and the page on which operators set theirs up.
type second struct{ *Door }

// halfTime is how long a right password waits for its second step.
const halfTime = 10 * time.Minute

// come lets an operator in whose password, or link, is right, and goes to a page, which says the notice if there is one. If
// the account has a second step, it is asked for first.
func (c *Door) come(w http.ResponseWriter, r *http.Request, o operator.Operator, to, notice string) error {
	if c.asksStep(o) {
		if err := c.Sessions.BeginHalf(r, o, c.Now(), to); err != nil {
			return err
		}
		http.Redirect(w, r, "/sign-in/code", http.StatusSeeOther)
		return nil
	}
	if err := c.letIn(w, r, o, false); err != nil {
		return err
	}
	if notice != "" {
		return c.Back(w, r, to, notice)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// half is the operator who has given a right password in this session and waits for the second step, and where to go then.
// It returns errNobody if there is none any more.
func (c second) half(r *http.Request) (o operator.Operator, to string, err error) {
	id, epoch, at, to := c.Sessions.Half(r)
	if id == 0 || c.Now().Sub(at) > halfTime {
		return o, "", errNobody
	}
	o, err = c.Operators.Get(r.Context(), id)
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Epoch != epoch || o.Disabled || !c.asksStep(o)) {
		return operator.Operator{}, "", errNobody
	}
	return o, to, err
}

func (c second) showCode(w http.ResponseWriter, r *http.Request) error {
	return c.askedStep(w, r, http.StatusOK, "")
}

// askedStep shows the page that asks for the second step, with why what was sent was not accepted.
func (c second) askedStep(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	o, _, err := c.half(r)
	if errors.Is(err, errNobody) {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return nil
	}
	d := content{Code: true, ByCode: o.TwoStep}
	if err == nil && o.Passkey {
		d.Hosts, d.ByPasskey, err = c.keyHosts(r, o)
	}
	if err != nil {
		return err
	}
	return c.showDoor(w, r, status, d, problem)
}

// takeCode lets those in whose second step is right. Only who has given a right password gets here: wrong codes count
// against the account, and in a browser that it knows against that.
func (c second) takeCode(w http.ResponseWriter, r *http.Request) error {
	o, to, err := c.half(r)
	if errors.Is(err, errNobody) {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return nil
	}
	var browser string
	if err == nil {
		browser, err = c.knownBrowser(r, o.Login)
	}
	if err == nil {
		err = c.attempts.Code(o.ID, browser, func() error { return c.TwoStep.Check(r.Context(), o, r.PostFormValue("code")) })
	}
	if wait, ok := errors.AsType[attempts.TooMany](err); ok {
		w.Header().Set("Retry-After", wait.Seconds())
		return c.askedStep(w, r, http.StatusTooManyRequests, wait.Text(c.Words(r)))
	}
	if errors.Is(err, twostep.ErrCode) || errors.Is(err, twostep.ErrOff) { // turned off meanwhile, or passkeys alone
		c.refused(r)
		return c.askedStep(w, r, http.StatusUnauthorized, c.Words(r).Text("code.wrong"))
	}
	if err == nil {
		err = c.letIn(w, r, o, true)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, frame.Local(to), http.StatusSeeOther)
	return nil
}

// asksStep reports whether a right password of the account is not enough. Who has passkeys may do without them, unless a
// second step is required.
func (c *Door) asksStep(o operator.Operator) bool {
	return o.TwoStep || o.Passkey && c.rule().Requires(o)
}

// lacksStep reports whether the operator has to take a second step, or to set one up, before anything else.
func (c *Door) lacksStep(r *http.Request, o operator.Operator) bool {
	return !o.TwoStep && c.rule().Requires(o) && !(o.Passkey && c.Sessions.Proven(r))
}

func (c *Door) rule() twostep.Rule {
	if c.Required == nil {
		return ""
	}
	return c.Required()
}

// stepPage is where an operator sets the second step up; all below it is open to those who have to.
const stepPage = "/account/two-step"

// ofSteps reports whether the request is for the pages of the second step, or adds a passkey, which is one.
func ofSteps(r *http.Request) bool {
	return r.URL.Path == stepPage || strings.HasPrefix(r.URL.Path, stepPage+"/") || r.URL.Path == keyPage || r.URL.Path == keyPage+"/options"
}

// steps is the content of the page of the operator's second step.
type steps struct {
	Setup    twostep.Setup // for an authenticator; empty if the account has one
	Left     int           // recovery codes
	Required bool          // the second step cannot be turned off
	Codes    string        // recovery codes, each on a line; shown once
	Passkeys keyList       // where one takes the place of the authenticator
}

func (c second) showSteps(w http.ResponseWriter, r *http.Request) error {
	return c.steps(w, r, http.StatusOK, "", nil)
}

// steps shows the page, with what was not accepted, or with new recovery codes.
func (c second) steps(w http.ResponseWriter, r *http.Request, status int, problem string, codes []string) error {
	f, err := c.Page(r, "steps")
	if err != nil {
		return err
	}
	o, err := c.Operators.Get(r.Context(), f.Operator.ID) // as it has become
	if err != nil {
		return err
	}
	s := steps{Required: c.rule().Requires(o), Codes: strings.Join(codes, "\n")}
	if o.TwoStep {
		s.Left, err = c.TwoStep.Left(r.Context(), o.ID)
	} else {
		s.Setup, err = c.TwoStep.Begin(r.Context(), o, c.Sessions.Sign(r, o.Sites).Token, "Frontdesk "+r.Host)
	}
	if err != nil && !errors.Is(err, twostep.ErrOn) {
		return err
	}
	if s.Passkeys, err = c.keysOf(r, o); err != nil {
		return err
	}
	f.Operator.TwoStep = o.TwoStep
	f.Title, f.Problem, f.Body, f.Here = f.Words.Text("steps.title"), problem, s, stepPage
	return c.Show(w, status, f)
}

// withCode does something to the operator's own second step that takes a code, and maybe the password, and answers what goes
// wrong with it.
func (c second) withCode(do func(w http.ResponseWriter, r *http.Request, o operator.Operator, code string) error) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		o, _ := frame.Current(r)
		err := c.attempts.Code(o.ID, "", func() error { return do(w, r, o, r.PostFormValue("code")) })
		switch wait, slow := errors.AsType[attempts.TooMany](err); {
		case slow:
			w.Header().Set("Retry-After", wait.Seconds())
			return c.steps(w, r, http.StatusTooManyRequests, wait.Text(c.Words(r)), nil)
		case errors.Is(err, twostep.ErrCode):
			return c.steps(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("code.wrong"), nil)
		case errors.Is(err, operator.ErrCredentials):
			return c.steps(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("problem.current"), nil)
		case errors.Is(err, twostep.ErrOn), errors.Is(err, twostep.ErrOff): // in another window
			http.Redirect(w, r, stepPage, http.StatusSeeOther)
			return nil
		}
		return err
	}
}

// confirmStep turns the second step on, and shows the recovery codes in its own answer: they are not kept for another page.
// The session goes on under another token; those that began with the password alone end. It takes the password: who finds a
// console open makes no device of theirs the one that is asked for.
func (c second) confirmStep(w http.ResponseWriter, r *http.Request, o operator.Operator, code string) error {
	err := c.again(r, o)
	var codes []string
	if err == nil {
		codes, err = c.TwoStep.Confirm(r.Context(), o, code)
	}
	if err == nil {
		err = c.letIn(w, r, o, true)
	}
	if err == nil {
		err = c.SignIns.EndOthers(r.Context(), o.Actor(), o.ID, c.Sessions.Sign(r, o.Sites).Token)
	}
	if err != nil {
		return err
	}
	return c.steps(w, r, http.StatusOK, "", codes)
}

func (c second) renewCodes(w http.ResponseWriter, r *http.Request, o operator.Operator, code string) error {
	err := c.TwoStep.Check(r.Context(), o, code)
	if err != nil {
		return err
	}
	codes, err := c.TwoStep.Renew(r.Context(), o)
	if err != nil {
		return err
	}
	return c.steps(w, r, http.StatusOK, "", codes)
}

func (c second) turnOffStep(w http.ResponseWriter, r *http.Request, o operator.Operator, code string) error {
	if c.rule().Requires(o) {
		return frame.Fail(http.StatusForbidden, "steps.required")
	}
	err := c.TwoStep.Check(r.Context(), o, code)
	if err == nil {
		err = c.TwoStep.TurnOff(r.Context(), o.Actor(), o.ID)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, stepPage, "steps.off")
}
