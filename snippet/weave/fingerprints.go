package weave

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// fingerprints find words by three bytes of each. The words are in eight groups, and a byte's two halves say
// of which groups it may be the first, second or third byte. So more is found than there is; nothing is missed.
type fingerprints [3]struct{ lower, upper [16]uint8 }

// nameGroups are those of elements, the others those of what is of account in tags.
const (
	nameGroups  = 0x1f
	groupsAll   = 8
	groupsNames = 5
)

// trigram has three sets of bytes.
type trigram [3]string

// groups of which b may be a fingerprint.
func (f *fingerprints) groups(b []byte) uint8 {
	groups := uint8(0xff)
	for i := range f {
		groups &= f[i].lower[b[i]&15] & f[i].upper[b[i]>>4]
	}
	return groups
}

// add puts trigrams into the groups from one to another, each where the fewest of the usual names, and the fewest others,
// are found with it.
func (f *fingerprints) add(from, to int, all []trigram, usual ...string) {
	for _, t := range all {
		best, least := from, math.MaxInt
		for g := from; g < to; g++ {
			tried := *f
			tried.put(g, t)
			cost := tried.size(g) - f.size(g)
			for _, name := range usual {
				if tried.groups([]byte(name + ">>")[:3])&(1<<g) != 0 {
					cost += 1 << 20
				}
			}
			if cost < least {
				best, least = g, cost
			}
		}
		f.put(best, t)
	}
}

func (f *fingerprints) put(group int, t trigram) {
	for i, set := range t {
		for _, c := range []byte(set) {
			for _, c := range [...]byte{c, swapCase(c)} {
				f[i].lower[c&15] |= 1 << group
				f[i].upper[c>>4] |= 1 << group
			}
		}
	}
}

// size is how many threes of bytes a group finds.
func (f *fingerprints) size(group int) int {
	n := 1
	for i := range f {
		lower, upper := 0, 0
		for k := range 16 {
			lower += int(f[i].lower[k] >> group & 1)
			upper += int(f[i].upper[k] >> group & 1)
		}
		n *= lower * upper
	}
	return n
}

func swapCase(c byte) byte {
	if isLetter(c) {
		return c ^ 0x20
	}
	return c
}

// ofName is the fingerprint of an element's name, at its beginning.
func ofName(name string) trigram {
	const ends = " \t\n\f\r/>"
	if len(name) < 3 {
		return trigram{name[:1], name[1:], ends}
	}
	return trigram{name[:1], name[1:2], name[2:3]}
}

// ofValue is a fingerprint of a word in a tag: the three of its bytes that are the least usual.
func ofValue(value string) trigram {
	const around = " \t\n\f\r\"'=/>"
	if n := len(value); n < 3 {
		return [...]trigram{1: {around, value, around}, 2: {value[:1], value[1:], around}}[n]
	}
	best, rarest := 0, -1
	for i := range len(value) - 2 {
		rare := 0
		for _, c := range []byte(value[i : i+3]) {
			usual := strings.IndexByte("eatinsrolcdpmuhgbfvywkx-_jqz", lower(c))
			if usual < 0 {
				usual = 16
			}
			rare += bits.Len(uint(usual))
		}
		if rare > rarest {
			best, rarest = i, rare
		}
	}
	return trigram{value[best : best+1], value[best+1 : best+2], value[best+2 : best+3]}
}

// specialPrints are those of the elements that have to be read, and of links, which may name a framework.
var specialPrints = func() *fingerprints {
	f := new(fingerprints)
	prints := []trigram{ofName("link")}
	for _, name := range specialNames() {
		prints = append(prints, ofName(name))
	}
	f.add(0, groupsNames, prints, strings.Fields("a b br button del div em h1 h2 h3 header i img input ins label li main nav p section small span strong table tbody td th thead tr u ul")...)
	return f
}()

// specialNames are those of the elements that have to be read.
func specialNames() (names []string) {
	for _, e := range elements {
		if e.traits&special != 0 {
			names = append(names, e.name.String())
		}
	}
	for name, t := range longElements {
		if t&special != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
