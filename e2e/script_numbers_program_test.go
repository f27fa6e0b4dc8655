package e2e

import (
	"net/http"
	"regexp"
	"strings"
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
		neutral.do(part + `;window[Symbol.for("svc:numbers")](` + block + `, () => true, new Set());` + idle)
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
	require.Equal(t, map[string]any{"number=74951234567": "74957654321"}, value[any](b, "Svc.getReplacedPhones()"))
	b.do(`
		const added = document.body.appendChild(document.createElement("p"));
		added.id = "added";
		added.innerHTML = "8 (495) <b>123-45-67</b> <a href='tel:+74951234567'>Call</a>";`)
	b.until(`document.getElementById("added").innerHTML === '8 (495) <b>765-43-21</b> <a href="tel:+74957654321">Call</a>'`)
}
