package sweep

import (
	"bytes"
	"math/bits"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// maxLead is how many bytes before a row of digits in data have to be read, unless there are many separators before its
// first digit. They hold the separators, the words that make it another figure, and the token in which reading may begin.
const maxLead = 256

// backslashes is the fingerprint of a backslash, whatever follows it.
var backslashes = func() *fingerprints {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	f := new(fingerprints)
	f.put(0, trigram{`\`, string(all), string(all)})
	return f
}()

// OverData sweeps data in which no writing of a number is open. It skips p[:to]. The caller has to read p[to:until].
func (w *Sweep) OverData(p []byte, bound *steps.Bound) (to, until int) {
	var (
		row        open
		references openReferences
		escape     uint64 // bytes that may belong to a string's escape, which begins in the 64 bytes before
	)
	w.words = 0 // OverData fills the bitmaps with others
	at := 0
	for n := 2; len(p)-at >= Room; n = min(2*n, len(w.maps)) {
		bound.Take("sweep.OverData")
		maps := w.maps[:min(n, (len(p)-at-Room)/64+1)]
		mapBytes(maps, p[at:], backslashes, w.mask, w.ender)
		for k := range maps {
			m := &maps[k]
			ends := references.spare(m.letter|m.ender, m.digit, m.ampersand)
			if b := m.named; b|escape != 0 {
				ends &^= b<<1 | b<<2 | b<<3 | b<<4 | b<<5 | escape
				escape = b>>63 | b>>62 | b>>61 | b>>60 | b>>59
			}
			ends |= m.quote
			odd := uint64(0)
			if row.digits+bits.OnesCount64(m.digit) >= w.least {
				odd = w.many(m.digit, ends, row.digits)
			}
			if w.wide && m.wide != 0 {
				odd |= wideDigit(p[at:], m.wide)
			}
			if odd != 0 {
				before := odd&-odd - 1
				row.read(m.digit&before, ends&before, at)
				seen := at + bits.TrailingZeros64(odd)
				return row.leads(p, seen), min(seen+64, len(p))
			}
			row.read(m.digit, ends, at)
			at += 64
		}
	}
	return row.leads(p, at), len(p)
}

// leads returns where reading has to begin for the row that is open at p[at], or that begins there. Bytes before a
// quotation mark cannot change what the row is.
func (o *open) leads(p []byte, at int) int {
	if o.digits > 0 {
		at = o.at
	}
	from := max(0, min(at, lastLetter(p[:at])+maxLead/2)-maxLead)
	return from + max(0, bytes.LastIndexByte(p[from:at], '"'))
}

// lastLetter returns the index of the last byte that is certainly no separator: a quotation mark, or a letter outside of
// escapes and references. It returns 0 if there is none.
func lastLetter(p []byte) int {
	for i := len(p) - 1; i > 0; i-- {
		c := p[i]
		if c == '"' || 'a' <= c|0x20 && c|0x20 <= 'z' && !bytes.ContainsAny(p[max(0, i-char.MaxReference):i], `\&`) {
			return i
		}
	}
	return 0
}

// wideDigit returns the first bit of wide whose byte begins a digit of another script, or 0.
func wideDigit(p []byte, wide uint64) uint64 {
	for ; wide != 0; wide &= wide - 1 {
		if char.IsWideDigit(p[bits.TrailingZeros64(wide):]) {
			return wide & -wide
		}
	}
	return 0
}

// openReferences is the state of character references between one run of 64 bytes and the next. begun is 1 if the last
// byte was "&", and on is 1 if a reference goes on.
type openReferences struct{ begun, on uint64 }

// spare removes the letters of character references from the bits that end a row. A reference is every letter and digit
// that directly follows "&".
func (r *openReferences) spare(letters, digits, ampersands uint64) uint64 {
	if ampersands|r.begun|r.on == 0 {
		return letters
	}
	word := letters | digits
	sum, on := bits.Add64(word, (ampersands<<1|r.begun)&word, r.on)
	r.begun, r.on = ampersands>>63, on
	return letters & sum
}
