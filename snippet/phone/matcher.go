package phone

import "github.com/seed-3405227d/frontdesk/snippet/steps"

// Place says what kind of value is read.
type Place uint8

const (
	// Text is what people read: text and attributes like alt and title.
	Text Place = iota
	// Link is what dials or writes: the value of a tel:, sms: or callto: link, or
	// the part of a link that holds the number. Percent escapes are read, short
	// national numbers are recognised, and what does not fit is written compactly.
	Link
	// Data is a string inside JSON or a script, with its escapes. Its writings are
	// those of text.
	Data
)

// Match is a number of the set that was found.
type Match struct {
	Start, End int64 // offsets of its first byte and behind its last
	Number     int   // index into what the set was compiled from
	Form       Form  // which of the number's digits are written
	Plus       bool  // written with a plus sign
	Poured     bool  // the new digits took the places of the old; else it is written anew
	// Edits are the changes to make, in order, none of them over markup. They are
	// empty where the replacement reads the same.
	Edits []Edit
}

// Edit replaces the bytes from Start to End by Text. Text may be empty; when the
// match is poured, it is as long as what it replaces.
type Edit struct {
	Start, End int64
	Text       []byte
}

// Matcher finds a set's numbers in a stream of text. Offsets are the caller's:
// those of the bytes in the page, so that markup may stand between pieces.
//
// What is found does not depend on how the text is cut into pieces. A Matcher
// allocates nothing once its buffers have grown, and is not for concurrent use.
type Matcher struct {
	set     *Set
	shown   Shown
	charset *Charset
	place   Place

	phase phase
	run   run
	after after
	tail  tail   // what was read before
	left  before // what stood before the run

	carry    [2 * maxReference]byte // the beginning of an incomplete token
	carried  int
	carryAt  int64
	position int64 // behind the last byte that was given

	matches []Match
	edits   []Edit
	ink     []byte // that edits' texts are cut from
}

type phase uint8

const (
	idle phase = iota
	gathering
	wording // the run has ended with a letter, and its word decides
)

// MaxHeld bounds the bytes of text from the offset that [Matcher.Held] gives to
// the last one that was read. Markup between the pieces is not counted: how
// much of it may stand inside a writing is for the caller to bound, by
// [Matcher.Break].
const MaxHeld = window*(maxReference+maxGap) + maxGap + 4*maxWord + 2*maxReference

// NewMatcher gives a matcher for texts in a charset. It recognises all numbers of the
// set and changes none, until it is told what to [Matcher.Show].
func (s *Set) NewMatcher(c *Charset) *Matcher {
	m := &Matcher{set: s, shown: s.Itself(), charset: c}
	m.Reset(Text)
	return m
}

// Show says what takes the places of the numbers in the values that are read next.
func (m *Matcher) Show(shown Shown) { m.shown = shown }

// Reset makes the matcher ready for another value, of the given kind.
func (m *Matcher) Reset(p Place) {
	m.place = p
	m.phase = idle
	m.run.clear()
	m.tail.size = 0
	m.carried = 0
	m.clearMatches()
}

// Text reads the next piece of text, which begins at offset at. It returns the
// matches that are certain now, in order; they and their edits are valid until
// the next call.
func (m *Matcher) Text(at int64, b []byte) []Match {
	if len(m.matches) > 0 {
		m.clearMatches()
	}
	m.position = at + int64(len(b))
	if m.carried > 0 {
		used := m.finishCarry(b)
		if used < 0 {
			return nil
		}
		at, b = at+int64(used), b[used:]
	}
	m.scan(at, b, false)
	return m.matches
}

// Inline tells that markup stands here which does not break a line: <b>, </a>, a
// comment. A number may go on behind it.
func (m *Matcher) Inline() []Match {
	if len(m.matches) > 0 {
		m.clearMatches()
	}
	m.flushCarry()
	switch m.phase {
	case gathering:
		m.run.gap |= tagGap
	case wording:
		m.finishWord(false)
	}
	m.tail.mark()
	return m.matches
}

// Break tells that nothing goes on here: the end of a block, of a cell, of the
// value. What is read next begins anew.
func (m *Matcher) Break() []Match {
	if len(m.matches) > 0 {
		m.clearMatches()
	}
	m.flushCarry()
	switch m.phase {
	case gathering:
		m.endRun(after{})
	case wording:
		m.finishWord(false)
	}
	m.tail.size = 0
	return m.matches
}

// Held gives the offset of the first byte that may yet be changed by what follows.
// Without one, held is false and all that was read has been decided.
func (m *Matcher) Held() (at int64, held bool) {
	switch {
	case m.phase != idle:
		return m.run.start(), true
	case m.carried > 0:
		return m.carryAt, true
	}
	return m.position, false
}

