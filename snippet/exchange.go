package snippet

import (
	"fmt"
	"io"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// maxWhole bounds the pages that are kept whole, for selectors to be applied. Of larger
// ones, and of those that the origin sends bit by bit, the selectors' places stay
// as they are.
const maxWhole = 512 << 10

// exchange replaces the numbers of one page on its way out. What is ready stands
// in out.
type exchange struct {
	code *Code
	z    *weave.Replacer
	out  []byte

	whole   []byte // of a page that waits for its selectors
	waiting bool
	skipped bool // the page went without its selectors
}

// newExchange begins the replacing of numbers in a page. hydrates says that the
// page's headers tell of a framework that takes it over.
func (c *Code) newExchange(charset string, hydrates bool) *exchange {
	x := c.takeExchange()
	found, ok := phone.CharsetOf(charset)
	if !ok {
		found = phone.UTF8
	}
	x.z.Reset(found)
	if hydrates {
		x.z.Hydrates()
	}
	x.waiting = c.rules.NeedsWhole()
	return x
}

// newDataExchange does so in a framework's data.
func (c *Code) newDataExchange() *exchange {
	x := c.takeExchange()
	x.z.ResetData()
	return x
}

func (c *Code) takeExchange() *exchange {
	x, ok := c.exchanges.Get().(*exchange)
	if !ok {
		x = &exchange{code: c, z: c.rules.NewReplacer()}
	}
	x.out, x.whole = x.out[:0], x.whole[:0]
	x.waiting, x.skipped = false, false
	return x
}

func (c *Code) putExchange(x *exchange) { c.exchanges.Put(x) }

// append takes the next piece of the page.
func (x *exchange) append(p []byte) {
	if !x.waiting {
		x.out = x.z.Append(x.out, p)
		return
	}
	if x.whole = append(x.whole, p...); len(x.whole) > maxWhole {
		x.hurry()
	}
}

// insert puts the insertion code at the offset at, which has not been taken yet.
func (x *exchange) insert(at int64, code []byte) { x.z.Insert(at, code) }

// hurry lets a page go that has waited, without its selectors.
func (x *exchange) hurry() {
	if x.waiting {
		x.skipped = true
		x.release()
	}
}

func (x *exchange) release() {
	x.waiting = false
	x.out = x.z.Append(x.out, x.whole)
}

// finish ends the page. A document that has been given the insertion code ends with
// the list of what was replaced.
func (x *exchange) finish(woven bool) error {
	var err error
	if x.waiting {
		err = x.z.Choose(x.whole)
		x.release()
	}
	x.out = x.z.Finish(x.out)
	if woven && x.z.Complete() {
		x.out = x.code.appendBlock(x.out, x.z.Replaced())
	}
	return err
}

// rest gives what has been taken and not come out, as it was.
func (x *exchange) rest() []byte {
	if x.waiting {
		return x.whole
	}
	return x.z.Rest(nil)
}

// Rewrite copies a page with its numbers replaced and without the insertion code.
// The charset is a label, or empty where the page states it itself. The list says
// what has been replaced, at most 64 different writings.
func (c *Code) Rewrite(dst io.Writer, src io.Reader, charset string) ([]weave.Replaced, error) {
	page, err := io.ReadAll(src)
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	if c.rules == nil {
		_, err := dst.Write(page)
		return nil, err
	}
	if charset == "" {
		var f weave.Finder
		f.Reset(false)
		f.Feed(page)
		charset = f.Charset()
	}
	x := c.newExchange(charset, false)
	defer c.putExchange(x)
	if x.waiting {
		x.waiting = false
		if err := x.z.Choose(page); err != nil {
			return nil, err
		}
	}
	x.append(page)
	if err := x.finish(false); err != nil {
		return nil, err
	}
	if _, err := dst.Write(x.out); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return append([]weave.Replaced(nil), x.z.Replaced()...), nil
}
