// Package diff shows people in which lines two pages differ. The command that rewrites pages asks it.
package diff

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Print writes the lines in which two pages differ, in the unified form without
// context. Of long lines only what is around the changes is written. In color, the
// changes inside of lines are marked.
func Print(w io.Writer, name, before, after string, color bool) error {
	paint := painter(color)
	old, fresh := strings.Split(before, "\n"), strings.Split(after, "\n")
	b := new(strings.Builder)
	fmt.Fprintf(b, "--- %s\n+++ %s, as it is shown\n", name, name)
	for _, c := range compare(old, fresh) {
		b.WriteString(paint(place, fmt.Sprintf("@@ -%s +%s @@", c.old, c.fresh)) + "\n")
		removed, added := old[c.old.from:c.old.to], fresh[c.fresh.from:c.fresh.to]
		var oldMarks, freshMarks [][]stretch
		for i := range max(len(removed), len(added)) {
			var was, is string
			if i < len(removed) {
				was = removed[i]
			}
			if i < len(added) {
				is = added[i]
			}
			left, right := marks(was, is)
			oldMarks, freshMarks = append(oldMarks, left), append(freshMarks, right)
		}
		for i, line := range removed {
			b.WriteString(paint(gone, "-") + excerpt(line, oldMarks[i], func(s string) string { return paint(gone, s) }) + "\n")
		}
		for i, line := range added {
			b.WriteString(paint(come, "+") + excerpt(line, freshMarks[i], func(s string) string { return paint(come, s) }) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The colors of terminals (ECMA-48, SGR).
const (
	gone  = "31"
	come  = "32"
	place = "36"
)

func painter(color bool) func(code, text string) string {
	return func(code, text string) string {
		if !color || text == "" {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
}

// stretch is a part of a list or of a text.
type stretch struct{ from, to int }

// String is how the unified form writes a stretch of lines.
func (s stretch) String() string {
	switch s.to - s.from {
	case 0:
		return fmt.Sprintf("%d,0", s.from)
	case 1:
		return fmt.Sprint(s.from + 1)
	}
	return fmt.Sprintf("%d,%d", s.from+1, s.to-s.from)
}

// change is a stretch in which two lists differ.
type change struct{ old, fresh stretch }

// maxApart is how far the lists are searched for where they agree again. Numbers
// change a page in few places and never far.
const maxApart = 64

// compare finds the changes from one list to another.
func compare(old, fresh []string) []change {
	var changes []change
	for i, j := 0, 0; i < len(old) || j < len(fresh); {
		if i < len(old) && j < len(fresh) && old[i] == fresh[j] {
			i, j = i+1, j+1
			continue
		}
		m, n := agreement(old[i:], fresh[j:])
		changes = append(changes, change{stretch{i, i + m}, stretch{j, j + n}})
		i, j = i+m, j+n
	}
	return changes
}

// agreement is the nearest place at which the lists are the same again.
func agreement(old, fresh []string) (m, n int) {
	for apart := 1; apart <= maxApart; apart++ {
		for m := min(apart, len(old)); m >= 0; m-- {
			if n := apart - m; m < len(old) && n < len(fresh) && old[m] == fresh[n] {
				return m, n
			}
		}
	}
	return len(old), len(fresh)
}

// marks are the places in which a line and what became of it differ, by words.
func marks(was, is string) (old, fresh []stretch) {
	wasWords, isWords := words(was), words(is)
	at := func(list []string) []int {
		offsets := []int{0}
		for _, word := range list {
			offsets = append(offsets, offsets[len(offsets)-1]+len(word))
		}
		return offsets
	}
	wasAt, isAt := at(wasWords), at(isWords)
	for _, c := range compare(wasWords, isWords) {
		old = append(old, stretch{wasAt[c.old.from], wasAt[c.old.to]})
		fresh = append(fresh, stretch{isAt[c.fresh.from], isAt[c.fresh.to]})
	}
	return old, fresh
}

// words cuts a line behind spaces and at the borders of tags.
func words(line string) []string {
	var list []string
	for start, i := 0, 0; i < len(line); i++ {
		if i+1 == len(line) || line[i] == ' ' || line[i] == '>' || line[i+1] == '<' {
			list = append(list, line[start:i+1])
			start = i + 1
		}
	}
	return list
}

const (
	longLine = 160 // bytes from which on a line is not shown whole
	around   = 40  // bytes that are shown around a change then
)

// excerpt is the line with its marks, or what is around them.
func excerpt(line string, marks []stretch, paint func(string) string) string {
	var b strings.Builder
	text := func(from, to int, first, last bool) {
		switch {
		case len(line) <= longLine, to-from <= 2*around:
			b.WriteString(visible(line[from:to]))
			return
		case !first:
			b.WriteString(visible(line[from:runeStart(line, from+around)]))
		}
		b.WriteString("…")
		if !last {
			b.WriteString(visible(line[runeStart(line, to-around):to]))
		}
	}
	at := 0
	for i, m := range marks {
		text(at, m.from, i == 0, false)
		b.WriteString(paint(visible(line[m.from:m.to])))
		at = m.to
	}
	text(at, len(line), len(marks) == 0, true)
	return b.String()
}

// runeStart is the beginning of the character at i. Text that is not UTF-8 has none, and may be cut anywhere.
func runeStart(text string, i int) int {
	for start := i; start >= 0 && start > i-utf8.UTFMax; start-- {
		if start == len(text) || utf8.RuneStart(text[start]) {
			return start
		}
	}
	return i
}

// visible is text that does nothing to a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return -1
		case r != '\t' && unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, text)
}
