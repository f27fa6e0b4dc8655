// Package tree follows the tree that browsers make of a page, as far as selectors need it. It owns the open elements and
// the rules by which a tag opens and closes them: the tree construction of the HTML standard (13.2.6), in the order and
// with the names of golang.org/x/net/html. So a selector means the same in the stream as in a parsed page. Who skims a
// page hands it the tags that need more than their names.
package tree

import (
	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// Tree holds the open elements of a page, each with its parent, and whether it is the first child. Reset makes it ready
// for a page.
//
// The tree is lost at a frameset, at an element that is nested too deeply, on a page that costs too much, and where it
// does not agree with the tokenizer on what is markup. From there on it knows nothing, and selectors choose no element.
// They also choose none inside of templates and of foreign elements.
type Tree struct {
	// Bound is what is left of the steps of all loops over the open elements.
	Bound steps.Bound
	// Told are the parts that lead to the element of the last start tag.
	Told selector.Parts

	lost           bool
	mode, original insertionMode
	open           []*node // the stack of open elements
	formatting     []*node // the active formatting elements (HTML standard, 13.2.4.3); nil is a marker
	paragraphs     int     // how many <p> are open
	buttons        int
	head, form     *node
	framesetOK     bool
	fostering      bool
	quirks         quirks
	known          quirks // whether doctype means quirks mode
	doctype        []byte
	blank          token.Blank
	after          int64    // offset behind the tag that the tree takes
	afterPre       int64    // offset at which a line break is no text, behind <pre>
	inert          []a.Atom // the first open template, and what is open in it of the elements that decide how it ends

	tag     tag
	seen    uint64 // bit 0 for the type or the encoding, the others for keys of the program
	program *selector.Program
	free    *node
	root    node // the document
}

type namespace uint8

const (
	htmlSpace namespace = iota
	mathSpace
	svgSpace
)

// node is an element that is open, or that the tree may open again.
type node struct {
	tag
	space    namespace
	dark     bool // selectors choose neither it nor an element in it
	parent   *node
	isOpen   bool
	first    bool           // it is the first child element of its parent
	children bool           // it has child elements
	here     selector.Parts // the parts that lead to this element
	above    selector.Parts // the parts that lead to it or to an element around it
	holders  int            // how many pointers to it there are
	next     *node          // in the list of free nodes
}

// Reset makes the tree ready for a page. The program holds the selectors.
func (t *Tree) Reset(p *selector.Program) {
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
	*t = Tree{open: t.open, formatting: t.formatting, program: p, free: t.free, doctype: t.doctype, known: t.known, blank: t.blank.Reset(),
		inert: t.inert[:0], framesetOK: true, afterPre: -1}
}

// Lost says whether the tree knows nothing any more.
func (t *Tree) Lost() bool { return t.lost }

// lose gives the page up. Selectors choose nothing any more.
func (t *Tree) lose() { t.lost, t.Told = true, selector.Parts{} }

// step counts a step of work, and gives the page up when the page has cost too many.
func (t *Tree) step() {
	if t.Bound--; t.Bound < 0 {
		t.lose()
	}
}

// make returns a node for the token.
func (t *Tree) make(k *tag) *node {
	n := t.blankNode()
	n.tag = *k
	return n
}

func (t *Tree) blankNode() *node {
	n := t.free
	if n == nil {
		return new(node)
	}
	t.free, n.next = n.next, nil
	return n
}

// release gives up a pointer to a node. It frees the node, and then its parents, when nothing points to them.
func (t *Tree) release(n *node) {
	for n != nil && n != &t.root {
		if n.holders--; n.holders > 0 {
			return
		}
		parent := n.parent
		*n = node{next: t.free}
		t.free, n = n, parent
	}
}

func (t *Tree) top() *node {
	if len(t.open) == 0 {
		return &t.root
	}
	return t.open[len(t.open)-1]
}

func (t *Tree) pop() {
	n := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	t.closed(n)
}

// closed does what is due when a node has left the stack.
func (t *Tree) closed(n *node) {
	t.count(n, -1)
	n.isOpen = false
	t.release(n)
}

func (t *Tree) count(n *node, change int) {
	switch {
	case n.space != htmlSpace:
	case n.atom == a.P:
		t.paragraphs += change
	case n.atom == a.Button:
		t.buttons += change
	}
}

func (t *Tree) popTo(length int) {
	for len(t.open) > length {
		t.pop()
	}
}

// index returns a node's index on the stack, or -1.
func (t *Tree) index(n *node) int {
	for i := len(t.open) - 1; i >= 0; i-- {
		t.step()
		if t.open[i] == n {
			return i
		}
	}
	return -1
}

func (t *Tree) remove(n *node) {
	if i := t.index(n); i >= 0 {
		t.open = append(t.open[:i], t.open[i+1:]...)
		t.closed(n)
	}
}

// put gives a node its parent. first says whether the node is the parent's first child element.
func (t *Tree) put(n, parent *node, first bool) {
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

// push puts a node that has a parent on the stack.
func (t *Tree) push(n *node) {
	n.holders++
	n.isOpen = true
	t.count(n, 1)
	if t.open = append(t.open, n); len(t.open) > nest.MaxDepth {
		t.lose()
	}
}

// add opens a node as a child of the last open element. While t.fostering is set, foster places a node that would be a
// child of a table.
func (t *Tree) add(n *node) {
	n.holders++ // add holds the node until it is open
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

// foster puts a node before the table that cannot hold it (HTML standard, 13.2.6.1).
func (t *Tree) foster(n *node) {
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

// addToken opens the element of the start tag. Selectors may choose it.
func (t *Tree) addToken() *node {
	n := t.make(&t.tag)
	t.add(n)
	if !n.dark {
		t.Told = n.here
	}
	return n
}

// addVoid adds the element of a start tag without content.
func (t *Tree) addVoid() {
	t.addToken()
	t.pop()
}

// addImplied opens an element that has no tag in the page.
func (t *Tree) addImplied(x a.Atom) *node {
	k := tag{atom: x, name: token.NumberOf(x.String())}
	k.own = t.program.Own(k.name, &k.met)
	n := t.make(&k)
	t.add(n)
	return n
}

func (t *Tree) setForm(n *node) {
	if n != nil {
		n.holders++
	}
	if t.form != nil {
		t.release(t.form)
	}
	t.form = n
}

// lead sets the parts that lead to a node from those that lead to its parent.
func (t *Tree) lead(n *node) {
	n.dark = n.dim || n.space != htmlSpace || n.parent.dark
	n.here = t.program.Lead(&n.own, &n.parent.here, &n.parent.above, n.first)
	for i := range n.here {
		n.above[i] = n.parent.above[i] | n.here[i]
	}
}
