package snippet

import (
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

func testCode(t testing.TB) *Code {
	c, err := New(Settings{SiteKey: "key", Prefix: "/frontdesk/"})
	require.NoError(t, err)
	return c
}

func TestFormUnderAPolicy(t *testing.T) {
	c := testCode(t)
	sum := sha512.Sum512([]byte(c.pushes))
	sha512 := "'sha512-" + base64.URLEncoding.EncodeToString(sum[:]) + "'"
	const forbidden = "forbidden"
	for _, test := range []struct{ policy, want string }{
		{"", "inline"},
		{";;,", "inline"},
		{"img-src 'none'; style-src 'none'", "inline"},
		{"default-src *", "external"},
		{"default-src 'self'", "external"},
		{"default-src 'self' 'unsafe-inline'", "inline"},
		{"SCRIPT-SRC 'SELF' 'Unsafe-Inline'", "inline"},
		{"script-src 'unsafe-inline'", forbidden},
		{"script-src 'self' 'unsafe-inline' 'nonce-'", "inline"},
		{"script-src 'self' 'unsafe-inline' 'nonce-YWJj'", "inline YWJj"},
		{"script-src 'nonce-a_b-c=='", "inline a_b-c=="},
		{`script-src 'nonce-a"b'`, forbidden},
		{"script-src 'nonce-a=b'", forbidden},
		{"script-src 'nonce-a==='", forbidden},
		{"script-src 'self' 'sha256-YWJj' 'unsafe-inline'", "external"},
		{"script-src 'self' " + c.InlineDigest(), "inline"},
		{"script-src 'self' " + sha512, "inline"},
		{"script-src " + c.InlineDigest(), forbidden},
		{"script-src 'self' 'strict-dynamic'", forbidden},
		{"script-src 'self' 'strict-dynamic' 'unsafe-inline'", forbidden},
		{"script-src 'strict-dynamic' 'nonce-YWJj' 'unsafe-inline' https:", "inline YWJj"},
		{"script-src 'none'", forbidden},
		{"script-src", forbidden},
		{"default-src 'none'", forbidden},
		{"default-src 'none'; script-src 'self'; connect-src 'self'", "external"},
		{"default-src 'self'; script-src 'none'", forbidden},
		{"script-src 'none'; script-src 'self'", forbidden},
		{"script-src 'none'; script-src-elem 'self'", "external"},
		{"script-src 'self'; connect-src 'none'", forbidden},
		{"script-src 'self'; connect-src https://other.example", forbidden},
		{"script-src 'self'; connect-src https://shop.example", "external"},
		{"script-src 'self'; connect-src https://shop.example/other/", forbidden},
		{"script-src https:", "external"},
		{"script-src http:", "external"},
		{"script-src data: blob:", forbidden},
		{"script-src shop.example", "external"},
		{"script-src SHOP.example:443", "external"},
		{"script-src shop.example:*", "external"},
		{"script-src shop.example:8080", forbidden},
		{"script-src *.example", "external"},
		{"script-src *.shop.example", forbidden},
		{"script-src *shop.example", forbidden},
		{"script-src wss://shop.example", forbidden},
		{"script-src https://shop.example/frontdesk/", "external"},
		{"script-src https://shop.example/frontdesk/svc.js", "external"},
		{"script-src https://shop.example/%66rontdesk/", "external"},
		{"script-src https://shop.example/", "external"},
		{"script-src https://shop.example/other/", forbidden},
		{"script-src https://shop.example/frontdesk", forbidden},
		{"script-src https://shop.example.evil", forbidden},
		{"script-src 'self', script-src 'none'", forbidden},
		{"script-src 'self', script-src 'nonce-YWJj'", "external YWJj"},
		{"script-src 'nonce-YQ', script-src 'nonce-YWJj'", forbidden},
		{"sandbox", forbidden},
		{"sandbox allow-scripts", forbidden},
		{"sandbox allow-scripts allow-same-origin", "inline"},
	} {
		f, ok := c.ChooseForm(HeaderPolicies(http.Header{"Content-Security-Policy": {test.policy}}), "shop.example")
		got := forbidden
		if ok {
			got = "external"
			if f.inline {
				got = "inline"
			}
			got = strings.TrimSpace(got + " " + f.nonce)
		}
		require.Equal(t, test.want, got, test.policy)
	}
}

func TestReportsForbidNothing(t *testing.T) {
	require.Empty(t, HeaderPolicies(http.Header{"Content-Security-Policy-Report-Only": {"script-src 'none'"}}))
}

func TestPortOfThePage(t *testing.T) {
	for _, test := range []struct {
		source, host string
		want         bool
	}{
		{"localhost", "localhost:8080", false},
		{"localhost:8080", "localhost:8080", true},
		{"[::1]:8080", "[::1]:8080", true},
		{"[::1]", "[::1]", true},
		{"http://127.0.0.1:80", "127.0.0.1", true},
	} {
		require.Equal(t, test.want, matchesAddress([]string{test.source}, "/a", originOf(test.host)), test.source)
	}
}

func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{
		"default-src 'self'; script-src 'nonce-YWJj' 'strict-dynamic'", "script-src 'nonce-\"><script>'",
		"script-src http://[::1]:80/%zz *.a:b", "sandbox;;,,;", "script-src 'sha256-' 'sha-' 'nonce-",
	} {
		f.Add(seed, "shop.example:80")
	}
	f.Add(strings.Repeat("a,", 450), "x")
	f.Add("script-src"+strings.Repeat(" a", 700), strings.Repeat("A", 700)+":80")
	const nonces = " 'nonce-YQ' 'nonce-Yg' 'nonce-Yw' 'nonce-ZA'"
	f.Add("script-src *"+strings.Repeat(" 'sha-", 400)+",script-src"+nonces, "shop.example:80")
	f.Add("script-src"+strings.Repeat(" a", 2000)+nonces, "x")
	f.Add("script-src"+strings.Repeat(" x/%z", 2000)+nonces, "x")
	c := testCode(f)
	f.Fuzz(func(t *testing.T, text, host string) {
		var policies []Policy
		var form Form
		var ok bool
		stepstest.Hold(t, len(text)+len(host), func() {
			policies = ParsePolicies(text)
			form, ok = c.ChooseForm(policies, host)
		})
		if !ok {
			return
		}
		for _, p := range policies {
			require.True(t, p.allows(c, form, originOf(host)))
		}
		for i := range len(form.nonce) {
			b := form.nonce[i]
			require.True(t, isLetterOrDigit(b) || strings.IndexByte("+/-_=", b) >= 0, "%q", form.nonce)
		}
	})
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
