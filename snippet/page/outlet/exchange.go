package outlet

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page/budget"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

const (
	// maxWhole bounds the pages that are kept whole, for selectors to be applied. Of
	// larger ones, and of those that come too slowly, the selectors' places stay as they
	// are.
	maxWhole = 512 << 10
	// maxPatience is how long a page waits for its end, from its first byte on.
	maxPatience = 200 * time.Millisecond
	// treeSize is how much memory the parsing of a page takes, for each byte of it.
	treeSize = 10
)

// trees are the pages that are parsed at once: a tree is many times as large as its page.
var trees = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

var errCrowded = errors.New("too many pages are held")

// Exchange replaces the numbers of one page on its way out. What is ready stands
// in out.
type Exchange struct {
	shown snippet.Shown
	z     *weave.Replacer
	out   []byte

	next     []byte // the piece that is being taken
	ready    int    // how much is gathered before it is sent
	gathers  bool   // more than in small pieces
	buffer   *buffer
	gathered budget.Share // of the budget, for out
	now      func() time.Time
	since    time.Time

	waiting    bool         // for the end of the page, to which selectors are to be applied
	whole      []byte       // what has come of it
	length     int          // of the page, 0 if that is not known
	share      budget.Share // of the budget, for whole and for what it becomes
	Unselected bool         // the page went without its selectors
	Crowded    bool         // since too many are held
}

// NewExchange begins the replacing of numbers in a page of this length, -1 if that is not known, whose
// first byte came at since. hydrates says that the page's headers tell of a framework that takes it over.
func NewExchange(s *snippet.Shown, charset string, length int64, now func() time.Time, since time.Time, hydrates bool) *Exchange {
	x := takeExchange(s, length, now, since)
	found, ok := char.CharsetOf(charset)
	if !ok {
		found = char.UTF8
	}
	s.Reset(x.z, found)
	if hydrates {
		x.z.Hydrates()
	}
	if s.NeedsWhole() {
		x.waiting = true
		if x.length = int(max(length, 0)); x.length > maxWhole {
			x.hurry()
		}
	}
	return x
}

// NewDataExchange does so in a framework's data.
func NewDataExchange(s *snippet.Shown, length int64, now func() time.Time) *Exchange {
	x := takeExchange(s, length, now, now())
	s.ResetData(x.z)
	return x
}

func takeExchange(s *snippet.Shown, length int64, now func() time.Time, since time.Time) *Exchange {
	x, ok := s.Idle().Get().(*Exchange)
	if !ok {
		x = &Exchange{z: s.NewReplacer()}
	}
	*x = Exchange{shown: *s, z: x.z, now: now, since: since, share: budget.Share{Of: budget.Held}, gathered: budget.Share{Of: budget.Gathered}}
	x.gather(length)
	return x
}

// gather takes the memory for as much of a page of this length as is sent at once. Who knows the length has the
// rest at hand; of a page whose length is not known, all goes on as it comes.
func (x *Exchange) gather(length int64) {
	size := pieceSize + maxReady
	if length <= maxOnce {
		size = int(length) + roomForEdits
	}
	switch {
	case length < 0:
		x.buffer = takeBuffer(0)
	case size <= smallBuffer || x.gathered.Reach(largeBuffer):
		x.buffer, x.ready, x.gathers = takeBuffer(size), size, true
		if length > maxOnce {
			x.ready = maxReady
		}
	default:
		x.buffer, x.ready = takeBuffer(0), maxReady
	}
	x.out = x.buffer.bytes
}

// GiveBack keeps what the page needed for another one.
func (x *Exchange) GiveBack() {
	x.Sent()
	x.Free()
	x.buffer.giveBack()
	exchanges := x.shown.Idle()
	x.shown, x.buffer, x.out = snippet.Shown{}, nil, nil
	exchanges.Put(x)
}

// Free gives back what the page has taken of the budgets.
func (x *Exchange) Free() {
	x.share.Free()
	x.gathered.Free()
}

// Sent tells that out has been written. Where it has grown, that is let go.
func (x *Exchange) Sent() {
	if x.out = x.out[:0]; cap(x.out) != cap(x.buffer.bytes) {
		x.out = x.buffer.bytes[:0]
	}
	if !x.waiting {
		x.share.Free()
	}
}

// Insert puts the code into the page. Its length is not known before its end.
func (x *Exchange) Insert(piece []byte, at int64, code []byte, _ int64) int64 {
	x.z.Insert(at, code)
	x.append(piece)
	return -1
}

