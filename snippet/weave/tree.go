package weave

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
)

// tree follows the tree that browsers make of a page, as far as selectors need it: the open elements, each
// with its parent and whether it is the first child. It is the tree construction of the HTML standard (13.2.6), in
// the order and with the names of golang.org/x/net/html, so that a selector means the same in the stream as
// in a parsed page.
//
// What cannot be followed makes it lost: from there on it knows nothing, and nothing is chosen. That is so for
// frames, for elements that are nested too deeply, and for pages that cost too much. Inside of templates and of
// foreign elements nothing is chosen.
type tree struct {
	lost  bool
	bound steps.Bound // of all loops over the open elements

	mode, original insertionMode
	open           []*node // the stack of open elements
	formatting     []*node // the active formatting elements; nil is a marker
	paragraphs     int     // that are open
	buttons        int
	head, form     *node
	framesetOK     bool
	fostering      bool
	quirks         quirks
	known          quirks // of doctype
	doctype        []byte
	blank          blank
	after          int64 // behind the tag that is taken
	afterPre       int64 // where a line break is not taken for text

	noted     *[maxDepth]noted // the elements that skimming has opened, until they are settled
	depth     int              // how many they are
	surveyed  bool             // what follows is known
	nesting   nesting
	tellers   uint64 // names of which an element may be told here without meeting a condition
	drawingAt int64

	done    int64 // tags before this offset have been taken by skimming
	passed  bool  // the tag that is read is one of them
	inert   int   // templates that are open, of which only the first is on the stack
	markers int   // that the templates have left

	token   token
	seen    uint64 // attributes of the tag that have come
	told    parts  // the selectors that lead to the element of the last start tag
	program *program
	free    *node
	root    node // the document
}

// maxDepth is how many elements may be open, and how many formatting elements may be active.
const maxDepth = 512

type namespace uint8

const (
	htmlSpace namespace = iota
	mathSpace
	svgSpace
)

// token is a tag.
type token struct {
	atom    a.Atom
	name    uint64 // names of elements are compared by it
	closing bool
	end     bool
	traits  tokenTraits
	attrs   uint64 // a hash of the attributes
	met     parts  // the conditions of selectors that the attributes meet
	own     parts  // the parts of selectors that the tag meets by itself
	dim     bool   // of which that is not known
}

type tokenTraits uint8

const (
	hidden     tokenTraits = 1 << iota // <input type=hidden>
	breaksFont                         // a <font> that ends foreign elements
	holdsHTML                          // an <annotation-xml> with HTML
	unlike                             // attributes that cannot be compared
)

// node is an element that is open, or may be opened again.
type node struct {
	token
	space    namespace
	dark     bool // nothing in it is chosen
	parent   *node
	isOpen   bool
	first    bool  // among the element children of its parent
	children bool  // it has some
	here     parts // of the selectors, those that lead to this element
	above    parts // and those that lead to it or to one around it
	holders  int   // who points to it
	next     *node // in the list of free ones
}

func (t *tree) reset(p *program) {
	for len(t.open) > 0 {
		t.pop()
	}
	for len(t.formatting) > 0 {
		t.unlist(len(t.formatting) - 1)
	}
	t.setForm(nil)
	if t.head != nil {
		t.release(t.head)
	}
	*t = tree{open: t.open, formatting: t.formatting, noted: t.noted, program: p, free: t.free, doctype: t.doctype, known: t.known, blank: blank{open: t.blank.open[:0]},
		framesetOK: true, afterPre: -1}
}

// lose gives up.
func (t *tree) lose() { t.lost, t.told = true, parts{} }

// step counts the work on the page.
func (t *tree) step() {
	if t.bound--; t.bound < 0 {
		t.lose()
	}
}

// make gives a node for the token.
func (t *tree) make(k *token) *node {
	n := t.blankNode()
	n.token = *k
	return n
}

func (t *tree) blankNode() *node {
	n := t.free
	if n == nil {
		return new(node)
	}
	t.free, n.next = n.next, nil
	return n
}

// release lets go of a node.
func (t *tree) release(n *node) {
	for n != nil && n != &t.root {
		if n.holders--; n.holders > 0 {
			return
		}
		parent := n.parent
		*n = node{next: t.free}
		t.free, n = n, parent
	}
}

func (t *tree) top() *node {
	if len(t.open) == 0 {
		return &t.root
	}
	return t.open[len(t.open)-1]
}

func (t *tree) pop() {
	n := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	t.closed(n)
}

// closed tells that a node has been taken from the stack.
func (t *tree) closed(n *node) {
	t.count(n, -1)
	n.isOpen = false
	t.release(n)
}

func (t *tree) count(n *node, change int) {
	switch {
	case n.space != htmlSpace:
	case n.atom == a.P:
		t.paragraphs += change
	case n.atom == a.Button:
		t.buttons += change
	}
}

