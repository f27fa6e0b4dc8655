package console

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// door is the content of the page before the console: signing in, or making
// the first account.
type door struct {
	Setup bool
	Token string
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
	if d.Setup {
		f.Title, f.Here = f.Words.text("setup.title"), "/setup?"+url.Values{"token": {d.Token}}.Encode()
	}
	c.show(w, r, status, f)
}

func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request) {
	if _, err := c.holder(r.Context(), r); err == nil {
		http.Redirect(w, r, "/visitors", http.StatusSeeOther)
		return
	}
	c.showDoor(w, r, http.StatusOK, door{To: r.URL.Query().Get("to")}, "")
}

func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	words := c.wordsFor(r)
	d := door{To: r.PostFormValue("to"), Login: r.PostFormValue("login")}
	if wait, allowed := c.attempts.allow(r, d.Login); !allowed {
		c.tooMany(w, r, wait, d)
		return
	}
	o, err := c.Operators.Authenticate(r.Context(), d.Login, r.PostFormValue("password"))
	switch {
	case errors.Is(err, operator.ErrCredentials):
		c.showDoor(w, r, http.StatusUnauthorized, d, words.text("signin.wrong"))
		return
	case err == nil:
		err = c.sessions.begin(r, o)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	http.Redirect(w, r, local(d.To), http.StatusSeeOther)
}

func (c *Console) tooMany(w http.ResponseWriter, r *http.Request, wait time.Duration, d door) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	c.showDoor(w, r, http.StatusTooManyRequests, d, c.wordsFor(r).text("signin.tooMany"))
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
	token := r.URL.Query().Get("token")
	if wait, allowed := c.attempts.allow(r, ""); !allowed {
		c.tooMany(w, r, wait, door{})
		return
	}
	switch err := c.Operators.CheckSetup(r.Context(), token); {
	case errors.Is(err, operator.ErrSetupToken):
		c.fail(w, r, http.StatusForbidden, "setup.invalid")
	case err != nil:
		c.failed(w, r, err)
	default:
		c.showDoor(w, r, http.StatusOK, door{Setup: true, Token: token}, "")
	}
}

func (c *Console) setUp(w http.ResponseWriter, r *http.Request) {
	d := door{Setup: true, Token: r.PostFormValue("token"), Login: r.PostFormValue("login"), Name: r.PostFormValue("name")}
	if wait, allowed := c.attempts.allow(r, ""); !allowed {
		c.tooMany(w, r, wait, d)
		return
	}
	o, err := c.Operators.Setup(r.Context(), d.Token, operator.Account{Login: d.Login, Name: d.Name, Password: r.PostFormValue("password")})
	switch problem := c.wordsFor(r).problem(err); {
	case errors.Is(err, operator.ErrSetupToken):
		c.fail(w, r, http.StatusForbidden, "setup.invalid")
	case problem != "":
		c.showDoor(w, r, http.StatusUnprocessableEntity, d, problem)
	case err != nil:
		c.failed(w, r, err)
	default:
		if err := c.sessions.begin(r, o); err != nil {
			c.failed(w, r, err)
			return
		}
		c.back(w, r, "/visitors", "setup.done")
	}
}

// problem is what the sender of a form did wrong, or nothing when it is not
// their mistake.
func (w *words) problem(err error) string {
	for mistake, text := range map[error]string{
		operator.ErrLogin: "problem.login", operator.ErrName: "problem.name", operator.ErrRole: "problem.role",
		operator.ErrPassword: "problem.password", operator.ErrTaken: "problem.taken",
		operator.ErrProvisioned: "problem.provisioned", operator.ErrLastAdmin: "problem.lastAdmin",
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
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
}
