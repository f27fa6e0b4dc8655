package weave_test

import (
	"strings"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

var sizes = []struct {
	name string
	size int
}{{"10KB", 10 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}}

// head is a page that is read to its end, since its head never ends.
func head(size int) []byte {
	const line = "<link rel=\"preload\" href=\"/static/a.css?v=1\" as=\"style\" crossorigin>\n" +
		"<meta property=\"og:title\" content=\"A page that says who it is\">\n<style>.a { color: #123456 } .b > .c { margin: 0 auto }</style>\n"
	return []byte("<!doctype html><html><head><meta charset=utf-8>" + strings.Repeat(line, size/len(line)+1))[:size]
}

// shop is a page whose head is as long as they usually are.
func shop(size int) []byte {
	top := string(head(2<<10)) + "\"></style><script>a</script></head><body>"
	return []byte(top + strings.Repeat("<p>text</p>\n", size/12))[:size]
}

func BenchmarkFinder(b *testing.B) {
	for _, kind := range []struct {
		name string
		make func(int) []byte
	}{{"head", head}, {"shop", shop}} {
		for _, s := range sizes {
			page := kind.make(s.size)
			b.Run(kind.name+"/"+s.name, func(b *testing.B) {
				var f weave.Finder
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					f.Reset(false)
					for rest := page; len(rest) > 0; {
						n := min(len(rest), 32<<10)
						if f.Feed(rest[:n]) != weave.Undecided {
							break
						}
						rest = rest[n:]
					}
				}
			})
		}
	}
	for _, s := range sizes {
		page, to := head(s.size), make([]byte, s.size)
		b.Run("memcpy/"+s.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				copy(to, page)
			}
		})
	}
}
