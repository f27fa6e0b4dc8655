package dbtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A test asks for several ports before any server listens.
func TestPortsAreGivenOnce(t *testing.T) {
	given := make(map[int]bool)
	for range 2000 {
		port, err := dbtest.FreePort()
		require.NoError(t, err)
		require.False(t, given[port], "%d", port)
		given[port] = true
	}
}
