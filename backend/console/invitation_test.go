package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// eachMailing runs the test on desks that have a mail server, whose jobs are done.
func eachMailing(t *testing.T, test func(t *testing.T, d *desk, post *mailtest.Server)) {
	each(t, func(t *testing.T, d *desk) {
		post := d.posted()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			d.Deliveries.Queue.Run(ctx)
		}()
		defer func() {
			cancel()
			<-done
		}()
		test(t, d, post)
	})
}

var mailedLink = regexp.MustCompile(`https://desk\.example(/password\?token=\S+)`)

// linkIn is the link of the mail, on the console's host.
func linkIn(t *testing.T, l mailtest.Letter) (page, token string) {
	t.Helper()
	found := mailedLink.FindStringSubmatch(l.Plain)
	require.NotNil(t, found, l.Plain)
	require.Contains(t, l.HTML, `href="`+found[0]+`"`)
	u, err := url.Parse(found[1])
	require.NoError(t, err)
	return found[1], u.Query().Get("token")
}

func (d *desk) account(login string) operator.Operator {
	d.t.Helper()
	o, err := operator.Named(d.t.Context(), d.Operators, login)
	require.NoError(d.t, err)
	return o
}

func TestAnOperatorIsInvitedByMail(t *testing.T) {
	eachMailing(t, func(t *testing.T, d *desk, post *mailtest.Server) {
		vera := d.signedIn("vera")
		vera.post("/language", "language", "ru")
		for _, email := range []string{"", "no address", "a@b.example, c@d.example"} {
			refused := vera.post("/operators", "login", "boris", "email", email, "role", "operator", "all", "true")
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, email)
			require.Contains(t, refused.body, "Адрес почты выглядит")
		}
		made := vera.post("/operators", "login", "boris", "name", "Boris", "email", "boris@shop.example", "role", "operator", "all", "true")
		require.Equal(t, "/operators", made.header.Get("Location"), made.body)
		require.True(t, d.account("boris").Waiting)

		letter := comes(t, post)
		require.Equal(t, "<boris@shop.example>", letter.Get("To"))
		require.Equal(t, "vera приглашает вас во Frontdesk", letter.Subject, "in the language of who invites")
		require.Contains(t, letter.Plain, "desk.example")
		require.Contains(t, letter.Plain, "boris")
		page, token := linkIn(t, letter)
		rows, err := db.List(t.Context(), d.DB.Read(), db.Only[string], `SELECT payload FROM jobs UNION ALL SELECT token FROM operator_resets`)
		require.NoError(t, err)
		require.NotContains(t, strings.Join(rows, " "), token, "a look at the tables opens no account")

		boris := d.browser()
		require.Equal(t, http.StatusUnauthorized, boris.post("/sign-in", "login", "boris", "password", "").status)
		require.Contains(t, boris.get(page).body, `value="boris"`)
		require.Equal(t, http.StatusSeeOther, boris.post("/password", "token", token, "password", password).status)
		require.Equal(t, http.StatusOK, boris.get("/visitors").status)
		require.Equal(t, http.StatusForbidden, d.browser().get(page).status, "once")

		vera.post("/language", "language", "en")
		done := vera.get("/history").body
		require.Contains(t, done, "Invited by mail")
		require.NotContains(t, done, "boris@shop.example")
	})
}

func TestALinkThatWasMailedEnds(t *testing.T) {
	eachMailing(t, func(t *testing.T, d *desk, post *mailtest.Server) {
		vera := d.signedIn("vera")
		vera.post("/operators", "login", "boris", "email", "boris@shop.example", "role", "operator", "all", "true")
		page, token := linkIn(t, comes(t, post))
		d.pass(operator.ResetTime + time.Second)
		require.Equal(t, http.StatusForbidden, d.browser().get(page).status)
		require.Equal(t, http.StatusForbidden, d.browser().post("/password", "token", token, "password", password).status)

		// Another one is mailed, to another address.
		vera = d.signedIn("vera")
		account := fmt.Sprint("/operators/", d.account("boris").ID)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post(account+"/password", "by", "mail", "email", "").status)
		require.Equal(t, account, vera.post(account+"/password", "by", "mail", "email", "b@shop.example").header.Get("Location"))
		letter := comes(t, post)
		require.Equal(t, "<b@shop.example>", letter.Get("To"))
		require.Equal(t, "Set a new password for Frontdesk", letter.Subject)
		first, _ := linkIn(t, letter)

		// A link that the admin makes by hand ends that of the mail.
		require.Equal(t, http.StatusOK, vera.post(account+"/password").status)
		require.Equal(t, http.StatusForbidden, d.browser().get(first).status)
		done := vera.get("/history").body
		for _, text := range []string{"E-mail changed", "Password reset"} {
			require.Contains(t, done, text)
		}
	})
}

