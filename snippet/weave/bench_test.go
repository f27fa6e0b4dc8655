package weave_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/bench/page"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

var sizes = []struct {
	name string
	size int
}{{"10KB", 10 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}}

// endless returns a page whose head never ends, so that the whole page is read.
func endless(size int) []byte {
	const line = "<link rel=\"preload\" href=\"/static/a.css?v=1\" as=\"style\" crossorigin>\n" +
		"<meta property=\"og:title\" content=\"A page that says who it is\">\n<style>.a { color: #123456 } .b > .c { margin: 0 auto }</style>\n"
	return []byte("<!doctype html><html><head><meta charset=utf-8>" + strings.Repeat(line, size/len(line)+1))[:size]
}

// shop returns a page whose head is of the usual length.
func shop(size int) []byte {
	top := string(endless(2<<10)) + "\"></style><script>a</script></head><body>"
	return []byte(top + strings.Repeat("<p>text</p>\n", size/12))[:size]
}

func BenchmarkFinder(b *testing.B) {
	for _, kind := range []struct {
		name string
		make func(int) []byte
	}{{"head", endless}, {"shop", shop}} {
		for _, s := range sizes {
			page := kind.make(s.size)
			b.Run(kind.name+"/"+s.name, func(b *testing.B) {
				var f head.Finder
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					f.Reset(false)
					for rest := page; len(rest) > 0; {
						n := min(len(rest), 32<<10)
						if f.Feed(rest[:n]) != head.Undecided {
							break
						}
						rest = rest[n:]
					}
				}
			})
		}
	}
	for _, s := range sizes {
		page, to := endless(s.size), make([]byte, s.size)
		b.Run("memcpy/"+s.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				copy(to, page)
			}
		})
	}
}

// BenchmarkReplacer reads whole pages in pieces of a server's size: pages with hardly anything but tags, and pages of
// widespread programs.
func BenchmarkReplacer(b *testing.B) {
	for _, numbers := range []int{3, 100} {
		var pairs []weave.Pair
		for i := range numbers {
			pairs = append(pairs, weave.Pair{Old: fmt.Sprintf("7495123%04d", 4567+i), Fresh: fmt.Sprintf("7495765%04d", i)})
		}
		rules := weave.CompilePairs(b, pairs...)
		run := func(name string, page []byte) {
			b.Run(fmt.Sprintf("%d/%s", numbers, name), func(b *testing.B) {
				z := rules.NewReplacer()
				var out []byte
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					z.Reset(char.UTF8)
					for at := 0; at < len(page); at += 32 << 10 {
						out = z.Append(out[:0], page[at:min(len(page), at+32<<10)])
					}
					out = z.Finish(out[:0])
				}
			})
		}
		for _, size := range []int{10 << 10, 100 << 10, 1 << 20, 10 << 20} {
			run(fmt.Sprintf("%dKB", size>>10), shop(size))
		}
		for _, name := range []string{"wordpress-post", "mediawiki-article", "dokuwiki-page"} {
			content, err := os.ReadFile("../testdata/web/" + name + ".html")
			require.NoError(b, err)
			run(name, content)
		}
		data := string(page.Page{Size: 1 << 20, Numbers: 6, Data: true}.Make())
		run("data", []byte(data))
		run("data-without-numbers", []byte(strings.NewReplacer(`"phone":"\\u002B78123334455"`, `"phone":""`, `tel:+74951234567`, "/a", `\"+7 (495) 123-45-67`, `\"a`).Replace(data)))
	}
}

// BenchmarkSelectors searches for three numbers and a selector of each kind, in pieces of a server's size and in small
// ones.
func BenchmarkSelectors(b *testing.B) {
	made := page.Page{Size: 100 << 10, Numbers: 6}.Make()
	for _, selector := range []string{
		"", "footer .contacts a.tel", ".contact a.tel", "a.tel", "[href^='tel:+7495']", "#contacts > a", "[data-place=shop] b", "ul > li:first-child > a:not([href])", "a, b, i", "b:nth-child(2)",
	} {
		for _, piece := range []int{32 << 10, 1 << 10} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(selector, " ", "_"), piece), func(b *testing.B) {
				var pairs []weave.Pair
				for _, n := range page.Numbers(3) {
					pairs = append(pairs, weave.Pair{Old: n.Digits, Fresh: n.Replacement})
				}
				if selector != "" {
					pairs[0].Selectors = []string{selector}
				}
				z := weave.CompilePairs(b, pairs...).NewReplacer()
				var out []byte
				b.SetBytes(int64(len(made)))
				b.ReportAllocs()
				for b.Loop() {
					z.Reset(char.UTF8)
					if strings.Contains(selector, "nth") && z.Choose(made) != nil {
						b.Fatal("the page does not parse")
					}
					for at := 0; at < len(made); at += piece {
						out = z.Append(out[:0], made[at:min(len(made), at+piece)])
					}
					out = z.Finish(out[:0])
				}
			})
		}
	}
}
