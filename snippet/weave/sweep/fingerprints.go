package sweep

import (
	"math"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// fingerprints finds words by three bytes of each. Each word is in one of eight groups. For each of the three bytes,
// lower and upper say in which groups a byte with this lower or upper half may stand there. So fingerprints may find
// other bytes too, but misses no word.
type fingerprints [3]struct{ lower, upper [16]uint8 }

// nameGroups are the groups of element names. The other groups hold words that matter in tags.
const (
	nameGroups  = 0x1f
	groupsAll   = 8
	groupsNames = 5
)

// trigram has three sets of bytes, one for each byte of a fingerprint.
type trigram [3]string

// groups returns the groups that may hold a word with the three bytes b.
func (f *fingerprints) groups(b []byte) uint8 {
	groups := uint8(0xff)
	for i := range f {
		groups &= f[i].lower[b[i]&15] & f[i].upper[b[i]>>4]
	}
	return groups
}

// add puts one of the trigrams of a word into one of the groups from from up to to. It takes the trigram and the group
// that find the fewest usual trigrams, and then the fewest others. It returns the trigram.
func (f *fingerprints) add(from, to int, word []trigram, usual []string) trigram {
	group, chosen, least := from, word[0], math.MaxInt
	for g := from; g < to; g++ {
		for _, t := range word {
			tried := *f
			tried.put(g, t)
			cost := tried.size(g) - f.size(g)
			for _, u := range usual {
				if tried.groups([]byte(u))&(1<<g) != 0 {
					cost += 1 << 16
				}
			}
			if cost < least {
				group, chosen, least = g, t, cost
			}
		}
	}
	f.put(group, chosen)
	return chosen
}

// mark matches a trigram exactly, in upper and lower case. It is a set of bytes for each of the three.
type mark [3][256 / 64]uint64

func (t *trigram) mark() (m mark) {
	for i, set := range t {
		for _, c := range []byte(set) {
			for _, c := range [...]byte{c, swapCase(c)} {
				m[i][c>>6] |= 1 << (c & 63)
			}
		}
	}
	return m
}

func (m *mark) matches(b []byte) bool {
	found := uint64(1)
	for i, c := range b[:len(m)] {
		found &= m[i][c>>6] >> (c & 63)
	}
	return found != 0
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

// size returns how many sequences of three bytes a group finds.
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
	if token.IsLetter(c) {
		return c ^ 0x20
	}
	return c
}

// ofName returns the trigram at the beginning of an element's name.
func ofName(name string) trigram {
	const ends = " \t\n\f\r/>"
	if len(name) < 3 {
		return trigram{name[:1], name[1:], ends}
	}
	return trigram{name[:1], name[1:2], name[2:3]}
}

// ofValue returns the trigrams of a word in a tag.
func ofValue(value string) (all []trigram) {
	const around = " \t\n\f\r\"'=/>"
	switch len(value) {
	case 1:
		return []trigram{{around, value, around}}
	case 2:
		return []trigram{{value[:1], value[1:], around}}
	}
	for i := range len(value) - 2 {
		all = append(all, trigram{value[i : i+1], value[i+1 : i+2], value[i+2 : i+3]})
	}
	return all
}

// usualNames are beginnings of the names of elements that most pages have. usualValues are trigrams that often stand in
// their tags.
var (
	usualNames  = strings.Fields("a>> b>> br> but del div em> h1> h2> h3> hea i>> img inp ins lab li> mai nav p>> sec sma spa str tab tbo td> th> tr> u>> ul>")
	usualValues = func() (all []string) {
		const text = `itemscope itemtype="https://schema.org/Product" class="item__image product-card col-md-6 container content wrapper button btn--buy active hidden header footer main nav__link menu teaser search-reach each list row text title price icon block inner top left right small large wp-block post entry media social search form field input" ` +
			`href="https://www.example.com/catalog/index.html" src="/static/images/photo.webp" srcset=" sizes=" width=" height=" alt=" style="display:none;color:background-position margin" loading="lazy" data-id=" target="_blank" rel="noopener" type="submit" aria-hidden="true" role="presentation" onclick=" value=" placeholder=" tabindex="`
		for i := range len(text) - 2 {
			all = append(all, text[i:i+3])
		}
		return all
	}()
)

// specialPrints finds the elements whose tags have to be read, and links, which may name a framework.
var specialPrints = func() *fingerprints {
	f := new(fingerprints)
	for _, name := range append(token.Names(token.Special), "link") {
		f.add(0, groupsNames, []trigram{ofName(name)}, usualNames)
	}
	return f
}()
