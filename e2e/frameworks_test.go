package e2e

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The sites in testdata/frameworks. Each page shows the number in several
// writings, and all of them come from the page's data.
var frameworks = []string{"next-app", "next-pages", "nuxt", "sveltekit", "react-document"}

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

// writings is where a page shows the number.
type writings struct {
	Heading, Link, Href, Title, Sentence, Button, Neighbour string
}

const readWritings = `(text => ({
	heading: text("h1").replace(/^\w+ /, ""), link: text(".phone"), sentence: text(".sentence"), button: text("main button").replace(/: .*/, ""),
	neighbour: text(".neighbour"), href: document.querySelector(".phone").getAttribute("href"), title: document.querySelector(".phone").title,
}))(selector => document.querySelector(selector).textContent)`

// written is what a page shows for +7 495 and these last digits, as 123-45-67.
func written(local string) writings {
	formatted := "+7 (495) " + local
	return writings{
		Heading: formatted, Link: formatted, Title: "Call " + formatted, Sentence: "Call " + formatted + " from nine to six.", Button: formatted,
		Href: "tel:+7495" + strings.ReplaceAll(local, "-", ""), Neighbour: "74951234568",
	}
}

// The code in the head does not disturb a framework's own scripts.
func TestFrameworksHydrate(t *testing.T) {
	eachFramework(t, func(t *testing.T, name string) {
		p, b := framed(t, name, ""), newTab(t)
		taken := complaints(b)
		for _, page := range []struct{ address, heading string }{{"/", "Lamps"}, {"/contacts", "Contacts"}} {
			require.Regexp(t, inserted, get(t, p.shop+page.address))
			hydrated(b, p.shop+page.address)
			b.until(`window.Svc`)
			require.Equal(t, written("123-45-67"), value[writings](b, readWritings))
			press(b)
			follow(b, "/constant", "Constant")
			press(b)
			follow(b, "/contacts", "Contacts")
			require.Equal(t, written("123-45-67"), value[writings](b, readWritings))
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
		b := newTab(t)
		taken := complaints(b)
		hydrated(b, site.URL+"/")
		if name == "sveltekit" { // which says nothing, and shows what its data say
			require.Equal(t, written("123-45-67"), value[writings](b, readWritings))
			return
		}
		require.NotEmpty(t, taken())
	})
}
