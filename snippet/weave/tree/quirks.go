package tree

import (
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/seed-3405227d/frontdesk/snippet/weave/token"
)

// quirks says whether the page is in quirks mode. In quirks mode, a table does not end a paragraph.
type quirks uint8

const (
	noQuirks quirks = iota
	inQuirks
	maybeQuirks // the document type decides
)

// Doctype takes the content of a document type declaration. It needs the content as it is written, since
// golang.org/x/net/html takes "HTML" for another type than "html".
func (t *Tree) Doctype(content []byte) {
	if t.mode != initial || t.lost {
		return
	}
	if len(content) == token.MaxDoctype {
		t.lose() // what is cut off may decide
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
func (t *Tree) inQuirks() bool {
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
