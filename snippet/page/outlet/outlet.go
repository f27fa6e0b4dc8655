// Package outlet is what a page goes through on its way out: it replaces the numbers, puts in the code, and gathers what
// goes out together. It owns the buffers, and remembers what selectors chose. The response writer puts pages through it.
package outlet

import "slices"

// Outlet is what a page goes through on its way out, in order and from its beginning. Its methods
// run inside the guard. What they give is written outside of it, and is valid until the next call.
type Outlet interface {
	// Insert takes the next piece of the page, and the code that belongs at the offset at, in this
	// piece or behind it. It gives what the length of a page becomes, where that is known already; -1 is an
	// unknown length.
	Insert(piece []byte, at int64, code []byte, length int64) int64
	// Take takes the next piece and gives what is to be sent now, in two parts. With flush, nothing
	// waits that need not.
	Take(piece []byte, flush bool) (first, second []byte)
	// Finish takes the last piece and gives all that is left. A woven page has been given the code.
	Finish(piece []byte, woven bool) (first, second []byte)
	// Sent tells that what was given has been written.
	Sent()
}

// firstWrite is how much goes out together with the inserted code, if there is
// as much: handlers around us judge a response by its first write.
const firstWrite = 8 << 10

// Straight is the outlet of pages that are only given the code.
type Straight struct {
	offset int64  // of the next piece in the page
	out    []byte // what goes out together with the code
	at     int    // in out, where the code belongs
	code   []byte // while it is to be inserted
	whole  int    // of how many bytes a page is that goes out at once, or 0
}

// Restart lets the page go on as it comes, from the offset on. What was gathered is dropped.
func (s *Straight) Restart(from int64) { *s = Straight{offset: from, out: s.out[:0]} }

// Idle lets go of memory of more than so many bytes.
func (s *Straight) Idle(most int) {
	if s.out = s.out[:0]; cap(s.out) > most {
		s.out = nil
	}
}

func (s *Straight) Insert(piece []byte, at int64, code []byte, length int64) int64 {
	s.out, s.at, s.code = append(s.out[:0], piece...), int(at-s.offset), code
	if length >= 0 {
		if length <= maxShort {
			s.whole = int(length)
		}
		length += int64(len(code))
	}
	return length
}

// Gathers says whether something waits for the rest of a short page.
func (s *Straight) Gathers() bool { return s.code != nil }

func (s *Straight) Take(piece []byte, flush bool) (first, second []byte) {
	if s.offset += int64(len(piece)); s.code == nil {
		return piece, nil
	}
	if !flush && len(s.out)+len(piece) < s.whole {
		s.out = append(s.out, piece...)
		return nil, nil
	}
	n := len(piece)
	if s.whole == 0 {
		n = min(n, max(s.at-len(s.out), firstWrite))
	}
	s.out = slices.Insert(append(s.out, piece[:n]...), s.at, s.code...)
	s.code = nil
	return s.out, piece[n:]
}

func (s *Straight) Finish(piece []byte, _ bool) (first, second []byte) { return s.Take(piece, true) }

func (s *Straight) Sent() {}

var (
	_ Outlet = (*Straight)(nil)
	_ Outlet = (*Exchange)(nil)
)
