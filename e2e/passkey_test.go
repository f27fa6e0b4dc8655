package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep/twosteptest"
)

// device is a virtual authenticator of a tab, which asks nobody.
type device struct {
	*tab
	id webauthn.AuthenticatorID
}

func (b *tab) device() device {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{})
	require.NoError(b.t, err)
	added, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, HasCmtgKey: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	require.NoError(b.t, err)
	return device{b, added.AuthenticatorID}
}

// keys are the passkeys that the device has.
func (d device) keys() []*webauthn.Credential {
	d.t.Helper()
	got, err := chromedp.Call(d.ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: d.id})
	require.NoError(d.t, err)
	return got.Credentials
}

// gets gives the device a passkey that has signed so often.
func (d device) gets(key *webauthn.Credential, signed float64) {
	d.t.Helper()
	_, err := chromedp.Call(d.ctx, webauthn.AddCredential, webauthn.AddCredentialParams{AuthenticatorID: d.id, Credential: &webauthn.Credential{
		CredentialID: key.CredentialID, IsResidentCredential: true, RpID: key.RpID, PrivateKey: key.PrivateKey, UserHandle: key.UserHandle, SignCount: signed,
	}})
	require.NoError(d.t, err)
}

func (d device) loses(key *webauthn.Credential) {
	d.t.Helper()
	_, err := chromedp.Call(d.ctx, webauthn.RemoveCredential, webauthn.RemoveCredentialParams{AuthenticatorID: d.id, CredentialID: key.CredentialID})
	require.NoError(d.t, err)
}

// asked is what a device answers to a page of the address that passes on the challenge of somebody else.
func (d device) asked(page, options string) string {
	d.t.Helper()
	d.visit(page)
	written, err := json.Marshal(options)
	require.NoError(d.t, err)
	return value[string](d.tab, `navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(`+string(written)+`))}).then(JSON.stringify)`)
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return `postgres "` + dbtest.OwnServer(t).Source() + `"` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := runProgram(t, `{
	frontdesk
}
http://localhost:8090 {
	frontdesk_console
}
http://localhost:8080 {
	respond "A page of somebody else at the same host."
}
`, database(t))
			desk := p.signedIn(t)
			own := desk.device()
			addsPasskey(p, own, "vera")
			signsInByPasskey(p, own)
			usesPasskeyBehindPassword(p, own)
			passesNothingOn(t, p, own)
			removesPasskey(p, own)
		})
	}
}

// signOut leaves the console.
func (b *tab) signOut() {
	b.t.Helper()
	b.do(`document.querySelector("form[action='/sign-out'] button").click()`)
	b.until(`location.pathname + location.search === "/sign-in" && document.readyState === "complete"`)
}

const (
	byPasskey = `document.querySelector("form[action='/sign-in/passkey'] button").click()`
	isIn      = `location.pathname === "/overview" && document.documentElement.dataset.stream === "live"`
)

func addsPasskey(p *program, desk device, login string) {
	desk.visit(p.console + "/account")
	add := func(password string) {
		desk.t.Helper()
		desk.do(`document.getElementById("key-name").value = "Office <b>laptop</b>"; document.getElementById("key-current").value = "` + password + `";
			document.querySelector("form[action='/account/passkeys'] button").click()`)
	}
	add("a wrong password")
	desk.until(contains(".failed", "password"))
	require.Empty(desk.t, desk.keys())
	add(consolePassword)
	desk.until(contains(".notice", "The passkey is added"))
	desk.until(contains("[aria-labelledby=own-keys] li strong", "Office <b>laptop</b>"))
	made := desk.keys()
	require.Len(desk.t, made, 1)
	require.True(desk.t, made[0].IsResidentCredential)
	require.Equal(desk.t, "localhost", made[0].RpID)
	require.Equal(desk.t, login, made[0].UserName)

	add(consolePassword) // the device has one already
	desk.until(contains(".failed", "This device has a passkey"))
	require.Len(desk.t, desk.keys(), 1)
}

func signsInByPasskey(p *program, desk device) {
	desk.signOut()
	require.Empty(desk.t, value[string](desk.tab, `document.cookie`))
	_, err := chromedp.Call(desk.ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: desk.id})
	require.NoError(desk.t, err)
	desk.do(byPasskey) // somebody else's finger
	desk.until(contains(".failed", "No passkey was used"))
	_, err = chromedp.Call(desk.ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: desk.id, IsUserVerified: true})
	require.NoError(desk.t, err)
	desk.do(byPasskey)
	desk.until(isIn)
	desk.visit(p.console + "/account")
	desk.until(contains("[aria-labelledby=own-keys] li small", "Used"))
}

