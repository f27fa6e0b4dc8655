package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey/passkeytest"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep/twosteptest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// named is a browser that has the console open under a name, as passkeys need it.
func (d *desk) named() *browser {
	d.t.Helper()
	b := d.browser()
	b.base = d.origin()
	return b
}

func (d *desk) origin() string {
	return strings.Replace(d.server.URL, "127.0.0.1", "localhost", 1)
}

func (d *desk) namedIn(login string) *browser {
	d.t.Helper()
	b := d.named()
	require.Equal(d.t, http.StatusSeeOther, b.post("/sign-in", "login", login, "password", password).status)
	return b
}

func (d *desk) device() *passkeytest.Device {
	return &passkeytest.Device{Origin: d.origin(), Synced: true}
}

// options are those of a challenge, which the console gives at the address.
func (b *browser) options(path string, fields ...string) string {
	b.t.Helper()
	a := b.post(path+"/options", fields...)
	require.Equal(b.t, http.StatusOK, a.status, a.body)
	require.Equal(b.t, "application/json", a.header.Get("Content-Type"))
	return a.body
}

// addKey adds a passkey that the device makes.
func (b *browser) addKey(device *passkeytest.Device, name string) answer {
	b.t.Helper()
	return b.post("/account/passkeys", "name", name, "credential", device.Create(b.t, b.options("/account/passkeys", "current", password)))
}

func (b *browser) byKey(device *passkeytest.Device) answer {
	b.t.Helper()
	return b.post("/sign-in/passkey", "to", "/account", "credential", device.Get(b.t, b.options("/sign-in/passkey")))
}

func TestSignInWithAPasskey(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		device := d.device()
		vera := d.namedIn("vera")
		for _, wrong := range []string{"", "not it"} {
			refused := vera.post("/account/passkeys/options", "current", wrong)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, "to find a console open is not enough")
			require.Contains(t, refused.header.Get("Content-Type"), "text/plain")
		}
		require.Equal(t, "/account", vera.addKey(device, "Laptop").header.Get("Location"))
		page := vera.get("/account").document(t)
		require.Equal(t, 1, page.Find(`[aria-labelledby=own-keys] li strong:contains("Laptop")`).Length())
		require.Contains(t, vera.get("/history").body, "Passkey added")

		b := d.named()
		in := b.byKey(device)
		require.Equal(t, "/account", in.header.Get("Location"), in.body)
		cookie := in.cookie(t, "frontdesk")
		require.True(t, cookie.HttpOnly)
		require.Equal(t, http.StatusOK, b.get("/visitors").status)
		require.Equal(t, 2, b.get("/account").document(t).Find(`[aria-labelledby=opened] li`).Length())

		// An answer is good once, in the browser that was asked.
		again, other := d.named(), d.named()
		asked := again.options("/sign-in/passkey")
		said := device.Get(t, asked)
		other.options("/sign-in/passkey")
		require.Equal(t, http.StatusUnauthorized, other.post("/sign-in/passkey", "credential", said).status)
		require.Equal(t, http.StatusUnauthorized, d.named().post("/sign-in/passkey", "credential", said).status)
		ticket := again.ticket()
		require.Equal(t, "/overview", again.post("/sign-in/passkey", "to", "//evil.example", "credential", said).header.Get("Location"))
		replay := d.named()
		r := replay.request(http.MethodPost, "/sign-in/passkey", "credential", said)
		r.AddCookie(ticket)
		replayed := replay.do(r)
		require.Equal(t, http.StatusUnauthorized, replayed.status)
		require.Contains(t, replayed.body, "took too long")
		require.Equal(t, http.StatusSeeOther, replay.get("/visitors").status)

		// Who is disabled does not come in, and whose passkey is removed neither.
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		his := d.device()
		bobs := d.namedIn("boris")
		require.Equal(t, "/account", bobs.addKey(his, "His").header.Get("Location"))
		require.NoError(t, d.Operators.SetDisabled(t.Context(), operator.Server(), boris.ID, true))
		require.Equal(t, http.StatusForbidden, d.named().byKey(his).status)
		id := page.Find(`[aria-labelledby=own-keys] input[name=passkey]`).AttrOr("value", "")
		require.Equal(t, "/account", vera.post("/account/passkeys/removal", "passkey", id).header.Get("Location"))
		gone := d.named().byKey(device)
		require.Equal(t, http.StatusUnauthorized, gone.status)
		require.Contains(t, gone.body, "No account has this passkey")
		require.Contains(t, vera.get("/history").body, "Passkey removed")
	})
}