func (m *Matcher) clearMatches() {
	m.matches, m.edits, m.ink = m.matches[:0], m.edits[:0], m.ink[:0]
}

// scan reads b; what is incomplete at its end is carried over unless it is last.
func (m *Matcher) scan(at int64, b []byte, last bool) {
	i := 0
	if m.phase == idle {
		i = m.seek(b, 0)
	}
	if i < len(b) {
		i = m.read(at, b, i, last)
	}
	m.tail.add(b[:i])
}

// seek finds where reading has to begin, at or behind i.
func (m *Matcher) seek(b []byte, i int) int {
	switch m.place {
	case Link:
		return m.charset.seekEscaped(b, i, '%')
	case Data:
		return m.charset.seekEscaped(b, i, '\\')
	}
	return m.charset.seekRow(b, i, m.set.least)
}

// read reads b from i on, and tells how far it came. It stops early only at an
// incomplete token.
func (m *Matcher) read(at int64, b []byte, i int, last bool) int {
	for bound := steps.Over(len(b)); i < len(b); bound.Take("phone.read") {
		switch m.phase {
		case idle:
			i = m.seek(b, i)
		case gathering:
			i = m.gather(at, b, i)
		}
		if i == len(b) {
			break
		}
		t := m.next(b[i:], last)
		if t.size == 0 {
			m.carryAt = at + int64(i)
			m.carried = copy(m.carry[:], b[i:])
			break
		}
		m.step(t, at, b, i)
		i += int(t.size)
	}
	return i
}

// gather reads plain digits and separators from b[i] on while the run goes on, and
// tells how far it came. It does nothing that step does not do, but sooner.
func (m *Matcher) gather(base int64, b []byte, i int) int {
	r := &m.run
	if base+int64(i) != r.end {
		return i
	}
	for ; i < len(b); i++ {
		at := base + int64(i)
		switch k := m.charset.kinds[b[i]]; k {
		case figure:
			r.add(b[i]-'0', 1, pen{}, at)
			if r.n == window {
				m.resolve(false)
			}
		case other, leading, ampersand, percent, backslash:
			return i
		default:
			if !r.separate(k, at, b[i:i+1]) {
				m.endRun(after{})
				return i + 1
			}
		}
	}
	return i
}

// finishCarry completes the carried token from b, and tells how much of b it took:
// -1 when it took all and is still incomplete.
func (m *Matcher) finishCarry(b []byte) int {
	for m.carried > 0 {
		old := m.carried
		total := old + copy(m.carry[old:], b)
		t := m.next(m.carry[:total], false)
		if t.size == 0 {
			m.carried = total
			return -1
		}
		m.carried = 0
		size := int(t.size)
		m.scan(m.carryAt, m.carry[:size], true)
		if size >= old {
			return size - old
		}
		// No token after all. What was carried behind its first byte may hold the beginning of another.
		m.scan(m.carryAt+int64(size), m.carry[size:old], false)
	}
	return 0
}

func (m *Matcher) flushCarry() {
	if n := m.carried; n > 0 {
		m.carried = 0
		m.scan(m.carryAt, m.carry[:n], true)
	}
}

// step reads the token t, which is at b[i:].
func (m *Matcher) step(t token, base int64, b []byte, i int) {
	at := base + int64(i)
	if m.phase == wording {
		if m.after.add(t) {
			return
		}
		m.finishWord(t.kind == figure)
	}
	if m.phase == idle {
		switch t.kind {
		case figure, plus, opening:
			m.left.take(&m.tail, b, i)
			m.run.clear()
			m.run.end = at
			m.phase = gathering
		default:
			return
		}
	}
	r := &m.run
	if at != r.end && !r.cut(at) {
		m.endRun(after{})
		return
	}
	switch t.kind {
	case figure:
		r.add(t.value, t.size, t.pen, at)
		if r.n == window {
			m.resolve(false)
		}
	case other:
		m.endRun(after{gap: r.gap, char: t.char, ended: true})
		return
	default:
		if !r.separate(t.kind, at, b[i:i+int(t.size)]) {
			m.endRun(after{})
		}
	}
}

// endRun decides what has been gathered, unless the word behind it has to be read.
func (m *Matcher) endRun(a after) {
	if m.run.n < m.set.least {
		m.phase = idle
		return
	}
	m.after = a
	if a.ended && isGlue(a.char) && m.place != Link {
		m.after.begin(a.char)
		m.phase = wording
		return
	}
	m.resolve(true)
	m.phase = idle
}

func (m *Matcher) finishWord(figure bool) {
	m.after.figure = figure
	m.resolve(true)
	m.phase = idle
}
