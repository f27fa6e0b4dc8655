package weave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/weave"
)

// If no number is shown for a number, its places are not searched, even if they were on the page before.
func TestPlacesOfWhatIsNotShown(t *testing.T) {
	first := weave.Pair{Old: "74951234567", Fresh: "74957654321", URL: "/1.svg", Number: weave.Number{
		Targets: []string{"#a", ".a", "[name=a]"}, Selectors: []string{"p > i", "u:last-child"}, Pictures: []string{"#pa"},
	}}
	second := weave.Pair{Old: "74991112233", Fresh: "442079460018", URL: "/2.svg", Number: weave.Number{
		Targets: []string{"#b", ".b", "[name=b]"}, Selectors: []string{"p i", "p i:nth-child(1)"}, Pictures: []string{".pb"},
	}}
	both := weave.CompilePairs(t, first, second)
	one, other := both.Shown[0], both.Shown[1]
	z := both.Rules.NewReplacer()
	for _, page := range []string{
		`<b id=a class=b>123-45-67</b><b id=b name=a>123-45-67</b>`,
		`<b class="b a">123-45-67</b><b class="a b"></b><b class=a>123-45-67</b><b class=b>123-45-67</b>`,
		`<b class=a>8 499 111-22-33</b><b class=b>8 495 123-45-67</b>`,
		`<img id=pa class=pb src=a alt=b><img id=pa src=a><img class=pb src=a>`,
		`<p><i>123-45-67</i><b><i>123-45-67</i></b></p>`,
		`<noscript><b id=a class=b>123-45-67</b></noscript><a class=a href="tel:+78120000000">a</a>`,
	} {
		for _, c := range []struct {
			alone *weave.PairRules
			shown weave.Shown
		}{
			{weave.CompilePairs(t, first), weave.Shown{one, nil}},
			{weave.CompilePairs(t, second), weave.Shown{nil, other}},
			{both, both.Shown},
			{weave.CompilePairs(t), nil},
		} {
			alone := c.alone.NewReplacer()
			alone.Reset(char.UTF8)
			require.NoError(t, alone.Choose([]byte(page)))
			want := string(alone.Finish(alone.Append(nil, []byte(page))))

			z.Reset(char.UTF8, c.shown)
			require.NoError(t, z.Choose([]byte(page)))
			require.Equal(t, want, string(z.Finish(z.Append(nil, []byte(page)))))
			require.Equal(t, append([]weave.Replaced{}, alone.Replaced()...), append([]weave.Replaced{}, z.Replaced()...))
			require.Equal(t, len(c.shown) > 0, both.NeedsWhole(c.shown))
		}
	}
}
