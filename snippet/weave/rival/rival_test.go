package rival_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/bench/page"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/rival"
	"github.com/seed-3405227d/frontdesk/snippet/weave/weavetest"
)

const (
	account = "Ab3-xY_7Ab3-xY_7Ab3-xY_7Ab3-xY_7"
	loader  = "https://app.other.example/static/cs.min.js"
	ours    = "/frontdesk/svc.js?k=shop.example"
)

var (
	own  = rival.Own{Key: "shop.example", Path: "/frontdesk/svc.js"}
	with = rival.Replacement{Address: ours, Inline: true}
)

// replaced is a page after the replacer, which gets it in pieces of a size.
func replaced(t testing.TB, z *rival.Replacer, markup string, size int, how rival.Replacement) string {
	z.Reset(own, how, 0)
	var out []byte
	for rest := []byte(markup); len(rest) > 0; {
		n := min(size, len(rest))
		out = z.Append(out, bytes.Clone(rest[:n]))
		require.LessOrEqual(t, len(z.Rest(nil)), 17<<10, "too much is held back")
		rest = rest[n:]
	}
	return string(z.Finish(out))
}

// Each row has a code as sites write it, what is found, and what comes of it.
var codes = map[string]struct {
	code    string
	found   []rival.Code
	changed string // empty: nothing changes
}{
	"the usual code": {
		`<script type="text/javascript">var __cs = __cs || []; __cs.push(["setCsAccount", "` + account + `"]);</script><script type="text/javascript" async src="//app.other.example/static/cs.min.js"></script>`,
		[]rival.Code{{Loader: "//app.other.example/static/cs.min.js", Account: account}},
		`<script type="text/javascript">var __cs = __cs || []; __cs.push(["setCsAccount", "` + account + `"]);</script><script type="text/plain" type="text/javascript" async src="//app.other.example/static/cs.min.js"></script>`,
	},
	"with a host, in apostrophes": {
		"<SCRIPT>__cs.push( [ 'setHost' , '//server.other.example/other' ]); __cs.push(['setAccount',\n'" + account + "']);</SCRIPT><SCRIPT ASYNC SRC='" + loader + "'></SCRIPT>",
		[]rival.Code{{Loader: loader, Account: account}},
		"<SCRIPT>__cs.push( [ 'setHost' , '//server.other.example/other' ]); __cs.push(['setAccount',\n'" + account + "']);</SCRIPT><SCRIPT type=\"text/plain\" ASYNC SRC='" + loader + "'></SCRIPT>",
	},
	"the account in the address": {
		`<script async src="` + loader + `?k=` + account + `"></script>`,
		[]rival.Code{{Loader: loader, Account: account}},
		`<script type="text/plain" async src="` + loader + `?k=` + account + `"></script>`,
	},
	"the page waits for it": {
		`<script src=` + loader + `?k=` + account + `></script><script>Svc.openChatWindow()</script>`,
		[]rival.Code{{Loader: loader, Account: account}},
		`<script src="` + ours + `" src=` + loader + `?k=` + account + `></script><script>Svc.openChatWindow()</script>`,
	},
	"something follows it": {
		`<script async onload="begin()" src="` + loader + `"></script>`,
		[]rival.Code{{Loader: loader}},
		`<script src="` + ours + `" async onload="begin()" src="` + loader + `"></script>`,
	},
	"with its hash": {
		`<script integrity=sha256-a src="` + loader + `"></script>`,
		[]rival.Code{{Loader: loader}},
		`<script type="text/plain" integrity=sha256-a src="` + loader + `"></script>`,
	},
	"of the same name as ours": {
		`<script>var __cs=__cs||[];__cs.push(["setCsAccount","` + account + `"])</script><script async src="https://other.example/svc.js"></script>`,
		[]rival.Code{{Loader: "https://other.example/svc.js", Account: account}},
		`<script>var __cs=__cs||[];__cs.push(["setCsAccount","` + account + `"])</script><script type="text/plain" async src="https://other.example/svc.js"></script>`,
	},
	"a copy on the site": {
		`<script async src="/js/cs.min.js?v=1&amp;k=` + account + `"></script>`,
		[]rival.Code{{Loader: "/js/cs.min.js", Account: account}},
		`<script type="text/plain" async src="/js/cs.min.js?v=1&amp;k=` + account + `"></script>`,
	},
	"loaded by an inline script": {
		`<script>__cs=[["setCsAccount","` + account + `"]];var el=document.createElement('script');el.src='` + loader + `';el.onload=go;document.head.appendChild(el)</script>`,
		[]rival.Code{{Loader: loader, Account: account}},
		`<script>__cs=[["setCsAccount","` + account + `"]];var el=document.createElement('script');el.src='` + ours + `';el.onload=go;document.head.appendChild(el)</script>`,
	},
	"loaded by an inline script, with escapes": {
		`<script>load("https:\/\/app.other.example\/static\/cs.min.js?k=` + account + `")</script>`,
		[]rival.Code{{Loader: loader, Account: account}},
		`<script>load("` + ours + `")</script>`,
	},
	"an account alone":             {code: `<script>__cs.push(["setCsAccount", "` + account + `"])</script>`, found: []rival.Code{{Account: account}}},
	"in pieces":                    {code: `<script>load("https://" + "app.other.example" + "/static/cs.min.js")</script>`},
	"our own":                      {code: `<script>var __cs=__cs||[];__cs.push(["setCsAccount","shop.example"]);</script><script async src="/frontdesk/svc.js"></script>`},
	"our own, from another host":   {code: `<script async src="https://desk.example/frontdesk/svc.js?k=shop.example"></script>`},
	"an account in another shape":  {code: `<script>__cs.push(["setCsAccount","` + account[1:] + `"])</script><script async src="https://other.example/svc.js"></script>`},
	"no string":                    {code: `<script>__cs.push(["setCsAccount", account])</script>`},
	"another counter":              {code: `<script>_gaq.push(["_setAccount","` + account + `"])</script>`},
	"a translation":                {code: `<script src="https://cdn.example/npm/moment/locale/cs.min.js"></script><script src="/i18n/cs.min.js"></script><script src="https://cdn.example/datepicker.cs.min.js?k=` + account + `"></script>`},
	"a translation beside it":      {code: `<script>__cs.push(["setCsAccount", "` + account + `"])</script><script async src="https://cdn.example/npm/moment/locale/cs.min.js"></script>`, found: []rival.Code{{Account: account}}},
	"no program":                   {code: `<script type="application/json">{"a":"` + loader + `"}</script><script type="text/template"><script src="` + loader + `"></script>`},
	"in a comment":                 {code: `<!-- <script async src="` + loader + `"></script> -->`},
	"in a field":                   {code: `<textarea><script async src="` + loader + `"></script></textarea>`},
	"in a text":                    {code: `<p>"` + loader + `"</p>`},
	"in a framework's data":        {code: `<script>self.__next_f.push([1,"5:[\"$\",\"script\",null,{\"src\":\"` + loader + `\"}]"])</script>`},
	"in a framework's data, plain": {code: `<script>window.__NUXT__={"src":"` + loader + `"}</script>`},
	"a script that is too long":    {code: `<script>"` + loader + `"` + strings.Repeat("a", 17<<10) + `</script>`},
	"a tag that is too long":       {code: `<script src="` + loader + `" data-a="` + strings.Repeat("a", 17<<10) + `"></script>`},
	"an address that is too long":  {code: `<script>"` + loader + `?` + strings.Repeat("a", 400) + `"</script><script src="` + loader + `?` + strings.Repeat("a", 400) + `"></script>`},
	"a picture of SVG":             {code: `<svg><script href="` + loader + `"></script></svg>`},
}

