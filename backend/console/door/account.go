package door

import (
	"context"
	"errors"
	"net/http"

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
	f.Problem = problem
	return c.Show(w, r, status, f)
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
	var wait tooMany
	if errors.As(err, &wait) {
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
