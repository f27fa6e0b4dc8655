package doors

import (
	"fmt"
	"net/http"
	"strings"
)

// pages are what the site's origin sends, with everything switched on.
func pages(_ *scene, n int) inputs {
	all := make(inputs)
	page := func(name, body string, header ...string) {
		all[name] = func() request {
			return request{method: http.MethodGet, path: "/lamps?utm_source=news", originFields: header,
				origin: "<!doctype html><html><head><title>x</title></head><body>" + body}
		}
	}
	for name, markup := range map[string]func(n int) string{
		"deep":            repeat("<b>"),
		"deep formatting": repeat("<a><b><p>"),
		"closed and not":  repeat("<div><p></div>"),
		"tables":          repeat("<table><td>"),
		"wide":            repeat("<p>a</p>"),
		"contacts": func(n int) string {
			return "<footer class=contacts>" + strings.Repeat("<a class=tel>8 (495) 123-45-67</a>", n/35)
		},
		"attributes": func(n int) string {
			return "<p " + series(n, func(i int) string { return fmt.Sprintf("a%d=b ", i) }) + ">"
		},
		"repeated attribute": func(n int) string { return "<a " + strings.Repeat("href=tel:84951234567 ", n/21) + ">" },
		"long attribute":     func(n int) string { return "<a class='" + strings.Repeat("tel ", n/4) + "'>8 495 123 45 67</a>" },
		"long name":          func(n int) string { return "<" + strings.Repeat("a", n) + ">" },
		"comments":           repeat("<!--8 495 123-45-67-->"),
		"comment":            func(n int) string { return "<!--" + strings.Repeat("--!", n/3) },
		"references":         repeat("&#8209;"),
		"digits":             repeat("8"),
		"digits apart":       repeat("8 "),
		"numbers":            repeat("8 (495) 123-45-67 "),
		"numbers in tags":    repeat("8 (495) <b>123</b>-45-67 "),
		"almost numbers":     repeat("8 (495) 123-45-6"),
		"data": func(n int) string {
			return "<script id=__NEXT_DATA__ type=application/json>" + strings.Repeat(`"84951234567",`, n/14)
		},
		"scripts":       repeat("<script></script>"),
		"script":        func(n int) string { return "<script>" + strings.Repeat("<!--<script ", n/12) },
		"rivals":        repeat(`<script async src=//a.example/static/cs.min.js></script>`),
		"rival":         func(n int) string { return "<script>" + strings.Repeat(`"//a/svc.js"`, n/12) },
		"accounts":      repeat(`<script>"setAccount","setCsAccount"</script>`),
		"templates":     repeat("<template><p>"),
		"forms":         repeat("<form class=lead><input name=a>"),
		"drawings":      repeat("<svg><a>"),
		"last children": repeat("<p><a>"),
		"soft hyphens":  repeat("8\u00ad"),
		"brackets":      repeat("<"),
		"quotes":        func(n int) string { return "<a b=\"" + strings.Repeat("'\"", n/2) },
	} {
		page(name, markup(n))
	}
	page("policy", "", "Content-Security-Policy: "+strings.Repeat("script-src 'nonce-a'; ", n/22))
	page("policies", "", "Content-Security-Policy: "+strings.Repeat("a,", n/2))
	page("cookies", "", "Set-Cookie: "+strings.Repeat("a=b; ", n/5))
	page("type", "", "Content-Type: text/html"+strings.Repeat(";a=b", n/4))
	page("validators", "", "ETag: \""+strings.Repeat("a", n)+"\"")
	page("cache", "", "Cache-Control: "+strings.Repeat("s-maxage=1,", n/11))
	return all
}
