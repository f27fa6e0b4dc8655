package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

func (c *Door) showAccount(w http.ResponseWriter, r *http.Request) error {
	return c.account(w, r, http.StatusOK, "")
}

func (c *Door) account(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "account")
	if err != nil {
		return err
	}
	f.Problem, f.Body = problem, frame.FaceForm{Face: f.Operator.Face, Link: "/account/face"}
	return c.Show(w, status, f)
}

// changePassword changes the operator's own password, ends the account's
// sessions, and begins a new one for this browser.
func (c *Door) changePassword(w http.ResponseWriter, r *http.Request) error {
	words := c.Words(r)
	o, _ := frame.Current(r)
	fresh := r.PostFormValue("password")
	session := "session " + c.Sessions.Token(r)
	err := c.attempts.password(r, o.Login, session, func(ctx context.Context) error {
		_, err := c.Operators.Authenticate(ctx, o.Login, r.PostFormValue("current"))
		return err
	})
	if wait, ok := errors.AsType[tooMany](err); ok {
		return c.account(w, r, http.StatusTooManyRequests, wait.text(words))
	}
	if errors.Is(err, operator.ErrCredentials) {
		return c.account(w, r, http.StatusUnprocessableEntity, words.Text("problem.current"))
	}
	if err == nil {
		err = c.Operators.Passwd(r.Context(), o.Actor(), o.Login, fresh)
	}
	if problem := Problem(words, err); problem != "" {
		return c.account(w, r, http.StatusUnprocessableEntity, problem)
	}
	if err == nil {
		o, err = c.Operators.Get(r.Context(), o.ID)
	}
	if err == nil {
		err = c.letIn(w, r, o)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/account", "account.changed")
}

func (c *Door) setAway(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	away := r.PostFormValue("away") == "true"
	if err := c.Operators.SetAway(r.Context(), o.ID, away); err != nil {
		return err
	}
	if frame.InPage(r) { // the page stays, and what was pressed changes
		o.Away = away
		part, err := c.Part(c.Words(r), "state", frame.Page{Operator: o, Here: frame.Local(r.PostFormValue("back"))})
		if err != nil {
			return err
		}
		w.Header().Set("Console-Part", "state")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(part)
		return nil
	}
	http.Redirect(w, r, frame.Local(r.PostFormValue("back")), http.StatusSeeOther)
	return nil
}

// ResetLink is the address by which the token sets a password, as the admin's browser
// knows the console.
func ResetLink(r *http.Request, token string) string {
	return frame.Absolute(r, "/password?"+url.Values{"token": {token}}.Encode())
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
	return c.Back(w, r, frame.FirstPage, "account.changed")
}
