package door

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/visit/agent"
)

// passkeys is signing in with a passkey, and where operators keep theirs.
type passkeys struct{ second }

// keyPage is where passkeys are added; they are listed on the page of the account.
const keyPage = "/account/passkeys"

// keyList is what a page shows of the operator's passkeys.
type keyList struct {
	Own      []passkey.Passkey
	Host     string // of the console, as the browser knows it; empty where there are no passkeys
	Login    string // of the account
	Name     string // for another one
	Full     bool
	Required bool // the last one cannot be removed
}

func placeOf(r *http.Request) (passkey.Place, error) {
	return passkey.At(session.Secure(r), r.Host)
}

// keysOf are the passkeys of the operator, for a page.
func (c *Door) keysOf(r *http.Request, o operator.Operator) (list keyList, err error) {
	if at, err := placeOf(r); err == nil {
		list.Host = at.Host
	}
	if list.Own, err = c.Passkeys.Of(r.Context(), o.ID); err != nil {
		return list, err
	}
	with := agent.Of(r.UserAgent())
	list.Login, list.Name = o.Login, strings.Trim(with.Browser+" · "+with.System, " ·")
	list.Full = len(list.Own) >= passkey.Max
	list.Required = len(list.Own) == 1 && !o.TwoStep && c.rule().Requires(o)
	return list, nil
}

// ticketCookie is the name of the cookie that brings a challenge's ticket back.
func ticketCookie(r *http.Request) string {
	if session.Secure(r) {
		return "__Host-frontdesk-passkey"
	}
	return "frontdesk-passkey"
}

// keepTicket keeps a ticket in the browser; none, if it is empty.
func keepTicket(w http.ResponseWriter, r *http.Request, ticket string) {
	age := int(passkey.Life.Seconds())
	if ticket == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: ticketCookie(r), Value: ticket, Path: "/", MaxAge: age, HttpOnly: true, Secure: session.Secure(r), SameSite: http.SameSiteStrictMode})
}

// takeTicket is the ticket that the browser has kept, and takes it from there.
func takeTicket(w http.ResponseWriter, r *http.Request) string {
	cookie, err := r.Cookie(ticketCookie(r))
	if err != nil {
		return ""
	}
	keepTicket(w, r, "")
	return cookie.Value
}

// ask answers the page's script with a challenge for the browser's passkeys, or with what is wrong.
func (c passkeys) ask(w http.ResponseWriter, r *http.Request, begin func(at passkey.Place) (passkey.Asked, error)) error {
	at, err := placeOf(r)
	var asked passkey.Asked
	if err == nil {
		asked, err = begin(at)
	}
	if status, problem := c.wrong(r, err); problem != "" {
		if wait, slow := errors.AsType[attempts.TooMany](err); slow {
			w.Header().Set("Retry-After", wait.Seconds())
		}
		http.Error(w, problem, status)
		return nil
	}
	if err != nil {
		return err
	}
	keepTicket(w, r, asked.Ticket)
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(asked.Options)
	return err
}

// wrong is what is said of an attempt with a passkey that has failed; nothing for other errors.
func (c passkeys) wrong(r *http.Request, err error) (status int, problem string) {
	for mistake, text := range map[error]string{
		passkey.ErrPlace: "passkeys.place", passkey.ErrName: "problem.passkeyName", passkey.ErrMany: "problem.passkeyMany", passkey.ErrKnown: "passkeys.known",
		passkey.ErrChallenge: "passkeys.late", passkey.ErrUnknown: "passkeys.unknown", passkey.ErrCopied: "passkeys.copied",
	} {
		if errors.Is(err, mistake) {
			return http.StatusUnprocessableEntity, c.Words(r).Text(text)
		}
	}
	if errors.Is(err, passkey.ErrRefused) {
		return http.StatusUnprocessableEntity, c.Words(r).Text("passkeys.refused")
	}
	return refusedAgain(c.Words(r), err)
}

// answered makes an attempt with the passkey that has answered, and says in the log why one was refused.
func (c passkeys) answered(w http.ResponseWriter, r *http.Request, attempt func(at passkey.Place, ticket string, answer []byte) error) error {
	at, err := placeOf(r)
	if err != nil {
		return err
	}
	ticket, answer := takeTicket(w, r), r.PostFormValue("credential")
	if answer == "" { // the form was sent before the page's script was there, which is no attempt
		return passkey.ErrChallenge
	}
	err = c.attempts.Passkey(r, func() error { return attempt(at, ticket, []byte(answer)) })
	if errors.Is(err, passkey.ErrRefused) {
		c.Logger.Warn("passkey refused", zap.String("address", c.addressOf(r)), zap.Error(err))
	}
	return err
}

