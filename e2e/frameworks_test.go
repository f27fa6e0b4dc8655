package e2e

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The sites in testdata/frameworks. Each page shows the number in several
// writings, and all of them come from the page's data.
var frameworks = []string{"next-app", "next-pages", "nuxt", "sveltekit", "react-document", "react-router"}

// frameworkSite serves one of the sites as its own server would. Pages pass
// through change where it is not nil.
func frameworkSite(t *testing.T, name string, change func(page string) string) *httptest.Server {
	t.Helper()
	files := os.DirFS(filepath.Join("testdata/frameworks", name, "site"))
	types := map[string]string{
		".html": "text/html; charset=utf-8",
		".json": "application/json",
		".js":   "text/javascript; charset=utf-8",
		".css":  "text/css; charset=utf-8",
		".rsc":  "text/x-component",
		".data": "text/x-script; charset=utf-8",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := strings.Trim(r.URL.Path, "/")
		if address == "" {
			address = "index"
		}
		endings := []string{"", ".html", ".json", ".gz"}
		if r.Header.Get("RSC") != "" { // Next.js asks for data at the page's own address
			endings = []string{".rsc"}
		}
		for _, ending := range endings {
			content, err := fs.ReadFile(files, address+ending)
			if err != nil {
				continue
			}
			if ending == ".gz" {
				w.Header().Set("Content-Encoding", "gzip")
			} else {
				address += ending
			}
			if ending == ".html" && change != nil {
				content = []byte(change(string(content)))
			}
			w.Header().Set("Content-Type", types[path.Ext(address)])
			if name == "sveltekit" && ending == ".html" {
				w.Header().Set("X-Sveltekit-Page", "true")
			}
			w.Write(content)
			return
		}
		if address != "favicon.ico" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// framed runs the program in front of one of the sites.
func framed(t *testing.T, name, settings string) *program {
	t.Helper()
	return runProgram(t, `http://localhost:8080 {
	frontdesk shop`+settings+`
	reverse_proxy `+frameworkSite(t, name, nil).Listener.Addr().String()+`
}
`, "")
}

// animated is a tab whose pages draw frames all the time, as those do that somebody looks at. Chromium's headless shell may have no idle
// time in a page that draws nothing, and Nuxt waits for it before it says that it is ready.
func animated(t *testing.T) *tab {
	t.Helper()
	b := newTab(t)
	b.before(`(function draw() { requestAnimationFrame(draw) })()`)
	return b
}

func eachFramework(t *testing.T, test func(t *testing.T, name string)) {
	t.Parallel()
	for _, name := range frameworks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name)
		})
	}
}

// complaints returns what takes the warnings, errors and exceptions of the tab's
// pages since the last call.
func complaints(b *tab) func() []string {
	messages := chromedp.Console(b.ctx)
	return func() []string {
		b.t.Helper()
		const end = "that is all"
		b.do(`console.log("` + end + `")`)
		b.thrown()
		var list []string
		for message, err := range messages {
			require.NoError(b.t, err)
			if message.Text == end {
				break
			}
			switch message.Type {
			case chromedp.ConsoleWarning, chromedp.ConsoleError, chromedp.ConsoleException:
				list = append(list, message.Text)
			}
		}
		return list
	}
}

// hydrated opens a page of a framework and waits until its own scripts have it.
func hydrated(b *tab, url string) {
	b.t.Helper()
	b.visit(url)
	b.until(`document.documentElement.dataset.hydrated`)
}

// follow clicks a link of the page and waits for the view that its data make.
func follow(b *tab, address, heading string) {
	b.t.Helper()
	b.do(`window.sameDocument = true; document.querySelector("nav a[href='` + address + `']").click()`)
	b.until(`document.querySelector("h1")?.textContent.startsWith("` + heading + `")`)
	require.True(b.t, value[bool](b, `window.sameDocument === true`), "the page was loaded instead")
}

// press clicks the page's button and sees it counted.
func press(b *tab) {
	b.t.Helper()
	b.do(`document.querySelector("main button").click()`)
	b.until(`document.querySelector("main button").textContent.endsWith("1 clicks")`)
}

// places is where a page shows the number, and the number next to it.
const places = `(text => [
	text("h1").replace(/^\w+ /, ""), text(".phone"), document.querySelector(".phone").getAttribute("href"), document.querySelector(".phone").title,
	text(".sentence"), text("main button").replace(/: .*/, ""), text(".neighbour"),
].join("\n"))(selector => document.querySelector(selector).textContent)`

// printed is what a page shows in these places, of a number in this writing.
func printed(number string) string {
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, number)
	return strings.Join([]string{number, number, "tel:+" + digits, "Call " + number, "Call " + number + " from nine to six.", number, "74951234568"}, "\n")
}

// The site's own number, that of visitors from news, and one that is longer.
var ownPrinted, newsPrinted, longerPrinted = printed("+7 (495) 123-45-67"), printed("+7 (495) 765-43-21"), printed("+44 20 7946 0018")

