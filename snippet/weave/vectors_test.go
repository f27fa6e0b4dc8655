package weave_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// vectors are the cases of package phone that fit into a page.
type vectors struct {
	Sets  map[string][]struct{ Number, Replacement, Template string }
	Cases []struct {
		Name, Set, Place, Charset string
		Text, Want                segments
		Poured                    bool
	}
}

type segments []string

func (s *segments) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(s))
	}
	*s = make(segments, 1)
	return json.Unmarshal(b, &(*s)[0])
}

// page puts a case's text at its place in a page.
func (s segments) page(place string) string {
	switch place {
	case "href":
		return `<p>Call <a class="a" href="` + s[0] + `">a</a></p>`
	case "link":
		if !strings.Contains(s[0], ":") {
			return `<p>Call <a class="a" href="https://wa.me/` + s[0] + `">a</a></p>`
		}
		return `<p>Call <a class="a" href="` + s[0] + `">a</a></p>`
	case "data":
		return `<p>a</p><script id="__NEXT_DATA__" type="application/json">{"a":"` + s[0] + `"}</script>`
	}
	var b strings.Builder
	b.WriteString("<!doctype html><title>a</title><h1>b</h1>\n<p class=c>")
	for i, text := range s {
		switch {
		case i > 0 && i%2 == 1:
			b.WriteString("<b class=d>")
		case i > 0:
			b.WriteString("</b>")
		}
		b.WriteString(text)
	}
	b.WriteString("</p><p>e</p>")
	return b.String()
}

func TestVectors(t *testing.T) {
	file, err := os.ReadFile("../phone/testdata/vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(file, &v))
	replacers := make(map[string]*weave.PairReplacer)
	for name, list := range v.Sets {
		var pairs []weave.Pair
		for _, n := range list {
			pairs = append(pairs, weave.Pair{Old: n.Number, Fresh: n.Replacement, Template: n.Template})
		}
		replacers[name] = weave.CompilePairs(t, pairs...).NewReplacer()
	}
	for _, c := range v.Cases {
		if strings.ContainsAny(c.Text[0], `"?`) && c.Place == "link" || strings.Contains(strings.Join(c.Text, ""), "<") {
			continue // in a page, this is not the text of one place
		}
		t.Run(c.Name, func(t *testing.T) {
			page, want := c.Text.page(c.Place), c.Want.page(c.Place)
			if c.Place == "data" && !c.Poured {
				want = page // the new number does not fit
			}
			if c.Poured {
				require.Equal(t, weave.ShapeOf([]byte(page)), weave.ShapeOf([]byte(want)))
			}
			charset := char.UTF8
			if c.Charset != "" {
				encoding, err := htmlindex.Get(c.Charset)
				require.NoError(t, err)
				page, err = encoding.NewEncoder().String(page)
				require.NoError(t, err)
				want, err = encoding.NewEncoder().String(want)
				require.NoError(t, err)
				charset, _ = char.CharsetOf(c.Charset)
			}
			z := replacers[c.Set]
			require.Equal(t, want, rewritten(z, charset, page))
			require.Equal(t, want, rewritten(z, charset, strings.Split(page, "")...))
			for i := range page {
				require.Equal(t, want, rewritten(z, charset, page[:i], page[i:]), i)
			}
		})
	}
}
