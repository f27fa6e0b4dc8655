package weave_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// shopRules are the rules for the pages of these tests.
func shopRules(t testing.TB, n weave.Number) *weave.PairRules {
	return weave.CompilePairs(t, weave.Pair{Old: "74951234567", Fresh: "74957654321", Number: n, URL: "/p/1.svg"},
		weave.Pair{Old: "74991112233", Fresh: "442079460018"})
}

var places = weave.Number{
	Targets:  []string{"#callme", ".phone", "[name=tel]"},
	Pictures: []string{".phone-img"},
}

// rewritten streams a page in pieces.
func rewritten(z *weave.PairReplacer, c *char.Charset, pieces ...string) string {
	z.Reset(c)
	var out []byte
	for _, p := range pieces {
		out = z.Append(out, []byte(p))
	}
	return string(z.Finish(out))
}

func TestReplacing(t *testing.T) {
	z := shopRules(t, places).NewReplacer()
	for _, c := range []struct{ name, page, want string }{
		{"text", `<p>Call 8 (495) 123-45-67 now</p>`, `<p>Call 8 (495) 765-43-21 now</p>`},
		{"inline tags", `<p>8 (495) <b>123</b>-<i>45</i>-67</p>`, `<p>8 (495) <b>765</b>-<i>43</i>-21</p>`},
		{"a comment", `<p>8 (495) 123<!-- 1 -->-45-67</p>`, `<p>8 (495) 765<!-- 1 -->-43-21</p>`},
		{"a new line", `<div>8 (495)</div><div>123-45-67</div>`, ``},
		{"br", `8 (495)<br>123-45-67`, ``},
		{"another number's word", `<td>Order <b>84951234567</b></td>`, ``},
		{"links", `<a href="tel:+74951234567">a</a><a href='sms:84951234567?body=84951234567'>b</a><a href=callto:+7(495)1234567>c</a>`,
			`<a href="tel:+74957654321">a</a><a href='sms:84957654321?body=84951234567'>b</a><a href=callto:+7(495)7654321>c</a>`},
		{"further messengers", `<a href="viber://chat?number=%2B74951234567">a</a><a href="tg://resolve?phone=74951234567">b</a><a href="https://t.me/+74951234567">c</a><a href="https://signal.me/#p/+74951234567">d</a>`,
			`<a href="viber://chat?number=%2B74957654321">a</a><a href="tg://resolve?phone=74957654321">b</a><a href="https://t.me/+74957654321">c</a><a href="https://signal.me/#p/+74957654321">d</a>`},
		{"messengers", `<a href="https://wa.me/74951234567?text=a">a</a><a href="https://api.whatsapp.com/send?phone=74951234567&amp;text=b">b</a>`,
			`<a href="https://wa.me/74957654321?text=a">a</a><a href="https://api.whatsapp.com/send?phone=74957654321&amp;text=b">b</a>`},
		{"a reference in a link", `<a href="tel:&#43;74951234567;ext=5">a</a>`, `<a href="tel:&#43;74957654321;ext=5">a</a>`},
		{"another address", `<a href="/order/74951234567">a</a><img src="/74951234567.png"><link href="tel:+74951234567">`, ``},
		{"attributes", `<img alt="+7 495 123-45-67"><b title='8 495 1234567' aria-label="84951234567">a</b><meta name=Description content="8 495 123 45 67">`,
			`<img alt="+7 495 765-43-21"><b title='8 495 7654321' aria-label="84957654321">a</b><meta name=Description content="8 495 765 43 21">`},
		{"other attributes", `<input value="84951234567" placeholder="84951234567" data-phone="84951234567"><meta property="og:description" content="84951234567">`, ``},
		{"title", `<title>8 495 123 45 67 &lt; <b></title>`, `<title>8 495 765 43 21 &lt; <b></title>`},
		{"scripts and styles", `<script>var a = "84951234567"</script><style>/*84951234567*/</style><script type="application/ld+json">{"telephone":"+74951234567"}</script>`, ``},
		{"what is sent", `<textarea>84951234567</textarea><select><option>84951234567<option>+74951234567</select><datalist><option>84951234567</datalist>`, ``},
		{"behind what is sent", `<select><option>a</select> 84951234567`, `<select><option>a</select> 84957654321`},
		{"edited", `<div contenteditable><p>84951234567</p></div><p contenteditable=false>84951234567</p>`, `<div contenteditable><p>84951234567</p></div><p contenteditable=false>84957654321</p>`},
		{"opted out", `<div data-svc-noswap><p>84951234567<a href="tel:84951234567">a</a></div>84951234567<img data-svc-noswap alt="84951234567"><i>84951234567</i>`,
			`<div data-svc-noswap><p>84951234567<a href="tel:84951234567">a</a></div>84957654321<img data-svc-noswap alt="84951234567"><i>84957654321</i>`},
		{"opted out, unclosed", `<div><p data-svc-noswap>84951234567<p>84951234567</div>84951234567`, `<div><p data-svc-noswap>84951234567<p>84957654321</div>84957654321`},
		{"opted out, closed by another", `<ul><li><span data-svc-noswap>84951234567</ul>84951234567`, `<ul><li><span data-svc-noswap>84951234567</ul>84957654321`},
		{"microdata", `<b itemprop="telephone">84951234567</b><div itemprop=a itemscope>84951234567</div><b itemprop=telephone class=phone>84951234567</b>`,
			`<b itemprop="telephone">84951234567</b><div itemprop=a itemscope>84957654321</div><b itemprop=telephone class=phone>84957654321</b>`},
		{"noscript", `<noscript><p>8 (495) <b>123-45-67</b> <a href="tel:84951234567">a</a><img alt=a></noscript>`, `<noscript><p>8 (495) <b>765-43-21</b> <a href="tel:84957654321">a</a><img alt=a></noscript>`},
		{"another length", `<p>8 499 111-22-33</p>`, `<p>+44 20 7946 0018</p>`},
		{"a target with its number", `<div class="a phone b"><b>8 495 123-45-67</b> 123-45-67</div>`, `<div class="a phone b"><b>8 495 765-43-21</b> 123-45-67</div>`},
		{"a target with another writing", `<div class="phone">Call <b>123-45-67</b> now</div>`, `<div class="phone">Call <b>+7 495 765-43-21</b> now</div>`},
		{"a target with words", `<a id=callme href="tel:84951234567">Call me</a><b class=phone> loading… </b><i class=phone>—</i><p class=phone>call<!-- a --> &amp; ask</p>`,
			`<a id=callme href="tel:84957654321">+7 495 765-43-21</a><b class=phone> +7 495 765-43-21 </b><i class=phone>+7 495 765-43-21</i><p class=phone>+7 495 765-43-21<!-- a --></p>`},
		{"a target with words and markup", `<a class=phone href="tel:84951234567"><b>Call</b> me</a><ul class=phone>call<li>me</li></ul><tr class=phone>call</tr>`,
			`<a class=phone href="tel:84957654321"><b>Call</b> me</a><ul class=phone>call<li>me</li></ul><tr class=phone>call</tr>`},
		{"a target with words without end", `<b class=phone>` + strings.Repeat("a ", 2000) + `</b>`, ``},
		{"a number before a target", `<p>8 495 123-45-67 <b class=phone>call</b></p>8 495 123-45-<b class=phone>67</b>`, `<p>8 495 765-43-21 <b class=phone>+7 495 765-43-21</b></p>8 495 765-43-<b class=phone>21</b>`},
		{"an empty target", `<span name=tel></span><a class=phone href="tel:+74951234567"></a><b class=phone><i></i></b>`, `<span name=tel>+7 495 765-43-21</span><a class=phone href="tel:+74957654321">+7 495 765-43-21</a><b class=phone><i></i></b>`},
		{"links that dial without a plus", `<a href="tel:74951234567">a</a><a href=tel:74991112233>b</a><a href="callto:7(499)111-22-33">c</a><a href="tel:%2b74951234567">d</a>`,
			`<a href="tel:+74957654321">a</a><a href=tel:+442079460018>b</a><a href="callto:+442079460018">c</a><a href="tel:%2b74957654321">d</a>`},
		{"links of a target", `<a class=phone href="tel:88005553535">1</a><a class=phone href="tel:%2B78005553535">2</a><a class=phone href="tel:&#43;7800555&#51;535">3</a><a class=phone href="https://wa.me/78005553535">4</a><a class=phone href="tel:84957654321">5</a><a class=phone href="tel:74957654321">6</a><a class=phone href="tel:+74957654321">7</a>`,
			`<a class=phone href="tel:+74957654321">+7 495 765-43-21</a><a class=phone href="tel:+74957654321">+7 495 765-43-21</a><a class=phone href="tel:+74957654321">+7 495 765-43-21</a><a class=phone href="https://wa.me/74957654321">+7 495 765-43-21</a><a class=phone href="tel:84957654321">+7 495 765-43-21</a><a class=phone href="tel:+74957654321">+7 495 765-43-21</a><a class=phone href="tel:+74957654321">+7 495 765-43-21</a>`},
		{"a link that dials in a framework", `<script src="/_next/a.js"></script><a href="tel:74951234567">a</a>`, `<script src="/_next/a.js"></script><a href="tel:74957654321">a</a>`},
		{"a class of another name", `<b class="phones">123-45-67</b><b class="my-phone">123-45-67</b>`, ``},
		{"a picture", `<img src="/a.png" srcset="/a.png 1x, /b.png 2x" class=phone-img alt="123-45-67"><img src="/a.png">`,
			`<img src="/p/1.svg" srcset="/p/1.svg" class=phone-img alt="+7 495 765-43-21"><img src="/a.png">`},
		{"a picture without words", `<img class=phone-img alt="" src=/a.png><img class=phone-img src=/a.png/>`,
			`<img class=phone-img alt="+7 495 765-43-21" src=/p/1.svg><img alt="+7 495 765-43-21" class=phone-img src=/p/1.svg>`},
		{"a picture without quotation marks", `<img class=phone-img src=/a.png alt=call data-src=/b.png>`, `<img class=phone-img src=/p/1.svg alt=+7&#32;495&#32;765-43-21 data-src=/p/1.svg>`},
		{"a picture with sources", `<picture><source srcset="/a.webp 2x" type="image/webp"><source srcset=/a.avif><img class="phone-img" src="/a.png" alt="x"></picture><picture><source srcset="/a.webp"><img src=a></picture>`,
			`<picture><source srcset="/p/1.svg" type="image/webp"><source srcset=/p/1.svg><img class="phone-img" src="/p/1.svg" alt="+7 495 765-43-21"></picture><picture><source srcset="/a.webp"><img src=a></picture>`},
		{"another length without quotation marks", `<b title=8-499-111-22-33>a</b>`, `<b title=+44&#32;20&#32;7946&#32;0018>a</b>`},
		{"a target that calls another", `<a id=callme href="tel:+78120000000">+7 812 000-00-00</a>`, `<a id=callme href="tel:+74957654321">+7 495 765-43-21</a>`},
		{"targets of no text", `<script class=phone>123-45-67</script><textarea class=phone>8 495 123-45-67</textarea><style class=phone>123-45-67</style><tr class=phone></tr><iframe class=phone></iframe>`, ``},
		{"a target with an icon", `<span class=phone><img src=a></span><b class=phone><br></b>`, ``},
		{"a style in a target", `<span class=phone><style>a{color:#123456}</style> call <script>1234567</script></span>`, ``},
		{"a target with markup", `<b class=phone>8 (812) 123-<i>45-67</i></b><b class=phone>&#49;23-45-67 a</b><div class=phone>123<p>4567</p></div>`,
			`<b class=phone>+7 495 765-43-21<i></i></b><b class=phone>+7 495 765-43-21 a</b><div class=phone>123<p>4567</p></div>`},
		{"a target of a framework", `<script src=/_next/a.js></script><b class=phone>123-45-67</b><b class=phone></b>`, ``},
		{"a target with another configured number", `<b class=phone>+7 499 111-22-33</b>`, `<b class=phone>+44 20 7946 0018</b>`},
		{"what is no tag", `a <_x <script>var s = '<div>8 (495) 123-45-67</div>'</script><p>A paragraph that is long enough for a walk to go on and on, and further.</p>`, ``},
		{"no tag in another charset", "<\xe0a <textarea><div>8 (495) 123-45-67</div></textarea><p>A paragraph that is long enough for a walk to go on and on, and further.</p>", ``},
		{"a quotation mark in a name", `<ab1="x>8 (495) 123-45-67<i c="d"></i><p>A paragraph that is long enough for a walk to go on and on, and further.</p>`,
			`<ab1="x>8 (495) 765-43-21<i c="d"></i><p>A paragraph that is long enough for a walk to go on and on, and further.</p>`},
		{"a slash that ends nothing", `<span data-svc-noswap/>8 (495) 123-45-67</span><p><svg data-svc-noswap/>8 (495) 123-45-67</p>`, `<span data-svc-noswap/>8 (495) 123-45-67</span><p><svg data-svc-noswap/>8 (495) 765-43-21</p>`},
		{"data", `<p>+7 495 123-45-67</p><script id="__NEXT_DATA__" type="application/json">{"a":"+7 495 123-45-67","b":"\u002B7 495\u00a0123-45-67"}</script>`,
			`<p>+7 495 765-43-21</p><script id="__NEXT_DATA__" type="application/json">{"a":"+7 495 765-43-21","b":"\u002B7 495\u00a0765-43-21"}</script>`},
		{"flight rows", `<script>self.__next_f.push([1,"[\"$\",\"a\",null,{\"href\":\"tel:+74951234567\"}]"])</script>`,
			`<script>self.__next_f.push([1,"[\"$\",\"a\",null,{\"href\":\"tel:+74957654321\"}]"])</script>`},
		{"a text row", `<script>self.__next_f.push([1,"14:T485,8 495 123-45-67 a"])</script>`, `<script>self.__next_f.push([1,"14:T485,8 495 765-43-21 a"])</script>`},
		{"a text row's end", `<script>self.__next_f.push([1,"14:T21,\u003c \"é 8 495 1234567"])</script><script>self.__next_f.push([1,"\n\n8 4951234567a:[8 495 1234567"])</script>`,
			`<script>self.__next_f.push([1,"14:T21,\u003c \"é 8 495 7654321"])</script><script>self.__next_f.push([1,"\n\n8 4957654321a:[8 495 7654321"])</script>`},
		{"no text row", `<script>self.__next_f.push([1,"485,8 495 123-45-67 a"])</script>`, ``},
		{"data that would not fit", `<script src="/_next/a.js"></script><p>8 499 111-22-33, 84951234567 8 495 <b>123-45-67</b></p>`,
			`<script src="/_next/a.js"></script><p>8 499 111-22-33, 84957654321 8 495 <b>123-45-67</b></p>`},
		{"broken markup", "<a href=\"tel:84951234567\" <b>84951234567</b\x00><p \xff>84951234567<", "<a href=\"tel:84957654321\" <b>84957654321</b\x00><p \xff>84957654321<"},
		{"an open tag", `<p>84951234567<a href="tel:84951234567`, `<p>84957654321<a href="tel:84951234567`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.page
			}
			require.Equal(t, want, rewritten(z, char.UTF8, c.page))
			for i := range c.page {
				require.Equal(t, want, rewritten(z, char.UTF8, c.page[:i], c.page[i:]), i)
			}
			require.Equal(t, want, rewritten(z, char.UTF8, strings.Split(c.page, "")...))
		})
	}
}