// ticket is the cookie of a challenge.
func (b *browser) ticket() *http.Cookie {
	b.t.Helper()
	r := b.request(http.MethodGet, "/")
	for _, c := range b.Jar.Cookies(r.URL) {
		if c.Name == "frontdesk-passkey" {
			return c
		}
	}
	require.Fail(b.t, "no challenge")
	return nil
}

func TestAPasskeyIsASecondStep(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		device := d.device()
		vera := d.namedIn("vera")
		vera.addKey(device, "Laptop")
		half := d.named()
		require.Equal(t, "/overview", half.post("/sign-in", "login", "vera", "password", password).header.Get("Location"), "it is no second step by itself")
		key, _ := d.hasSteps(vera)
		require.Equal(t, "/sign-in/code", half.post("/sign-in", "login", "vera", "password", password, "to", "/leads").header.Get("Location"))
		page := half.get("/sign-in/code").document(t)
		require.Equal(t, 1, page.Find(`form[action="/sign-in/code"]`).Length())
		require.Equal(t, 1, page.Find(`form[action="/sign-in/code/passkey"]`).Length())
		require.Contains(t, page.Find("noscript").Text(), "JavaScript")

		// A passkey of somebody else, and an answer that was for signing in.
		d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		his := d.device()
		d.namedIn("boris").addKey(his, "His")
		options := half.options("/sign-in/code/passkey")
		require.Len(t, passkeytest.Read(t, options).Allow, 1)
		wrong := half.post("/sign-in/code/passkey", "credential", his.Sign(t, his.Keys[0], passkeytest.Read(t, options)))
		require.Equal(t, http.StatusUnauthorized, wrong.status)
		require.Contains(t, wrong.body, `action="/sign-in/code"`)
		require.Equal(t, http.StatusUnauthorized, half.post("/sign-in/code/passkey", "credential", device.Get(t, half.options("/sign-in/passkey"))).status)
		require.Equal(t, http.StatusSeeOther, half.get("/visitors").status)

		in := half.post("/sign-in/code/passkey", "credential", device.Get(t, half.options("/sign-in/code/passkey")))
		require.Equal(t, "/leads", in.header.Get("Location"), in.body)
		require.Equal(t, http.StatusOK, half.get("/visitors").status)
		for _, path := range []string{"/sign-in/code/passkey", "/sign-in/code/passkey/options"} {
			require.Equal(t, "/sign-in", d.named().post(path, "credential", "{}").header.Get("Location"), "no password was given")
		}
		late := d.named()
		late.post("/sign-in", "login", "vera", "password", password)
		d.pass(11 * time.Minute)
		require.Equal(t, "/sign-in", late.post("/sign-in/code/passkey", "credential", "{}").header.Get("Location"))

		// A passkey alone is enough.
		require.Equal(t, "/account", d.named().byKey(device).header.Get("Location"))
		require.Equal(t, "/account/two-step", vera.post("/account/two-step/removal", "code", twosteptest.Code(t, key, d.now())).header.Get("Location"))
	})
}

