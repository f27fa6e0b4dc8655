package frame

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A cursor is refused, or it is one that the list writes.
func FuzzCursor(f *testing.F) {
	of := ListOf("leads", "lamps.example")
	cursor := of.Write(Place{1_790_000_000_000, 7})
	f.Add(cursor)
	f.Add(cursor[:20] + "\n" + cursor[20:])
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := of.Read(text)
		if err != nil {
			return
		}
		require.Equal(t, text, of.Write(at))
		if text != "" {
			_, err = ListOf("leads", "chairs.example").Read(text)
			require.Error(t, err, "a cursor of another list")
		}
	})
}
