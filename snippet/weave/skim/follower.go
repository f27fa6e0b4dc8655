package skim

import (
	"github.com/seed-3405227d/frontdesk/snippet/weave/nest"
	"github.com/seed-3405227d/frontdesk/snippet/weave/selector"
	"github.com/seed-3405227d/frontdesk/snippet/weave/sweep"
	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
	"github.com/seed-3405227d/frontdesk/snippet/weave/tree"
)

// Follower follows the tree of a page of which parts are skimmed. The elements of those are only noted, by their names.
// The tree takes what is noted when it needs it: when a tag is read, and when a tag closes other elements than the last
// one. Reset makes it ready for a page.
type Follower struct {
	tree.Tree
	nest   nest.Stack
	passed bool // skimming has taken the tag that is being read
}

// Reset makes the follower ready for a page. The program holds the selectors.
func (f *Follower) Reset(p *selector.Program) {
	f.Tree.Reset(p)
	f.nest.Reset(f)
	f.passed = false
}

// Skims says whether text cannot change the tree here, so that it may be skimmed.
func (f *Follower) Skims() bool { return f.nest.Begun || f.Steady() }

// Text takes the text b at offset at, which is not raw text.
func (f *Follower) Text(at int64, b []byte) {
	if !f.nest.Begun && at >= f.nest.Done {
		f.Tree.Text(at, b)
	}
}

// Begin begins the tag t, whose "<" is at offset at.
func (f *Follower) Begin(at int64, t *token.Tag) {
	if f.passed = at < f.nest.Done; !f.passed && !f.Lost() {
		f.Settle()
		f.Tree.Begin(t)
	}
}

// Attribute takes an attribute of the tag. If several have the same name, the first counts.
func (f *Follower) Attribute(a *token.Attribute) {
	if !f.passed {
		f.Tree.Attribute(a)
	}
}

// Finish takes the tag, which ends before the offset after; see [tree.Tree.Finish].
func (f *Follower) Finish(after int64, t *token.Tag, raw bool, foreign *token.Foreign) {
	if f.passed {
		f.Told = selector.Parts{}
		return
	}
	f.Tree.Finish(after, t, raw, foreign)
}

// Settle opens the noted elements in the tree.
func (f *Follower) Settle() { f.Tree.Settle(&f.nest) }

// Survey begins to note elements. It implements [nest.Follower].
func (f *Follower) Survey() { f.Tree.Survey(&f.nest) }

// Unusual follows a tag that the stack cannot take by itself: p[i:after], at offset at of the page. It returns false if
// the tag, or the text behind it, has to be read. It implements [nest.Follower].
func (f *Follower) Unusual(p []byte, i, after int, at int64) bool {
	name, behind, start := token.TagWord(p, i+1)
	plain := p[behind] == '>'
	if !start {
		return plain && f.end(at, name)
	}
	e := nest.Of(name)
	switch {
	case name == 0:
		return false
	case !f.nest.Takes(e):
		return f.start(at, name, e, plain)
	case !f.spares(name):
		return false
	}
	size := 8 * (behind - i - 1)
	switch e.Kind {
	case nest.Void:
		f.nest.NoteChild(at)
		return true
	case nest.Formatting:
		// The tree has to compare the attributes with those of the open formatting elements. Of <a>, only one is open.
		if !plain && name != anchor && !endsAtOnce(p, after, name) {
			return false
		}
	case nest.Drawing:
		f.nest.NoteDrawing(e, name, size, plain, at)
		return true
	case nest.Shape:
		if f.nest.InDrawing() && p[after-2] == '/' {
			f.nest.Done = at + 1
			return p[after-3] == '"' || p[after-3] == '\'' || p[after-3] == ' '
		}
	}
	f.nest.Note(e, name, size, plain, at)
	return true
}

var anchor = token.WordOf("a")

// endsAtOnce says whether the end tag stands right behind the start tag, as the tags of icons do.
func endsAtOnce(p []byte, after int, name token.Word) bool {
	if len(p)-after < sweep.Room/2 || p[after] != '<' {
		return false
	}
	ended, _, start := token.TagWord(p, after+1)
	return ended == name && !start
}

// start takes a start tag that cannot be noted, since it closes other elements or is moved out of a table. It returns
// false if the tag, or the text behind it, has to be read. The new element's parent is not known yet, so the tag is read
// if the last part of any selector fits its name.
func (f *Follower) start(at int64, name token.Word, e *nest.Element, plain bool) bool {
	switch {
	case f.nest.InDrawing(), f.MayChoose(name), e.Kind == nest.Read, e.Kind == nest.Drawing,
		e.Kind == nest.Taken && f.nest.Nesting&nest.TableOpen != 0, e.Kind == nest.Formatting && !plain:
		return false
	}
	f.Settle()
	f.TakeBare(name, false, plain)
	f.nest.Done = at + 1
	return f.Skims()
}

// end takes an end tag. It returns false if the tag, or the text behind it, has to be read.
func (f *Follower) end(at int64, name token.Word) bool {
	if f.nest.Close(at, name) {
		return true
	}
	if name == 0 || f.nest.InDrawing() {
		return false
	}
	f.Settle()
	f.TakeBare(name, true, true)
	f.nest.Done = at + 1
	return f.Skims()
}

// spares says whether no selector chooses an element of this name here, if its attributes meet no condition.
func (f *Follower) spares(name token.Word) bool {
	if !f.nest.Tells(name) || f.nest.InDrawing() {
		return true
	}
	f.Settle()
	chosen := f.Chooses(name)
	f.Survey()
	return !chosen
}

// aside adds an element that is skipped together with its content, a script or a style. Its tag is at offset at. It
// returns false if the element has to be read.
func (f *Follower) aside(at int64, name token.Word) bool {
	if at < f.nest.Done {
		return true
	}
	if !f.nest.Begun {
		f.Survey()
	}
	if !f.spares(name) {
		return false
	}
	f.nest.NoteChild(at)
	return true
}
