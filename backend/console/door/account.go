package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// own is the content of the page of the operator's account.
type own struct {
	Face    frame.FaceForm
	MayMail bool // links for a new password can be mailed

	Sessions frame.OpenSessions
	Passkeys keyList
}

func (c *Door) showAccount(w http.ResponseWriter, r *http.Request) error {
	return c.account(w, r, http.StatusOK, "")
}

func (c *Door) account(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "account")
	if err != nil {
		return err
	}
	open, err := c.SignIns.Sessions(r.Context(), f.Operator)
	if err != nil {
		return err
	}
	keys, err := c.keysOf(r, f.Operator)
	if err != nil {
		return err
	}
	f.Here = "/account"
	f.Problem, f.Body = problem, own{
		Face: frame.FaceForm{Face: f.Operator.Face, Link: "/account/face"}, MayMail: c.Invitations.Can(),
		Sessions: frame.OpenSessions{Open: open, Here: c.Sessions.Sign(r, f.Operator.Sites).Token, Link: "/account"}, Passkeys: keys,
	}
	return c.Show(w, status, f)
}

// changePassword changes the operator's own password, ends the account's
// sessions, and begins a new one for this browser.
func (c *Door) changePassword(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	err := c.again(r, o)
	if err == nil {
		err = c.Operators.Passwd(r.Context(), o.Actor(), o.Login, r.PostFormValue("password"))
	}
	if status, problem := refusedAgain(c.Words(r), err); problem != "" {
		return c.account(w, r, status, problem)
	}
	if err == nil {
		o, err = c.Operators.Get(r.Context(), o.ID)
	}
	if err == nil {
		err = c.letIn(w, r, o, c.Sessions.Proven(r))
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/account", "account.changed")
}

// again makes an attempt to know the password of the operator who is in, which the form has in "current".
func (c *Door) again(r *http.Request, o operator.Operator) error {
	return c.attempts.Password(r, o.Login, "session "+c.Sessions.Token(r), func(ctx context.Context) error {
		_, err := c.Operators.Authenticate(ctx, o.Login, r.PostFormValue("current"))
		return err
	})
}

// refusedAgain is what is said of an attempt of [Door.again] that has failed; nothing for other errors.
func refusedAgain(w *words.Tongue, err error) (status int, problem string) {
	if wait, ok := errors.AsType[attempts.TooMany](err); ok {
		return http.StatusTooManyRequests, wait.Text(w)
	}
	if errors.Is(err, operator.ErrCredentials) {
		return http.StatusUnprocessableEntity, w.Text("problem.current")
	}
	return http.StatusUnprocessableEntity, Problem(w, err)
}

// changeEmail makes another address the operator's own.
func (c *Door) changeEmail(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	err := c.again(r, o)
	if err == nil {
		err = operator.SetEmail(r.Context(), c.Operators, o.Actor(), o.ID, r.PostFormValue("email"))
	}
	if status, problem := refusedAgain(c.Words(r), err); problem != "" {
		return c.account(w, r, status, problem)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/account", "account.emailChanged")
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
	if err != nil {
		return err
	}
	return c.come(w, r, o, frame.FirstPage, "account.changed")
}
