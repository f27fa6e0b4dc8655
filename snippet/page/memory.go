package page

import (
	"sync"

	"github.com/seed-3405227d/frontdesk/snippet/page/budget"
	"github.com/seed-3405227d/frontdesk/snippet/page/outlet"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// page is the memory that a page needs on its way.
type page struct {
	finder   head.Finder
	held     []byte // of the page, not sent yet
	origin   []byte // what was written, while it can still be passed untouched; if encoded
	sample   []byte // of what the origin sent; nil where nobody asks for it
	code     []byte // to be inserted
	straight outlet.Straight
	scratch  []byte
	share    budget.Share // of what all pages may hold, for held, origin and sample
}

var pages = sync.Pool{New: func() any { return &page{share: budget.Share{Of: budget.Held}} }}

func takePage() (*page, *outlet.Straight) {
	p := pages.Get().(*page)
	return p, &p.straight
}

// maxIdle is how large a buffer may be to be kept for the next page.
const maxIdle = 64 << 10

// idle lets go of what is larger than a page needs that holds nothing.
func (p *page) idle() {
	for _, b := range [...]*[]byte{&p.held, &p.origin} {
		if *b = (*b)[:0]; cap(*b) > maxIdle {
			*b = nil
		}
	}
	p.straight.Idle(maxIdle)
}

// giveBack keeps the memory for the next page.
func (p *page) giveBack() {
	p.idle()
	p.sample = nil
	p.share.Free()
	pages.Put(p)
}

// mayHold says whether so many bytes more may be held.
func (p *page) mayHold(bytes int) bool {
	return p.share.Reach(len(p.held) + len(p.origin) + len(p.sample) + bytes)
}

// maxSample bounds the pages that are handed to [Visit.Sample].
const maxSample = 256 << 10

// note keeps what the origin sent, for the one who wants to see it.
func (p *page) note(piece []byte) {
	if p.sample == nil {
		return
	}
	if len(p.sample)+len(piece) > maxSample || !p.mayHold(len(piece)) {
		p.sample = nil
		return
	}
	p.sample = append(p.sample, piece...)
}
