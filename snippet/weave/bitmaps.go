package weave

// bitmaps tell what 64 bytes of a page are, by a bit for each.
type bitmaps struct {
	less, more, quote, equal, slash, ampersand uint64
	digit, letter                              uint64 // of ASCII
	ender                                      uint64 // "#", and what ends a row of digits in this charset besides letters
	wide                                       uint64 // from 0xD9 on: in UTF-8, what may begin a digit
	named                                      uint64 // the first letter of a name, likely of an element that has to be read
	marked                                     uint64 // the first byte of what may be of account in a tag
}

// mapInGo is what mapBytes does, byte by byte.
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
			set(&m.letter, i, isLetter(c))
			set(&m.ender, i, c == '#' || c|mask == ender)
			set(&m.wide, i, c >= 0xD9)
			groups := f.groups(p[at : at+3])
			set(&m.named, i, groups&nameGroups != 0)
			set(&m.marked, i, groups&^nameGroups != 0)
		}
	}
}
