package phone

import (
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// scan reads b. Unless last is set, it carries an incomplete token at the end of b over to the next piece.
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

// seek returns the index of the first byte from i on at which reading has to begin.
func (m *Matcher) seek(b []byte, i int) int {
	switch m.kind {
	case Link:
		return m.charset.SeekEscaped(b, i, '%')
	case Data:
		return m.charset.SeekEscaped(b, i, '\\')
	}
	return m.charset.SeekRow(b, i, m.set.Least)
}

// read reads b from i on. It returns the index behind the last byte that it has read. It stops early only at an
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
		if t.Size == 0 {
			m.carryAt = at + int64(i)
			m.carried = copy(m.carry[:], b[i:])
			break
		}
		m.step(t, at, b, i)
		i += int(t.Size)
	}
	return i
}

// gather reads plain digits and separators of the run from b[i] on, and returns the index behind them. It does the same
// as step, but faster.
func (m *Matcher) gather(base int64, b []byte, i int) int {
	r := &m.run
	if base+int64(i) != r.end {
		return i
	}
	for ; i < len(b); i++ {
		at := base + int64(i)
		switch k := m.charset.Kinds[b[i]]; k {
		case char.Figure:
			r.add(b[i]-'0', 1, char.Pen{}, at)
			if r.n == window {
				m.resolve(false)
			}
		case char.Other, char.Leading, char.Ampersand, char.Percent, char.Backslash:
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

// finishCarry completes the carried token with bytes of b, and returns how many of them it took. It returns -1 if the
// token is still incomplete at the end of b.
func (m *Matcher) finishCarry(b []byte) int {
	for m.carried > 0 {
		old := m.carried
		total := old + copy(m.carry[old:], b)
		t := m.next(m.carry[:total], false)
		if t.Size == 0 {
			m.carried = total
			return -1
		}
		m.carried = 0
		size := int(t.Size)
		m.scan(m.carryAt, m.carry[:size], true)
		if size >= old {
			return size - old
		}
		// The bytes are no token. Those behind the first may begin another token.
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

// step reads the token t, which begins at b[i].
func (m *Matcher) step(t char.Token, base int64, b []byte, i int) {
	at := base + int64(i)
	if m.phase == wording {
		if m.after.add(t) {
			return
		}
		m.finishWord()
	}
	if m.phase == idle {
		switch t.Kind {
		case char.Figure, char.Plus, char.Opening:
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
	switch t.Kind {
	case char.Figure:
		r.add(t.Value, t.Size, t.Pen, at)
		if r.n == window {
			m.resolve(false)
		}
	case char.Other:
		m.endRun(after{gap: r.gap, char: t.Char, ended: true})
		return
	default:
		if !r.separate(t.Kind, at, b[i:i+int(t.Size)]) {
			m.endRun(after{})
		}
	}
}

// next reads the token at the beginning of b, which is not empty. It returns a token of size 0 if the token may go on
// behind b. last says that nothing follows b.
func (m *Matcher) next(b []byte, last bool) char.Token {
	c := b[0]
	switch k := m.charset.Kinds[c]; k {
	case char.Figure:
		return char.Token{Kind: char.Figure, Value: c - '0', Size: 1, Char: rune(c)}
	case char.Leading:
		if !last && !utf8.FullRune(b) {
			return char.Incomplete
		}
		r, size := utf8.DecodeRune(b)
		return char.TokenOf(r, size)
	case char.Ampersand:
		return char.ReadReference(b, last)
	case char.Percent:
		if m.kind == Link {
			return char.ReadPercent(b, last)
		}
		return char.Token{Kind: char.Other, Size: 1, Char: '%'}
	case char.Backslash:
		if m.kind == Data {
			return char.ReadStringEscape(b, last)
		}
		return char.Token{Kind: char.Other, Size: 1, Char: '\\'}
	default:
		return char.Token{Kind: k, Size: 1, Char: m.charset.Runes[c]}
	}
}
