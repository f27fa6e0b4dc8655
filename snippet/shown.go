package snippet

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// Audience is who sees the same numbers. What caches may keep follows from it.
type Audience uint8

const (
	// ForEveryone: all visitors of whom nothing more is known. Any cache may keep the
	// page.
	ForEveryone Audience = iota
	// ForSource: the visitors of one source. The page is private, and can be validated.
	ForSource
	// ForVisitor: this visitor alone, and perhaps not for long. The page is private and
	// has no validators.
	ForVisitor
)

// Shown is what a visitor sees in the places of the printed numbers. The zero value
// leaves all numbers as they are printed, for everyone. It is a small value: what is
// searched does not depend on it, and nothing is compiled for it.
type Shown struct {
	printed  *Printed
	numbers  weave.Shown // empty where all numbers stay
	leases   []Lease     // nil where none is leased
	audience Audience
	ahead    bool  // the records of the numbers stand in front of the code
	told     *told // what is told of the numbers; nil where all stay
}

// told is what pages tell of the numbers that are shown, made with the first of them.
type told struct {
	marking, listing sync.Once
	sum              [sha256.Size]byte
	list             []byte // the records of all numbers
}

// Show says what is shown: the digits of a tracking number for each printed number, in
// their order; empty for one that stays as it is printed. So does one for which the
// digits are not among its tracking numbers.
func (p *Printed) Show(digits []string, audience Audience) Shown {
	s := Shown{printed: p, audience: audience}
	for i, d := range digits {
		if i == len(p.tracking) {
			break
		}
		t := p.tracking[i][d]
		if t == nil {
			continue
		}
		if s.numbers == nil {
			s.numbers, s.told = make(weave.Shown, len(p.tracking)), new(told)
		}
		s.numbers[i] = t
	}
	return s
}

// Lease says how a number of a pool is the visitor's.
type Lease struct {
	// Lasting is how long the number is shown if nothing more is heard of the visitor. It is 0 for a number that is of
	// no pool.
	Lasting time.Duration
	// Alone says that nobody else has the number.
	Alone bool
}

// Lease says of each of the numbers how it is the visitor's. It is to be called before
// anything is made of them.
func (s *Shown) Lease(leases []Lease) { s.leases, s.audience = leases, ForVisitor }

// Records are what the script has to know of the numbers, as pages tell it in their block:
// a JSON array. Of more than 64 numbers, it has the first.
func (s *Shown) Records() []byte {
	if s.told == nil {
		return []byte("[]")
	}
	return s.list()
}

// list writes the records of the numbers, once.
func (s *Shown) list() []byte {
	s.told.listing.Do(func() {
		listed := 0
		s.told.list = append(s.appendList([]byte{'['}, func(string) bool { listed++; return listed <= maxTold }), ']')
	})
	return s.told.list
}

// Replaces says whether any number is replaced.
func (s *Shown) Replaces() bool { return len(s.numbers) > 0 }

// Differs says whether the page may be another one than the origin has, or than others
// see.
func (s *Shown) Differs() bool { return s.Replaces() || s.audience != ForEveryone }

// NeedsWhole says whether places of what is shown are told by selectors that need the whole page.
func (s *Shown) NeedsWhole() bool { return s.Replaces() && s.printed.rules.NeedsWhole(s.numbers) }

// Audience is who sees the same.
func (s *Shown) Audience() Audience { return s.audience }

// SetAudience says who sees the same.
func (s *Shown) SetAudience(a Audience) { s.audience = a }

// TellAhead says that [Arrival.AppendTo] has written the records of the numbers into the page.
func (s *Shown) TellAhead() { s.ahead = true }

// NewReplacer gives a replacer for the printed numbers. [Shown.Reset] or [Shown.ResetData] has it show these.
func (s *Shown) NewReplacer() *weave.Replacer { return s.printed.rules.NewReplacer() }

// Reset makes a replacer ready for a page in the charset c.
func (s *Shown) Reset(z *weave.Replacer, c *char.Charset) { z.Reset(c, s.numbers) }

// ResetData makes a replacer ready for a framework's data.
func (s *Shown) ResetData(z *weave.Replacer) { z.ResetData(s.numbers) }

// Idle keeps what pages needed on their way for other pages with the same printed numbers.
func (s *Shown) Idle() *sync.Pool { return &s.printed.idle }

// Sought is a hash of the printed numbers, and of which of them are replaced.
func (s *Shown) Sought() [sha256.Size]byte {
	sought := append(make([]byte, 0, 512), s.printed.sum[:]...)
	for _, t := range s.numbers {
		if t == nil {
			sought = append(sought, 0)
		} else {
			sought = append(sought, 1)
		}
	}
	return sha256.Sum256(sought)
}

