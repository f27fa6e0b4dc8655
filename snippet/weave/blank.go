package weave

import "github.com/seed-3405227d/frontdesk/snippet/phone"

// blank tells white space, which browsers drop or move before the body, from text that
// is shown. White space may be written as character references.
type blank struct {
	open  []byte // a reference that may go on, without its number's leading zeros
	zeros int64  // how many these are
	at    int64  // where it begins
}

const (
	// maxBlank is how much of a reference is kept.
	maxBlank = 20
	// maxZeros is how many leading zeros its number may have.
	maxZeros = 256
)

// next reads a piece of text at offset at, and gives where text begins that is shown.
func (k *blank) next(at int64, b []byte) (shown int64, ok bool) {
	if at != k.at+k.zeros+int64(len(k.open)) { // markup stands between
		if shown, ok := k.end(); ok {
			return shown, true
		}
	}
	for i, c := range b {
		if len(k.open) > 0 {
			if c == '0' && k.zeros < maxZeros && k.awaitsNumber() {
				k.zeros++
				continue
			}
			if len(k.open) < maxBlank && goesOn(c) {
				if k.open = append(k.open, c); c != ';' {
					continue
				}
				c = ' ' // which ends here
			}
			if shown, ok := k.end(); ok {
				return shown, true
			}
		}
		switch {
		case c == '&':
			k.open, k.zeros, k.at = append(k.open, c), 0, at+int64(i)
		case !isSpace(c):
			return at + int64(i), true
		}
	}
	return 0, false
}

// end decides the reference that is open, if there is one.
func (k *blank) end() (shown int64, ok bool) {
	open := k.open
	k.open = open[:0]
	if len(open) == 0 {
		return 0, false
	}
	char, size := phone.Reference(open)
	switch {
	case char >= 0x80, !isSpace(byte(char)):
		return k.at, true
	case size < len(open):
		return k.at + k.zeros + int64(size), true
	}
	return 0, false
}

// awaitsNumber says whether the number of the open reference has not begun but for zeros.
func (k *blank) awaitsNumber() bool {
	n := len(k.open)
	return n > 1 && k.open[1] == '#' && (n == 2 || n == 3 && k.open[2]|0x20 == 'x')
}

// goesOn says whether a reference may go on with c.
func goesOn(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '#' || c == ';' }
