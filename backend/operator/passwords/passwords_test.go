package passwords_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
)

// hash is of "antitiming", with the parameters that "caddy hash-password" uses.
const hash = "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg"

func TestCheckHash(t *testing.T) {
	require.NoError(t, passwords.CheckHash(hash))
	for _, wrong := range []string{
		"",
		"secret password",
		strings.Replace(hash, "argon2id", "argon2i", 1),
		strings.Replace(hash, "v=19", "v=16", 1),
		strings.Replace(hash, "m=47104", "m=4294967295", 1), // would take all the memory
		strings.Replace(hash, "t=1", "t=0", 1),
		strings.Replace(hash, "t=1", "t=1000000", 1),
		strings.Replace(hash, "p=1", "p=0", 1),
		strings.Replace(hash, "p=1", "p=x", 1),
		hash[:len(hash)-30],
		hash + "$",
		strings.Replace(hash, "P2nz", "!2nz", 1),
	} {
		require.ErrorIs(t, passwords.CheckHash(wrong), passwords.ErrHash, wrong)
	}
}
