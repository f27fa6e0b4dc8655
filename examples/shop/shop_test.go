// Package shop holds no code: these tests keep the demo shop whole.
package shop

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
)

// pages calls visit with the address and the parsed document of each HTML file of the site.
func pages(t *testing.T, visit func(address string, page *goquery.Document)) {
	t.Helper()
	site := os.DirFS("site")
	names, err := fs.Glob(site, "*.html")
	require.NoError(t, err)
	deeper, err := fs.Glob(site, "*/*.html")
	require.NoError(t, err)
	names = append(names, deeper...)
	require.NotEmpty(t, names)
	for _, name := range names {
		file, err := site.Open(name)
		require.NoError(t, err)
		page, err := goquery.NewDocumentFromReader(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		visit("/"+strings.TrimSuffix(name, "index.html"), page)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	// What the Caddyfile or Frontdesk answers, and no file.
	routes := map[string]bool{
		"/gift-card": true, "/contact": true, "/request": true, "/repair": true, "/order": true,
		"/app/shade": true, "/app/base": true, "/app/size": true, "/app/summary": true,
		"/frontdesk/svc.js": true,
	}
	pages(t, func(address string, page *goquery.Document) {
		page.Find("[href], [src], [action]").Each(func(_ int, element *goquery.Selection) {
			for _, attribute := range []string{"href", "src", "action"} {
				value, ok := element.Attr(attribute)
				if !ok {
					continue
				}
				link, err := url.Parse(value)
				require.NoError(t, err, "%s in %s", value, address)
				if link.Scheme != "" || link.Path == "" || routes[link.Path] {
					continue
				}
				target := link.Path
				if !path.IsAbs(target) {
					target = path.Join(path.Dir(address), target)
				}
				if strings.HasSuffix(target, "/") {
					target += "index.html"
				}
				require.FileExists(t, "site"+target, "linked from %s", address)
			}
		})
	})
}

func TestReadmeListsEveryPage(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	pages(t, func(address string, _ *goquery.Document) {
		require.Contains(t, string(readme), "| `"+address+"` |")
	})
}

// The policy of one page names its inline script by hash; both are edited by hand.
func TestPolicyNamesTheInlineScript(t *testing.T) {
	caddyfile, err := os.ReadFile("Caddyfile")
	require.NoError(t, err)
	page, err := os.Open("site/guides/cleaning.html")
	require.NoError(t, err)
	defer page.Close()
	document, err := goquery.NewDocumentFromReader(page)
	require.NoError(t, err)
	script := document.Find("script:not([src])")
	require.Equal(t, 1, script.Length())
	hash := sha256.Sum256([]byte(script.Text()))
	require.Contains(t, string(caddyfile), "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
}

// A charset that is declared after the first 1024 bytes is not seen by browsers.
func TestCharsetIsDeclaredInTime(t *testing.T) {
	for name, want := range map[string]string{
		"site/guides/bulbs.html": `<meta charset="utf-8">`,
		"site/ru/oplata.html":    `charset=windows-1251`,
		"site/ru/vozvrat.html":   `<meta charset="koi8-r">`,
	} {
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		at := strings.Index(string(page), want)
		require.GreaterOrEqual(t, at, 0, name)
		require.Less(t, at+len(want), 1024, name)
	}
}
