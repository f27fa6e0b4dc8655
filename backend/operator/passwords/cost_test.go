package passwords

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The time that a wrong password takes is the work that is done. It is the same where there is no hash and for each that
// there is, whatever it costs.
func TestWrongPasswordCostsTheSameForEveryHash(t *testing.T) {
	v := NewVerifier()
	own, err := v.Hash(t.Context(), "correct horse battery")
	require.NoError(t, err)
	const (
		big   = "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"
		same  = "$argon2id$v=19$m=47104,t=1,p=1$AAAAckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"
		small = "$argon2id$v=19$m=64,t=3,p=2$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"
	)
	var work []cost
	v.derive = func(h phc, password string) []byte {
		work = append(work, h.cost)
		return phc.derive(h, password)
	}
	spent := func(password, hash string, right bool, all ...string) []cost {
		work = nil
		matches, err := v.Matches(t.Context(), password, hash, all)
		require.NoError(t, err)
		require.Equal(t, right, matches)
		slices.SortFunc(work, func(a, b cost) int { return int(a.memory) - int(b.memory) })
		return work
	}
	require.Equal(t, []cost{usualCost}, spent("a wrong password", "", false), "there are no accounts")
	all := []string{own, big, same, "", small}
	for _, hash := range all {
		require.Equal(t, []cost{{64, 3, 2}, usualCost, {47104, 1, 1}}, spent("a wrong password", hash, false, all...), hash)
	}
	require.Equal(t, []cost{usualCost}, spent("correct horse battery", own, true, all...), "the right one costs its own work alone")
	_, err = v.Matches(t.Context(), "correct horse battery", "plain", all)
	require.ErrorIs(t, err, ErrHash)
}
