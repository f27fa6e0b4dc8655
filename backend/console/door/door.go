package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/attempts"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/face"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
)

// content is the content of the page before the console: signing in, or making
// the first account.
type content struct {
	First bool   // there is no account, and so nobody who could sign in
	Setup bool   // make the first account
	Reset bool   // set a new password
	Token string // of the link for either
	// Forgotten asks for the login of which the password is forgotten, and Mailed says that a link is on its way, if there
	// is such an account. Links can be mailed if MayForget.
	Forgotten, Mailed, MayForget bool
	Code                         bool   // take the second step:
	ByCode                       bool   // by a code of the authenticator, or a recovery code
	ByPasskey                    bool   // by a passkey, here, or signing in
	Hosts                        string // where the account's passkeys are for, if there is none for here
	To                           string // where to go after signing in
	Login                        string
	Name                         string
}

func (c *Door) showDoor(w http.ResponseWriter, r *http.Request, status int, d content, problem string) error {
	f, err := c.Page(r, "door")
	if err != nil {
		return err
	}
	d.MayForget = c.Invitations.Can()
	if _, err := placeOf(r); err == nil && !d.Code {
		d.ByPasskey = true
	}
	f.Body, f.Problem = d, problem
	f.Title, f.Here = f.Words.Text("signin.title"), "/sign-in"
	switch query := (url.Values{"token": {d.Token}}).Encode(); {
	case d.Setup:
		f.Title, f.Here = f.Words.Text("setup.title"), "/setup?"+query
	case d.Reset:
		f.Title, f.Here = f.Words.Text("reset.title"), "/password?"+query
	case d.Code:
		f.Title, f.Here = f.Words.Text("code.title"), "/sign-in/code"
	case d.Forgotten:
		f.Title, f.Here = f.Words.Text("forgotten.title"), "/forgotten"
	}
	return c.Show(w, status, f)
}

func (c *Door) showSignIn(w http.ResponseWriter, r *http.Request) error {
	if _, err := c.holder(r.Context(), r); err == nil {
		http.Redirect(w, r, frame.FirstPage, http.StatusSeeOther)
		return nil
	}
	done, err := c.Operators.SetUp(r.Context())
	if err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, content{First: !done, To: r.URL.Query().Get("to")}, "")
}

func (c *Door) signIn(w http.ResponseWriter, r *http.Request) error {
	words := c.Words(r)
	d := content{To: r.PostFormValue("to"), Login: r.PostFormValue("login")}
	browser, err := c.knownBrowser(r, d.Login)
	var o operator.Operator
	if err == nil {
		err = c.attempts.Password(r, d.Login, browser, func(ctx context.Context) (err error) {
			o, err = c.Operators.Authenticate(ctx, d.Login, r.PostFormValue("password"))
			return err
		})
	}
	var wait attempts.TooMany
	switch {
	case errors.As(err, &wait):
		w.Header().Set("Retry-After", wait.Seconds())
		return c.showDoor(w, r, http.StatusTooManyRequests, d, wait.Text(words))
	case errors.Is(err, operator.ErrDisabled):
		c.refused(r)
		return c.showDoor(w, r, http.StatusForbidden, d, words.Text("signin.disabled"))
	case errors.Is(err, operator.ErrCredentials):
		c.refused(r)
		return c.showDoor(w, r, http.StatusUnauthorized, d, words.Text("signin.wrong"))
	case err != nil:
		return err
	}
	return c.come(w, r, o, frame.Local(d.To), "")
}

// refused logs an attempt to come in that has failed, for programs that shut out
// those who guess. What was typed is not logged: it may be a password.
func (c *Door) refused(r *http.Request) {
	c.Logger.Warn("sign-in failed", zap.String("address", c.addressOf(r)))
}

func (c *Door) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := c.Sessions.End(r); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
	return nil
}

