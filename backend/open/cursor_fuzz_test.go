package open

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// A cursor is refused, or it is one that the list writes.
func FuzzCursor(f *testing.F) {
	of := listOf("leads", "lamps.example")
	cursor := of.write(lead.Cursor{At: time.UnixMilli(1_790_000_000_000), ID: 7})
	f.Add(cursor)
	f.Add(cursor[:20] + "\n" + cursor[20:])
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := of.read(text)
		if err != nil {
			return
		}
		require.Equal(t, text, of.write(at))
		if text != "" {
			_, err = listOf("leads", "chairs.example").read(text)
			require.Error(t, err, "a cursor of another list")
		}
	})
}
