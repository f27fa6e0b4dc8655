package phone

import "github.com/seed-3405227d/frontdesk/snippet/phone/char"

// gap is the set of separators between two digits.
type gap uint16

const (
	spaceGap gap = 1 << iota
	dashGap
	dotGap
	slashGap
	openGap
	closeGap
	plusGap
	commaGap
	colonGap
	wideGap // more separators than a writing may have between two digits
	tagGap
	hiddenGap

	seen     = spaceGap | dashGap | dotGap | slashGap | openGap | closeGap | outside
	strokes  = dashGap | dotGap | slashGap
	outside  = plusGap | commaGap | colonGap | wideGap // never inside a writing
	brackets = openGap | closeGap
)

var gapOf = [...]gap{
	char.Plus: plusGap, char.Opening: openGap, char.Closing: closeGap, char.Space: spaceGap, char.Dash: dashGap,
	char.Dot: dotGap, char.Slash: slashGap, char.Hidden: hiddenGap, char.Comma: commaGap, char.Colon: colonGap,
}

const (
	window   = 64 // how many digits a run keeps
	passed   = 16 // how many digits slide keeps of those that are decided, for the digits behind them
	maxSigns = 4  // most separators between two digits; spaces in a row are one
	maxCuts  = 32 // most places of markup inside a run
)

// digit is a digit and the gap before it.
type digit struct {
	at    int64
	marks marks // valid if the gap has such marks
	gap   gap
	value uint8
	size  uint8
	pen   char.Pen
}

// marks are the offsets of the last plus sign and of the last opening parenthesis in a gap.
type marks struct{ plusAt, openAt int64 }

// run is a row of digits and separators.
type run struct {
	digits  [window]digit
	n       int
	from    int // the digits before this index are decided
	matched int // index behind the last match, or -1

	begin int64 // offset of the first token, or -1
	end   int64 // offset behind the last token
	gap   gap   // the gap behind the last digit
	marks marks // in gap
	signs int   // how many separators are in gap
	bytes int   // how many bytes are in gap

	cuts  [maxCuts]cut
	ncuts int

	space glyph // the first space inside the run
	dash  glyph
}

// cut is a place of markup inside a run: the text ends at from and goes on at to.
type cut struct{ from, to int64 }

// glyph is a separator as it is written.
type glyph struct {
	bytes [char.MaxReference]byte
	size  uint8
}

func (r *run) clear() {
	r.n, r.from, r.matched, r.ncuts = 0, 0, -1, 0
	r.space.size, r.dash.size = 0, 0
	r.clearGap()
	r.begin = -1
}

func (r *run) clearGap() {
	r.gap, r.signs, r.bytes = 0, 0, 0
}

// start returns the offset of the first byte that a match may still change.
func (r *run) start() int64 {
	if r.n == 0 || r.from == 0 {
		return r.begin
	}
	if r.from < r.n {
		d := &r.digits[r.from]
		return d.start()
	}
	return r.end
}

// start returns the offset of the digit, or of the plus sign or parenthesis before it.
func (d *digit) start() int64 {
	at := d.at
	if d.gap&plusGap != 0 {
		at = d.marks.plusAt
	}
	if d.gap&openGap != 0 {
		at = min(at, d.marks.openAt)
	}
	return at
}

func (r *run) add(value, size uint8, p char.Pen, at int64) {
	if r.begin < 0 {
		r.begin = at
	}
	d := &r.digits[r.n]
	d.at, d.gap, d.value, d.size, d.pen = at, r.gap, value, size, p
	if r.gap != 0 {
		if r.gap&(plusGap|openGap) != 0 {
			d.marks = r.marks
		}
		r.clearGap()
	}
	r.n++
	r.end = at + int64(size)
}

// blank is how a page shows line breaks and tabs.
var blank = []byte{' '}

// separate adds the separator b at offset at. It returns false if the separator ends the run.
func (r *run) separate(k char.Kind, at int64, b []byte) bool {
	g := gapOf[k]
	if r.begin < 0 {
		r.begin = at
	}
	if r.n == 0 && g&(plusGap|openGap|spaceGap|hiddenGap) == 0 {
		return false // this separator cannot stand before the first digit
	}
	r.end = at + int64(len(b))
	if r.bytes += len(b); r.bytes > char.MaxGap {
		return false
	}
	switch k {
	case char.Space:
		if r.gap&spaceGap != 0 {
			return true
		}
		if b[0] < ' ' {
			b = blank
		}
		r.space.keep(b, r.n > 0)
	case char.Hidden:
		r.signs--
	case char.Plus:
		r.marks.plusAt = at
	case char.Opening:
		r.marks.openAt = at
	case char.Dash:
		r.dash.keep(b, r.n > 0)
	}
	if r.signs++; r.signs > maxSigns {
		g |= wideGap
	}
	r.gap |= g
	return true
}

func (g *glyph) keep(b []byte, inside bool) {
	if inside && g.size == 0 {
		g.size = uint8(copy(g.bytes[:], b))
	}
}

// cut notes that the text goes on at the offset at, behind markup. It returns false if there is too much markup in the
// run.
func (r *run) cut(at int64) bool {
	if r.ncuts == maxCuts {
		return false
	}
	r.cuts[r.ncuts] = cut{r.end, at}
	r.ncuts++
	return true
}

// slide drops decided digits, to make room for more.
func (r *run) slide() {
	drop := r.from - passed
	if drop <= 0 {
		return
	}
	copy(r.digits[:], r.digits[drop:r.n])
	r.n -= drop
	r.from -= drop
	r.matched = max(r.matched-drop, -1)
	first, kept := r.digits[0].at, 0
	for _, c := range r.cuts[:r.ncuts] {
		if c.to >= first {
			r.cuts[kept] = c
			kept++
		}
	}
	r.ncuts = kept
}

// aligned says whether a separator that people see stands before digit i, or the run ends there.
func (r *run) aligned(i int) bool {
	if i == r.n {
		return true
	}
	return r.digits[i].gap&seen != 0
}

// groupBefore returns the index of the first digit of the group that ends before digit i.
func (r *run) groupBefore(i int) int {
	for i--; i > 0 && !r.aligned(i); i-- {
	}
	return i
}

// groupAfter returns the index behind the group of digits that begins with digit i.
func (r *run) groupAfter(i int) int {
	for i++; i < r.n && !r.aligned(i); i++ {
	}
	return i
}
