package weave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// What people read is written by the number's template; what programs read keeps its form.
func TestTemplateOnAPage(t *testing.T) {
	z := weave.CompilePairs(t, weave.Pair{
		Old: "74951234567", Fresh: "74957654321", Template: "+7 ({area}) {rest}", URL: "/1.svg",
		Number: weave.Number{Targets: []string{"#a"}, Pictures: []string{"#p"}},
	}).NewReplacer()
	for page, want := range map[string]string{
		`<p>84951234567<br>8&nbsp;495&nbsp;123-45-67</p>`:            `<p>+7 (495) 765-43-21<br>+7&nbsp;(495)&nbsp;765-43-21</p>`,
		`<a href=tel:84951234567 title=84951234567>+74951234567</a>`: `<a href=tel:84957654321 title=+7&#32;(495)&#32;765-43-21>+7 (495) 765-43-21</a>`,
		`<b id=a>123-45-67</b><b id=a></b>`:                          `<b id=a>+7 (495) 765-43-21</b><b id=a>+7 (495) 765-43-21</b>`,
		`<img id=p src=a>`:                                           `<img alt="+7 (495) 765-43-21" id=p src=/1.svg>`,
		// A framework's text has to agree with its data.
		`<script src=/_next/a.js></script><p>8 495 123-45-67</p><b title="84951234567">a</b>`: `<script src=/_next/a.js></script><p>8 495 765-43-21</p><b title="84957654321">a</b>`,
		`<script id="__NEXT_DATA__" type="application/json">{"a":"+7 495 1234567"}</script>`:  `<script id="__NEXT_DATA__" type="application/json">{"a":"+7 495 7654321"}</script>`,
		`<p>8 495 123-45-67</p>`: `<p>+7 (495) 765-43-21</p>`,
	} {
		require.Equal(t, want, rewritten(z, char.UTF8, page))
	}
}