// Take keeps a page that waits, and what is gathered.
func (x *Exchange) Take(piece []byte, flush bool) (first, second []byte) {
	x.append(piece)
	if (x.waiting || x.gathers) && x.now().Sub(x.since) > maxPatience {
		x.hurry()
		flush = true
	}
	if x.waiting || !flush && len(x.out) < x.ready {
		return nil, nil
	}
	switch {
	case flush: // it comes slowly
		x.ready, x.gathers = min(x.ready, maxReady), false
	case x.gathers:
		x.ready = pieceSize
	}
	return x.out, nil
}

// append takes the next piece of the page.
func (x *Exchange) append(piece []byte) {
	if len(piece) == 0 {
		return
	}
	x.next = piece
	if x.waiting && !x.keep() {
		x.hurry()
	}
	if !x.waiting {
		piece, x.next = x.next, nil
		x.out = x.z.Append(x.out, piece)
	}
}

// keep adds the next piece to a page that waits, and says whether it may wait on.
func (x *Exchange) keep() bool {
	n := len(x.whole) + len(x.next)
	switch {
	case n > maxWhole:
		return false
	case !x.share.Reach(max(n, x.length)):
		x.Crowded = true
		return false
	case x.whole == nil:
		x.whole = make([]byte, 0, max(n, x.length))
	}
	x.whole, x.next = append(x.whole, x.next...), nil
	return true
}

// hurry lets a page go that has waited, without its selectors.
func (x *Exchange) hurry() {
	if x.waiting {
		x.Unselected = true
		x.release()
	}
}

func (x *Exchange) release() {
	x.waiting = false
	if x.whole == nil {
		return
	}
	x.out = slices.Grow(x.out, len(x.whole)+roomForEdits)
	x.out = x.z.Append(x.out, x.whole)
	x.whole = nil
	x.share.Shrink(len(x.out))
}

// choose applies the selectors to a page that has come whole, or recalls what they chose in the same page before.
func (x *Exchange) choose() error {
	page := pageOf(&x.shown, x.whole)
	if choice, known := choices.Get(page); known {
		x.z.Recall(choice)
		return nil
	}
	select {
	case trees <- struct{}{}:
	case <-time.After(maxPatience):
		x.Crowded = true
		return errCrowded
	}
	defer func() { <-trees }()
	if !x.share.Reach(treeSize * len(x.whole)) {
		x.Crowded = true
		return errCrowded
	}
	err := x.z.Choose(x.whole)
	x.share.Shrink(2 * len(x.whole)) // and what it becomes
	if err == nil && x.z.Choice().Len() <= maxChosen {
		choices.Add(page, x.z.Choice())
	}
	return err
}

// Finish ends the page. A document that has been given the insertion code ends with
// the list of what was replaced.
func (x *Exchange) Finish(piece []byte, woven bool) (first, second []byte) {
	x.append(piece)
	if x.waiting {
		x.Unselected = x.choose() != nil
		x.release()
	}
	x.out = x.z.Finish(x.out)
	if woven && x.z.Complete() {
		x.out = x.shown.AppendBlock(x.out, x.z)
	}
	return x.out, nil
}

// Rest gives what is ready, and as it was what has been taken and is not.
func (x *Exchange) Rest() [][]byte {
	taken := x.whole
	if !x.waiting {
		taken = x.z.Rest(nil)
	}
	return [][]byte{x.out, taken, x.next}
}

// Rewrite copies a page as it is shown, without the insertion code. The charset is a
// label, or empty where the page states it itself. The list says what has been
// replaced, at most 64 different writings.
func Rewrite(s *snippet.Shown, dst io.Writer, src io.Reader, charset string) ([]weave.Replaced, error) {
	page, err := io.ReadAll(src)
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	if !s.Replaces() {
		_, err := dst.Write(page)
		return nil, err
	}
	if charset == "" {
		var f head.Finder
		f.Reset(false)
		f.Feed(page)
		charset = f.Charset()
	}
	x := NewExchange(s, charset, -1, time.Now, time.Time{}, false)
	defer x.GiveBack()
	if x.waiting {
		x.waiting = false
		if err := x.z.Choose(page); err != nil {
			return nil, err
		}
	}
	out, _ := x.Finish(page, false)
	if _, err := dst.Write(out); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return append([]weave.Replaced(nil), x.z.Replaced()...), nil
}