func usesPasskeyBehindPassword(p *program, desk device) {
	desk.visit(p.console + "/account/two-step")
	code := twosteptest.Code(desk.t, value[string](desk.tab, `document.getElementById("key").value`), time.Now())
	desk.do(`document.getElementById("code").value = "` + code + `"; document.getElementById("current").value = "` + consolePassword + `"; document.querySelector("form[action='/account/two-step'] button").click()`)
	desk.until(`document.getElementById("codes")`)
	desk.signOut()
	desk.do(`document.getElementById("login").value = "vera"; document.getElementById("password").value = "` + consolePassword + `";
		document.querySelector("form[action='/sign-in']").requestSubmit()`)
	desk.until(`location.pathname === "/sign-in/code" && document.getElementById("code")`)
	desk.do(`document.querySelector("form[action='/sign-in/code/passkey'] button").click()`)
	desk.until(isIn)
	desk.signOut()
	desk.do(byPasskey) // alone, without the code
	desk.until(isIn)
}

// passesNothingOn sends answers that were made elsewhere, and ones that were sent before.
func passesNothingOn(t *testing.T, p *program, desk device) {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	send := func(path string, form url.Values) (int, string) {
		t.Helper()
		response, err := client.PostForm(p.console+path, form)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	_, options := send("/sign-in/passkey/options", nil)
	status, page := send("/sign-in/passkey", url.Values{"credential": {desk.asked(p.shop, options)}})
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, page, "The passkey was not accepted")
	p.await(t, func() bool {
		return strings.Contains(p.log.String(), "passkey refused") && strings.Contains(p.log.String(), "Received: "+p.shop)
	})

	_, options = send("/sign-in/passkey/options", nil)
	console, err := url.Parse(p.console)
	require.NoError(t, err)
	ticket := jar.Cookies(console)
	answer := desk.asked(p.console+"/sign-in", options)
	status, page = send("/sign-in/passkey", url.Values{"credential": {answer}})
	require.Equal(t, http.StatusSeeOther, status, page)
	jar.SetCookies(console, ticket)
	status, page = send("/sign-in/passkey", url.Values{"credential": {answer}})
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, page, "took too long")

	// A colleague's passkey is no second step of this account, even if the page that asks has it sign.
	colleague := newTab(t)
	own := colleague.device()
	desk.visit(p.console + "/operators")
	desk.do(`await fetch("/operators", {method: "POST", body: new URLSearchParams({login: "boris", password: "` + consolePassword + `", role: "operator", all: "true"})})`)
	colleague.visit(p.console + "/sign-in")
	colleague.do(`document.getElementById("login").value = "boris"; document.getElementById("password").value = "` + consolePassword + `";
		document.querySelector("form[action='/sign-in']").requestSubmit()`)
	colleague.until(isIn)
	addsPasskey(p, own, "boris")
	status, _ = send("/sign-out", nil)
	require.Equal(t, http.StatusSeeOther, status)
	status, page = send("/sign-in", url.Values{"login": {"vera"}, "password": {consolePassword}})
	require.Equal(t, http.StatusSeeOther, status, page)
	_, options = send("/sign-in/code/passkey/options", nil)
	require.Contains(t, options, "allowCredentials")
	var asked map[string]any
	require.NoError(t, json.Unmarshal([]byte(options), &asked))
	delete(asked, "allowCredentials")
	anybody, err := json.Marshal(asked)
	require.NoError(t, err)
	status, page = send("/sign-in/code/passkey", url.Values{"credential": {own.asked(p.console+"/overview", string(anybody))}})
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, page, "The passkey was not accepted")

	// A copy of the passkey counts for itself.
	key := desk.keys()[0]
	desk.loses(key)
	desk.gets(key, 1)
	desk.visit(p.console + "/overview")
	desk.signOut()
	desk.do(byPasskey)
	desk.until(contains(".problem", "somebody may have a copy of it"))
	desk.loses(key)
	desk.gets(key, key.SignCount)
	desk.do(byPasskey)
	desk.until(isIn)
	desk.visit(p.console + "/history")
	desk.until(contains("main", "it may have been copied"))
}

func removesPasskey(p *program, desk device) {
	desk.visit(p.console + "/account")
	desk.do(`document.querySelector("form[action='/account/passkeys/removal'] button").click()`)
	desk.until(contains(".notice", "The passkey is removed"))
	desk.signOut()
	desk.do(byPasskey)
	desk.until(contains(".problem", "No account has this passkey"))
}
