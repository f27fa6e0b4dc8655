package tree

import (
	"slices"

	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
)

// list appends a node to the active formatting elements. nil is a marker.
func (t *Tree) list(n *node) {
	if n != nil {
		n.holders++
	}
	if t.formatting = append(t.formatting, n); len(t.formatting) > nest.MaxDepth {
		t.lose()
	}
}

func (t *Tree) unlist(i int) {
	n := t.formatting[i]
	if t.formatting = slices.Delete(t.formatting, i, i+1); n != nil {
		t.release(n)
	}
}

func (t *Tree) unlistNode(n *node) {
	if i := t.listed(n); i >= 0 {
		t.unlist(i)
	}
}

// listed returns a node's index among the active formatting elements, or -1.
func (t *Tree) listed(n *node) int {
	for i := len(t.formatting) - 1; i >= 0; i-- {
		t.step()
		if t.formatting[i] == n {
			return i
		}
	}
	return -1
}

// clearFormatting drops the active formatting elements down to the last marker, and the marker.
func (t *Tree) clearFormatting() {
	for len(t.formatting) > 0 {
		t.step()
		n := t.formatting[len(t.formatting)-1]
		if t.unlist(len(t.formatting) - 1); n == nil {
			return
		}
	}
}

// addFormatting opens a formatting element. Of elements that are alike, at most three stay active (HTML standard,
// 13.2.4.3).
func (t *Tree) addFormatting() {
	n := t.addToken()
	alike, unsure := 0, false
	for i := len(t.formatting) - 1; i >= 0 && t.formatting[i] != nil; i-- {
		t.step()
		other := t.formatting[i]
		doubtful := (other.traits|n.traits)&unlike != 0
		if other.space != htmlSpace || other.atom != n.atom || !doubtful && other.attrs != n.attrs {
			continue
		}
		unsure = unsure || doubtful
		if alike++; alike < 3 {
			continue
		}
		if unsure {
			t.lose()
			return
		}
		t.unlist(i)
	}
	t.list(n)
}

// reconstruct opens again the active formatting elements that other elements have closed.
func (t *Tree) reconstruct() {
	i := len(t.formatting)
	for i > 0 && t.formatting[i-1] != nil && !t.formatting[i-1].isOpen {
		t.step()
		i--
	}
	for ; i < len(t.formatting) && !t.lost; i++ {
		t.step()
		t.add(t.again(i))
	}
}

// again replaces the active formatting element at i by a new node of the same tag, and returns the new node.
func (t *Tree) again(i int) *node {
	old := t.formatting[i]
	n := t.make(&old.tag)
	n.holders++
	t.formatting[i] = n
	t.release(old)
	return n
}

// adopt takes the end tag of a formatting element by the adoption agency algorithm (HTML standard, 13.2.6.4.7). Other
// elements may still be open in the formatting element.
func (t *Tree) adopt() {
	x := t.tag.atom
	if n := t.top(); n.name == t.tag.name && t.listed(n) < 0 {
		t.pop()
		return
	}
	for range 8 {
		i := len(t.formatting) - 1
		for i >= 0 && t.formatting[i] != nil && t.formatting[i].atom != x {
			t.step()
			i--
		}
		if i < 0 || t.formatting[i] == nil {
			t.endOther()
			return
		}
		element := t.formatting[i]
		at := t.index(element)
		if at < 0 {
			t.unlist(i)
			return
		}
		if t.inScope(defaultScope, x) < 0 || t.lost {
			return
		}
		block := at
		for block < len(t.open) && !t.open[block].special() {
			t.step()
			block++
		}
		if block == len(t.open) {
			t.popTo(at)
			t.unlistNode(element)
			return
		}
		if t.lost || at == 0 {
			t.lose()
			return
		}
		t.adoptBlock(element, at, block)
	}
}

// adoptBlock moves the block, which is the open element at index block, out of the formatting element at index at. It
// puts a new element of the same tag into the block.
func (t *Tree) adoptBlock(element *node, at, block int) {
	furthest, ancestor := t.open[block], t.open[at-1]
	element.holders++
	defer t.release(element)
	bookmark := t.listed(element)
	last := furthest
	for x, j := block-1, 1; x > at; x, j = x-1, j+1 {
		t.step()
		n := t.open[x]
		i := t.listed(n)
		if j > 3 && i >= 0 {
			t.unlist(i)
			if i <= bookmark {
				bookmark--
			}
			// golang.org/x/net/html leaves it on the stack too, until the next round finds it unlisted.
			continue
		}
		if i < 0 {
			t.remove(n)
			continue
		}
		n.isOpen = false
		fresh := t.again(i)
		t.open[x] = fresh
		fresh.holders++
		fresh.isOpen = true
		t.release(n)
		if last == furthest {
			bookmark = i + 1
		}
		t.put(last, fresh, true)
		last = fresh
	}
	if inTables(ancestor.atom) {
		t.foster(last)
	} else {
		t.put(last, ancestor, !ancestor.children)
	}

	// All children of the block move into the new element.
	i := t.listed(element)
	if i < 0 {
		t.lose()
		return
	}
	fresh := t.make(&element.tag)
	fresh.holders++
	fresh.children = furthest.children
	fresh.parent = furthest
	furthest.holders++
	for _, n := range t.open {
		t.step()
		if n.parent == furthest {
			t.put(n, fresh, n.first)
		}
	}
	fresh.children = furthest.children
	t.lead(fresh)
	fresh.first = true
	furthest.children = true
	if i < bookmark {
		bookmark--
	}
	t.unlist(i)
	t.formatting = slices.Insert(t.formatting, min(bookmark, len(t.formatting)), fresh)
	fresh.holders++

	t.remove(element)
	t.open = slices.Insert(t.open, t.index(furthest)+1, fresh)
	fresh.isOpen = true
	t.leadAll()
}

// leadAll finds out again which parts lead to the open elements.
func (t *Tree) leadAll() {
	for _, n := range t.open {
		t.step()
		if p := n.parent; p != &t.root && !p.isOpen {
			n.dim = true // the parts that lead to its parent are out of date
		}
		t.lead(n)
	}
}
