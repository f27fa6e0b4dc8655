package console

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

func (c *doorRoom) showAccount(w http.ResponseWriter, r *http.Request) error {
	return c.account(w, r, http.StatusOK, "")
}

func (c *doorRoom) account(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.page(r, "account")
	if err != nil {
		return err
	}
	f.Problem = problem
	return c.show(w, r, status, f)
}

// changePassword changes the operator's own password, ends the account's
// sessions, and begins a new one for this browser.
func (c *doorRoom) changePassword(w http.ResponseWriter, r *http.Request) error {
	words := c.wordsFor(r)
	o, _ := current(r)
	fresh := r.PostFormValue("password")
	session := "session " + c.sessions.token(r)
	err := c.attempts.password(r, o.Login, session, func(ctx context.Context) error {
		_, err := c.Operators.Authenticate(ctx, o.Login, r.PostFormValue("current"))
		return err
	})
	var wait tooMany
	if errors.As(err, &wait) {
		return c.account(w, r, http.StatusTooManyRequests, wait.text(words))
	}
	if errors.Is(err, operator.ErrCredentials) {
		return c.account(w, r, http.StatusUnprocessableEntity, words.text("problem.current"))
	}
	if err == nil {
		err = c.Operators.Passwd(r.Context(), o.Actor(), o.Login, fresh)
	}
	if problem := accountProblem(words, err); problem != "" {
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
	return c.back(w, r, "/account", "account.changed")
}

func (c *doorRoom) setAway(w http.ResponseWriter, r *http.Request) error {
	o, _ := current(r)
	away := r.PostFormValue("away") == "true"
	if err := c.Operators.SetAway(r.Context(), o.ID, away); err != nil {
		return err
	}
	if inPage(r) { // the page stays, and what was pressed changes
		o.Away = away
		part, err := c.part(c.wordsFor(r), "state", frame{Operator: o, Here: local(r.PostFormValue("back"))})
		if err != nil {
			return err
		}
		w.Header().Set("Console-Part", "state")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(part)
		return nil
	}
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
	return nil
}
