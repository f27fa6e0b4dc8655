package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Why there is nobody whose session it is.
var (
	errNobody   = errors.New("nobody has signed in")
	errDisabled = errors.New("the account is disabled")
)

// holder returns the operator whose session it is, or errNobody, or errDisabled.
func (c *Door) holder(ctx context.Context, r *http.Request) (operator.Operator, error) {
	id, epoch := c.Sessions.SignedIn(r)
	if id == 0 {
		return operator.Operator{}, errNobody
	}
	o, err := c.Operators.Get(ctx, id)
	if err == nil && o.Disabled {
		return operator.Operator{}, errDisabled
	}
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Epoch != epoch) {
		return operator.Operator{}, errNobody
	}
	return o, err
}

// namedSites are those of the sites that the request is about: the one it names, or else
// all of them. ok is false when it names one that is none of them.
func namedSites(r *http.Request, sites scope.Sites) (named scope.Sites, ok bool) {
	r.PostFormValue(frame.SiteField) // reads the form
	lists := append(r.URL.Query()[frame.SiteField], r.PostForm[frame.SiteField]...)
	lists = slices.DeleteFunc(lists, func(text string) bool { return text == "" || text == "0" }) // all sites
	if inPath := r.PathValue(frame.SiteField); inPath != "" {
		lists = append(lists, inPath)
	}
	for _, text := range lists {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || !sites.Has(id) {
			return scope.Sites{}, false
		}
		sites = sites.Only(id)
	}
	return sites, true
}

// Guard lets those pass to next who may, and sends others to the door. Nobody gets to a site
// that is not theirs: for them it does not exist.
func (c *Door) Guard(who frame.Who, next frame.Handler) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		o, err := c.holder(r.Context(), r)
		switch {
		case (errors.Is(err, errNobody) || errors.Is(err, errDisabled)) && r.Header.Get("Hx-Request") != "":
			w.WriteHeader(http.StatusUnauthorized)
		case errors.Is(err, errDisabled):
			return c.showDoor(w, r, http.StatusForbidden, content{}, c.Words(r).Text("signin.disabled"))
		case errors.Is(err, errNobody):
			to := "/sign-in"
			if r.Method == http.MethodGet && r.URL.Path != "/" {
				to += "?" + url.Values{"to": {r.URL.RequestURI()}}.Encode()
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
		case err != nil:
			return err
		case c.lacksStep(r, o) && (c.asksStep(o) || !ofSteps(r)):
			if r.Header.Get("Hx-Request") != "" {
				w.WriteHeader(http.StatusUnauthorized)
				return nil
			}
			if c.asksStep(o) { // it is required since the session began
				to := frame.FirstPage
				if r.Method == http.MethodGet {
					to = r.URL.RequestURI()
				}
				return c.come(w, r, o, to, "")
			}
			http.Redirect(w, r, stepPage, http.StatusSeeOther)
		default:
			c.Sessions.See(r, c.Now())
			sites, ok := namedSites(r, o.Sites)
			// What fails from here on is said as the operator reads.
			c.Answering(func(w http.ResponseWriter, r *http.Request) error {
				if !ok {
					return frame.NotFound
				}
				if err := refusal(who, o); err != nil {
					return err
				}
				return next(w, r)
			}).ServeHTTP(w, frame.Admit(r, o, sites, func(ctx context.Context) error { return c.still(ctx, r, who, o.Sites) }))
		}
		return nil
	}
}

// refusal is why the operator may not use such a route; nil for one who may.
func refusal(who frame.Who, o operator.Operator) error {
	switch {
	case who >= frame.Operators && !o.SeesPersons():
		return frame.Fail(http.StatusForbidden, "fail.analyst")
	case who >= frame.Admins && o.Role != operator.Admin:
		return frame.Fail(http.StatusForbidden, "fail.forbidden")
	case who >= frame.Chiefs && !frame.IsChief(o):
		return frame.Fail(http.StatusForbidden, "fail.chief")
	}
	return nil
}

// still returns an error if the request of an operator who had the sites would not be let in any more, or one of these sites was
// taken away.
func (c *Door) still(ctx context.Context, r *http.Request, who frame.Who, had scope.Sites) error {
	o, err := c.holder(ctx, r)
	switch {
	case errors.Is(err, errNobody), errors.Is(err, errDisabled), err == nil && (!o.Sites.Covers(had) || c.lacksStep(r, o)):
		return frame.Fail(http.StatusForbidden, "fail.forbidden")
	case err != nil:
		return err
	}
	return refusal(who, o)
}

// missing answers at addresses that have no route. Who has signed in keeps the console around the answer.
func (c *Door) missing(w http.ResponseWriter, r *http.Request) error {
	nothing := func(http.ResponseWriter, *http.Request) error { return frame.NotFound }
	if account, _ := c.Sessions.SignedIn(r); account == 0 {
		return frame.NotFound
	}
	return c.Guard(frame.Readers, nothing)(w, r)
}

// browserCookie is the name of the cookie by which a browser is known in which
// somebody has signed in with the login. There is one for each login, so that
// those who share a computer are all known there.
func browserCookie(r *http.Request, login string) string {
	name := "frontdesk-browser-" + signin.DeviceName(login)
	if session.Secure(r) {
		name = "__Host-" + name
	}
	return name
}

// knownBrowser names the request's browser, if somebody has signed in with the
// login in it before; otherwise it returns nothing.
func (c *Door) knownBrowser(r *http.Request, login string) (name string, err error) {
	cookie, err := r.Cookie(browserCookie(r, login))
	if err != nil {
		return "", nil
	}
	return c.SignIns.Device(r.Context(), login, cookie.Value)
}

// letIn begins a session of the operator, and makes the browser known. proven tells that more than a password was given.
func (c *Door) letIn(w http.ResponseWriter, r *http.Request, o operator.Operator, proven bool) error {
	if err := c.begin(r, o, proven); err != nil {
		return err
	}
	device, err := c.SignIns.NewDevice(r.Context(), o)
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: browserCookie(r, o.Login), Value: device, Path: "/", MaxAge: int(signin.DeviceLife.Seconds()),
		HttpOnly: true, Secure: session.Secure(r), SameSite: http.SameSiteStrictMode})
	return nil
}