// The code in the head does not disturb a framework's own scripts.
func TestFrameworksHydrate(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		p, b := framed(t, name, ""), animated(t)
		taken := complaints(b)
		for _, page := range []struct{ address, heading string }{{"/", "Lamps"}, {"/contacts", "Contacts"}} {
			require.Regexp(t, inserted, get(t, p.shop+page.address))
			hydrated(b, p.shop+page.address)
			b.until(`window.Svc`)
			require.Equal(t, ownPrinted, value[string](b, places))
			press(b)
			follow(b, "/constant", "Constant")
			press(b)
			follow(b, "/contacts", "Contacts")
			require.Equal(t, ownPrinted, value[string](b, places))
			press(b)
			require.Empty(t, taken())
		}
	})
}

// Every site tells when text and data differ: so the tests here see it.
func TestFrameworksNoticeWhatDiffers(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		site := frameworkSite(t, name, func(page string) string {
			heading := strings.Index(page, "123-45-67</h1>")
			require.Positive(t, heading)
			return page[:heading] + "765-43-21" + page[heading+len("765-43-21"):]
		})
		b := animated(t)
		taken := complaints(b)
		hydrated(b, site.URL+"/")
		if name == "sveltekit" { // which says nothing, and shows what its data say
			require.Equal(t, ownPrinted, value[string](b, places))
			return
		}
		require.NotEmpty(t, taken())
	})
}

// newsNumber is a configuration in which visitors from news see this number.
func newsNumber(digits string) string {
	return ` {
		prerender static
		number 74951234567 {
			static ` + digits + ` utm_source=news
		}
	}`
}

// inNews makes a page of what one of the sites answers for visitors from news.
var inNews = strings.NewReplacer(" 123-45-67", " 765-43-21", "4951234567", "4957654321")

// newsReader is a visitor without scripts. It returns what asks for an address, with
// the header RSC where that is wanted, and tells the answer without our additions.
func newsReader(t *testing.T, p *program) func(address string, rsc bool) string {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	ours := regexp.MustCompile(inserted.String() + `|<script type="application/json" data-svc-numbers>[^<]*</script>`)
	return func(address string, rsc bool) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.shop+address, nil)
		require.NoError(t, err)
		if rsc {
			request.Header.Set("RSC", "1")
		} else {
			request.Header.Set("Accept", "text/html,*/*;q=0.8")
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return ours.ReplaceAllString(string(body), "")
	}
}

func siteFile(t *testing.T, name, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata/frameworks", name, "site", file))
	require.NoError(t, err)
	return string(content)
}

// The number is another one in the text and in all data alike, so that nothing
// differs for the framework, not even after a click.
func TestFrameworksHydrateWithAnotherNumber(t *testing.T) {
	answers := map[string]string{ // the file of the data of /contacts
		"next-app": "contacts.rsc", "next-pages": "_next/data/build/contacts.json", "nuxt": "contacts/_payload.json",
		"sveltekit": "contacts/__data.json", "react-document": "_next/data/build/contacts.json", "react-router": "contacts.data",
	}
	eachFramework(t, func(t *testing.T, name string) {
		p := framed(t, name, newsNumber("74957654321"))
		read := newsReader(t, p)
		require.Equal(t, siteFile(t, name, "index.html"), read("/", false))
		require.Equal(t, inNews.Replace(siteFile(t, name, "index.html")), read("/?utm_source=news", false))
		require.Equal(t, inNews.Replace(siteFile(t, name, "contacts.html")), read("/contacts", false))
		address, rsc := strings.CutSuffix(answers[name], ".rsc")
		require.Equal(t, inNews.Replace(siteFile(t, name, answers[name])), read("/"+address, rsc))

		b := animated(t)
		taken := complaints(b)
		hydrated(b, p.shop+"/?utm_source=news")
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		for _, next := range []struct{ address, heading string }{{"/contacts", "Contacts"}, {"/", "Lamps"}} {
			follow(b, next.address, next.heading)
			b.until(places + " === " + strconv.Quote(newsPrinted)) // by the script where the data come some other way
			press(b)
		}
		hydrated(b, p.shop+"/contacts")
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		require.Empty(t, taken())
	})
}

// The same with a number of the visitor's own, which comes with the page and with what a click fetches.
func TestFrameworksHydrateWithTheVisitorsNumber(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		p, b := framed(t, name, strings.NewReplacer("prerender static", "prerender dynamic", "static 7", "dynamic 7").Replace(newsNumber("74957654321"))), animated(t)
		taken := complaints(b)
		// A page that is not in time has the printed number, and its data, which are fetched later, may have the visitor's: the framework
		// complains of that, and the page is opened again.
		arrive := func(address string) {
			require.Empty(t, taken())
			for range 10 {
				if b.arrive(p.shop+address) == 1 {
					return
				}
				b.until(`document.documentElement.dataset.hydrated`)
				taken()
			}
			require.FailNow(t, "the page is never in time at once")
		}
		b.arrive(p.shop + "/contacts") // a visitor who is known has the pool's one number, however often the next page has to be asked for
		taken()
		arrive("/?utm_source=news")
		b.until(`document.documentElement.dataset.hydrated`)
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		for _, next := range []struct{ address, heading string }{{"/contacts", "Contacts"}, {"/", "Lamps"}} {
			follow(b, next.address, next.heading)
			b.until(places + " === " + strconv.Quote(newsPrinted)) // by the script where the data come some other way
			press(b)
		}
		arrive("/contacts")
		b.until(`document.documentElement.dataset.hydrated`)
		require.Equal(t, newsPrinted, value[string](b, places))
		require.Empty(t, taken())
	})
}

