package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep/twosteptest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// hasSteps sets the second step up in the browser, and returns the key of its authenticator and the recovery codes.
func (d *desk) hasSteps(b *browser) (key string, recovery []string) {
	d.t.Helper()
	page := b.get("/account/two-step").document(d.t)
	key = page.Find("#key").AttrOr("value", "")
	require.NotEmpty(d.t, key)
	require.Equal(d.t, 1, page.Find("svg.qr").Length())
	a := b.post("/account/two-step", "current", password, "code", twosteptest.Code(d.t, key, d.now()))
	require.Equal(d.t, http.StatusOK, a.status, a.body)
	recovery = strings.Fields(a.document(d.t).Find("#codes").Text())
	require.Len(d.t, recovery, twostep.RecoveryCodes)
	return key, recovery
}

// half is a browser in which the password was given and the code was not.
func (d *desk) half(login string) *browser {
	d.t.Helper()
	b := d.browser()
	a := b.post("/sign-in", "login", login, "password", password, "to", "/account")
	require.Equal(d.t, "/sign-in/code", a.header.Get("Location"))
	return b
}

func TestSignInWithTwoSteps(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		vera := d.signedIn("vera")
		require.Equal(t, "/account/two-step", vera.post("/account/two-step", "current", password, "code", "000000").header.Get("Location"), "there is no key yet")
		require.Equal(t, http.StatusOK, vera.get("/account/two-step").status)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/two-step", "current", password, "code", "000000").status)
		shown := vera.get("/account/two-step").document(t).Find("#key").AttrOr("value", "")
		found := vera.post("/account/two-step", "current", "not it", "code", twosteptest.Code(t, shown, d.now()))
		require.Equal(t, http.StatusUnprocessableEntity, found.status, "to find a console open is not enough")
		require.Contains(t, found.body, "current password")
		require.NotEqual(t, shown, d.signedIn("vera").get("/account/two-step").document(t).Find("#key").AttrOr("value", ""), "who has looked before knows nothing")
		key, recovery := d.hasSteps(vera)
		require.NotContains(t, vera.get("/account/two-step").body, recovery[0], "shown once")
		require.Equal(t, http.StatusOK, vera.get("/visitors").status, "one is still signed in")

		b := d.half("vera")
		for _, page := range []string{"/visitors", "/account", "/account/two-step"} {
			require.Equal(t, http.StatusSeeOther, b.get(page).status, "a password alone opens nothing")
		}
		require.Equal(t, http.StatusUnauthorized, b.post("/sign-in/code", "code", twosteptest.Code(t, key, d.now())).status, "that of the setup was used")
		d.pass(30 * time.Second)
		code := twosteptest.Code(t, key, d.now())
		in := b.post("/sign-in/code", "code", code[:3]+" "+code[3:])
		require.Equal(t, "/account", in.header.Get("Location"), in.body)
		require.NotEmpty(t, in.cookie(t, "frontdesk").Value, "under another token")
		require.Equal(t, http.StatusOK, b.get("/visitors").status)
		require.Equal(t, "/sign-in", b.get("/sign-in/code").header.Get("Location"))

		replayed := d.half("vera")
		require.Equal(t, http.StatusUnauthorized, replayed.post("/sign-in/code", "code", code).status, "a code is good once")
		require.Equal(t, "/account", replayed.post("/sign-in/code", "code", recovery[3]).header.Get("Location"))
		again := d.half("vera")
		require.Equal(t, http.StatusUnauthorized, again.post("/sign-in/code", "code", recovery[3]).status, "and a recovery code")

		d.pass(11 * time.Minute)
		require.Equal(t, "/sign-in", again.post("/sign-in/code", "code", twosteptest.Code(t, key, d.now())).header.Get("Location"), "the password was too long ago")
		require.Equal(t, "/sign-in", d.browser().post("/sign-in/code", "code", twosteptest.Code(t, key, d.now())).header.Get("Location"), "no password was given")
		done := vera.get("/history").body
		for _, text := range []string{"Two-step sign-in turned on", "Recovery code used"} {
			require.Contains(t, done, text)
		}
	})
}

func TestCodesAreNotGuessed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		vera := d.signedIn("vera")
		key, _ := d.hasSteps(vera)
		d.pass(time.Minute)
		for i := range 5 { // a new password, a new network: the account counts
			b := d.browser()
			b.address = fmt.Sprintf("192.0.2.%d:1", i)
			require.Equal(t, "/sign-in/code", b.post("/sign-in", "login", "vera", "password", password).header.Get("Location"))
			require.Equal(t, http.StatusUnauthorized, b.post("/sign-in/code", "code", "000000").status)
		}
		b := d.half("vera")
		slow := b.post("/sign-in/code", "code", twosteptest.Code(t, key, d.now()))
		require.Equal(t, http.StatusTooManyRequests, slow.status)
		require.NotEmpty(t, slow.header.Get("Retry-After"))

		// The owner's own browser is none of the guessers'.
		vera.post("/sign-out")
		require.Equal(t, "/sign-in/code", vera.post("/sign-in", "login", "vera", "password", password).header.Get("Location"))
		require.Equal(t, "/overview", vera.post("/sign-in/code", "code", twosteptest.Code(t, key, d.now())).header.Get("Location"))
	})
}

