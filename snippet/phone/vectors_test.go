package phone

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
)

// vectors are the cases in testdata/vectors.json. docs/numbers.md has their schema.
type vectors struct {
	Sets  map[string][]vectorNumber `json:"sets"`
	Cases []vector                  `json:"cases"`
}

type vectorNumber struct {
	Number      string `json:"number"`
	Replacement string `json:"replacement"`
	Template    string `json:"template"`
}

type vector struct {
	Name    string   `json:"name"`
	Country string   `json:"country"`
	Set     string   `json:"set"`
	Place   string   `json:"place"`
	Charset string   `json:"charset"`
	Text    segments `json:"text"`
	Want    segments `json:"want"`
	Poured  bool     `json:"poured"`
}

// segments are pieces of text with inline markup between them. A plain string is one piece.
type segments []string

func (s *segments) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(s))
	}
	*s = make(segments, 1)
	return json.Unmarshal(b, &(*s)[0])
}

func readVectors(t testing.TB) (vectors, map[string]*replacing) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(b, &v))
	sets := make(map[string]*replacing)
	for name, numbers := range v.Sets {
		var list []pair
		for _, n := range numbers {
			list = append(list, pair{n.Number, n.Replacement})
		}
		sets[name], err = compilePairs(list)
		require.NoError(t, err, name)
		for i, n := range numbers {
			sets[name].shown[i], err = sets[name].shown[i].By(n.Template)
			require.NoError(t, err, name)
		}
	}
	return v, sets
}

// charset returns the charset of the case, and the segments in its bytes.
func (v *vector) encode(t testing.TB, s segments) (*char.Charset, []string) {
	if v.Charset == "" {
		return char.UTF8, s
	}
	e, err := htmlindex.Get(v.Charset)
	require.NoError(t, err)
	c, ok := char.CharsetOf(v.Charset)
	require.True(t, ok)
	var encoded []string
	for _, text := range s {
		b, err := e.NewEncoder().String(text)
		require.NoError(t, err)
		encoded = append(encoded, b)
	}
	return c, encoded
}

func (v *vector) kind() ValueKind {
	switch v.Place {
	case "link":
		return Link
	case "data":
		return Data
	}
	return Text
}

func TestVectors(t *testing.T) {
	v, sets := readVectors(t)
	countries := map[string]bool{}
	names := map[string]bool{}
	for _, c := range v.Cases {
		countries[c.Country] = true
		if c.Place == "href" {
			continue // package weave finds the number in an address
		}
		t.Run(c.Name, func(t *testing.T) {
			require.False(t, names[c.Name], "the name is given twice")
			names[c.Name] = true
			require.Contains(t, sets, c.Set)
			charset, text := c.encode(t, c.Text)
			_, want := c.encode(t, c.Want)
			m := sets[c.Set].NewMatcher(charset)
			p := newPage(m, text, 1)
			require.Equal(t, want, p.run(t, c.kind()))
			if changed := !equalSegments(text, want); changed {
				require.Equal(t, c.Poured, p.poured)
			} else {
				require.False(t, c.Poured)
			}
			for _, cut := range p.cuts() {
				require.Equal(t, want, newPage(m, text, cut...).run(t, c.kind()), "cut at %v", cut)
			}
		})
	}
	require.GreaterOrEqual(t, len(v.Cases), 300)
	require.GreaterOrEqual(t, len(countries), 15)
}

func equalSegments(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
