package survey

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// reading is what it may cost to read a number by the plans, in bytes allocated.
const reading = 4 << 10

var (
	// list is what it may cost to list a page's numbers.
	list = stepstest.Price{
		Each:    stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 64 + reading/readingEach},
		Besides: stepstest.Cost{Walked: stepstest.Usual.Besides.Walked, Allocated: 128<<10 + reading*leastReadings},
	}
	// guess is what it may cost to find a page's country: the rows of digits of the page are looked for anew for each of a
	// dozen, and some of them are read, and written as their country groups them.
	guess = stepstest.Price{
		Each:    stepstest.Cost{Walked: stepstest.Usual.Each.Walked, Allocated: 64 * 12},
		Besides: stepstest.Cost{Walked: stepstest.Usual.Besides.Walked, Allocated: 128<<10 + 2*reading*guessReadings*12},
	}
)

func FuzzPage(f *testing.F) {
	for _, seed := range []struct{ page, contentType, region string }{
		{`<meta charset=windows-1251><p>8 (495) <b>123</b>-45-67<a href="tel:+7%20495%201234567" title=8(495)1234567>`, "", "RU"},
		{`<a href="//wa.me/4930901820?x"><a href=tel:%><a href="whatsapp://send?phone=+44%2020">0049 30 901820 0x`, "text/html; charset=koi8-r", "DE"},
		{"\xff\xfe8\x00 \x004\x009\x005\x001\x002\x003\x004\x005\x006\x007\x00", "", "RU"},
		{"<template><script></template>８（４９５）１２３ ４５ ６７&#43;1 415 555 2671<!--", "text/html; charset=shift_jis", "US"},
		{"00 00 00 00 00 00 00 +00 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8", "", "XX"},
		{"<title>011 15-2345-6789</title><plaintext>011 15-2345-6789", "text/html; charset=x-user-defined", "AR"},
		{figures(100), "text/html; charset=utf-8", "DK"},
		{figures(100_000), "", "RU"},
		{figures(1_000), "", "RU"},
		{strings.Repeat("<a href=tel:", 2) + strings.Join(strings.Fields(figures(20_000)), "<a href=tel:892112") + ">", "", "RU"},
		{strings.Repeat("11a", 6000), "", ""},
		{"<a " + strings.Join(strings.Split(strings.Repeat("ab", 400), ""), " ") + ">", "", ""},
		{strings.Repeat("8 (495) 123-45-67, ", 700), "", ""},
	} {
		f.Add([]byte(seed.page), seed.contentType, seed.region)
	}
	f.Fuzz(func(t *testing.T, page []byte, contentType, region string) {
		var numbers []Number
		list.Hold(t, len(page), func() { numbers = Page(page, contentType, region) })
		guess.Hold(t, len(page), func() { Region(page, contentType, region) })
		require.LessOrEqual(t, len(numbers), MaxNumbers)
		before := 0
		for i, n := range numbers {
			_, err := plan.Parse(n.Digits)
			require.NoError(t, err, "what is listed can be configured")
			require.NotEmpty(t, n.Writings)
			require.LessOrEqual(t, len(n.Writings), MaxWritings)
			require.True(t, i == 0 || n.Count() <= before)
			before = n.Count()
			for _, w := range n.Writings {
				require.Positive(t, w.Count)
				require.NotEmpty(t, w.Text)
				require.LessOrEqual(t, len(w.Text), maxWriting)
				require.True(t, utf8.ValidString(w.Text))
			}
		}
	})
}

// figures are figures of a table in which many may be a number's.
func figures(below int) string {
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for range 500 {
		fmt.Fprint(&text, r.IntN(below), " ")
	}
	return text.String()
}
