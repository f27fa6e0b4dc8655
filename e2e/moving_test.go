package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// otherService is another service with the same interface. Its script makes an object of its own.
type otherService struct {
	*httptest.Server
	loads atomic.Int64
}

func newOtherService(t *testing.T) *otherService {
	s := new(otherService)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.loads.Add(1)
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `window.theirs = true; window.Svc = {theirs: true}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// documentedCode is the code of another service in the documentation, with the service's address.
func (s *otherService) documentedCode(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/moving.md")
	require.NoError(t, err)
	_, code, found := strings.Cut(string(page), "```html\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "```")
	require.Contains(t, code, "https://app.other.example")
	return strings.Replace(code, "https://app.other.example", s.URL, 1)
}

// A site comes from another service. Its pages show that in the install check; one click has our code take the place of the
// other, and what the pages push is answered. Another click leaves the code as it was.
func TestAnothersCodeIsSuperseded(t *testing.T) {
	t.Parallel()
	other := newOtherService(t)
	const asks = `<script>window.answers = [];
		__cs.push(["setProperty", "client", "gold"]);
		__cs.push(["addOfflineRequest", {name: "Ada", phone: "+7 912 345-67-89"}, function (answer) { answers.push(answer.success) }]);
	</script>`
	loader := other.URL + "/static/cs.min.js"
	pages := map[string]string{
		"/":       `<head><title>a</title>` + other.documentedCode(t) + asks + `</head><body>text</body>`,
		"/end":    `<head><title>a</title></head><body>text` + other.documentedCode(t) + asks + `</body>`,
		"/inline": `<head><title>a</title></head><body><script>var __cs = __cs || [];` + "\n" + `var el = document.createElement("script"); el.src = "` + loader + `"; el.onload = function () { window.loaded = typeof Svc.getCredentials }; document.head.appendChild(el)</script>` + asks + `</body>`,
		"/waits":  `<head><title>a</title><script>var __cs = __cs || []</script><script src="` + loader + `"></script><script>window.there = typeof Svc.getCredentials</script></head><body>` + asks + `</body>`,
	}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html>"+page+"</html>")
	}))
	t.Cleanup(origin.Close)
	p := runProgram(t, `http://localhost:8080 {
	frontdesk shop
	reverse_proxy `+origin.Listener.Addr().String()+`
}

http://localhost:8090 {
	frontdesk_console
}
`, "")
	desk := p.signedIn(t)
	visitor := newTab(t)
	visitor.visit(p.shop + "/")
	visitor.until(`window.theirs`)
	require.False(t, value[bool](visitor, `"getCredentials" in Svc`), "the page has their code at its beginning")
	check := p.console + "/sites/1/check"
	p.await(t, func() bool {
		desk.visit(check)
		return value[bool](desk, contains("main", loader))
	})
	require.True(t, value[bool](desk, contains("main", "Ab3-xY_7Ab3-xY_7Ab3-xY_7Ab3-xY_7")))
	desk.do(`document.querySelector(".rivals form").requestSubmit()`)
	desk.until(contains(".rivals", "takes its place"))
	p.await(t, func() bool { return strings.Contains(get(t, p.shop+"/"), `type="text/plain"`) })

	before := other.loads.Load()
	for path := range pages {
		visitor.visit(p.shop + path)
		visitor.until(identified)
		visitor.until(`answers.length === 1`)
		require.Equal(t, []any{true}, value[[]any](visitor, `answers`), path)
		require.False(t, value[bool](visitor, `"theirs" in window`), path)
		switch path {
		case "/inline":
			visitor.until(`window.loaded === "function"`)
		case "/waits":
			require.Equal(t, "function", value[string](visitor, `there`))
		}
	}
	require.Equal(t, before, other.loads.Load(), "nobody asks for their script")
	p.await(t, func() bool {
		desk.visit(p.console + "/leads")
		return value[bool](desk, contains("main", "345-67-89"))
	})

	desk.visit(check)
	desk.do(`document.querySelector(".rivals form").requestSubmit()`)
	desk.until(contains(".rivals", "disturb each other"))
	p.await(t, func() bool { return !strings.Contains(get(t, p.shop+"/"), `type="text/plain"`) })
	visitor.visit(p.shop + "/")
	visitor.until(`window.theirs`)
}

// The pages of frameworks hydrate with another service's code in them, and with ours in its place.
func TestFrameworksHydrateWithoutAnothersCode(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		other := newOtherService(t)
		site := frameworkSite(t, name, func(page string) string {
			return regexp.MustCompile(`</head>`).ReplaceAllLiteralString(page, other.documentedCode(t)+`</head>`)
		})
		p := runProgram(t, `http://localhost:8080 {
	frontdesk shop {
		supersede on
	}
	reverse_proxy `+site.Listener.Addr().String()+`
}
`, "")
		b := animated(t)
		taken := complaints(b)
		page := get(t, p.shop+"/")
		require.Regexp(t, inserted, page)
		require.Contains(t, page, `<script type="text/plain" async src="`+other.URL)
		hydrated(b, p.shop+"/")
		b.until(identified)
		press(b)
		follow(b, "/contacts", "Contacts")
		press(b)
		b.until(identified)
		require.False(t, value[bool](b, `"theirs" in window`))
		require.Zero(t, other.loads.Load())
		require.Empty(t, taken())
	})
}

// The numbers of another service come from the table in the documentation: it is looked at, and then visitors see them.
func TestNumbersComeFromATable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/moving.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "```csv\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "```")
	p := runProgram(t, example(t), "")
	desk := p.signedIn(t)
	send := func(text string) {
		t.Helper()
		content, err := json.Marshal(text)
		require.NoError(t, err)
		desk.visit(p.console + "/numbers/1/roster")
		desk.fill("printed", "74951234567")
		desk.do(`const files = new DataTransfer(); files.items.add(new File([` + string(content) + `], "numbers.csv", {type: "text/csv"}));
			document.getElementById("file").files = files.files; document.querySelector("main form:has(#file) button").click()`)
	}
	send(table + "12;wrong;a;\n")
	desk.until(contains("main", "Line 6"))
	require.False(t, value[bool](desk, `!!document.querySelector("main [value=add]")`))
	send(table)
	desk.until(contains("main", "Numbers that would be added: 4."))
	desk.do(`document.querySelector("main form:has([value=add]) button").click()`)
	desk.until(`location.pathname === "/numbers" && ` + contains("body", "The numbers have been added."))
	visitor := newTab(t)
	visitor.visit(p.shop + "/?utm_source=radio")
	visitor.until(printedNumbers + `.includes("74957650022")`)
	desk.visit(p.console + "/pools/1/spring")
	desk.until(contains("main", "765-00-24"))
}
