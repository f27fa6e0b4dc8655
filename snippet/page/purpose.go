package page

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/snippet/page/header"
)

// Purpose is what an answer is asked for, as far as the request tells.
type Purpose uint8

const (
	// Unsaid: nothing tells, as with programs that are no browsers.
	Unsaid Purpose = iota
	// ForDocument: a browser shows it as a page.
	ForDocument
	// ForFrame: a browser shows it within a page.
	ForFrame
	// ForPart: a script asks for a part of a page, or for a page's data.
	ForPart
	// ForElement: a page asks for something else, such as a picture or a style.
	ForElement
)

// IsFetch tells whether a page, or a script of it, asks: this begins no visit.
func (p Purpose) IsFetch() bool { return p > ForDocument }

// partMarks are fields by which scripts of frameworks say that they ask for data or for
// a part of a page.
var partMarks = [...]string{"Rsc", "X-Nextjs-Data", "Next-Router-State-Tree", "Hx-Request", "Turbo-Frame", "X-Pjax"}

// PurposeOf tells what a request asks for by its headers and its path. Browsers say so
// by Sec-Fetch-Dest (Fetch Metadata, section 2.1), but only where the connection is
// secure; scripts by fields of their own.
func PurposeOf(h http.Header, path string) Purpose {
	switch header.Value(h, "Sec-Fetch-Dest") {
	case "document":
		return ForDocument
	case "iframe", "frame", "fencedframe", "embed", "object":
		return ForFrame
	case "":
		if isPart(h, path) {
			return ForPart
		}
		return acceptedFor(h)
	}
	if isPart(h, path) || strings.HasPrefix(header.Value(h, "Accept"), "text/html") {
		return ForPart
	}
	return ForElement
}

func isPart(h http.Header, path string) bool {
	for _, mark := range partMarks {
		if len(h[mark]) > 0 {
			return true
		}
	}
	// The apps around a WebView put their names there, with documents too.
	return strings.EqualFold(header.Value(h, "X-Requested-With"), "XMLHttpRequest") || isDataPath(path)
}

// acceptedFor tells the purpose by what is accepted.
func acceptedFor(h http.Header) Purpose {
	lists := h["Accept"]
	any := len(lists) == 0
	for _, list := range lists {
		list = strings.ToLower(list)
		if strings.Contains(list, "text/html") {
			return ForDocument
		}
		any = any || list == "" || strings.Contains(list, "*/*")
	}
	if any {
		return Unsaid
	}
	return ForElement
}
