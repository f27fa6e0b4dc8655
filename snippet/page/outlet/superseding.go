package outlet

import "github.com/seed-3405227d/frontdesk/snippet/weave/rival"

// Superseding is the outlet of pages in which other services' code is put out of action, in front of the outlet that the
// page would go through otherwise. It changes nothing before the place of the code.
type Superseding struct {
	behind   Outlet
	replacer rival.Replacer
	before   int64  // how much of the page comes before the place
	out      []byte // what the outlet behind is given next
	given    bool   // it has been given that
}

// NewSuperseding goes on with a page at the offset. The code belongs at the offset at, there or behind it. From there on,
// what comes in the place of other services' loaders is with.
func NewSuperseding(behind Outlet, offset, at int64, own rival.Own, with rival.Replacement) *Superseding {
	s := &Superseding{behind: behind, before: max(at-offset, 0)}
	s.replacer.Reset(own, with, at)
	return s
}

func (s *Superseding) Insert(piece []byte, at int64, code []byte, _ int64) int64 {
	return s.behind.Insert(s.give(s.change(piece)), at, code, -1)
}

func (s *Superseding) Take(piece []byte, flush bool) (first, second []byte) {
	return s.behind.Take(s.give(s.change(piece)), flush)
}

func (s *Superseding) Finish(piece []byte, woven bool) (first, second []byte) {
	s.out = s.replacer.Finish(s.change(piece))
	return s.behind.Finish(s.give(s.out), woven)
}

func (s *Superseding) Sent() { s.behind.Sent() }

// change returns what of the page is certain with the next piece. It is valid until the next call.
func (s *Superseding) change(piece []byte) []byte {
	n := min(s.before, int64(len(piece)))
	s.before -= n
	s.out, s.given = append(s.out[:0], piece[:n]...), false
	s.out = s.replacer.Append(s.out, piece[n:])
	return s.out
}

func (s *Superseding) give(piece []byte) []byte {
	s.given = true
	return piece
}

// Rest gives what is ready, and as it was what has been taken and is not.
func (s *Superseding) Rest() (pieces [][]byte) {
	switch behind := s.behind.(type) {
	case *Exchange:
		pieces = behind.Rest()
	case *Straight:
		first, second := behind.Take(nil, true)
		pieces = append(pieces, first, second)
	}
	if !s.given {
		pieces = append(pieces, s.out)
	}
	return append(pieces, s.replacer.Rest(nil))
}

var _ Outlet = (*Superseding)(nil)