// A link for a new password is no way around the second step.
func TestANewPasswordTakesTheSecondStep(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		key, _ := d.hasSteps(d.signedIn("boris"))
		token, err := d.Operators.Reset(t.Context(), operator.Server(), boris.ID)
		require.NoError(t, err)
		b := d.browser()
		require.Equal(t, "/sign-in/code", b.post("/password", "token", token, "password", "another password").header.Get("Location"))
		require.Equal(t, http.StatusSeeOther, b.get("/visitors").status)
		d.pass(time.Minute)
		require.Equal(t, "/overview", b.post("/sign-in/code", "code", twosteptest.Code(t, key, d.now())).header.Get("Location"))
		require.Equal(t, http.StatusOK, b.get("/visitors").status)
	})
}

func TestTheSecondStepIsTurnedOff(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		vera := d.signedIn("vera")
		key, recovery := d.hasSteps(vera)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/two-step/removal", "code", "000000").status)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/two-step/codes", "code", "").status)
		d.pass(time.Minute)
		renewed := vera.post("/account/two-step/codes", "code", twosteptest.Code(t, key, d.now()))
		require.Equal(t, http.StatusOK, renewed.status)
		fresh := strings.Fields(renewed.document(t).Find("#codes").Text())
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/two-step/removal", "code", recovery[0]).status, "the earlier codes have ended")
		require.Equal(t, "/account/two-step", vera.post("/account/two-step/removal", "code", fresh[0]).header.Get("Location"))
		require.Equal(t, "/overview", d.browser().post("/sign-in", "login", "vera", "password", password).header.Get("Location"))

		// An admin turns it off for who has lost the authenticator.
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Admin, Sites: scope.Of(d.shop.ID)})
		require.NoError(t, err)
		d.hasSteps(d.signedIn("boris"))
		page := fmt.Sprint("/operators/", boris.ID)
		require.Contains(t, vera.get(page).body, page+"/two-step/removal")
		self := d.half("boris")
		require.Equal(t, http.StatusSeeOther, self.post(page+"/two-step/removal").status)
		require.True(t, d.account("boris").TwoStep, "nobody takes off the own one without a code")
		require.Equal(t, page, vera.post(page+"/two-step/removal").header.Get("Location"))
		require.False(t, d.account("boris").TwoStep)
		require.Equal(t, "/sign-in", self.get("/sign-in/code").header.Get("Location"), "who has given the password does it again")
		d.hasSteps(vera)
		require.Equal(t, http.StatusUnprocessableEntity, d.signedIn("boris").post(fmt.Sprint("/operators/", d.account("vera").ID)+"/two-step/removal").status, "it sees more")
		require.True(t, d.account("vera").TwoStep)
		require.Contains(t, vera.get("/history").body, "Two-step sign-in turned off")
	})
}

func TestTheSecondStepIsRequired(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		hash, err := passwords.NewVerifier().Hash(t.Context(), password)
		require.NoError(t, err)
		d.declare("keeper", hash)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		keeper, boris := d.signedIn("keeper"), d.signedIn("boris")
		require.Equal(t, http.StatusOK, keeper.get("/visitors").status)

		d.required.Store(twostep.Admins)
		for _, a := range []answer{keeper.get("/visitors"), keeper.get("/account"), keeper.post("/operators", "login", "eve", "password", password, "role", "admin", "all", "true")} {
			require.Equal(t, "/account/two-step", a.header.Get("Location"))
		}
		part := keeper.request(http.MethodGet, "/visitors")
		part.Header.Set("Hx-Request", "true")
		require.Equal(t, http.StatusUnauthorized, keeper.do(part).status)
		_, err = operator.Named(t.Context(), d.Operators, "eve")
		require.ErrorIs(t, err, operator.ErrUnknown)
		require.Equal(t, http.StatusOK, boris.get("/visitors").status)
		require.Contains(t, keeper.get("/account/two-step").body, "needs a second step")
		key, _ := d.hasSteps(keeper)
		require.Equal(t, http.StatusOK, keeper.get("/visitors").status)
		d.pass(time.Minute)
		require.Equal(t, http.StatusForbidden, keeper.post("/account/two-step/removal", "code", twosteptest.Code(t, key, d.now())).status)

		d.required.Store(twostep.All)
		require.Equal(t, "/account/two-step", boris.get("/visitors").header.Get("Location"))
		require.Equal(t, "/sign-in", boris.post("/sign-out").header.Get("Location"), "one may always leave")
	})
}