func TestAPasskeySatisfiesTheRule(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		vera, weak, device := d.namedIn("vera"), d.namedIn("vera"), d.device()
		d.required.Store(twostep.Admins)
		require.Equal(t, "/account/two-step", vera.get("/visitors").header.Get("Location"))
		page := vera.get("/account/two-step").document(t)
		require.Equal(t, 1, page.Find(`form[action="/account/passkeys"]`).Length())
		refused := vera.post("/account/passkeys", "name", "Laptop", "credential", "{}")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Contains(t, refused.body, `<h1>Two-step sign-in`, "on the page where one was sent from")
		require.Equal(t, "/account", vera.addKey(device, "Laptop").header.Get("Location"))
		require.Equal(t, http.StatusOK, vera.get("/visitors").status)
		id := vera.get("/account").document(t).Find(`[aria-labelledby=own-keys] input[name=passkey]`)
		require.Zero(t, id.Length(), "the last one stays")
		kept, err := d.Passkeys.Of(t.Context(), d.account("vera").ID)
		require.NoError(t, err)
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/passkeys/removal", "passkey", kept[0].ID).status)

		// A password alone opens nothing: not in a session from before, nor in a new one.
		for name, b := range map[string]*browser{"before": weak, "new": d.named()} {
			to := "/sign-in/code"
			if name == "new" {
				require.Equal(t, to, b.post("/sign-in", "login", "vera", "password", password).header.Get("Location"))
			} else {
				require.Equal(t, to, b.get("/leads?q=x").header.Get("Location"))
			}
			for _, path := range []string{"/visitors", "/account", "/account/two-step"} {
				require.Equal(t, http.StatusSeeOther, b.get(path).status, path)
			}
			require.Equal(t, http.StatusSeeOther, b.post("/account/two-step", "code", "000000").status)
			require.Equal(t, http.StatusSeeOther, b.post("/account/passkeys/options", "current", password).status)
			door := b.get("/sign-in/code").document(t)
			require.Zero(t, door.Find(`form[action="/sign-in/code"]`).Length(), "there is no authenticator")
			in := b.post("/sign-in/code/passkey", "credential", device.Get(t, b.options("/sign-in/code/passkey")))
			require.Equal(t, map[string]string{"before": "/leads?q=x", "new": "/overview"}[name], in.header.Get("Location"), in.body)
			require.Equal(t, http.StatusOK, b.get("/visitors").status)
		}
		require.Equal(t, "/account", d.named().byKey(device).header.Get("Location"))

		// At another host there is no passkey, which is said.
		elsewhere := d.browser()
		require.Equal(t, "/sign-in/code", elsewhere.post("/sign-in", "login", "vera", "password", password).header.Get("Location"))
		require.Contains(t, elsewhere.get("/sign-in/code").body, "Yours are for localhost")
		require.Equal(t, http.StatusUnprocessableEntity, elsewhere.post("/sign-in/code/passkey/options").status)

		// An admin takes them from who has lost the device.
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.All()})
		require.NoError(t, err)
		his := d.device()
		d.namedIn("boris").addKey(his, "His")
		card := fmt.Sprint("/operators/", boris.ID)
		require.Contains(t, vera.get(card).body, card+"/two-step/removal")
		require.Equal(t, card, vera.post(card+"/two-step/removal").header.Get("Location"))
		require.Equal(t, http.StatusUnauthorized, d.named().byKey(his).status)
	})
}

// Where browsers have no passkeys, none are offered.
func TestPasskeysAtAnAddress(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		outside, vera := d.browser(), d.signedIn("vera")
		require.NotContains(t, outside.get("/sign-in").body, "passkey/options")
		require.Contains(t, d.named().get("/sign-in").body, "passkey/options")
		require.Equal(t, http.StatusUnprocessableEntity, outside.post("/sign-in/passkey/options").status)
		require.Equal(t, http.StatusUnprocessableEntity, outside.post("/sign-in/passkey", "credential", "{}").status)
		page := vera.get("/account").document(t)
		require.Contains(t, page.Find("[aria-labelledby=own-keys]").Text(), "over HTTPS")
		require.Zero(t, page.Find(`form[action="/account/passkeys"]`).Length())
	})
}

