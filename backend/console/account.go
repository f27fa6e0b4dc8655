package console

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

func (c *Console) showAccount(w http.ResponseWriter, r *http.Request) {
	c.account(w, r, http.StatusOK, "")
}

func (c *Console) account(w http.ResponseWriter, r *http.Request, status int, problem string) {
	f, err := c.frame(r, "account")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Problem = problem
	c.show(w, r, status, f)
}

// changePassword changes the operator's own password, ends the account's
// sessions, and begins a new one for this browser.
func (c *Console) changePassword(w http.ResponseWriter, r *http.Request) {
	words := c.wordsFor(r)
	o, _ := current(r)
	fresh := r.PostFormValue("password")
	session := "session " + c.sessions.of(r).Token(r.Context())
	err := c.attempts.password(r, o.Login, session, func(ctx context.Context) error {
		_, err := c.Operators.Authenticate(ctx, o.Login, r.PostFormValue("current"))
		return err
	})
	var wait tooMany
	if errors.As(err, &wait) {
		c.account(w, r, http.StatusTooManyRequests, wait.text(words))
		return
	}
	if errors.Is(err, operator.ErrCredentials) {
		c.account(w, r, http.StatusUnprocessableEntity, words.text("problem.current"))
		return
	}
	if err == nil {
		err = c.Operators.Passwd(r.Context(), o.Actor(), o.Login, fresh)
	}
	if problem := words.problem(err); problem != "" {
		c.account(w, r, http.StatusUnprocessableEntity, problem)
		return
	}
	if err == nil {
		o, err = c.Operators.Get(r.Context(), o.ID)
	}
	if err == nil {
		err = c.letIn(w, r, o)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	c.back(w, r, "/account", "account.changed")
}

func (c *Console) setAway(w http.ResponseWriter, r *http.Request) {
	o, _ := current(r)
	away := r.PostFormValue("away") == "true"
	if err := c.Operators.SetAway(r.Context(), o.ID, away); err != nil {
		c.failed(w, r, err)
		return
	}
	if inPage(r) { // the page stays, and what was pressed changes
		o.Away = away
		part, err := c.part(c.wordsFor(r), "state", frame{Operator: o, Here: local(r.PostFormValue("back"))})
		if err != nil {
			c.failed(w, r, err)
			return
		}
		w.Header().Set("Console-Part", "state")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(part)
		return
	}
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
}