// Mark gives the mark of pages with the code that show this: a hash of the program's version, the code and what is shown,
// for validators. It changes whenever they do. It is ten hexadecimal digits, or empty where there are no validators.
func (c *Code) Mark(s *Shown) string {
	switch {
	case s.audience == ForVisitor:
		return ""
	case !s.Replaces():
		return c.alone
	}
	s.told.marking.Do(func() { s.told.sum = s.digest() })
	var b [2 * sha256.Size]byte
	copy(b[copy(b[:], c.sum[:]):], s.told.sum[:])
	return markOf(sha256.Sum256(b[:]))
}

// digest is the hash of what is shown.
func (s *Shown) digest() [sha256.Size]byte {
	b := append(make([]byte, 0, 512), s.printed.sum[:]...)
	for i, t := range s.numbers {
		if t == nil {
			continue
		}
		b = append(append(b, byte(i>>8), byte(i)), t.Digits()...)
		for _, address := range t.Pictures {
			b = append(append(b, ' '), address...)
		}
	}
	return sha256.Sum256(b)
}

func markOf(sum [sha256.Size]byte) string { return hex.EncodeToString(sum[:5]) }

// The block that tells the script which numbers are in effect, and what has been replaced.
const (
	beginBlock    = `<script type="application/json" data-svc-numbers>{"numbers":`
	replacedBlock = `,"replaced":[`
	endBlock      = `]}</script>`
)

// maxListed is how many numbers the block lists that the page does not show. They are
// for what the page adds later.
const maxListed = 16

// maxTold is how many numbers are listed for a page of which it is not known which it shows: some 25 KB.
const maxTold = 64

// AppendBlock writes the block for the page that z has read.
func (s *Shown) AppendBlock(b []byte, z *weave.Replacer) []byte {
	replaced := z.Replaced()
	b = append(b, beginBlock...)
	if s.ahead { // scripts of earlier releases, in caches, look for the list
		b = append(b, "[]"...)
	} else {
		b = s.appendTold(b, replaced)
	}
	b = append(b, replacedBlock...)
	for i, r := range replaced {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(append(b, '['), r.ID)
		b = appendQuoted(append(b, ','), r.Old)
		b = appendQuoted(append(b, ','), r.New)
		b = append(b, ']')
	}
	return append(b, endBlock...)
}

// appendTold writes the records of all numbers, or of those alone that have been replaced
// in the page.
func (s *Shown) appendTold(b []byte, replaced []weave.Replaced) []byte {
	if s.count() <= maxListed {
		return append(b, s.list()...)
	}
	return append(s.appendList(append(b, '['), func(id string) bool {
		return slices.ContainsFunc(replaced, func(r weave.Replaced) bool { return r.ID == id })
	}), ']')
}

// count is how many numbers are shown in place of others.
func (s *Shown) count() (n int) {
	for _, t := range s.numbers {
		if t != nil {
			n++
		}
	}
	return n
}

// appendList writes the records of those numbers that it has, by their ids.
func (s *Shown) appendList(b []byte, has func(id string) bool) []byte {
	first, appendScript := true, s.printed.rules.Scripts(s.numbers)
	for i, t := range s.numbers {
		if t == nil || !has(s.printed.rules.ID(i)) {
			continue
		}
		n := &s.printed.numbers[i]
		if !first {
			b = append(b, ',')
		}
		first = false
		var l Lease
		if i < len(s.leases) {
			l = s.leases[i]
		}
		b = n.appendRecord(b, s.printed.rules.ID(i), t, "", l)
		b = appendScript(append(b, `,"forms":`...), i)
		if s.printed.messengers {
			b = append(b, `,"messengers":true`...)
		}
		if t.Templated() != "" {
			b = append(b, `,"template":true`...)
		}
		b = append(b, '}')
		for _, places := range [...][]string{n.Targets, n.Selectors} {
			for _, place := range places {
				b = append(n.appendRecord(append(b, ','), place, t, "", l), '}')
			}
		}
		for k, place := range n.Pictures {
			b = append(n.appendRecord(append(b, ','), place, t, t.Pictures[k], l), '}')
		}
	}
	return b
}

// appendRecord writes what is told of a place of the number, but for its end.
// Where there is a picture, that is what is shown, and no text.
func (n *Number) appendRecord(b []byte, id string, t *weave.Tracking, picture string, l Lease) []byte {
	b = appendQuoted(append(b, `{"id":`...), id)
	b = append(append(b, `,"from":"`...), n.Digits...)
	b = append(append(b, `","raw":"`...), t.Digits()...)
	b = append(b, `","text":`...)
	if picture == "" {
		b = append(appendQuoted(b, t.Text()), `,"img":null`...)
	} else {
		b = appendQuoted(append(b, `null,"img":`...), picture)
	}
	b = strconv.AppendBool(append(b, `,"dt":`...), l.Alone)
	if l.Lasting > 0 {
		b = strconv.AppendInt(append(b, `,"lasts":`...), int64(l.Lasting/time.Second), 10)
	}
	return b
}
