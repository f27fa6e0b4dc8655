package key

import (
	"crypto/aes"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
)

func testPermutation(t testing.TB, kind byte) Permutation {
	cipher, err := aes.NewCipher([]byte("0123456789abcdef0123456789abcdef"))
	require.NoError(t, err)
	return Permutation{cipher, kind}
}

// Every number has an id of its own, in range, and the id leads back to the number.
func TestIDsArePermutation(t *testing.T) {
	p := testPermutation(t, 'v')
	seen := make(map[ID]bool)
	for number := int64(1); number <= 20000; number++ {
		id := p.ID(number)
		require.Positive(t, id)
		require.Less(t, id, ID(1)<<53)
		require.Equal(t, number, p.Number(id))
		require.False(t, seen[id])
		seen[id] = true
	}
	require.NoError(t, quick.Check(func(n uint64) bool {
		number := int64(n%(1<<idBits-1)) + 1
		return p.Number(p.ID(number)) == number
	}, nil))
}

// The order of ids does not show the order of numbers, and the kinds differ.
func TestIDsHaveNoOrder(t *testing.T) {
	p, other := testPermutation(t, 'v'), testPermutation(t, 's')
	rising := 0
	for number := int64(1); number < 10000; number++ {
		if p.ID(number) < p.ID(number+1) {
			rising++
		}
		require.NotEqual(t, p.ID(number), other.ID(number))
	}
	require.InDelta(t, 5000, rising, 300)
}

func TestWhatIsNoIDHasNoNumber(t *testing.T) {
	p := testPermutation(t, 'v')
	for _, id := range []ID{0, -1, 1 << idBits, 1 << 53, -1 << 63} {
		require.Zero(t, p.Number(id))
	}
}

func BenchmarkID(b *testing.B) {
	p := testPermutation(b, 'v')
	b.ReportAllocs()
	for n := int64(1); b.Loop(); n++ {
		p.ID(n)
	}
}
