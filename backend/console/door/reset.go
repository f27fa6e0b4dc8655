package door

import (
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// ResetLink is the address by which the token sets a password, as the admin's browser
// knows the console.
func ResetLink(r *http.Request, token string) string {
	link := url.URL{Scheme: "http", Host: r.Host, Path: "/password", RawQuery: url.Values{"token": {token}}.Encode()}
	if session.Secure(r) {
		link.Scheme = "https"
	}
	return link.String()
}

// The link for a new password is good once. To open it uses nothing up: programs open
// links, too.
func (c *Door) showNewPassword(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	var o operator.Operator
	if err := c.byLink(w, r, "reset.invalid", func() (err error) {
		o, err = c.Operators.ResetHolder(r.Context(), token)
		return err
	}); err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, content{Reset: true, Token: token, Login: o.Login}, "")
}

func (c *Door) setNewPassword(w http.ResponseWriter, r *http.Request) error {
	token := r.PostFormValue("token")
	var o operator.Operator
	var problem string
	err := c.byLink(w, r, "reset.invalid", func() (err error) {
		o, err = c.Operators.Redeem(r.Context(), token, r.PostFormValue("password"))
		if problem = Problem(c.Words(r), err); problem != "" {
			o, err = c.Operators.ResetHolder(r.Context(), token)
		}
		return err
	})
	if err == nil && problem != "" {
		return c.showDoor(w, r, http.StatusUnprocessableEntity, content{Reset: true, Token: token, Login: o.Login}, problem)
	}
	if err == nil {
		err = c.letIn(w, r, o)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/visitors", "account.changed")
}
