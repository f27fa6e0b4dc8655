package door

import (
	"errors"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

// showForgotten asks who has forgotten a password. There is no such page where no link can be mailed.
func (c *Door) showForgotten(w http.ResponseWriter, r *http.Request) error {
	if !c.Invitations.Can() {
		return frame.NotFound
	}
	return c.showDoor(w, r, http.StatusOK, content{Forgotten: true}, "")
}

// mailForgotten has a link mailed to the owner of the login, if there is one. The answer is the same for all logins.
func (c *Door) mailForgotten(w http.ResponseWriter, r *http.Request) error {
	if !c.Invitations.Can() {
		return frame.NotFound
	}
	login := r.PostFormValue("login")
	mail, err := c.attempts.Letter(r, login)
	if wait, ok := errors.AsType[attempts.TooMany](err); ok {
		w.Header().Set("Retry-After", wait.Seconds())
		return c.showDoor(w, r, http.StatusTooManyRequests, content{Forgotten: true, Login: login}, wait.Text(c.Words(r)))
	}
	if err == nil && mail {
		err = c.Invitations.Forgotten(r.Context(), login, c.Words(r).Code)
	}
	if err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, content{Forgotten: true, Mailed: true}, "")
}