func TestCodes(t *testing.T) {
	var z rival.Replacer
	for name, c := range codes {
		t.Run(name, func(t *testing.T) {
			markup := "<!doctype html><html><head><title>a</title>" + c.code + "</head><body><p>b < c</p></body></html>"
			found := rival.Find([]byte(markup), own)
			require.ElementsMatch(t, c.found, found)
			want := markup
			if c.changed != "" {
				want = strings.Replace(markup, c.code, c.changed, 1)
			}
			for _, size := range []int{1, 2, 3, 7, 64, 1000, 1 << 20} {
				require.Equal(t, want, replaced(t, &z, markup, size, with), "in pieces of %d", size)
			}
		})
	}
}

// Scripts whose content may not change keep it.
func TestInlineScriptsMayBeFixed(t *testing.T) {
	var z rival.Replacer
	markup := `<script>load("` + loader + `")</script><script async src="` + loader + `"></script>`
	require.Equal(t, strings.Replace(markup, "<script async", `<script type="text/plain" async`, 1), replaced(t, &z, markup, 100, rival.Replacement{Address: ours}))
}

// Pages without such a code leave as they came.
func TestOtherPages(t *testing.T) {
	var z rival.Replacer
	for _, markup := range weavetest.Pages(t, "../../..") {
		require.Empty(t, rival.Find(markup, own))
		require.Equal(t, string(markup), replaced(t, &z, string(markup), 4096, with))
	}
}

