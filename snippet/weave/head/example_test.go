package head_test

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

// A page comes in pieces of any size. The code goes in front of its first script.
func ExampleFinder() {
	page := `<!doctype html><html><head><meta charset="utf-8"><title>Lamps</title><script src="shop.js"></script></head>`
	var f head.Finder
	f.Reset(false)
	for _, piece := range []string{page[:40], page[40:]} {
		if f.Feed([]byte(piece)) == head.Found {
			fmt.Println(page[:f.Place()])
			fmt.Println(page[f.Place():])
		}
	}
	fmt.Println(f.Charset())
	// Output:
	// <!doctype html><html><head><meta charset="utf-8"><title>Lamps</title>
	// <script src="shop.js"></script></head>
	// utf-8
}
