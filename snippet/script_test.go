package snippet_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
)

func settings() snippet.ScriptSettings {
	return snippet.ScriptSettings{Objects: [2]string{"Svc", "SvcWidget"}, Variant: "A"}
}

func fetch(t *testing.T, script *snippet.Script, method string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "/frontdesk/svc.js?k=x", nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	script.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(content)
}

func TestScriptCarriesItsConfiguration(t *testing.T) {
	s := settings()
	s.ConsentCookie, s.ConsentValue = "agreed", "yes.*"
	script, err := snippet.NewScript(s)
	require.NoError(t, err)

	answer := fetch(t, script, "GET", nil)
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "text/javascript; charset=utf-8", answer.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
	require.Equal(t, "public, max-age=300, stale-while-revalidate=86400", answer.Header.Get("Cache-Control"))
	require.Equal(t, "Accept-Encoding", answer.Header.Get("Vary"))
	content := body(t, answer.Body)
	require.True(t, strings.HasPrefix(content, "(function("))
	require.Regexp(t, `\(\{"objects":\["Svc","SvcWidget"\],"variant":"A","numbers":"numbers-[\w-]{11}\.js","panels":"panels-[\w-]{11}\.js","proof":"proof-[\w-]{11}\.js","consent":\{"cookie":"agreed","value":"\^yes\\\\\.\.\*\$"\}\}\);\n$`, content)
	for _, c := range []byte(content) {
		require.Less(t, c, byte(0x80), "the script is ASCII, so that no charset can spoil it")
	}
}

func TestScriptIsServedInTheCodingThatIsAccepted(t *testing.T) {
	script, err := snippet.NewScript(settings())
	require.NoError(t, err)
	plain := body(t, fetch(t, script, "GET", nil).Body)

	for accept, coding := range map[string]string{
		"":                            "",
		"gzip, deflate, br, zstd":     "br",
		"gzip":                        "gzip",
		"GZIP;q=0.5, br;q=0":          "gzip",
		"br; q=0.0, gzip; q=0":        "",
		"br;q=much":                   "",
		"identity, *;q=0.1, deflate":  "",
		"deflate, x-gzip , compress,": "gzip",
	} {
		t.Run(accept, func(t *testing.T) {
			answer := fetch(t, script, "GET", map[string]string{"Accept-Encoding": accept})
			require.Equal(t, coding, answer.Header.Get("Content-Encoding"))
			content := body(t, answer.Body)
			require.Equal(t, strconv.Itoa(len(content)), answer.Header.Get("Content-Length"))
			switch coding {
			case "br":
				content = body(t, brotli.NewReader(strings.NewReader(content)))
			case "gzip":
				r, err := gzip.NewReader(strings.NewReader(content))
				require.NoError(t, err)
				content = body(t, r)
			}
			require.Equal(t, plain, content)

			head := fetch(t, script, "HEAD", map[string]string{"Accept-Encoding": accept})
			require.Empty(t, body(t, head.Body))
			require.Equal(t, answer.Header, head.Header)
		})
	}
}

func TestScriptIsRevalidated(t *testing.T) {
	script, err := snippet.NewScript(settings())
	require.NoError(t, err)
	tags := map[string]bool{}
	for _, accept := range []string{"", "gzip", "br"} {
		tag := fetch(t, script, "GET", map[string]string{"Accept-Encoding": accept}).Header.Get("ETag")
		tags[tag] = true
		for condition, status := range map[string]int{
			tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200,
		} {
			answer := fetch(t, script, "GET", map[string]string{"Accept-Encoding": accept, "If-None-Match": condition})
			require.Equal(t, status, answer.StatusCode, condition)
			require.Equal(t, tag, answer.Header.Get("ETag"))
			require.Equal(t, "Accept-Encoding", answer.Header.Get("Vary"))
		}
	}
	require.Len(t, tags, 3, "each coding has a tag of its own")

	other := settings()
	other.Variant = "B"
	changed, err := snippet.NewScript(other)
	require.NoError(t, err)
	require.False(t, tags[fetch(t, changed, "GET", nil).Header.Get("ETag")], "another configuration is another script")
}

func TestScriptIsFetchedOnly(t *testing.T) {
	script, err := snippet.NewScript(settings())
	require.NoError(t, err)
	answer := fetch(t, script, "POST", nil)
	require.Equal(t, 405, answer.StatusCode)
	require.Equal(t, "GET, HEAD", answer.Header.Get("Allow"))
}

func TestScriptSettingsAreChecked(t *testing.T) {
	for fault, change := range map[string]func(*snippet.ScriptSettings){
		`object name ""`:                  func(s *snippet.ScriptSettings) { s.Objects[0] = "" },
		`object name "9x"`:                func(s *snippet.ScriptSettings) { s.Objects[1] = "9x" },
		`object name "a.b"`:               func(s *snippet.ScriptSettings) { s.Objects[0] = "a.b" },
		`object name "Свц"`:               func(s *snippet.ScriptSettings) { s.Objects[0] = "Свц" },
		`object name "class"`:             func(s *snippet.ScriptSettings) { s.Objects[0] = "class" },
		`object name "__cs"`:              func(s *snippet.ScriptSettings) { s.Objects[1] = "__cs" },
		`object name "location"`:          func(s *snippet.ScriptSettings) { s.Objects[1] = "location" },
		`expected two different names`:    func(s *snippet.ScriptSettings) { s.Objects[1] = "Svc" },
		`variant "C": expected A or B`:    func(s *snippet.ScriptSettings) { s.Variant = "C" },
		`consent cookie "a b"`:            func(s *snippet.ScriptSettings) { s.ConsentCookie = "a b" },
		`consent value "a;b"`:             func(s *snippet.ScriptSettings) { s.ConsentCookie, s.ConsentValue = "c", "a;b" },
		`expected the name of its cookie`: func(s *snippet.ScriptSettings) { s.ConsentValue = "yes" },
	} {
		t.Run(fault, func(t *testing.T) {
			s := settings()
			change(&s)
			_, err := snippet.NewScript(s)
			require.ErrorContains(t, err, fault)
			require.EqualError(t, s.Check(), err.Error())
		})
	}
	for _, name := range []string{"Desk", "$", "_x9", "calltracking"} {
		s := settings()
		s.Objects[0] = name
		_, err := snippet.NewScript(s)
		require.NoError(t, err)
	}
}

// The same file is read by the browser's tests, since the script decides by the same rule.
func TestConsentExpression(t *testing.T) {
	content, err := os.ReadFile("testdata/consent.json")
	require.NoError(t, err)
	var vectors []struct {
		Pattern, Value string
		Agrees         bool
	}
	require.NoError(t, json.Unmarshal(content, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		require.Equal(t, v.Agrees, regexp.MustCompile(snippet.ConsentExpression(v.Pattern)).MatchString(v.Value), "%q in %q", v.Pattern, v.Value)
	}
}
