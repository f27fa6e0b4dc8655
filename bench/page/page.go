// Package page makes believable HTML pages of any size to measure with: heads
// with styles and structured data, navigation, goods with prices and pictures,
// tables, icons, scripts, prose with the character references of usual editors,
// words of two scripts, and telephone numbers in all kinds of writings.
package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Page says what a page is like. The same values make the same page.
type Page struct {
	Size     int  // of the whole page, in bytes; at least 8 KB
	Numbers  int  // writings of the first three of [Numbers] that are to be replaced
	Cyrillic bool // prose in Russian, in UTF-8
	Data     bool // half of it is what Next.js takes the page over with, by either of its routers
}

// Room is how many bytes of a page a number may take, with what is around it.
const Room = 256

// Fits tells whether a page of this size has room for its numbers.
func (p Page) Fits() bool { return p.Size >= p.Numbers*Room }

// Make makes the page.
func (p Page) Make() []byte {
	m := &maker{Page: p, random: rand.New(rand.NewPCG(uint64(p.Size), uint64(p.Numbers))), words: english, foreign: russian}
	if p.Cyrillic {
		m.words, m.foreign = russian, english
	}
	foot := m.foot()
	m.head()
	blocks := []func(){m.goods, m.goods, m.goods, m.prose, m.prose, m.prose, m.prose, m.table, m.table, m.list, m.script}
	for {
		from, written, contacts := m.Len(), m.written, m.contacts
		for m.written*(p.Size-len(foot)) < p.Numbers*m.Len() {
			m.contact()
		}
		blocks[m.random.IntN(len(blocks))]()
		if m.Len()+Room*(p.Numbers-m.written) > p.Size-len(foot) { // the last one did not fit
			m.Truncate(from)
			m.written, m.contacts = written, contacts
			break
		}
	}
	for m.written < p.Numbers {
		m.contact()
	}
	m.WriteString(foot)
	m.WriteString(strings.Repeat(" ", max(0, p.Size-m.Len())))
	return m.Bytes()
}

type maker struct {
	Page
	bytes.Buffer
	random   *rand.Rand
	words    []string
	foreign  []string // a few words of the other script
	written  int      // numbers so far
	contacts int      // and the places where they stand
}

func (m *maker) printf(format string, values ...any) { fmt.Fprintf(m, format, values...) }

// text writes so many words.
func (m *maker) text(n int) {
	for i := range n {
		if i > 0 {
			m.WriteByte(' ')
		}
		words := m.words
		if m.random.IntN(20) == 0 {
			words = m.foreign
		}
		m.WriteString(words[m.random.IntN(len(words))])
	}
}

func (m *maker) head() {
	m.WriteString("<!doctype html>\n<html lang=\"en\" class=\"no-js\"><head><meta charset=\"utf-8\"><title>")
	m.text(6)
	m.WriteString("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"description\" content=\"")
	m.text(20)
	m.WriteString("\">\n<link rel=\"canonical\" href=\"https://shop.example/lamps/\"><link rel=\"preload\" href=\"/static/inter-400.9f86d081.woff2\" as=\"font\" crossorigin>\n<style>")
	for i := range 12 {
		m.printf(".c%d > .item:nth-child(%d) { margin: 0 %dpx; color: #%06x; transition: all .%ds ease-in-out }\n", i, i+1, 4*i, m.random.IntN(1<<24), 1+i%9)
	}
	m.printf("</style>\n<script src=\"/static/app.%08x.js\" defer></script>\n<script type=\"application/ld+json\">", m.random.Uint32())
	m.printf(`{"@context":"https://schema.org","@type":"Store","name":"Lamps","telephone":"%s","priceRange":"900-24900","geo":{"latitude":55.7512,"longitude":37.6184}}`, printed[0].international)
	m.WriteString("</script></head>\n<body class=\"page page--catalogue\"><header class=\"header\" id=\"top\"><nav class=\"nav nav--main\"><ul>")
	for i := range 8 {
		m.printf("<li class=\"nav__item\"><a class=\"nav__link\" href=\"/catalogue/%d/?sort=price&amp;page=1\">", i)
		m.text(2)
		m.WriteString("</a></li>")
	}
	m.WriteString("</ul></nav></header>\n<main>\n")
}

// foot ends a page, with its data.
func (m *maker) foot() string {
	if !m.Data {
		return foot
	}
	data := &maker{Page: m.Page, random: m.random, words: m.words, foreign: m.foreign}
	data.printf(`<script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"telephone":"%s","goods":[{}`, printed[0].international)
	for data.Len() < m.Size/4 {
		data.printf(`,{"id":%d,"price":%d,"title":"`, m.random.IntN(90000), m.random.IntN(90000))
		data.text(6)
		data.printf(`","image":"https://cdn.shop.example/%x.webp","phone":"\\u002B%s"}`, m.random.Uint32(), printed[1].digits)
	}
	data.WriteString(`]}},"page":"/lamps","buildId":"a"}</script>`)
	for data.Len() < m.Size/2-len(foot) {
		data.WriteString(`<script>self.__next_f.push([1,"`)
		for row := range 8 {
			data.printf(`%x:[\"$\",\"li\",null,{\"className\":\"item\",\"children\":\"`, row)
			data.text(8)
			data.WriteString(`\"}]\n`)
		}
		data.printf(`9:[\"$\",\"a\",null,{\"href\":\"tel:+%s\",\"children\":\"%s\"}]\n"])</script>`, printed[0].digits, printed[0].international)
	}
	return strings.TrimSuffix(foot, end) + data.String() + end
}

