package lease_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

// Values of the usual tables of Erlang's formula B.
func TestErlang(t *testing.T) {
	for _, c := range []struct {
		traffic float64
		numbers int
		lost    float64
	}{{1, 1, 0.5}, {0.0101, 1, 0.01}, {4.461, 10, 0.01}, {12.03, 20, 0.01}, {84.06, 100, 0.01}, {13.18, 20, 0.02}, {0, 3, 0}} {
		require.InDelta(t, c.lost, lease.Lost(c.traffic, c.numbers), 0.00005, "%v", c)
	}
	require.Equal(t, 10, lease.Needed(4.46, 0.01))
	require.Equal(t, 11, lease.Needed(4.47, 0.01))
	require.Equal(t, 1, lease.Needed(0, 0.01))
	require.Equal(t, number.MaxPool, lease.Needed(1e9, 0.01))
}

// The formula agrees with visitors who come at random.
func TestErlangAgreesWithVisitors(t *testing.T) {
	const traffic, numbers, visitors = 8.0, 10, 200_000
	random := rand.New(rand.NewPCG(1, 2))
	until := make([]float64, numbers)
	now, lost := 0.0, 0
visitor:
	for range visitors {
		now += random.ExpFloat64() / traffic
		for i := range until {
			if until[i] <= now {
				until[i] = now + random.ExpFloat64()
				continue visitor
			}
		}
		lost++
	}
	require.InEpsilon(t, lease.Lost(traffic, numbers), float64(lost)/visitors, 0.03)
}
