package phone

// gap is what stands between two digits.
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
	wideGap // more separators than a writing has between two digits
	tagGap
	hiddenGap

	seen     = spaceGap | dashGap | dotGap | slashGap | openGap | closeGap | outside
	strokes  = dashGap | dotGap | slashGap
	outside  = plusGap | commaGap | colonGap | wideGap // never inside a writing
	brackets = openGap | closeGap
)

var gapOf = [...]gap{
	plus: plusGap, opening: openGap, closing: closeGap, space: spaceGap, dash: dashGap,
	dot: dotGap, slash: slashGap, hidden: hiddenGap, comma: commaGap, colon: colonGap,
}

const (
	window  = 64  // digits that are kept
	context = 16  // of them already passed, kept for what follows
	maxGap  = 128 // bytes of text between two digits
	maxMark = 4   // separators between two digits; spaces in a row are one
	maxCuts = 32  // places inside a run where markup stands
)

// digit is a digit with what stands before it.
type digit struct {
	at     int64
	plusAt int64 // of a plus sign in the gap
	openAt int64 // of the last opening parenthesis in the gap
	gap    gap
	value  uint8
	size   uint8
	pen    pen
}

// run is a row of digits and separators.
type run struct {
	digits  [window]digit
	n       int
	from    int // digits before this one have been decided
	matched int // the end of the last match, or -1

	begin  int64 // offset of the first token
	end    int64 // behind the last token
	gap    gap   // behind the last digit
	plusAt int64
	openAt int64
	marks  int
	bytes  int

	cuts  [maxCuts]cut
	ncuts int

	space glyph // the first space inside
	dash  glyph
}

// cut is a stretch of markup inside a run: text ends at from and goes on at to.
type cut struct{ from, to int64 }

// glyph is a separator as it was written.
type glyph struct {
	bytes [maxReference]byte
	size  uint8
}

func (r *run) clear() {
	r.n, r.from, r.matched, r.ncuts = 0, 0, -1, 0
	r.space.size, r.dash.size = 0, 0
	r.clearGap()
	r.begin = -1
}

func (r *run) clearGap() {
	r.gap, r.plusAt, r.openAt, r.marks, r.bytes = 0, -1, -1, 0, 0
}

// start is the offset of the first byte that a match may still change.
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

// start is the offset of the digit, or of the marks before it.
func (d *digit) start() int64 {
	at := d.at
	if d.plusAt >= 0 {
		at = d.plusAt
	}
	if d.openAt >= 0 && d.openAt < at {
		at = d.openAt
	}
	return at
}

func (r *run) add(t token, at int64) {
	if r.begin < 0 {
		r.begin = at
	}
	r.digits[r.n] = digit{
		at: at, plusAt: r.plusAt, openAt: r.openAt, gap: r.gap,
		value: t.value, size: t.size, pen: t.pen,
	}
	r.n++
	r.clearGap()
}

// blank is what line breaks and tabs look like on the page.
var blank = []byte{' '}

// separate takes a separator; false when the row ends with it.
func (r *run) separate(t token, at int64, b []byte) bool {
	g := gapOf[t.kind]
	if r.begin < 0 {
		r.begin = at
	}
	if r.n == 0 && g&(plusGap|openGap|spaceGap|hiddenGap) == 0 {
		return false // marks that lead to no digit
	}
	if r.bytes += int(t.size); r.bytes > maxGap {
		return false
	}
	switch t.kind {
	case space:
		if r.gap&spaceGap == 0 {
			r.marks++
		}
		if b[0] < ' ' {
			b = blank
		}
		r.space.keep(b, r.n > 0)
	case hidden:
	case plus:
		r.marks++
		r.plusAt = at
	case opening:
		r.marks++
		r.openAt = at
	case dash:
		r.dash.keep(b, r.n > 0)
		r.marks++
	default:
		r.marks++
	}
	if r.marks > maxMark {
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

// cut notes that text goes on at another offset than it stopped; false when this
// happens too often.
func (r *run) cut(at int64) bool {
	if r.ncuts == maxCuts {
		return false
	}
	r.cuts[r.ncuts] = cut{r.end, at}
	r.ncuts++
	return true
}

// slide forgets what has been decided.
func (r *run) slide() {
	drop := r.from - context
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

// aligned tells whether digits before and from i on are separated to the eye.
func (r *run) aligned(i int) bool {
	if i == r.n {
		return true
	}
	return r.digits[i].gap&seen != 0
}

// groupBefore is where the group of digits begins that ends before i.
func (r *run) groupBefore(i int) int {
	for i--; i > 0 && !r.aligned(i); i-- {
	}
	return i
}

// groupAfter is where the group of digits ends that begins at i.
func (r *run) groupAfter(i int) int {
	for i++; i < r.n && !r.aligned(i); i++ {
	}
	return i
}
