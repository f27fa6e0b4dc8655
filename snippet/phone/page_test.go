package phone

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// page feeds segments to a matcher as a scanner does. It cuts them into pieces, leaves room for markup between them,
// and never changes bytes that the matcher no longer holds.
type page struct {
	m      *Matcher
	text   []string
	every  int   // cut after so many bytes; 0 for no cuts
	at     []int // or at these offsets into all of the text
	poured bool
}

const markup = 7 // bytes between two segments

// newPage cuts at the given places. A single 1 means no cuts.
func newPage(m *Matcher, text []string, cut ...int) *page {
	p := &page{m: m, text: text, at: cut}
	switch {
	case len(cut) == 1 && cut[0] == 1:
		p.at = nil
	case len(cut) == 2 && cut[0] == 0:
		p.every, p.at = cut[1], nil
	}
	return p
}

// cuts returns all ways to cut the text in two, and the cuts into single bytes and into threes.
func (p *page) cuts() [][]int {
	size := 0
	for _, s := range p.text {
		size += len(s)
	}
	all := [][]int{{0, 1}, {0, 3}}
	for i := 2; i < size; i++ {
		all = append(all, []int{i})
	}
	return append(all, []int{1, 1})
}

func (p *page) run(t testing.TB, kind ValueKind) []string {
	p.m.Reset(kind)
	p.poured = true
	out := make([][]byte, len(p.text))
	done := make([]int, len(p.text)) // by segment, bytes that are in out
	starts := make([]int64, len(p.text))
	var let, last int64
	apply := func(matches []Match) {
		for _, match := range matches {
			require.GreaterOrEqual(t, match.Start, let, "a match begins before what was held")
			require.GreaterOrEqual(t, match.Start, last, "matches overlap")
			last = match.End
			p.poured = p.poured && match.Poured
			for _, e := range match.Edits {
				require.True(t, match.Start <= e.Start && e.Start < e.End && e.End <= match.End, "an edit outside its match")
				if match.Poured {
					require.Len(t, e.Text, int(e.End-e.Start))
				}
				i := 0
				for i+1 < len(starts) && starts[i+1] > 0 && starts[i+1] <= e.Start {
					i++
				}
				from, to := int(e.Start-starts[i]), int(e.End-starts[i])
				require.LessOrEqual(t, to, len(p.text[i]), "an edit over markup")
				out[i] = append(append(out[i], p.text[i][done[i]:from]...), e.Text...)
				done[i] = to
			}
		}
	}
	var at int64
	passed := 0
	for i, s := range p.text {
		if i > 0 {
			apply(p.m.Inline())
			at += markup
		}
		starts[i] = at
		for len(s) > 0 {
			n := p.next(passed, len(s))
			apply(p.m.Text(at, []byte(s[:n])))
			s, at, passed = s[n:], at+int64(n), passed+n
			held, ok := p.m.Held()
			if !ok {
				require.Equal(t, at, held)
			}
			require.LessOrEqual(t, held, at)
			require.GreaterOrEqual(t, held, let)
			require.LessOrEqual(t, at-held, int64(MaxHeld+i*markup))
			let = held
		}
	}
	apply(p.m.Break())
	whole := make([]string, len(out))
	for i, s := range p.text {
		whole[i] = string(out[i]) + s[done[i]:]
	}
	return whole
}

// next returns the length of the piece that begins at offset passed.
func (p *page) next(passed, left int) int {
	n := left
	if p.every > 0 {
		n = min(n, p.every)
	}
	for _, cut := range p.at {
		if cut > passed {
			n = min(n, cut-passed)
		}
	}
	return n
}
