package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// On any host but localhost, browsers say less of where a form comes from over
// plain HTTP: they send no Sec-Fetch-Site, and "Origin: null" where the page
// sends no referrers.
func TestSigningInOverPlainHTTP(t *testing.T) {
	t.Parallel()
	p := runProgram(t, `{
	frontdesk
}
http://desk.test:8090 {
	frontdesk_console
}
`, "")
	desk := p.signedIn(t) // by the setup form
	require.Equal(t, "desk.test", value[string](desk, `location.hostname`))
	require.False(t, value[bool](desk, `isSecureContext`))

	desk.do(`document.querySelector("form[action='/sign-out'] button").click()`)
	desk.until(`location.pathname === "/sign-in" && document.getElementById("login")`)
	signIn := func(password string) {
		t.Helper()
		desk.do(`document.getElementById("login").value = "vera";
			document.getElementById("password").value = "` + password + `";
			document.querySelector("main form").requestSubmit()`)
	}
	signIn("a wrong password")
	desk.until(contains(".problem", "The login or the password is wrong"))
	signIn(consolePassword)
	desk.until(`location.pathname === "/overview" && document.documentElement.dataset.stream === "live"`)
	require.Empty(t, value[string](desk, `document.cookie`), "no cookie is a script's")

	// A page of another site cannot send the forms.
	other := newTab(t)
	other.visit("http://localhost:" + value[string](desk, `location.port`) + "/")
	other.do(`document.body.innerHTML = '<form method="post" action="' + location.origin.replace("localhost", "desk.test") + '/sign-in"><input name="login" value="vera"></form>';
		document.querySelector("form").submit()`)
	other.until(`location.hostname === "desk.test"`)
	other.until(contains("h1", "another site"))
}
