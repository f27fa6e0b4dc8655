package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const orderPage = `<!doctype html><html><head><title>Order</title></head><body>
<form class="order" method="post" action="/order"><input type="hidden" name="hit_id" value="1"><input name="email" value="anna@example.com"></form>
<form class="own" method="post" action="/order"><input name="email" value="bob@example.com"><input name="key" value="my own"><input type="hidden" name="mine"></form>
<form class="other" method="post" action="/order"><input name="email" value="carl@example.com"></form>
</body></html>`

// With one line of configuration, forms carry the credentials, however they are sent; and who sends a captured form is known
// by these, if they are right.
func TestCredentialsInForms(t *testing.T) {
	t.Parallel()
	received := make(chan url.Values, 10)
	next := func() url.Values {
		t.Helper()
		select {
		case form := <-received:
			return form
		case <-time.After(patience):
			require.FailNow(t, "no form has come")
			return nil
		}
	}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			if r.ParseMultipartForm(1<<20) != nil {
				r.ParseForm()
			}
			received <- r.PostForm
		}
		io.WriteString(w, orderPage)
	}))
	t.Cleanup(origin.Close)
	file := filepath.Join(memory(t), "frontdesk.db")
	p := runProgram(t, `http://localhost:8080 {
	frontdesk shop {
		capture /order
		credentials "form.order, form[class='own']"
	}
	reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
}
`, "sqlite "+file)
	d := dbtest.Open(t, db.Settings{Engine: db.SQLite, Source: file})
	visitor := newTab(t)
	var ids map[string]any
	opened := func(form string) {
		t.Helper()
		visitor.visit(p.shop + "/?utm_source=" + form)
		visitor.until(`window.Svc && Svc.getCredentials().hit_id > 0 && performance.getEntriesByType("resource").some(e => /fill-[^/]*js$/.test(e.name) && e.responseEnd > 0) && document.readyState === "complete"`)
		ids = value[map[string]any](visitor, `Object.fromEntries(Object.entries(Svc.getCredentials()).map(([name, value]) => [name, String(value)]))`)
	}
	whole := func(sent url.Values, without ...string) {
		t.Helper()
		require.Len(t, ids, 7)
		for name, value := range ids {
			want := []string{value.(string)}
			for _, other := range without {
				if name == other {
					want = []string{"my own"}
				}
			}
			require.Equal(t, want, sent[name], name)
		}
	}
	for _, way := range []string{
		`document.querySelector("form.order").requestSubmit()`,
		`document.querySelector("form.order").submit()`,
		`fetch("/order", {method: "POST", body: new FormData(document.querySelector("form.order"))})`,
		`document.addEventListener("submit", event => { event.preventDefault();
			fetch("/order", {method: "POST", body: new URLSearchParams([...event.target.elements].map(e => [e.name, e.value]))}) });
			document.querySelector("form.order").requestSubmit()`,
	} {
		opened("ways")
		visitor.do(way)
		whole(next())
		if !strings.Contains(way, "fetch") {
			visitor.until(`location.pathname === "/order"`)
		}
	}
	opened("own")
	visitor.do(`document.querySelector("form.own").submit()`)
	whole(next(), "key")
	visitor.until(`location.pathname === "/order"`)
	opened("other")
	visitor.do(`document.querySelector("form.other").submit()`)
	require.Equal(t, url.Values{"email": {"carl@example.com"}}, next())
	visitor.until(`location.pathname === "/order"`)

	// Without its cookie, the visitor is known by the credentials; by wrong ones, nobody is.
	opened("credentials")
	sourceOf := func(fields url.Values) string {
		t.Helper()
		response, err := http.PostForm(p.shop+"/order", fields)
		require.NoError(t, err)
		response.Body.Close()
		next()
		var source string
		p.await(t, func() (found bool) { // at the latest after the answer
			source, found, err = db.One(t.Context(), d.Read(), db.Only[string], `SELECT source_name FROM leads WHERE email = $1`, fields.Get("email"))
			require.NoError(t, err)
			return found
		})
		return source
	}
	right := url.Values{"email": {"right@example.com"}}
	for name, value := range ids {
		right.Set(name, value.(string))
	}
	require.Equal(t, "credentials", sourceOf(right))
	wrong := right
	wrong.Set("email", "wrong@example.com")
	wrong.Set("visitor_id", "4503599627370495")
	require.NotEqual(t, "credentials", sourceOf(wrong))
}
