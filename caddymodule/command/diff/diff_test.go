package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	long := strings.Repeat("<i>лампа</i> ", 30)
	for name, c := range map[string]struct{ before, after, expected string }{
		"a line": {
			"<p>\n<b>8 (495) 123-45-67</b> or\nnot\n", "<p>\n<b>8 (495) 765-43-21</b> or\nnot\n",
			"@@ -2 +2 @@\n-<b>8 (495) 123-45-67</b> or\n+<b>8 (495) 765-43-21</b> or\n"},
		"lines beside each other and apart": {
			"1\na\nb\n2\nc", "1\nA\nB\n2\nC",
			"@@ -2,2 +2,2 @@\n-a\n-b\n+A\n+B\n@@ -5 +5 @@\n-c\n+C\n"},
		"fewer lines": {
			"1\n8 (495)\n123-45-67\n2", "1\n+44 20 7946 0018\n2",
			"@@ -2,2 +2 @@\n-8 (495)\n-123-45-67\n++44 20 7946 0018\n"},
		"a line more": {"1\n2", "1\n\n2", "@@ -1,0 +2 @@\n+\n"},
		"a long line": {
			long + "<b>8 (495) 123-45-67</b>" + long + "\r\n", long + "<b>8 (495) 765-43-21</b>" + long + "\r\n",
			"@@ -1 +1 @@\n-…мпа</i> <i>лампа</i> <b>8 (495) 123-45-67</b><i>лампа</i> <i>лампа</i> …\n" +
				"+…мпа</i> <i>лампа</i> <b>8 (495) 765-43-21</b><i>лампа</i> <i>лампа</i> …\n"},
		"what would be done to a terminal": {"\x1b[2J1", "\u009b2J2", "@@ -1 +1 @@\n-\uFFFD[2J1\n+\uFFFD2J2\n"},
		"the same":                         {"1\n2", "1\n2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, Print(&b, "page", c.before, c.after, false))
			require.Equal(t, "--- page\n+++ page, as it is shown\n"+c.expected, b.String())
		})
	}
	var b strings.Builder
	require.NoError(t, Print(&b, "page", "call 123-45-67 now", "call 765-43-21 now", true))
	require.Contains(t, b.String(), "call \x1b[31m123-45-67 \x1b[0mnow")
	require.Contains(t, b.String(), "call \x1b[32m765-43-21 \x1b[0mnow")
}

// FuzzDiff holds that putting the changes into the old list gives the new one.
func FuzzDiff(f *testing.F) {
	f.Add("a b c d", "a x c d")
	f.Add("", "<a> <b>")
	f.Add("a a b a a", "a b a a a")
	f.Add("a "+strings.Repeat("\x80", 200), "b "+strings.Repeat("\x80", 200))
	f.Fuzz(func(t *testing.T, before, after string) {
		old, fresh := words(before), words(after)
		require.Equal(t, before, strings.Join(old, ""))
		var put []string
		at := 0
		for _, c := range compare(old, fresh) {
			put = append(put, old[at:c.old.from]...)
			require.Len(t, put, c.fresh.from)
			put = append(put, fresh[c.fresh.from:c.fresh.to]...)
			at = c.old.to
		}
		require.Equal(t, after, strings.Join(append(put, old[at:]...), ""))
		require.NoError(t, Print(new(strings.Builder), "page", before, after, true))
	})
}
