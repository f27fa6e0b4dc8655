package thread

import (
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

// Page is a page of one kind.
type Page struct {
	Name string
	Body []byte
}

// Path is where the page is served.
func (p Page) Path() string { return "/" + strings.ReplaceAll(p.Name, " ", "-") }

// Pages are ten pages of different kinds. Most of them print the numbers that the package page gives.
func Pages() []Page {
	made := func(p page.Page) []byte { return p.Make() }
	return []Page{
		{"shop", made(page.Page{Size: 60 << 10, Numbers: 6})},
		{"shop, Cyrillic", made(page.Page{Size: 60 << 10, Numbers: 6, Cyrillic: true})},
		{"5,000 nodes", made(page.Page{Size: 152 << 10, Numbers: 20})},
		{"catalogue, 1 MB", made(page.Page{Size: 1 << 20, Numbers: 20})},
		{"Next.js", made(page.Page{Size: 120 << 10, Numbers: 6, Data: true})},
		{"landing page", made(page.Page{Size: 10 << 10, Numbers: 3})},
		{"newspaper", document(newspaper())},
		{"WordPress", document(blog())},
		{"price list", document(prices())},
		{"drawn by script", document(drawn)},
	}
}

func document(body string) []byte {
	return []byte("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title><style>" +
		"body{font:16px/1.5 sans-serif;margin:0 auto;max-width:70em}.grid{display:grid;grid-template-columns:repeat(3,1fr);gap:1em}" +
		"article{border:1px solid #ddd;padding:1em}td{padding:.2em .5em}</style></head><body>" + body + "</body></html>")
}

const words = "The council has decided on Thursday that the old bridge over the river will be closed for repairs until the end of spring. "

// newspaper has teasers without any digit, and a number in its foot.
func newspaper() string {
	return "<header><h1>The Morning</h1></header><main class=grid>" +
		strings.Repeat("<article><h2><a href=/article/>"+words[:60]+"</a></h2><figure><img alt='The bridge' src=/bridge.jpg></figure><p>"+
			words+"<p>"+words+words+"<footer><a href=/by/ title='All articles'>By <b>Ann Lamp</b></a> <time>today</time></footer></article>", 150) +
		"</main><footer>Subscriptions: +7 (495) 123-45-67</footer>"
}

// blog nests elements as themes do, with comments, and a script in each widget.
func blog() string {
	var b strings.Builder
	b.WriteString("<div id=page class=hfeed><header id=masthead><p class=site-title>A blog</p><a href=tel:+74951234567>8 (495) 123-45-67</a></header><div id=content>")
	for i := range 40 {
		fmt.Fprintf(&b, "<div class=wp-block-group><div class=wp-block-group__inner><div class=wp-block-columns><div class=wp-block-column><!-- wp:post -->"+
			"<article id=post-%d class='post type-post hentry'><div class=entry-header><h2 class=entry-title><a href='/?p=%d' rel=bookmark>%s</a></h2>"+
			"<div class=entry-meta><span class=posted-on>%d May 2026</span> <span class=byline>by <a href=/author/>admin</a></span></div></div>"+
			"<div class=entry-content><p>%s</p><p>%s</p></div></article><script>var widget=window.widget||[];widget.push({id:%d,at:%d})</script></div></div></div></div>",
			i, i, words[:40], 1+i%28, words, strings.Repeat(words, 4), i, 1700000000+i)
	}
	return b.String() + "</div><aside id=secondary><section class='widget widget_text'><p>Call us: 8&nbsp;(812)&nbsp;333-44-55</p></section></aside></div>"
}

// prices is little but digits.
func prices() string {
	var b strings.Builder
	b.WriteString("<p>Orders: +7 (495) 123-45-67</p><table>")
	for i := range 800 {
		fmt.Fprintf(&b, "<tr><td>%d<td>Art. %d-%02d<td>%d x %d<td>%d %03d.00", i+1, 10000+37*i, i%97, 10+i%70, 20+i%50, 1+i%90, i*7%1000)
	}
	return b.String() + "</table>"
}

// drawn is empty until its script has run, as pages of single-page applications are.
const drawn = `<div id=app-shell></div><script>addEventListener("DOMContentLoaded", () => setTimeout(() => {
	document.getElementById("app-shell").innerHTML = "<p>Call 8 (495) 123-45-67</p>" +
		Array.from({length: 400}, (_, i) => "<div class=card><h3>Lamp " + i + "</h3><p>" + i * 7 + " ₽ <a href=/lamps/" + i + ">Buy</a></p></div>").join("");
}, 100))</script>`
