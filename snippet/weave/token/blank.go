package token

import "github.com/seed-3405227d/frontdesk/snippet/phone/char"

// Blank tells white space from text that is shown. Browsers drop white space before the body, or move it. White space
// may be written as character references.
type Blank struct {
	open  []byte // a reference that may go on, without its leading zeros
	zeros int64  // how many leading zeros it has
	at    int64  // offset of the reference
}

const (
	// maxBlank is how many bytes of a reference are kept.
	maxBlank = 20
	// maxZeros is how many leading zeros a reference may have.
	maxZeros = 256
)

// Reset returns the Blank for another page. It uses the memory of this one.
func (k *Blank) Reset() Blank { return Blank{open: k.open[:0]} }

// Open returns the offset of the reference that may go on, and false if there is none.
func (k *Blank) Open() (at int64, open bool) { return k.at, len(k.open) > 0 }

// Next reads a piece of text at offset at. If text that is shown begins in it, or in the open reference before it, Next
// returns its offset.
func (k *Blank) Next(at int64, b []byte) (shown int64, ok bool) {
	if at != k.at+k.zeros+int64(len(k.open)) { // markup stands before this piece
		if shown, ok := k.End(); ok {
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
				c = ' ' // the reference ends here
			}
			if shown, ok := k.End(); ok {
				return shown, true
			}
		}
		switch {
		case c == '&':
			k.open, k.zeros, k.at = append(k.open, c), 0, at+int64(i)
		case !IsSpace(c):
			return at + int64(i), true
		}
	}
	return 0, false
}

// End decides the open reference, as markup or the end of the page does. If it is shown, End returns its offset.
func (k *Blank) End() (shown int64, ok bool) {
	open := k.open
	k.open = open[:0]
	if len(open) == 0 {
		return 0, false
	}
	char, size := char.Reference(open)
	switch {
	case char >= 0x80, !IsSpace(byte(char)):
		return k.at, true
	case size < len(open):
		return k.at + k.zeros + int64(size), true
	}
	return 0, false
}

// awaitsNumber says whether the open reference still waits for the first digit of its number that is no leading zero.
func (k *Blank) awaitsNumber() bool {
	n := len(k.open)
	return n > 1 && k.open[1] == '#' && (n == 2 || n == 3 && k.open[2]|0x20 == 'x')
}

// goesOn says whether a character reference may go on with c.
func goesOn(c byte) bool { return IsLetter(c) || '0' <= c && c <= '9' || c == '#' || c == ';' }
