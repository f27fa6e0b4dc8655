package phone

import (
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
)

// ValueKind is the kind of value that a matcher reads.
type ValueKind uint8

const (
	// Text is text that people read, also in attributes like alt and title.
	Text ValueKind = iota
	// Link is the part of a link that holds the number that it calls or writes to, such as the value of a tel: link.
	// The matcher reads percent escapes and recognises short national numbers. It writes a number without separators if
	// the new digits do not fit.
	Link
	// Data is a string in JSON or a script, with its escapes. Its writings are those of Text.
	Data
)

// Match is a writing of a number of the set.
type Match struct {
	Start, End int64     // offsets of its first byte and of the byte behind its last
	Number     int       // index of the number in the set
	Form       plan.Form // which of the number's digits are written
	Plus       bool      // the writing has a plus sign
	Poured     bool      // each new digit replaces an old one; otherwise the number is written anew
	// Edits are the changes to make, in order. None of them covers markup. There are none if the replacement reads the
	// same.
	Edits []Edit
}

// Edit replaces the bytes from Start to End by Text, which may be empty. In a poured match, Text is as long as the
// bytes that it replaces.
type Edit struct {
	Start, End int64
	Text       []byte
}

// Matcher finds the numbers of a set in a stream of text. The caller gives the offset of each piece in the page, so
// markup may stand between pieces.
//
// The matches do not depend on how the text is cut into pieces. A Matcher allocates nothing once its buffers have
// grown. It is not safe for concurrent use.
type Matcher struct {
	set     *Set
	shown   Shown
	charset *char.Charset
	kind    ValueKind
	keeps   *bool                    // see KeepLength; may be nil
	spared  func(before []byte) bool // see Spare; may be nil

	phase phase
	run   run
	after after
	tail  tail   // the end of the text that has been read
	left  before // the text before the run

	carry    [2 * char.MaxReference]byte // the bytes of an incomplete token
	carried  int
	carryAt  int64
	position int64 // offset behind the last byte of the last piece

	matches []Match
	edits   []Edit
	ink     []byte // holds the texts of edits
}

type phase uint8

const (
	idle phase = iota
	gathering
	wording // a letter has ended the run, and its word decides
)

// MaxHeld is the most bytes of text that may stand from the offset of [Matcher.Held] to the end of the text. It does
// not count the markup between the pieces. The caller bounds the markup in a writing by calling [Matcher.Break].
const MaxHeld = window*(char.MaxReference+char.MaxGap) + char.MaxGap + 4*maxWord + 2*char.MaxReference

// NewMatcher returns a matcher for text in a charset. It recognises all numbers of the set, and changes none before a
// call of [Matcher.Show].
func (s *Set) NewMatcher(c *char.Charset) *Matcher {
	m := &Matcher{set: s, shown: s.Itself(), charset: c}
	m.Reset(Text)
	return m
}

// Show sets the numbers that replace those of the set, from the next value on.
func (m *Matcher) Show(shown Shown) { m.shown = shown }

// KeepLength has the numbers keep their length, if that is possible, while *when is true: templates do not apply then.
func (m *Matcher) KeepLength(when *bool) { m.keeps = when }

// Spare leaves numbers in data alone if before returns true for the text before them: at most its last 40 bytes.
func (m *Matcher) Spare(before func(text []byte) bool) { m.spared = before }

// Reset makes the matcher ready for another value of the given kind.
func (m *Matcher) Reset(kind ValueKind) {
	m.kind = kind
	m.phase = idle
	m.run.clear()
	m.tail.size = 0
	m.carried = 0
	m.clearMatches()
}

// Text reads the next piece of text, which begins at offset at. It returns the matches that are certain now, in order.
// They are valid until the next call.
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

// Inline says that markup stands here that does not break a line, such as <b>, </a> or a comment. A number may go on
// behind it. Inline returns matches as Text does.
func (m *Matcher) Inline() []Match {
	if len(m.matches) > 0 {
		m.clearMatches()
	}
	m.flushCarry()
	switch m.phase {
	case gathering:
		m.run.gap |= tagGap
	case wording:
		m.finishWord()
	}
	m.tail.mark()
	return m.matches
}

// Break says that no number goes on here, because a block, a cell or the value ends. Break returns matches as Text
// does.
func (m *Matcher) Break() []Match {
	if len(m.matches) > 0 {
		m.clearMatches()
	}
	m.flushCarry()
	switch m.phase {
	case gathering:
		m.endRun(after{})
	case wording:
		m.finishWord()
	}
	m.tail.size = 0
	return m.matches
}

// Held returns the offset of the first byte that may still change. held is false if all of the text is decided.
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

// endRun decides the digits of the run, unless the word behind the run has to be read first.
func (m *Matcher) endRun(a after) {
	if m.run.n < m.set.Least {
		m.phase = idle
		return
	}
	m.after = a
	if a.ended && char.IsGlue(a.char) && m.kind != Link {
		m.after.begin(a.char)
		m.phase = wording
		return
	}
	m.resolve(true)
	m.phase = idle
}

func (m *Matcher) finishWord() {
	m.resolve(true)
	m.phase = idle
}
