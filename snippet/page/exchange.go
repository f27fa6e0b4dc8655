package page

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/phone"
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
	// maxIdle is how large a buffer may be to be kept for the next page.
	maxIdle = 64 << 10
)

// trees are the pages that are parsed at once: a tree is many times as large as its page.
var trees = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

var errCrowded = errors.New("too many pages are held")

// exchange replaces the numbers of one page on its way out. What is ready stands
// in out.
type exchange struct {
	shown snippet.Shown
	z     *weave.Replacer
	out   []byte

	next     []byte // the piece that is being taken
	ready    int    // how much is gathered before it is sent
	gathers  bool   // more than in small pieces
	buffer   *buffer
	gathered share // of the budget, for out
	now      func() time.Time
	since    time.Time

	waiting bool   // for the end of the page, to which selectors are to be applied
	whole   []byte // what has come of it
	length  int    // of the page, 0 if that is not known
	share   share  // of the budget, for whole and for what it becomes
	skipped bool   // the page went without its selectors
	crowded bool   // since too many are held
}

// newExchange begins the replacing of numbers in a page of this length, -1 if that is not known, whose
// first byte came at since. hydrates says that the page's headers tell of a framework that takes it over.
func newExchange(s *snippet.Shown, charset string, length int64, now func() time.Time, since time.Time, hydrates bool) *exchange {
	x := takeExchange(s, length, now, since)
	found, ok := phone.CharsetOf(charset)
	if !ok {
		found = phone.UTF8
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

// newDataExchange does so in a framework's data.
func newDataExchange(s *snippet.Shown, length int64, now func() time.Time) *exchange {
	x := takeExchange(s, length, now, now())
	s.ResetData(x.z)
	return x
}

func takeExchange(s *snippet.Shown, length int64, now func() time.Time, since time.Time) *exchange {
	x, ok := s.Idle().Get().(*exchange)
	if !ok {
		x = &exchange{z: s.NewReplacer()}
	}
	*x = exchange{shown: *s, z: x.z, now: now, since: since, share: share{budget: heldPages}, gathered: share{budget: gatheredPages}}
	x.gather(length)
	return x
}

// gather takes the memory for as much of a page of this length as is sent at once. Who knows the length has the
// rest at hand; of a page whose length is not known, all goes on as it comes.
func (x *exchange) gather(length int64) {
	size := pieceSize + maxReady
	if length <= maxOnce {
		size = int(length) + roomForEdits
	}
	switch {
	case length < 0:
		x.buffer = takeBuffer(0)
	case size <= smallBuffer || x.gathered.reach(largeBuffer):
		x.buffer, x.ready, x.gathers = takeBuffer(size), size, true
		if length > maxOnce {
			x.ready = maxReady
		}
	default:
		x.buffer, x.ready = takeBuffer(0), maxReady
	}
	x.out = x.buffer.bytes
}

// giveBack keeps what the page needed for another one.
func (x *exchange) giveBack() {
	x.sent()
	x.share.free()
	x.gathered.free()
	x.buffer.giveBack()
	exchanges := x.shown.Idle()
	x.shown, x.buffer, x.out = snippet.Shown{}, nil, nil
	exchanges.Put(x)
}

// sent tells that out has been written. Where it has grown, that is let go.
func (x *exchange) sent() {
	if x.out = x.out[:0]; cap(x.out) != cap(x.buffer.bytes) {
		x.out = x.buffer.bytes[:0]
	}
	if !x.waiting {
		x.share.free()
	}
}

// insert puts the code into the page. Its length is not known before its end.
func (x *exchange) insert(piece []byte, at int64, code []byte, _ int64) int64 {
	x.z.Insert(at, code)
	x.append(piece)
	return -1
}

// take keeps a page that waits, and what is gathered.
func (x *exchange) take(piece []byte, flush bool) (first, second []byte) {
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
func (x *exchange) append(piece []byte) {
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
func (x *exchange) keep() bool {
	n := len(x.whole) + len(x.next)
	switch {
	case n > maxWhole:
		return false
	case !x.share.reach(max(n, x.length)):
		x.crowded = true
		return false
	case x.whole == nil:
		x.whole = make([]byte, 0, max(n, x.length))
	}
	x.whole, x.next = append(x.whole, x.next...), nil
	return true
}

// hurry lets a page go that has waited, without its selectors.
func (x *exchange) hurry() {
	if x.waiting {
		x.skipped = true
		x.release()
	}
}

func (x *exchange) release() {
	x.waiting = false
	if x.whole == nil {
		return
	}
	x.out = slices.Grow(x.out, len(x.whole)+roomForEdits)
	x.out = x.z.Append(x.out, x.whole)
	x.whole = nil
	x.share.shrink(len(x.out))
}

// choose applies the selectors to a page that has come whole, or recalls what they chose in the same page before.
func (x *exchange) choose() error {
	page := pageOf(&x.shown, x.whole)
	if choice, known := choices.Get(page); known {
		x.z.Recall(choice)
		return nil
	}
	select {
	case trees <- struct{}{}:
	case <-time.After(maxPatience):
		x.crowded = true
		return errCrowded
	}
	defer func() { <-trees }()
	if !x.share.reach(treeSize * len(x.whole)) {
		x.crowded = true
		return errCrowded
	}
	err := x.z.Choose(x.whole)
	x.share.shrink(2 * len(x.whole)) // and what it becomes
	if err == nil && x.z.Choice().Len() <= maxChosen {
		choices.Add(page, x.z.Choice())
	}
	return err
}

// finish ends the page. A document that has been given the insertion code ends with
// the list of what was replaced.
func (x *exchange) finish(piece []byte, woven bool) (first, second []byte) {
	x.append(piece)
	if x.waiting {
		x.skipped = x.choose() != nil
		x.release()
	}
	x.out = x.z.Finish(x.out)
	if woven && x.z.Complete() {
		x.out = x.shown.AppendBlock(x.out, x.z)
	}
	return x.out, nil
}

// rest gives what is ready, and as it was what has been taken and is not.
func (x *exchange) rest() [][]byte {
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
	x := newExchange(s, charset, -1, time.Now, time.Time{}, false)
	defer x.giveBack()
	if x.waiting {
		x.waiting = false
		if err := x.z.Choose(page); err != nil {
			return nil, err
		}
	}
	out, _ := x.finish(page, false)
	if _, err := dst.Write(out); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return append([]weave.Replaced(nil), x.z.Replaced()...), nil
}
