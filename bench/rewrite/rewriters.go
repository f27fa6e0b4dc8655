package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/bench/page"
	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/phone/plan"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// piece is how much of a page comes at once, as a proxy copies.
const piece = 32 << 10

// through copies a page and gives what comes out, piece by piece. It keeps its
// memory from one page to the next.
type through func(made []byte, out func([]byte)) error

// rewriters are the sides that run in this process; the first is the limit.
func rewriters() []rewriter {
	return []rewriter{
		inProcess("memcpy", copyMemory(), unchanged),
		inProcess("frontdesk, insertion only", insertOnly(), unchanged),
		replacing(3, ""),
		replacing(3, page.Selector),
		replacing(100, ""),
		inProcess("x/net/html tokenizer, raw", tokenize, unchanged),
		inProcess("goquery, parse and render", parseAndRender, nil),
	}
}

// unchanged tells when a page did not come out as it was.
func unchanged(_ page.Page, made, out []byte) error {
	if !bytes.Equal(made, out) {
		return errors.New("the page came out changed")
	}
	return nil
}

func inProcess(name string, f through, check func(p page.Page, made, out []byte) error) rewriter {
	return rewriter{name, func(made []byte, p page.Page) (copies, error) {
		var whole bytes.Buffer
		if err := f(made, func(b []byte) { whole.Write(b) }); err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(p, made, whole.Bytes()); err != nil {
				return nil, err
			}
		}
		nowhere := func([]byte) {}
		return repeat(func() error { return f(made, nowhere) }), nil
	}}
}

func copyMemory() through {
	to := make([]byte, piece)
	return func(made []byte, out func([]byte)) error {
		for rest := made; len(rest) > 0; {
			n := copy(to, rest)
			out(to[:n])
			rest = rest[n:]
		}
		return nil
	}
}

// insertOnly looks for the place of the insertion code and copies what is behind it.
func insertOnly() through {
	var finder head.Finder
	to := make([]byte, piece)
	return func(made []byte, out func([]byte)) error {
		finder.Reset(false)
		verdict := head.Undecided
		for rest := made; len(rest) > 0; {
			n := copy(to, rest)
			if verdict == head.Undecided {
				verdict = finder.Feed(to[:n])
			}
			out(to[:n])
			rest = rest[n:]
		}
		if verdict != head.Found {
			return fmt.Errorf("the verdict on the page is %v", verdict)
		}
		return nil
	}
}

// replacing replaces n configured numbers, of which three are on the pages; the first of them also where the selector says, if there is one.
func replacing(n int, selector string) rewriter {
	f, replaced := replaceNumbers(n, selector)
	name := fmt.Sprintf("frontdesk, %d numbers", n)
	if selector != "" {
		name += ", selector"
	}
	return inProcess(name, f, func(p page.Page, _, _ []byte) error {
		if found := replaced(); found != p.Numbers {
			return fmt.Errorf("%d numbers were replaced of %d", found, p.Numbers)
		}
		return nil
	})
}

// replaceNumbers looks through pages for n numbers, the first also by a selector if there is one. replaced gives how many were
// replaced on the last page.
func replaceNumbers(n int, selector string) (f through, replaced func() int) {
	var digits []string
	var shown weave.Shown
	for _, number := range page.Numbers(n) {
		fresh, err := plan.Parse(number.Replacement)
		if err != nil {
			panic(err) // they are part of the program
		}
		digits, shown = append(digits, number.Digits), append(shown, &weave.Tracking{Number: fresh})
	}
	set, err := phone.Compile(digits)
	if err != nil {
		panic(err)
	}
	numbers := make([]weave.Number, n)
	if selector != "" {
		numbers[0].Selectors = []string{selector}
	}
	rules, err := weave.Compile(set, numbers, false)
	if err != nil {
		panic(err)
	}
	replacer, to := rules.NewReplacer(), make([]byte, 0, 2*piece)
	f = func(made []byte, out func([]byte)) error {
		replacer.Reset(char.UTF8, shown)
		for rest := made; len(rest) > 0; {
			n := min(len(rest), piece)
			to = replacer.Append(to[:0], rest[:n])
			out(to)
			rest = rest[n:]
		}
		to = replacer.Finish(to[:0])
		out(to)
		return nil
	}
	return f, func() int {
		found := 0
		for _, r := range replacer.Replaced() {
			found += r.Count
		}
		return found
	}
}

func tokenize(made []byte, out func([]byte)) error {
	to := make([]byte, 0, 2*piece)
	z := html.NewTokenizer(bytes.NewReader(made))
	for z.Next() != html.ErrorToken {
		if to = append(to, z.Raw()...); len(to) >= piece {
			out(to)
			to = to[:0]
		}
	}
	out(to)
	if err := z.Err(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func parseAndRender(made []byte, out func([]byte)) error {
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(made))
	if err != nil {
		return err
	}
	return html.Render(writer(out), document.Nodes[0])
}

// writer is a writer of a function that takes all.
type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
