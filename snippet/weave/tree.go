package weave

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	a "golang.org/x/net/html/atom"

	"github.com/seed-3405227d/frontdesk/snippet/steps"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// tree follows the tree that browsers make of a page, as far as selectors need it. It holds the open elements, each
// with its parent, and whether it is the first child. It follows the tree construction of the HTML standard (13.2.6),
// in the order and with the names of golang.org/x/net/html. So a selector means the same in the stream as in a parsed
// page.
//
// The tree is lost at a frameset, at an element that is nested too deeply, on a page that costs too much, and where it
// does not agree with the tokenizer on what is markup. From there on it knows nothing, and selectors choose no element.
// They also choose none inside of templates and of foreign elements.
type tree struct {
	lost  bool
	bound steps.Bound // of all loops over the open elements

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
	after          int64 // offset behind the tag that the tree takes
	afterPre       int64 // offset at which a line break is no text, behind <pre>

	noted     *[maxDepth]noted // the elements that skimming has opened, until settle opens them in the tree
	depth     int              // how many elements are noted
	surveyed  bool             // nesting and tellers are set
	nesting   nesting
	tellers   uint64 // names of elements that a selector may choose here even if their attributes meet no condition
	drawingAt int64

	done    int64 // skimming has taken the tags before this offset
	passed  bool  // skimming has taken the tag that is being read
	inert   int   // how many templates are open; only the first is on the stack
	markers int   // how many markers and foreign elements the templates have left open

	tag     tag
	seen    uint64 // bit 0 for the type or the encoding, the others for keys of the program
	told    parts  // the parts that lead to the element of the last start tag
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

// tag is a tag.
type tag struct {
	atom    a.Atom
	name    uint64 // the number of the name; see nameOf
	closing bool
	end     bool
	traits  tokenTraits
	attrs   uint64 // a hash of the attributes
	met     parts  // the conditions that the attributes meet
	own     parts  // the parts that the tag meets by itself
	dim     bool   // met and own are not known
}

type tokenTraits uint8

const (
	hidden     tokenTraits = 1 << iota // <input type=hidden>
	breaksFont                         // a <font> that closes foreign elements
	holdsHTML                          // an <annotation-xml> that holds HTML
	unlike                             // its attributes cannot be compared with those of another tag
)

// node is an element that is open, or that the tree may open again.
type node struct {
	tag
	space    namespace
	dark     bool // selectors choose neither it nor an element in it
	parent   *node
	isOpen   bool
	first    bool  // it is the first child element of its parent
	children bool  // it has child elements
	here     parts // the parts that lead to this element
	above    parts // the parts that lead to it or to an element around it
	holders  int   // how many pointers to it there are
	next     *node // in the list of free nodes
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
	*t = tree{open: t.open, formatting: t.formatting, noted: t.noted, program: p, free: t.free, doctype: t.doctype, known: t.known, blank: t.blank.Reset(),
		framesetOK: true, afterPre: -1}
}

// lose gives the page up. Selectors choose nothing any more.
func (t *tree) lose() { t.lost, t.told = true, parts{} }

// step counts a step of work, and gives the page up when the page has cost too many.
func (t *tree) step() {
	if t.bound--; t.bound < 0 {
		t.lose()
	}
}

// make returns a node for the token.
func (t *tree) make(k *tag) *node {
	n := t.blankNode()
	n.tag = *k
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

// release gives up a pointer to a node. It frees the node, and then its parents, when nothing points to them.
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

// closed does what is due when a node has left the stack.
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

// index returns a node's index on the stack, or -1.
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

// put gives a node its parent. first says whether the node is the parent's first child element.
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

// push puts a node that has a parent on the stack.
func (t *tree) push(n *node) {
	n.holders++
	n.isOpen = true
	t.count(n, 1)
	if t.open = append(t.open, n); len(t.open) > maxDepth {
		t.lose()
	}
}

// add opens a node as a child of the last open element. While t.fostering is set, foster places a node that would be a
// child of a table.
func (t *tree) add(n *node) {
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

// addToken opens the element of the start tag. Selectors may choose it.
func (t *tree) addToken() *node {
	n := t.make(&t.tag)
	t.add(n)
	if !n.dark {
		t.told = n.here
	}
	return n
}

// addVoid adds the element of a start tag without content.
func (t *tree) addVoid() {
	t.addToken()
	t.pop()
}

// addImplied opens an element that has no tag in the page.
func (t *tree) addImplied(x a.Atom) *node {
	k := tag{atom: x, name: token.NumberOf(x.String())}
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

// lead sets the parts that lead to a node from those that lead to its parent.
func (t *tree) lead(n *node) {
	n.dark = n.dim || n.space != htmlSpace || n.parent.dark
	n.here = t.program.lead(n.own, n.parent, n.first)
	for i := range n.here {
		n.above[i] = n.parent.above[i] | n.here[i]
	}
}

// lead returns the parts that lead to an element. own are the parts that the element meets by itself, and up is its
// parent.
func (p *program) lead(own parts, up *node, first bool) (here parts) {
	var child, below uint64 // the highest bits of the word before
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

// quirks says whether the page is in quirks mode. In quirks mode, a table does not end a paragraph.
type quirks uint8

const (
	noQuirks quirks = iota
	inQuirks
	maybeQuirks // the document type decides
)

// takeDoctype takes the content of a document type declaration. It needs the content as it is written, since
// golang.org/x/net/html takes "HTML" for another type than "html".
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

// inQuirks says whether golang.org/x/net/html reads the page in quirks mode.
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
