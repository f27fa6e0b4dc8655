package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// markup is the page's body as the browser has it, without what the service has added, and what a page says of it.
const markup = `(() => {
	const body = document.body.cloneNode(true);
	body.querySelectorAll("script, #issued").forEach(script => script.remove());
	return body.innerHTML.trim();
})()`

// pagesWithNumbers are the shop's pages with something to replace.
func pagesWithNumbers(t *testing.T, p *program) []string {
	t.Helper()
	var pages []string
	for _, path := range shopFiles(t) {
		if !strings.HasSuffix(path, ".html") || strings.HasPrefix(path, "/files/") {
			continue
		}
		if _, page := ask(t, http.MethodGet, p.shop+path+"?utm_source=news"); strings.Contains(page, `"replaced":[[`) {
			pages = append(pages, path)
		}
	}
	require.Greater(t, len(pages), 5)
	return pages
}

// The script replaces in the page as it is at home exactly what the server replaces on the way, and takes back exactly that where the page
// wants its own numbers.
func TestScriptAndServerAgree(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	part := numbersPart(t)
	neutral, replaced, refused := newTab(t), newTab(t), newTab(t)
	refused.before(`Object.defineProperty(window, "__cs_onReplacePhones", {get: () => () => false, set() {}})`)
	for _, b := range []*tab{neutral, replaced, refused} {
		b.before(`const load = fetch; window.fetch = (address, ...rest) => /fragments/.test(address) ? new Promise(() => {}) : load(address, ...rest);`)
	}
	// The server does not tell what a picture's old text was.
	texts := regexp.MustCompile(`(src="/images/phone\.svg") alt="[^"]*"`)
	for _, path := range pagesWithNumbers(t, p) {
		neutral.visit(p.origin + path)
		replaced.visit(p.shop + path + "?utm_source=news")
		block := value[string](replaced, `document.querySelector("script[data-svc-numbers]").textContent`)
		original := value[string](neutral, markup)
		neutral.front()
		neutral.do(part + `;window[Symbol.for("svc:numbers")](` + block + `, () => true);` + idle)
		require.Equal(t, value[string](replaced, markup), value[string](neutral, markup), path)

		refused.visit(p.shop + path + "?utm_source=news")
		refused.front()
		refused.until(`window[Symbol.for("svc:numbers")]`)
		refused.do(idle)
		require.Equal(t, texts.ReplaceAllString(original, "$1"), texts.ReplaceAllString(value[string](refused, markup), "$1"), path)
	}
}

// The visitor's source counts on the next pages too, and replacement goes on in what a page adds.
func TestNumbersFollowTheVisitor(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	b := newTab(t)
	b.visit(p.shop + "/?utm_source=news")
	b.visit(p.shop + "/contacts.html")
	b.until(`document.querySelector("script[data-svc-numbers]") && Svc.getPhones().length > 0`)
	require.Equal(t, map[string]any{"id": "number=74951234567", "img": nil, "text": "+7 495 765-43-21", "raw": "74957654321", "dt": false}, value[any](b, "Svc.getPhones()[0]"))
	b.until("Object.keys(Svc.getReplacedPhones()).length > 0")
	require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))
	b.do(`
		const added = document.body.appendChild(document.createElement("p"));
		added.id = "added";
		added.innerHTML = "8 (495) <b>123-45-67</b> <a href='tel:+74951234567'>Call</a>";`)
	b.until(`document.getElementById("added").innerHTML === '8 (495) <b>765-43-21</b> <a href="tel:+74957654321">Call</a>'`)
}

// ownTag is the shop's origin at another address, where each page carries a tag of its own in the place of the woven code.
type ownTag struct {
	*httptest.Server
	shop atomic.Pointer[program]
}

func newOwnTag(t *testing.T) *ownTag {
	t.Helper()
	o := new(ownTag)
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := o.shop.Load()
		response, err := http.Get(p.origin + r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		const tag = `<head><script async src="SHOP/frontdesk/svc.js?k=demo-shop"></script>`
		w.Header()["Content-Type"] = response.Header["Content-Type"]
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(bytes.Replace(body, []byte("<head>"), []byte(strings.Replace(tag, "SHOP", p.shop, 1)), 1))
	}))
	t.Cleanup(o.Server.Close)
	return o
}

// With prerender off the script shows on each page what the server would have shown there: in texts, links, places and pictures.
// So it does on pages with a tag of their own, of another origin.
func TestScriptReplacesWhereTheServerDoesNot(t *testing.T) {
	t.Parallel()
	tagged := newOwnTag(t)
	on := runExample(t, "")
	const directive = "prerender static"
	config := example(t)
	require.Contains(t, config, directive)
	off := runProgram(t, strings.Replace(config, directive, "origins "+tagged.URL, 1), "")
	tagged.shop.Store(off)
	server, woven, own := newTab(t), newTab(t), newTab(t)
	for _, b := range []*tab{server, woven, own} {
		b.before(`const load = fetch; window.fetch = (address, ...rest) => /fragments/.test(address) ? new Promise(() => {}) : load(address, ...rest);`)
	}
	compared := 0
	for _, path := range pagesWithNumbers(t, on) {
		_, page := ask(t, http.MethodGet, on.shop+path+"?utm_source=news")
		if !strings.Contains(page, "/frontdesk/svc.js") || !strings.Contains(page, "<head>") {
			continue // a policy of the page lets no script in
		}
		compared++
		server.visit(on.shop + path + "?utm_source=news")
		want := string(mustJSON(t, value[string](server, markup)))
		for b, address := range map[*tab]string{woven: off.shop, own: tagged.URL} {
			b.visit(address + path + "?utm_source=news")
			b.front()
			b.until(strings.Replace(markup, "return body", `body.querySelectorAll("img, source").forEach(element => ["src", "srcset"].forEach(name =>
				element.hasAttribute(name) && element.setAttribute(name, element.getAttribute(name).replace("`+off.shop+`/", "/"))));
				return body`, 1) + ` === ` + want)
		}
		require.Nil(t, value[any](woven, `document.querySelector("script[data-svc-numbers]")`))
	}
	require.Greater(t, compared, 5)

	// The source is remembered without a cookie of its own, by the visits that are stored.
	woven.do(`sessionStorage.clear()`)
	woven.visit(off.shop + "/contacts.html")
	woven.until(`Svc.getReplacedPhones()["number=74951234567"] === "74957654321"`)
	other := newTab(t)
	other.visit(off.shop + "/contacts.html")
	other.until(identified)
	require.Equal(t, []any{}, value[any](other, "Svc.getPhones()"))
}
