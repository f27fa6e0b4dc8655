package phone

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/phone/char"
	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// FuzzMatch checks what holds for any bytes: nothing panics, cuts change nothing, bytes outside the matches stay, and
// poured digits have the size of the old ones. A NUL in the input stands for inline markup.
func FuzzMatch(f *testing.F) {
	v, sets := readVectors(f)
	for _, c := range v.Cases {
		_, text := c.encode(f, c.Text)
		var b []byte
		for i, s := range text {
			if i > 0 {
				b = append(b, 0)
			}
			b = append(b, s...)
		}
		f.Add(b, c.Set, uint8(c.kind()), c.Charset, uint16(len(b)/2))
	}
	f.Add(bytes.Repeat([]byte("8 495 123-45-67 "), 400), "two", uint8(0), "", uint16(3))
	f.Fuzz(func(t *testing.T, b []byte, setName string, kind uint8, label string, cut uint16) {
		set, known := sets[setName]
		if !known {
			set = sets["two"]
		}
		charset, known := char.CharsetOf(label)
		if !known {
			charset = char.UTF8
		}
		var text []string
		for s := range bytes.SplitSeq(b, []byte{0}) {
			text = append(text, string(s))
		}
		k := ValueKind(kind % 3)
		m := set.NewMatcher(charset)
		var whole *page
		var want []string
		stepstest.Hold(t, len(b), func() {
			whole = newPage(m, text, 1)
			want = whole.run(t, k) // run checks lengths and places of the edits
		})
		for _, cuts := range [][]int{{int(cut) + 2}, {0, 1}, {0, int(cut%23) + 2}} {
			require.Equal(t, want, newPage(m, text, cuts...).run(t, k), "cut at %v", cuts)
		}
		if whole.poured {
			for i := range want {
				require.Len(t, want[i], len(text[i]))
			}
		}
		if len(text) == 1 {
			out, changed := m.Rewrite(nil, b, k)
			require.Equal(t, want[0], string(out))
			if !changed {
				require.Equal(t, string(b), string(out))
			}
		}
	})
}
