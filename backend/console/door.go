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

func (c *doorRoom) showDoor(w http.ResponseWriter, r *http.Request, status int, d door, problem string) error {
	f, err := c.page(r, "door")
	if err != nil {
		return err
	}
	f.Body, f.Problem = d, problem
	f.Title, f.Here = f.Words.text("signin.title"), "/sign-in"
	switch query := (url.Values{"token": {d.Token}}).Encode(); {
	case d.Setup:
		f.Title, f.Here = f.Words.text("setup.title"), "/setup?"+query
	case d.Reset:
		f.Title, f.Here = f.Words.text("reset.title"), "/password?"+query
	}
	return c.show(w, r, status, f)
}

func (c *doorRoom) showSignIn(w http.ResponseWriter, r *http.Request) error {
	if _, err := c.holder(r.Context(), r); err == nil {
		http.Redirect(w, r, "/visitors", http.StatusSeeOther)
		return nil
	}
	done, err := c.Operators.SetUp(r.Context())
	if err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, door{First: !done, To: r.URL.Query().Get("to")}, "")
}

func (c *doorRoom) signIn(w http.ResponseWriter, r *http.Request) error {
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
		return c.showDoor(w, r, http.StatusTooManyRequests, d, wait.text(words))
	case errors.Is(err, operator.ErrDisabled):
		c.refused(r)
		return c.showDoor(w, r, http.StatusForbidden, d, words.text("signin.disabled"))
	case errors.Is(err, operator.ErrCredentials):
		c.refused(r)
		return c.showDoor(w, r, http.StatusUnauthorized, d, words.text("signin.wrong"))
	case err == nil:
		err = c.letIn(w, r, o)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, local(d.To), http.StatusSeeOther)
	return nil
}

// refused logs an attempt to come in that has failed, for programs that shut out
// those who guess. What was typed is not logged: it may be a password.
func (c *doorRoom) refused(r *http.Request) {
	client := pace.Client(r.RemoteAddr)
	address := pace.Truncated(client)
	if c.wholeAddresses != nil && c.wholeAddresses() {
		address = client.String()
	}
	c.logger.Warn("sign-in failed", zap.String("address", address))
}

// seconds is the time to wait as the Retry-After header has it.
func (t tooMany) seconds() string { return strconv.Itoa(int(math.Ceil(time.Duration(t).Seconds()))) }

func (t tooMany) text(w *words) string {
	return w.text("signin.tooMany", "wait", w.span(time.Duration(math.Ceil(time.Duration(t).Seconds()))*time.Second))
}

func (c *doorRoom) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := c.sessions.end(r); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
	return nil
}

// The setup link is good while there is nobody who could sign in.
func (c *doorRoom) showSetup(w http.ResponseWriter, r *http.Request) error {
	if what := r.Header.Get("Sec-Fetch-Dest"); what != "" && what != "document" { // a picture on somebody's page, say
		return notFound
	}
	token := r.URL.Query().Get("token")
	if err := c.settingUp(w, r, func() error { return c.Operators.CheckSetup(r.Context(), token) }); err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, door{Setup: true, Token: token}, "")
}

func (c *doorRoom) setUp(w http.ResponseWriter, r *http.Request) error {
	d := door{Setup: true, Token: r.PostFormValue("token"), Login: r.PostFormValue("login"), Name: r.PostFormValue("name")}
	var o operator.Operator
	err := c.settingUp(w, r, func() (err error) {
		o, err = c.Operators.Setup(r.Context(), d.Token, operator.Account{Login: d.Login, Name: d.Name, Password: r.PostFormValue("password")})
		return err
	})
	if problem := accountProblem(c.wordsFor(r), err); problem != "" {
		return c.showDoor(w, r, http.StatusUnprocessableEntity, d, problem)
	}
	if err == nil {
		err = c.letIn(w, r, o)
	}
	if err != nil {
		return err
	}
	return c.back(w, r, "/sites", "setup.done")
}

// settingUp makes an attempt to use the setup link. Once there are accounts, there is no such page.
func (c *doorRoom) settingUp(w http.ResponseWriter, r *http.Request, attempt func() error) error {
	done, err := c.Operators.SetUp(r.Context())
	if done {
		return notFound
	}
	if err == nil {
		err = c.byLink(w, r, "setup.invalid", attempt)
	}
	return err
}

// byLink makes an attempt to use a link. The error is the attempt's, or a [Failure] for an attempt that was not made and
// for a link that is not good, which the text says.
func (c *doorRoom) byLink(w http.ResponseWriter, r *http.Request, text string, attempt func() error) error {
	err := c.attempts.setup(r, attempt)
	var wait tooMany
	switch {
	case errors.As(err, &wait):
		w.Header().Set("Retry-After", wait.seconds())
		return failure(http.StatusTooManyRequests, "fail.later")
	case errors.Is(err, operator.ErrSetupToken):
		c.refused(r)
		return failure(http.StatusForbidden, text)
	}
	return err
}

// accountProblem is what the sender of a form did wrong with an account, or nothing when it is not
// their mistake.
func accountProblem(w *words, err error) string {
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
func (c *doorRoom) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	chosen := c.wordsOf(r.PostFormValue("language"))
	if chosen == nil {
		return failure(http.StatusBadRequest, "fail.form")
	}
	if o, err := c.holder(r.Context(), r); err == nil {
		if err := c.Operators.SetLanguage(r.Context(), o.ID, chosen.Code); err != nil {
			return err
		}
	}
	http.SetCookie(w, &http.Cookie{Name: languageCookie, Value: chosen.Code, Path: "/", MaxAge: 400 * 24 * 60 * 60,
		HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
	return nil
}