// A number that has no room in the writings is left to the script, which waits for
// the framework.
func TestFrameworksHydrateBeforeALongerNumber(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		p := framed(t, name, newsNumber("442079460018"))
		require.Equal(t, siteFile(t, name, "index.html"), newsReader(t, p)("/?utm_source=news", false))
		b := animated(t)
		taken := complaints(b)
		hydrated(b, p.shop+"/?utm_source=news")
		press(b)
		b.until(places + " === " + strconv.Quote(longerPrinted))
		follow(b, "/contacts", "Contacts")
		press(b)
		b.until(places + " === " + strconv.Quote(longerPrinted))
		require.Empty(t, taken())
	})
}

// early notes whether a page shows another number before its framework has taken it over.
const early = `new MutationObserver(() => {
	const root = document.documentElement;
	if (root && !root.dataset.hydrated && /765-43-21|7946 0018/.test(root.textContent)) window.early = true;
}).observe(document, {childList: true, characterData: true, subtree: true});`

// A number of the visitor's own comes with the answer to the page view, or from the page before. The script waits for the
// framework, and shows it again when the framework has written something anew. Then it rests.
func TestFrameworksHydrateBeforeANumberOfTheVisitor(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		for digits, want := range map[string]string{"74957654321": newsPrinted, "442079460018": longerPrinted} {
			p := framed(t, name, ` {
		number 74951234567 {
			dynamic `+digits+`
		}
	}`)
			require.Equal(t, siteFile(t, name, "index.html"), newsReader(t, p)("/", false))
			shows := places + " === " + strconv.Quote(want)
			b := animated(t)
			b.before(early)
			taken := complaints(b)
			for _, page := range []struct{ address, next, heading string }{{"/", "/contacts", "Contacts"}, {"/contacts", "/", "Lamps"}} {
				hydrated(b, p.shop+page.address)
				b.until(shows)
				require.Equal(t, []any{true, nil}, value[any](b, `[Svc.getPhones()[0].dt, window.early]`), page.address)
				press(b)
				b.until(shows)
				follow(b, page.next, page.heading)
				b.until(shows)
				press(b)
				b.until(shows)
				b.do(`window.changes = 0; new MutationObserver(() => changes++).observe(document.body, {childList: true, characterData: true, subtree: true, attributes: true});
					for (let n = 0; n < 20; n++) await new Promise(requestAnimationFrame);`)
				require.Zero(t, value[int](b, "changes"))
				require.True(t, value[bool](b, shows))
				require.Empty(t, taken(), page.address)
			}
		}
	})
}

// Where one text of the page is two in the data, neither is touched.
func TestFrameworksHydrateWithNumbersInParts(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		if name == "react-document" {
			return // it has no such page
		}
		p, b := framed(t, name, newsNumber("74957654321")), animated(t)
		taken := complaints(b)
		hydrated(b, p.shop+"/parts?utm_source=news")
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		b.until(`document.querySelector(".parts").textContent === "+7 (495) 765-43-21"`)
		require.Empty(t, taken())
	})
}

// React writes the data of a page in rows: long texts without quotes, and what
// comes late at the end.
func TestFrameworksHydrateWithNumbersInRows(t *testing.T) {
	t.Parallel()
	const name = "next-app"
	p, b := framed(t, name, newsNumber("74957654321")), animated(t)
	read, taken := newsReader(t, p), complaints(b)
	for _, page := range []string{"streamed", "edges"} {
		require.Equal(t, inNews.Replace(siteFile(t, name, page+".html")), read("/"+page+"?utm_source=news", false))
		hydrated(b, p.shop+"/"+page)
		hydrated(b, p.shop+"/"+page+"?utm_source=news")
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		require.Empty(t, taken(), page)
	}
}

// A number that is in the framework's own scripts differs from the text. The page
// works all the same.
func TestFrameworksWithTheNumberInTheirScriptsWork(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		p, b := framed(t, name, newsNumber("74957654321")), animated(t)
		taken := complaints(b)
		hydrated(b, p.shop+"/constant?utm_source=news")
		b.until(`document.querySelector("main .phone").textContent === "+7 (495) 765-43-21"`)
		press(b)
		follow(b, "/contacts", "Contacts")
		require.Equal(t, newsPrinted, value[string](b, places))
		press(b)
		taken()
	})
}
