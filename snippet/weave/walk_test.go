package weave

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(b *[64]byte) {
		var wantStops, wantLess, wantHigh uint64
		for i, c := range b {
			if c>>4 == 3 {
				wantStops |= 1 << i
			}
			if c == '<' {
				wantLess |= 1 << i
			}
			if c >= 0x80 {
				wantHigh |= 1 << i
			}
		}
		for _, f := range []func(*[64]byte) (uint64, uint64, uint64){stops, stopsOf} {
			found, less, high := f(b)
			require.Equal(t, wantStops, found)
			require.Equal(t, wantLess, less)
			require.Equal(t, wantHigh, high)
		}
	}
	var b [64]byte
	for c := range 256 {
		for i := range b {
			b = [64]byte{}
			b[i] = byte(c)
			check(&b)
		}
	}
	for range 1000 {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		check(&b)
	}
}
