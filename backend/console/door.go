package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// door is the content of the page before the console: signing in, or making
// the first account.
type door struct {
	First bool   // there is no account, and so nobody who could sign in
	Setup bool   // make the first account
	Reset bool   // set a new password
	Token string // of the link for either
	To    string // where to go after signing in
	Login string
	Name  string
}

func (c *Console) showDoor(w http.ResponseWriter, r *http.Request, status int, d door, problem string) {
	f, err := c.frame(r, "door")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Body, f.Problem = d, problem
	f.Title, f.Here = f.Words.text("signin.title"), "/sign-in"
	switch query := (url.Values{"token": {d.Token}}).Encode(); {
	case d.Setup:
		f.Title, f.Here = f.Words.text("setup.title"), "/setup?"+query
	case d.Reset:
		f.Title, f.Here = f.Words.text("reset.title"), "/password?"+query
	}
	c.show(w, r, status, f)
}

func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request) {
	if _, err := c.holder(r.Context(), r); err == nil {
		http.Redirect(w, r, "/visitors", http.StatusSeeOther)
		return
	}
	done, err := c.Operators.SetUp(r.Context())
	if err != nil {
		c.failed(w, r, err)
		return
	}
	c.showDoor(w, r, http.StatusOK, door{First: !done, To: r.URL.Query().Get("to")}, "")
}

func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	words := c.wordsFor(r)
	d := door{To: r.PostFormValue("to"), Login: r.PostFormValue("login")}
	browser, err := c.knownBrowser(r, d.Login)
	var o operator.Operator
	if err == nil {
		err = c.attempts.password(r, d.Login, browser, func(ctx context.Context) (err error) {
			o, err = c.Operators.Authenticate(ctx, d.Login, r.PostFormValue("password"))
			return err
		})
	}
	var wait tooMany
	switch {
	case errors.As(err, &wait):
		w.Header().Set("Retry-After", wait.seconds())
		c.showDoor(w, r, http.StatusTooManyRequests, d, wait.text(words))
		return
	case errors.Is(err, operator.ErrDisabled):
		c.refused(r)
		c.showDoor(w, r, http.StatusForbidden, d, words.text("signin.disabled"))
		return
	case errors.Is(err, operator.ErrCredentials):
		c.refused(r)
		c.showDoor(w, r, http.StatusUnauthorized, d, words.text("signin.wrong"))
		return
	case err == nil:
		err = c.letIn(w, r, o)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	http.Redirect(w, r, local(d.To), http.StatusSeeOther)
}

// refused logs an attempt to come in that has failed, for programs that shut out
// those who guess. What was typed is not logged: it may be a password.
func (c *Console) refused(r *http.Request) {
	client := pace.Client(r.RemoteAddr)
	address := pace.Truncated(client)
	if c.WholeAddresses != nil && c.WholeAddresses() {
		address = client.String()
	}
	c.logger.Warn("sign-in failed", zap.String("address", address))
}

// seconds is the time to wait as the Retry-After header has it.
func (t tooMany) seconds() string { return strconv.Itoa(int(math.Ceil(time.Duration(t).Seconds()))) }

func (t tooMany) text(w *words) string {
	return w.text("signin.tooMany", "wait", w.span(time.Duration(math.Ceil(time.Duration(t).Seconds()))*time.Second))
}

func (c *Console) signOut(w http.ResponseWriter, r *http.Request) {
	if err := c.sessions.of(r).Destroy(r.Context()); err != nil {
		c.failed(w, r, err)
		return
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

// The setup link is good while there is nobody who could sign in.
func (c *Console) showSetup(w http.ResponseWriter, r *http.Request) {
	if what := r.Header.Get("Sec-Fetch-Dest"); what != "" && what != "document" { // a picture on somebody's page, say
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	token := r.URL.Query().Get("token")
	c.settingUp(w, r, func() error { return c.Operators.CheckSetup(r.Context(), token) }, func(err error) {
		if err != nil {
			c.failed(w, r, err)
			return
		}
		c.showDoor(w, r, http.StatusOK, door{Setup: true, Token: token}, "")
	})
}

func (c *Console) setUp(w http.ResponseWriter, r *http.Request) {
	d := door{Setup: true, Token: r.PostFormValue("token"), Login: r.PostFormValue("login"), Name: r.PostFormValue("name")}
	var o operator.Operator
	c.settingUp(w, r, func() (err error) {
		o, err = c.Operators.Setup(r.Context(), d.Token, operator.Account{Login: d.Login, Name: d.Name, Password: r.PostFormValue("password")})
		return err
	}, func(err error) {
		if problem := c.wordsFor(r).problem(err); problem != "" {
			c.showDoor(w, r, http.StatusUnprocessableEntity, d, problem)
			return
		}
		if err == nil {
			err = c.letIn(w, r, o)
		}
		if err != nil {
			c.failed(w, r, err)
			return
		}
		c.back(w, r, "/sites", "setup.done")
	})
}

// settingUp makes an attempt to use the setup link, and answers what is wrong
// with the link itself. Once there are accounts, there is no such page.
func (c *Console) settingUp(w http.ResponseWriter, r *http.Request, attempt func() error, answer func(error)) {
	done, err := c.Operators.SetUp(r.Context())
	if done {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	if err == nil {
		err = c.attempts.setup(r, attempt)
	}
	if !c.wrongLink(w, r, err, "setup.invalid") {
		answer(err)
	}
}

// wrongLink answers an attempt that was not made, and one whose link is not good, with the text.
// It tells whether it has answered.
func (c *Console) wrongLink(w http.ResponseWriter, r *http.Request, err error, text string) bool {
	var wait tooMany
	switch {
	case errors.As(err, &wait):
		w.Header().Set("Retry-After", wait.seconds())
		c.fail(w, r, http.StatusTooManyRequests, "fail.later")
	case errors.Is(err, operator.ErrSetupToken):
		c.refused(r)
		c.fail(w, r, http.StatusForbidden, text)
	default:
		return false
	}
	return true
}

// problem is what the sender of a form did wrong, or nothing when it is not
// their mistake.
func (w *words) problem(err error) string {
	for mistake, text := range map[error]string{
		operator.ErrLogin: "problem.login", operator.ErrName: "problem.name", operator.ErrRole: "problem.role",
		operator.ErrPassword: "problem.password", operator.ErrCommonPassword: "problem.passwordCommon",
		operator.ErrOwnPassword: "problem.passwordOwn", operator.ErrPlainPassword: "problem.passwordPlain", operator.ErrTaken: "problem.taken",
		operator.ErrProvisioned: "problem.provisioned", operator.ErrLastAdmin: "problem.lastAdmin",
		operator.ErrSites: "problem.sites", operator.ErrForbidden: "problem.otherSites", operator.ErrSelf: "problem.self",
	} {
		if errors.Is(err, mistake) {
			return w.text(text)
		}
	}
	return ""
}

// chooseLanguage keeps the language for the browser, and for the account.
func (c *Console) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := c.wordsOf(r.PostFormValue("language"))
	if chosen == nil {
		c.fail(w, r, http.StatusBadRequest, "fail.form")
		return
	}
	if o, err := c.holder(r.Context(), r); err == nil {
		if err := c.Operators.SetLanguage(r.Context(), o.ID, chosen.Code); err != nil {
			c.failed(w, r, err)
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: languageCookie, Value: chosen.Code, Path: "/", MaxAge: 400 * 24 * 60 * 60,
		HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
}