func (t *tree) popTo(length int) {
	for len(t.open) > length {
		t.pop()
	}
}

// index gives where a node is on the stack, or -1.
func (t *tree) index(n *node) int {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		if t.open[i] == n {
			return i
		}
	}
	return -1
}

func (t *tree) remove(n *node) {
	if i := t.index(n); i >= 0 {
		t.open = append(t.open[:i], t.open[i+1:]...)
		t.closed(n)
	}
}

// put gives a node its parent.
func (t *tree) put(n, parent *node, first bool) {
	if parent != &t.root {
		parent.holders++
	}
	old := n.parent
	n.parent, n.first = parent, first
	if parent.children = true; old != nil {
		t.release(old)
	}
	t.lead(n)
}

// push opens a node whose parent is known.
func (t *tree) push(n *node) {
	n.holders++
	n.isOpen = true
	t.count(n, 1)
	if t.open = append(t.open, n); len(t.open) > maxDepth {
		t.lose()
	}
}

// add opens an element under the one that is open last.
func (t *tree) add(n *node) {
	n.holders++ // until it is open
	if parent := t.top(); t.fostering && inTables(parent.atom) {
		t.foster(n)
	} else {
		t.put(n, parent, !parent.children)
	}
	t.push(n)
	t.release(n)
}

func inTables(x a.Atom) bool {
	switch x {
	case a.Table, a.Tbody, a.Tfoot, a.Thead, a.Tr:
		return true
	}
	return false
}

// foster puts a node before the table in which it cannot be.
func (t *tree) foster(n *node) {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		if table := t.open[i]; table.atom == a.Table {
			first := table.first
			table.first = false
			t.lead(table)
			for _, below := range t.open[i+1:] {
				if t.step(); below.parent != nil {
					t.lead(below)
				}
			}
			t.put(n, table.parent, first)
			return
		}
	}
	t.lose()
	t.put(n, t.top(), false)
}

// addToken opens the element of the start tag.
func (t *tree) addToken() *node {
	n := t.make(&t.token)
	t.add(n)
	if !n.dark {
		t.told = n.here
	}
	return n
}

// addVoid adds the element of a start tag that has no content.
func (t *tree) addVoid() {
	t.addToken()
	t.pop()
}

// addImplied opens an element that has no tag.
func (t *tree) addImplied(x a.Atom) *node {
	k := token{atom: x, name: nameOf(x.String())}
	t.program.judge(&k)
	n := t.make(&k)
	t.add(n)
	return n
}

func (t *tree) setForm(n *node) {
	if n != nil {
		n.holders++
	}
	if t.form != nil {
		t.release(t.form)
	}
	t.form = n
}

// lead finds out which selectors lead to a node, from what leads to its parent.
func (t *tree) lead(n *node) {
	n.dark = n.dim || n.space != htmlSpace || n.parent.dark
	n.here = t.program.lead(n.own, n.parent, n.first)
	for i := range n.here {
		n.above[i] = n.parent.above[i] | n.here[i]
	}
}

// lead gives the parts that lead to an element that is these by itself.
func (p *program) lead(own parts, up *node, first bool) (here parts) {
	var child, below uint64 // what is carried from one word to the next
	for i := range p.words {
		found := own[i]
		if !first {
			found &^= p.firstChild[i]
		}
		here[i] = found & (p.begins[i] | p.below[i]&(up.above[i]<<1|below) | p.childs[i]&(up.here[i]<<1|child))
		child, below = up.here[i]>>63, up.above[i]>>63
	}
	return here
}

// quirks is in which of the modes of old browsers a page is read, in which a table does not end a paragraph.
type quirks uint8

const (
	noQuirks quirks = iota
	inQuirks
	maybeQuirks // as the document type says
)

// takeDoctype takes the content of a document type declaration, as it is written: the parser that is followed takes
// HTML for another type than html.
func (t *tree) takeDoctype(content []byte) {
	if t.mode != initial || t.lost {
		return
	}
	t.mode = beforeHTML
	if string(content) == " html" {
		return
	}
	t.quirks = maybeQuirks
	if string(content) != string(t.doctype) {
		t.doctype, t.known = append(t.doctype[:0], content...), maybeQuirks
	}
}

// inQuirks says whether the page is in quirks mode, as the parser that is followed has it.
func (t *tree) inQuirks() bool {
	if t.quirks != maybeQuirks {
		return t.quirks == inQuirks
	}
	if t.known == maybeQuirks {
		t.known = noQuirks
		page := "<!doctype" + string(t.doctype) + "><p><table>"
		if document, err := goquery.NewDocumentFromReader(strings.NewReader(page)); err == nil && document.Find("p > table").Length() > 0 {
			t.known = inQuirks
		}
	}
	return t.known == inQuirks
}
