package console

import (
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// resetLink is the address by which the token sets a password, as the admin's browser
// knows the console.
func resetLink(r *http.Request, token string) string {
	link := url.URL{Scheme: "http", Host: r.Host, Path: "/password", RawQuery: url.Values{"token": {token}}.Encode()}
	if secure(r) {
		link.Scheme = "https"
	}
	return link.String()
}

// The link for a new password is good once. To open it uses nothing up: programs open
// links, too.
func (c *Console) showNewPassword(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	var o operator.Operator
	c.byLink(w, r, func() (err error) {
		o, err = c.Operators.ResetHolder(r.Context(), token)
		return err
	}, func() { c.showDoor(w, r, http.StatusOK, door{Reset: true, Token: token, Login: o.Login}, "") })
}

func (c *Console) setNewPassword(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	var o operator.Operator
	var problem string
	c.byLink(w, r, func() (err error) {
		o, err = c.Operators.Redeem(r.Context(), token, r.PostFormValue("password"))
		if problem = c.wordsFor(r).problem(err); problem != "" {
			o, err = c.Operators.ResetHolder(r.Context(), token)
		}
		return err
	}, func() {
		if problem != "" {
			c.showDoor(w, r, http.StatusUnprocessableEntity, door{Reset: true, Token: token, Login: o.Login}, problem)
			return
		}
		if err := c.letIn(w, r, o); err != nil {
			c.failed(w, r, err)
			return
		}
		c.back(w, r, "/visitors", "account.changed")
	})
}

// byLink makes an attempt to use the link for a new password, and answers what is wrong
// with it.
func (c *Console) byLink(w http.ResponseWriter, r *http.Request, attempt func() error, answer func()) {
	switch err := c.attempts.setup(r, attempt); {
	case c.wrongLink(w, r, err, "reset.invalid"):
	case err != nil:
		c.failed(w, r, err)
	default:
		answer()
	}
}
