package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-3405227d/frontdesk/snippet/phone"
	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
)

func TestPagesAreAsTheyWereOrdered(t *testing.T) {
	for _, p := range []Page{{Size: 10 << 10}, {Size: 10 << 10, Numbers: 20}, {Size: 10 << 10, Numbers: 20, Cyrillic: true}, {Size: 100 << 10, Numbers: 20, Cyrillic: true}, {Size: 1 << 20, Numbers: 2000}, {Size: 100 << 10, Numbers: 6, Data: true}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			require.True(t, p.Fits())
			made := p.Make()
			require.Len(t, made, p.Size)
			require.True(t, bytes.Equal(made, p.Make()))
			if p.Numbers == 0 {
				require.Equal(t, 1, bytes.Count(made, []byte("45-67"))) // in the structured data
			}
			z := html.NewTokenizer(bytes.NewReader(made))
			depth := 0
			for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
				name, _ := z.TagName()
				switch string(name) {
				case "main", "p", "table", "article", "script", "ul", "a", "b", "span":
					if kind == html.StartTagToken {
						depth++
					} else {
						depth--
					}
				}
			}
			require.Zero(t, depth, "what is opened is closed")
			require.Equal(t, p.Numbers, count(t, made))
		})
	}
	require.False(t, Page{Size: 100 << 10, Numbers: 2000}.Fits())
}

// count gives how many numbers the page shows, by the rules for text, taken apart
// by another parser than the one that is measured.
func count(t *testing.T, made []byte) int {
	var digits []string
	for _, n := range Numbers(3) {
		digits = append(digits, n.Digits)
	}
	set, err := phone.Compile(digits)
	require.NoError(t, err)
	text, value := set.NewMatcher(char.UTF8), set.NewMatcher(char.UTF8)
	found, at := 0, int64(0)
	z := html.NewTokenizer(bytes.NewReader(made))
	for raw := false; ; {
		kind := z.Next()
		size := int64(len(z.Raw()))
		switch kind {
		case html.ErrorToken:
			return found + len(text.Break())
		case html.TextToken:
			if !raw {
				found += len(text.Text(at, z.Raw()))
			}
		default:
			token := z.Token()
			raw = kind == html.StartTagToken && (token.Data == "script" || token.Data == "style")
			if token.Data == "b" || token.Data == "span" {
				found += len(text.Inline())
			} else {
				found += len(text.Break())
			}
			for _, a := range token.Attr {
				link, isLink := strings.CutPrefix(strings.TrimPrefix(a.Val, "tel:"), "https://wa.me/")
				if valueKind := phone.Text; a.Key == "alt" || isLink || strings.HasPrefix(a.Val, "tel:") {
					if a.Key != "alt" {
						valueKind = phone.Link
					}
					value.Reset(valueKind)
					found += len(value.Text(0, []byte(link)))
					found += len(value.Break())
				}
			}
		}
		at += size
	}
}

func TestNumbersDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, n := range Numbers(100) {
		for _, digits := range []string{n.Digits, n.Replacement} {
			require.False(t, seen[digits], digits)
			seen[digits] = true
		}
	}
}