func FuzzReplacer(f *testing.F) {
	for _, c := range codes {
		f.Add([]byte(c.code), uint64(1))
	}
	f.Add([]byte(strings.Repeat(`"setCsAccount" , `, 1000)+"<script>"+strings.Repeat(`"/svc.js`, 1000)+"</script>"), uint64(2))
	f.Add([]byte(strings.Repeat("<script>", 1000)), uint64(3))
	// Two texts that stand in each other; addresses with many parameters.
	f.Add([]byte(`<script>__cs.push(["setCsAccount","`+account+`"]);"//h/svc.js?'//h/svc.js'"`+strings.Repeat(" ", 900)+"</script>"), uint64(1))
	f.Add([]byte(strings.Repeat("<script>"+strings.Repeat(`"/svc.js?a&b&c&d&e&f&g&h&i&j&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&A&B&C&D&E&F&G&H&I&J&K&L&M&N&O"`, 8)+"</script>", 30)), uint64(1))
	f.Fuzz(func(t *testing.T, markup []byte, seed uint64) {
		var z rival.Replacer
		stepstest.Hold(t, len(markup), func() { require.LessOrEqual(t, len(rival.Find(markup, own)), 4) })
		var whole []byte
		stepstest.Hold(t, len(markup), func() {
			z.Reset(own, with, 0)
			whole = z.Finish(z.Append(nil, markup))
		})
		z.Reset(own, with, 0)
		var out []byte
		r := rand.New(rand.NewPCG(seed, 1))
		for rest := markup; len(rest) > 0; {
			n := min(1+r.IntN(1+r.IntN(300)), len(rest))
			out = z.Append(out, bytes.Clone(rest[:n]))
			rest = rest[n:]
		}
		require.Equal(t, string(whole), string(z.Finish(out)), "whichever way it is cut")
		// A page in which nothing is found leaves as it came.
		if len(rival.Find(markup, own)) == 0 {
			require.Equal(t, string(markup), string(whole))
		}
	})
}

// BenchmarkFind is what it costs to look for codes in a sample of a page, and BenchmarkReplacer in every page of a site that
// replaces them.
func BenchmarkFind(b *testing.B) {
	markup := page.Page{Size: 100 << 10}.Make()
	b.SetBytes(int64(len(markup)))
	b.ReportAllocs()
	for b.Loop() {
		rival.Find(markup, own)
	}
}

func BenchmarkReplacer(b *testing.B) {
	markup, out := page.Page{Size: 100 << 10}.Make(), []byte(nil)
	var z rival.Replacer
	b.SetBytes(int64(len(markup)))
	b.ReportAllocs()
	for b.Loop() {
		z.Reset(own, with, 0)
		out = z.Finish(z.Append(out[:0], markup))
	}
}
