package survey

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// guess is what it may cost to find a page's country: at most 40 readings for each of a dozen.
var guess = stepstest.Price{Each: stepstest.Usual.Each, Besides: stepstest.Cost{Walked: stepstest.Usual.Besides.Walked, Allocated: 2 << 20}}

func FuzzPage(f *testing.F) {
	for _, seed := range []struct{ page, contentType, region string }{
		{`<meta charset=windows-1251><p>8 (495) <b>123</b>-45-67<a href="tel:+7%20495%201234567" title=8(495)1234567>`, "", "RU"},
		{`<a href="//wa.me/4930901820?x"><a href=tel:%><a href="whatsapp://send?phone=+44%2020">0049 30 901820 0x`, "text/html; charset=koi8-r", "DE"},
		{"\xff\xfe8\x00 \x004\x009\x005\x001\x002\x003\x004\x005\x006\x007\x00", "", "RU"},
		{"<template><script></template>８（４９５）１２３ ４５ ６７&#43;1 415 555 2671<!--", "text/html; charset=shift_jis", "US"},
		{"00 00 00 00 00 00 00 +00 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8", "", "XX"},
		{"<title>011 15-2345-6789</title><plaintext>011 15-2345-6789", "text/html; charset=x-user-defined", "AR"},
	} {
		f.Add([]byte(seed.page), seed.contentType, seed.region)
	}
	f.Fuzz(func(t *testing.T, page []byte, contentType, region string) {
		var numbers []Number
		stepstest.Hold(t, len(page), func() { numbers = Page(page, contentType, region) })
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
