package sweep

import "github.com/seed-3405227d/frontdesk/snippet/weave/token"

// bitmaps say of 64 bytes of a page what each one is. Bit i stands for byte i.
type bitmaps struct {
	less, more, quote, equal, slash, ampersand uint64
	digit, letter                              uint64 // in ASCII
	// ender stands for "#", and for the bytes besides letters that surely end a row of digits in the charset.
	ender uint64
	wide  uint64 // bytes from 0xD9 on; in UTF-8, they may begin a digit
	// named stands for the first letter of names, most of them of elements that have to be read.
	named uint64
	// marked stands for the first of three bytes that may belong to a word that matters in a tag.
	marked uint64
}

// mapInGo does what mapBytes does, byte by byte.
func mapInGo(maps []bitmaps, p []byte, f *fingerprints, mask, ender byte) {
	set := func(m *uint64, i int, is bool) {
		if is {
			*m |= 1 << i
		}
	}
	for k := range maps {
		m := &maps[k]
		*m = bitmaps{}
		for i := range 64 {
			at := 64*k + i
			c := p[at]
			set(&m.less, i, c == '<')
			set(&m.more, i, c == '>')
			set(&m.quote, i, c == '"')
			set(&m.equal, i, c == '=')
			set(&m.slash, i, c == '/')
			set(&m.ampersand, i, c == '&')
			set(&m.digit, i, '0' <= c && c <= '9')
			set(&m.letter, i, token.IsLetter(c))
			set(&m.ender, i, c == '#' || c|mask == ender)
			set(&m.wide, i, c >= 0xD9)
			groups := f.groups(p[at : at+3])
			set(&m.named, i, groups&nameGroups != 0)
			set(&m.marked, i, groups&^nameGroups != 0)
		}
	}
}
