package weave

// tagKind is what two bytes behind a "<" say.
type tagKind uint8

const (
	unsure     tagKind = iota
	flowing            // an inline element, or an unknown one
	breaking           // most likely one that begins a line
	itemOrLink         // <li>, or <link>
)

// kinds are sure of all start tags whose first two letters no special element has.
var kinds = gatherKinds()

func gatherKinds() *[1 << 16]tagKind {
	kinds := new([1 << 16]tagKind)
	set := func(a, b byte, k tagKind) {
		for _, a := range [...]byte{a, a &^ 0x20} {
			kinds[uint16(a)|uint16(b)<<8] = k
			if isLetter(b) {
				kinds[uint16(a)|uint16(b&^0x20)<<8] = k
			}
		}
	}
	for a := byte('a'); a <= 'z'; a++ {
		for b := range byte(128) {
			if isLetter(b) && b >= 'a' || b == ' ' || b == '\n' || b == '>' || '1' <= b && b <= '6' {
				set(a, b, flowing)
			}
		}
	}
	mark := func(name string, t traits) {
		b := byte('>')
		if len(name) > 1 {
			b = name[1]
		}
		k := &kinds[uint16(name[0])|uint16(b)<<8]
		switch {
		case name == "link":
		case name == "li":
			set('l', 'i', itemOrLink)
		case t&special != 0:
			set(name[0], b, unsure)
		case t&breaks != 0 && *k == flowing:
			set(name[0], b, breaking)
			if len(name) == 1 {
				set(name[0], ' ', breaking)
			}
		}
	}
	for _, e := range elements {
		if e.name != 0 {
			mark(e.name.String(), e.traits)
		}
	}
	for name, t := range longElements {
		mark(name, t)
	}
	return kinds
}
