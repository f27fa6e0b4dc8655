package weave

import "github.com/seed-3405227d/frontdesk/snippet/weave/token"

// picture is a <picture> whose image has not come yet. Browsers prefer the sources of a <picture> to the address of its
// image.
type picture struct {
	open    bool
	at      int64
	sources []value // addresses of its <source> elements
}

func (p *picture) tag(e *element, t *token.Tag) {
	if t.Is("picture") {
		*p = picture{open: true, at: e.at, sources: p.sources[:0]}
	}
}

func (p *picture) endTag(t *token.Tag) {
	if t.Is("picture") {
		p.open = false
	}
}

// source notes an address of a <source>.
func (p *picture) source(a *token.Attribute) {
	if p.open && !a.ValueCut && a.At > 0 && len(p.sources) < maxSources {
		p.sources = append(p.sources, value{at: a.At, to: len(a.Value), bare: a.Bare})
	}
}

const maxSources = 32

// changeSources replaces the addresses of the picture's sources by the image's new address. The image's tag ends before
// the offset after.
func (s *scanner) changeSources(after int64, url string) {
	p := &s.picture
	if !p.open || after-p.at > maxPicture {
		return
	}
	for _, v := range p.sources {
		s.edits.Write(v.at, v.at+int64(v.to), url, v.bare)
	}
}
