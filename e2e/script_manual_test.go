package e2e

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples of the manual are run one by one, each in a page of its own, in both variants.
func TestExamplesOfTheManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../docs/browser-interface.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```js\n(.*?)```").FindAllSubmatch(manual, -1)
	require.Greater(t, len(examples), 8)
	for _, variant := range []string{"A", "B"} {
		settings := variantA
		settings.Variant = variant
		s, b := newScriptService(t, settings), newTab(t)
		for i, example := range examples {
			path := "/" + strconv.Itoa(i)
			s.page(path, insertion(""), `<form onsubmit="return false"><button id=send>Send</button></form>`)
			b.visit(s.URL + path)
			b.until(identified)
			hits := len(s.got("hit"))
			b.do(string(example[1]))
			b.do(`document.getElementById("send").click()`)
			s.pastAll(b, "Svc")
			require.Empty(t, b.thrown(), "%s", example[1])
			require.LessOrEqual(t, len(s.got("hit")), hits+1)
		}
		s.Close()
		for route, count := range map[string]int{"lead": 1, "visitor": 1, "property": 2} {
			require.GreaterOrEqual(t, len(s.got(route)), count, "the examples show %s", route)
		}
	}
}
