package door

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// browserCookie is the name of the cookie by which a browser is known in which
// somebody has signed in with the login. There is one for each login, so that
// those who share a computer are all known there.
func browserCookie(r *http.Request, login string) string {
	name := "frontdesk-browser-" + operator.DeviceName(login)
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
	return c.Operators.Device(r.Context(), login, cookie.Value)
}

// letIn begins a session of the operator, and makes the browser known.
func (c *Door) letIn(w http.ResponseWriter, r *http.Request, o operator.Operator) error {
	if err := c.Sessions.Begin(r, o); err != nil {
		return err
	}
	device, err := c.Operators.NewDevice(r.Context(), o)
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: browserCookie(r, o.Login), Value: device, Path: "/", MaxAge: int(operator.DeviceLife.Seconds()),
		HttpOnly: true, Secure: session.Secure(r), SameSite: http.SameSiteStrictMode})
	return nil
}
