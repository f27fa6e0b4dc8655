package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What SQLite would plan by is not in a query that stays prepared; the rest is as it was.
func TestLimitsArePlannedByNothing(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1 FROM t WHERE a > $1 ORDER BY b LIMIT $12`:                                     `SELECT 1 FROM t WHERE a > $1 ORDER BY b LIMIT $12 + 0`,
		`DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT $1) OR a IN (SELECT a FROM u LIMIT 5)`: `DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT $1 + 0) OR a IN (SELECT a FROM u LIMIT 5)`,
	} {
		require.Equal(t, want, steady(query))
	}
}
