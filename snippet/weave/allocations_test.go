//go:build !race

// Under the race detector the compiler inlines less, and values are allocated that otherwise stay on the stack.

package weave

import (
	"os"
	"testing"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"

	"github.com/stretchr/testify/require"
)

// After a first page, following the tree allocates nothing, except for character references in attributes that a
// selector names.
func TestFollowingAllocatesNothing(t *testing.T) {
	page, err := os.ReadFile("../testdata/web/wordpress-post.html")
	require.NoError(t, err)
	quick := CompilePairs(t, Pair{Old: "74951234567", Fresh: "74957654321", Number: Number{
		Selectors: []string{"footer .contacts a.tel", "div > #x", "td:first-child > .x", "ul > li:not(.x) > b.y"},
	}}).NewReplacer()
	patient := *quick
	patient.Replacer = quick.scanner.rules.NewReplacer()
	patient.ReadAll()
	for _, z := range []*PairReplacer{quick, &patient} {
		out := make([]byte, 0, 2*len(page))
		require.Zero(t, testing.AllocsPerRun(5, func() {
			z.Reset(char.UTF8)
			out = z.Finish(z.Append(out[:0], page))
		}))
	}
}