func TestAForgottenPassword(t *testing.T) {
	eachMailing(t, func(t *testing.T, d *desk, post *mailtest.Server) {
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Email: "boris@shop.example", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		stranger := d.browser()
		require.Contains(t, stranger.get("/sign-in").body, `href="/forgotten"`)
		require.Contains(t, stranger.get("/forgotten").body, `action="/forgotten"`)

		known, none, unknown := stranger.post("/forgotten", "login", "Boris"), stranger.post("/forgotten", "login", "vera"), stranger.post("/forgotten", "login", "nobody")
		for _, a := range []answer{known, none, unknown} {
			require.Equal(t, http.StatusOK, a.status)
			require.Equal(t, known.body, a.body, "the answer tells nothing about accounts")
		}
		page, token := linkIn(t, comes(t, post))
		require.Equal(t, http.StatusSeeOther, d.browser().post("/sign-in", "login", "boris", "password", password).status, "the password goes on")
		require.Contains(t, stranger.get(page).body, `value="boris"`)
		require.Equal(t, http.StatusSeeOther, stranger.post("/password", "token", token, "password", "another password").status)
		require.Equal(t, http.StatusUnauthorized, d.browser().post("/sign-in", "login", "boris", "password", password).status)

		// One mailbox is not filled: of those who ask on, all get the same answer, and the owner no more mails.
		for i := range 6 {
			other := d.browser()
			other.address = fmt.Sprintf("192.0.2.%d:1", i)
			require.Equal(t, known.body, other.post("/forgotten", "login", "boris").body)
		}
		comes(t, post)
		comes(t, post)
		other := d.browser()
		other.address = "198.51.100.1:1"
		for range 5 {
			require.Equal(t, http.StatusOK, other.post("/forgotten", "login", "nobody").status)
		}
		slow := other.post("/forgotten", "login", "nobody")
		require.Equal(t, http.StatusTooManyRequests, slow.status)
		require.NotEmpty(t, slow.header.Get("Retry-After"))

		require.NoError(t, d.Operators.SetDisabled(t.Context(), operator.Server(), boris.ID, true))
		d.pass(2 * time.Hour)
		require.Equal(t, known.body, stranger.post("/forgotten", "login", "boris").body)
		require.Eventually(t, func() bool {
			left, _, err := db.One(t.Context(), d.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM jobs WHERE kind = 'operator.link'`)
			return err == nil && left == 0
		}, time.Minute, 20*time.Millisecond)
		require.Empty(t, post.Letters, "who is disabled gets none")

		d.mail.Store(nil)
		require.Equal(t, http.StatusNotFound, stranger.get("/forgotten").status)
		require.Equal(t, http.StatusNotFound, stranger.post("/forgotten", "login", "boris").status)
		require.NotContains(t, stranger.get("/sign-in").body, `href="/forgotten"`)
	})
}

func TestAnOperatorSetsTheOwnAddress(t *testing.T) {
	eachMailing(t, func(t *testing.T, d *desk, post *mailtest.Server) {
		vera := d.signedIn("vera")
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/email", "email", "vera@shop.example", "current", "wrong").status)
		require.Empty(t, d.account("vera").Email, "nobody takes an account over by an open page alone")
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/email", "email", "vera", "current", password).status)
		require.Equal(t, "/account", vera.post("/account/email", "email", " vera@shop.example ", "current", password).header.Get("Location"))
		require.Contains(t, vera.get("/account").body, `value="vera@shop.example"`)
		d.browser().post("/forgotten", "login", "vera")
		page, _ := linkIn(t, comes(t, post))
		require.Equal(t, "/account", vera.post("/account/email", "email", "", "current", password).header.Get("Location"))
		require.Equal(t, http.StatusForbidden, d.browser().get(page).status, "what went to the earlier address ends")
		require.Equal(t, 2, strings.Count(vera.get("/history").body, "E-mail changed"))
	})
}
