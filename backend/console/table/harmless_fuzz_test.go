package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzHarmless holds that no part of a cell, by whichever separator, begins a formula, and that nothing of the text is lost.
func FuzzHarmless(f *testing.F) {
	for _, text := range []string{"a;=1", "+7 (495) 123-45-67", "+7-495", "\t=1", " '\"=1", "＝1,\r\n-", "a,b", "+7 495;+1+1", "\xff;=\xff", " +00000,00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var cell string
		stepstest.Hold(t, len(text), func() { cell = harmless(text) })
		for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(cellEnds, r) }) {
			begins := strings.TrimLeft(part, " \"\v\f\u00a0\ufeff\u200b")
			if begins != "" && !plainPhone.MatchString(begins) {
				require.NotContains(t, "=+-@|%", begins[:1], "%q", cell)
			}
		}
		require.LessOrEqual(t, len(cell), 2*len(text)+1)
		require.Equal(t, strings.ReplaceAll(text, "'", ""), strings.ReplaceAll(cell, "'", ""))
	})
}