func (c passkeys) askSignIn(w http.ResponseWriter, r *http.Request) error {
	return c.ask(w, r, func(at passkey.Place) (passkey.Asked, error) { return c.Passkeys.AskSignIn(r.Context(), at) })
}

// signIn lets in by a passkey alone: it is something one has, and asks for something one knows or is.
func (c passkeys) signIn(w http.ResponseWriter, r *http.Request) error {
	var o operator.Operator
	err := c.answered(w, r, func(at passkey.Place, ticket string, answer []byte) (err error) {
		o, err = c.Passkeys.SignIn(r.Context(), at, ticket, answer)
		return err
	})
	return c.comes(w, r, o, err, content{To: r.PostFormValue("to")})
}

func (c passkeys) askStep(w http.ResponseWriter, r *http.Request) error {
	o, _, err := c.half(r)
	if errors.Is(err, errNobody) {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	return c.ask(w, r, func(at passkey.Place) (passkey.Asked, error) {
		return c.Passkeys.AskStep(r.Context(), at, o, c.Sessions.Sign(r, o.Sites).Token)
	})
}

// takeStep lets in by a passkey behind a right password.
func (c passkeys) takeStep(w http.ResponseWriter, r *http.Request) error {
	o, to, err := c.half(r)
	if errors.Is(err, errNobody) {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return nil
	}
	if err == nil {
		err = c.answered(w, r, func(at passkey.Place, ticket string, answer []byte) error {
			return c.Passkeys.Step(r.Context(), at, o, c.Sessions.Sign(r, o.Sites).Token, ticket, answer)
		})
	}
	return c.comes(w, r, o, err, content{Code: true, To: to})
}

// comes lets the operator in whose passkey was accepted, or says on the page why it was not.
func (c passkeys) comes(w http.ResponseWriter, r *http.Request, o operator.Operator, err error, d content) error {
	status, problem := c.wrong(r, err)
	switch {
	case errors.Is(err, operator.ErrDisabled):
		status, problem = http.StatusForbidden, c.Words(r).Text("signin.disabled")
	case errors.Is(err, passkey.ErrRefused):
		status = http.StatusUnauthorized
	}
	if problem != "" {
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			c.refused(r)
		}
		if wait, slow := errors.AsType[attempts.TooMany](err); slow {
			w.Header().Set("Retry-After", wait.Seconds())
		}
		if d.Code {
			return c.askedStep(w, r, status, problem)
		}
		return c.showDoor(w, r, status, d, problem)
	}
	if err == nil {
		err = c.letIn(w, r, o, true)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, frame.Local(d.To), http.StatusSeeOther)
	return nil
}

// askAdding asks for another passkey of who knows the account's password: to find a console open is not enough.
func (c passkeys) askAdding(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	return c.ask(w, r, func(at passkey.Place) (passkey.Asked, error) {
		if err := c.again(r, o); err != nil {
			return passkey.Asked{}, err
		}
		return c.Passkeys.AskAdding(r.Context(), at, o, c.Sessions.Sign(r, o.Sites).Token)
	})
}

// add adds a passkey. Who has to sign in with two steps has taken the second one by that.
func (c passkeys) add(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	lacked := c.lacksStep(r, o)
	err := c.answered(w, r, func(at passkey.Place, ticket string, answer []byte) error {
		return c.Passkeys.Add(r.Context(), at, o, c.Sessions.Sign(r, o.Sites).Token, ticket, r.PostFormValue("name"), answer)
	})
	if status, problem := c.wrong(r, err); problem != "" {
		if lacked {
			return c.steps(w, r, status, problem, nil)
		}
		return c.account(w, r, status, problem)
	}
	if err == nil && lacked {
		err = c.letIn(w, r, o, true)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/account", "passkeys.added")
}

func (c passkeys) remove(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	list, err := c.keysOf(r, o)
	if err != nil {
		return err
	}
	if list.Required {
		return c.account(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("passkeys.required"))
	}
	err = c.Passkeys.Remove(r.Context(), o.Actor(), o.ID, r.PostFormValue("passkey"))
	if err != nil && !errors.Is(err, passkey.ErrUnknown) { // removed in another window
		return err
	}
	return c.Back(w, r, "/account", "passkeys.removed")
}

// keyHosts tells whether the account has passkeys for where the browser has the console open, or else for where.
func (c *Door) keyHosts(r *http.Request, o operator.Operator) (hosts string, here bool, err error) {
	list, err := c.keysOf(r, o)
	if err != nil {
		return "", false, err
	}
	var all []string
	for _, key := range list.Own {
		if key.Host == list.Host {
			return "", true, nil
		}
		if !slices.Contains(all, key.Host) {
			all = append(all, key.Host)
		}
	}
	return strings.Join(all, ", "), false, nil
}