func TestPasskeysAreTriedOnlySoOften(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		device := d.device()
		d.namedIn("vera").addKey(device, "Laptop")
		b := d.named()
		for _, said := range []string{"", "{}"} { // a form that was sent before the page's script was there is no attempt
			for range 20 {
				require.Equal(t, http.StatusUnauthorized, b.post("/sign-in/passkey", "credential", said).status)
			}
		}
		slow := b.post("/sign-in/passkey", "credential", "{}")
		require.Equal(t, http.StatusTooManyRequests, slow.status)
		require.NotEmpty(t, slow.header.Get("Retry-After"))
		elsewhere := d.named()
		elsewhere.address = "192.0.2.7:1"
		require.Equal(t, "/account", elsewhere.byKey(device).header.Get("Location"), "others are none of them")
		d.pass(time.Minute)
		require.Equal(t, "/account", b.byKey(device).header.Get("Location"))
	})
}

func TestPasskeysAreFew(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		device, vera := d.device(), d.namedIn("vera")
		for i := range passkey.Max {
			require.Equal(t, "/account", vera.addKey(device, fmt.Sprint("Key ", i)).header.Get("Location"))
		}
		page := vera.get("/account").document(t)
		require.Equal(t, passkey.Max, page.Find("[aria-labelledby=own-keys] li").Length())
		require.Zero(t, page.Find(`form[action="/account/passkeys"]`).Length())
		require.Equal(t, http.StatusUnprocessableEntity, vera.post("/account/passkeys/options", "current", password).status)
	})
}

// Over TLS, here or at a proxy in front, the origin is the one that the browser sees.
func TestPasskeysOverTLS(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		server := httptest.NewTLSServer(d.console)
		t.Cleanup(server.Close)
		b := d.browser()
		b.base, b.Client.Transport = "https://desk.example.com", server.Client().Transport // where its certificate is for
		require.Equal(t, http.StatusSeeOther, b.post("/sign-in", "login", "vera", "password", password).status)
		device := &passkeytest.Device{Origin: b.base, Synced: true}
		require.Equal(t, "/account", b.addKey(device, "Laptop").header.Get("Location"))
		require.Equal(t, "desk.example.com", device.Keys[0].Host)

		proxied := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Scheme = "https" // as the server that trusts the proxy says
			d.console.ServeHTTP(w, r)
		}))
		t.Cleanup(proxied.Close)
		behind := d.browser()
		behind.base = proxied.URL
		send := func(host, path string, cookie *http.Cookie, fields ...string) answer {
			r := behind.request(http.MethodPost, path, fields...)
			r.Host = host
			if cookie != nil {
				r.AddCookie(cookie)
			}
			return behind.do(r)
		}
		asked := send("desk.example.com", "/sign-in/passkey/options", nil)
		ticket := asked.cookie(t, "__Host-frontdesk-passkey")
		require.True(t, ticket.Secure)
		require.True(t, ticket.HttpOnly)
		require.Equal(t, http.SameSiteStrictMode, ticket.SameSite)
		require.Empty(t, ticket.Domain)
		said := device.Get(t, asked.body)
		require.Equal(t, http.StatusUnauthorized, send("evil.example.com", "/sign-in/passkey", ticket, "credential", said).status, "asked for by one host, answered to another")
		require.Equal(t, http.StatusSeeOther, send("desk.example.com", "/sign-in/passkey", ticket, "credential", said).status)

		// A page of another host passes a challenge of its own on: the device has nothing for that host.
		asked = send("evil.example.com", "/sign-in/passkey/options", nil)
		said = device.Sign(t, device.Keys[0], passkeytest.Read(t, asked.body))
		require.Equal(t, http.StatusUnauthorized, send("evil.example.com", "/sign-in/passkey", asked.cookie(t, "__Host-frontdesk-passkey"), "credential", said).status)
	})
}