// The setup link is good while there is nobody who could sign in.
func (c *Door) showSetup(w http.ResponseWriter, r *http.Request) error {
	if what := r.Header.Get("Sec-Fetch-Dest"); what != "" && what != "document" { // a picture on somebody's page, say
		return frame.NotFound
	}
	token := r.URL.Query().Get("token")
	if err := c.settingUp(w, r, func() error { return c.Operators.CheckSetup(r.Context(), token) }); err != nil {
		return err
	}
	return c.showDoor(w, r, http.StatusOK, content{Setup: true, Token: token}, "")
}

func (c *Door) setUp(w http.ResponseWriter, r *http.Request) error {
	d := content{Setup: true, Token: r.PostFormValue("token"), Login: r.PostFormValue("login"), Name: r.PostFormValue("name")}
	var o operator.Operator
	err := c.settingUp(w, r, func() (err error) {
		o, err = c.Operators.Setup(r.Context(), d.Token, operator.Account{Login: d.Login, Name: d.Name, Password: r.PostFormValue("password")})
		return err
	})
	if problem := Problem(c.Words(r), err); problem != "" {
		return c.showDoor(w, r, http.StatusUnprocessableEntity, d, problem)
	}
	if err == nil {
		err = c.letIn(w, r, o, false)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/sites", "setup.done")
}

// settingUp makes an attempt to use the setup link. Once there are accounts, there is no such page.
func (c *Door) settingUp(w http.ResponseWriter, r *http.Request, attempt func() error) error {
	done, err := c.Operators.SetUp(r.Context())
	if done {
		return frame.NotFound
	}
	if err == nil {
		err = c.byLink(w, r, "setup.invalid", attempt)
	}
	return err
}

// byLink makes an attempt to use a link. The error is the attempt's, or a [Failure] for an attempt that was not made and
// for a link that is not good, which the text says.
func (c *Door) byLink(w http.ResponseWriter, r *http.Request, text string, attempt func() error) error {
	err := c.attempts.Setup(r, attempt)
	var wait attempts.TooMany
	switch {
	case errors.As(err, &wait):
		w.Header().Set("Retry-After", wait.Seconds())
		return frame.Fail(http.StatusTooManyRequests, "fail.later")
	case errors.Is(err, operator.ErrSetupToken):
		c.refused(r)
		return frame.Fail(http.StatusForbidden, text)
	}
	return err
}

// Problem is what the sender of a form did wrong with an account, or nothing when it is not
// their mistake.
func Problem(w *words.Tongue, err error) string {
	for mistake, text := range map[error]string{
		operator.ErrLogin: "problem.login", operator.ErrName: "problem.name", operator.ErrRole: "problem.role", operator.ErrEmail: "problem.email",
		passwords.ErrLength: "problem.password", passwords.ErrCommon: "problem.passwordCommon",
		passwords.ErrOwn: "problem.passwordOwn", passwords.ErrPlain: "problem.passwordPlain", operator.ErrTaken: "problem.taken",
		operator.ErrProvisioned: "problem.provisioned", operator.ErrLastAdmin: "problem.lastAdmin",
		operator.ErrSites: "problem.sites", operator.ErrForbidden: "problem.otherSites", operator.ErrSelf: "problem.self",
		face.ErrPicture: "face.wrong", face.ErrLarge: "face.large",
	} {
		if errors.Is(err, mistake) {
			return w.Text(text)
		}
	}
	return ""
}

// chooseLanguage keeps the language for the browser, and for the account.
func (c *Door) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	chosen := c.Tongue(r.PostFormValue("language"))
	if chosen == nil {
		return frame.Fail(http.StatusBadRequest, "fail.form")
	}
	if o, err := c.holder(r.Context(), r); err == nil {
		if err := c.Operators.SetLanguage(r.Context(), o.ID, chosen.Code); err != nil {
			return err
		}
	}
	http.SetCookie(w, &http.Cookie{Name: frame.LanguageCookie, Value: chosen.Code, Path: "/", MaxAge: 400 * 24 * 60 * 60,
		HttpOnly: true, Secure: session.Secure(r), SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, frame.Local(r.PostFormValue("back")), http.StatusSeeOther)
	return nil
}
