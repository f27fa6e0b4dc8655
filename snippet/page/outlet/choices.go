package outlet

import (
	"crypto/sha256"
	"hash/maphash"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

const (
	// maxChoices is of how many pages it is remembered what their selectors chose.
	maxChoices = 1024
	// maxChosen is how many elements are remembered of a page, each in some 40 bytes.
	maxChosen = 256
)

// choices are what selectors chose in the pages that came last: a page is parsed when it is new.
var choices, _ = lru.New[chosenPage, weave.Choice](maxChoices) // fails for no size at all

// chosenPage tells the pages in which the same is chosen: by the numbers that are searched, which
// of them are replaced, and the page's bytes.
type chosenPage struct {
	sought [sha256.Size]byte
	bytes  uint64
	length int
}

var pageSeed = maphash.MakeSeed()

func pageOf(s *snippet.Shown, page []byte) chosenPage {
	return chosenPage{s.Sought(), maphash.Bytes(pageSeed, page), len(page)}
}

// Replaces says whether a number has been replaced in what has been read of the page.
func (x *Exchange) Replaces() bool { return len(x.z.Replaced()) > 0 }
