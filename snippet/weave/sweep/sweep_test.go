package sweep

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
	"github.com/seed-3405227d/frontdesk/snippet/weave/weavetest"
)

func newSearch() *Search {
	return NewSearch("contenteditable", "data-svc-noswap", "itemprop").With(7, []string{"callme", "phone", "tel", "a", "b"}, nil)
}

// Bitmaps of the machine's own instructions are the same as those of Go.
func TestBitmaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	search := newSearch()
	check := func(p []byte) {
		maps, want := make([]bitmaps, len(p)/64), make([]bitmaps, len(p)/64)
		p = append(p, "<a"...)
		for _, c := range []*char.Charset{char.UTF8, char.ASCII} {
			mask, ender := c.RowEnder()
			mapBytes(maps, p, &search.prints, mask, ender)
			mapInGo(want, p, &search.prints, mask, ender)
			require.Equal(t, want, maps, "%q", p)
		}
	}
	for c := range 256 {
		for i := range 64 {
			p := make([]byte, 64)
			p[i] = byte(c)
			check(p)
		}
	}
	for range 1000 {
		p := make([]byte, 64*(1+r.IntN(5)))
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		check(p)
		p = p[:0]
		for len(p) < 256 {
			p = append(p, weavetest.Pieces[r.IntN(len(weavetest.Pieces))]...)
		}
		check(p[:256])
	}
}

// Fingerprints miss nothing that has to be read, in upper or lower case.
func TestFingerprints(t *testing.T) {
	search := newSearch()
	found := func(text string, groups uint8) bool {
		text += ">  "
		for i := range len(text) - 2 {
			if search.prints.groups([]byte(text[i:i+3]))&groups != 0 {
				return true
			}
		}
		return false
	}
	for _, name := range append(token.Names(token.Special), "link") {
		for _, name := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			require.NotZero(t, search.prints.groups([]byte(name + ">>")[:3])&nameGroups, name)
		}
	}
	for _, name := range []string{"a", "p", "div", "span", "li", "td", "tr", "h2", "img", "main", "strong", "b", "i", "em", "ul", "button"} {
		require.Zero(t, search.prints.groups([]byte(name + ">>")[:3])&nameGroups, name)
	}
	for _, tag := range []string{
		`<p contenteditable`, `<p CONTENTEDITABLE=""`, `<i data-svc-noswap`, `<i itemprop="telephone"`, `<b id="callme"`, `<b class="a phone"`, `<b name="tel"`, `<img class="b"`,
	} {
		require.True(t, found(tag, ^uint8(nameGroups)), tag)
	}
}