const end = "</body></html>\n"

const foot = "</main><footer class=\"footer\"><p>&#169; 1994&#8211;2026 Ann&#39;s lamps</p></footer></body></html>\n"

// goods is a thing to buy: half of a shop's page are such.
func (m *maker) goods() {
	id := 10000 + m.random.IntN(90000)
	m.printf("<article class=\"item item--wide\" data-id=\"%d\" itemscope>\n<a class=\"item__link\" href=\"/lamps/%d/?from=list\"><img class=\"item__img\" loading=\"lazy\" width=\"480\" height=\"360\" alt=\"", id, id)
	m.text(4)
	m.printf("\" src=\"/images/%d/480.webp\" srcset=\"", id)
	for _, width := range []int{240, 480, 720, 960, 1440} {
		m.printf("https://cdn.shop.example/images/%d/%d.webp?v=%x %dw, ", id, width, m.random.Uint32(), width)
	}
	m.printf("/images/%d/1920.webp 1920w\" sizes=\"(max-width: 600px) 100vw, 33vw\"></a>\n<h3 class=\"item__title\">", id)
	m.text(4)
	m.printf("</h3><p>")
	m.text(12)
	m.printf("&#8230;</p>\n<span class=\"price\">%d&nbsp;%03d&nbsp;₽</span> <del>%d&#160;%03d&#160;&#8381;</del> <span class=\"sku\">Art. %d-%02d</span>", 1+m.random.IntN(90), m.random.IntN(1000), 1+m.random.IntN(99), m.random.IntN(1000), id, m.random.IntN(100))
	m.WriteString("<button type=\"button\" class=\"button button--buy\"><svg viewBox=\"0 0 24 24\" width=\"24\" height=\"24\"><path d=\"M7 18c-1.1 0-1.99.9-1.99 2S5.9 22 7 22s2-.9 2-2-.9-2-2-2zM1 2v2h2l3.6 7.59-1.35 2.45z\"/></svg></button></article>\n")
}

func (m *maker) prose() {
	m.WriteString("<p>")
	for range 2 + m.random.IntN(4) {
		m.text(5 + m.random.IntN(20))
		switch m.random.IntN(6) {
		case 0:
			m.WriteString(" <a href=\"/about/\">")
			m.text(2)
			m.WriteString("</a>")
		case 1:
			m.WriteString(" &mdash; <strong>")
			m.text(1)
			m.WriteString("</strong>")
		case 2:
			m.printf(" %d%% (%d.%02d.2026)", m.random.IntN(100), 1+m.random.IntN(28), 1+m.random.IntN(12))
		case 3:
			m.WriteString(", &#8220;")
			m.text(3)
			m.WriteString("&#8221;, Ann&#39;s &#8212; ")
			m.text(3)
		case 4:
			m.WriteString(" &laquo;")
			m.text(2)
			m.WriteString("&raquo; 😀 &#128512;")
		}
		m.WriteString(". ")
	}
	m.WriteString("</p>\n")
}

func (m *maker) table() {
	m.WriteString("<table class=\"table\"><thead><tr><th>No.</th><th>Lamp</th><th>cm</th><th>Price</th></tr></thead><tbody>\n")
	for i := range 5 {
		m.printf("<tr><td>%d</td><td>", i+1)
		m.text(3)
		m.printf("</td><td>%d×%d</td><td class=\"num\">%d %03d.00</td></tr>\n", 10+m.random.IntN(90), 10+m.random.IntN(90), 1+m.random.IntN(90), m.random.IntN(1000))
	}
	m.WriteString("</tbody></table>\n")
}

func (m *maker) list() {
	m.WriteString("<ul class=\"links\">")
	for range 6 {
		m.printf("<li><a href=\"/lamps/%d/\" class=\"link link--quiet\" title=\"", m.random.IntN(100000))
		m.text(3)
		m.WriteString("\">")
		m.text(2)
		m.WriteString("</a></li>\n")
	}
	m.WriteString("</ul>\n")
}

func (m *maker) script() {
	m.WriteString("<script>(function(w,d){w.dataLayer=w.dataLayer||[];")
	for range 6 {
		m.printf("w.dataLayer.push({event:\"view_item\",id:%d,price:%d,when:%d});if(d.readyState<2&&w.innerWidth>%d){w.q=\"a[href^='/lamps/']\"}", m.random.IntN(100000), m.random.IntN(100000), 1700000000000+m.random.Int64N(1e11), m.random.IntN(2000))
	}
	m.WriteString("})(window,document)</script>\n")
}

var (
	english = strings.Fields("the lamp on a table gives warm light made of brass &amp; glass it&#8217;s and costs less than you would think we deliver within 3 days to every town and order by telephone from morning until late with switch cord shade reading evening quiet design workshop by hand each one signed café")
	russian = strings.Fields("лампа на столе даёт тёплый свет из латуни и стекла и стоит меньше чем вы думаете доставим за 3 дня в любой город закажите по телефону с утра до вечера абажур шнур выключатель для чтения вечером тихий дизайн мастерская вручную каждая подписана 20&nbsp;см")
)

// Selector names links of the pages that show numbers.
const Selector = ".contact a.tel"
