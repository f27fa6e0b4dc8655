// Package persontest erases persons from what subjects keep, for the tests of these.
package persontest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

// Erase erases the person, who is given as an admin gives one, from what the subjects keep of all sites. It returns how many
// rows of each table that were. The test fails if anything of the person is left.
func Erase(t testing.TB, d *db.DB, who string, subjects ...trace.Subject) map[string]int64 {
	t.Helper()
	persons, err := person.New(t.Context(), d, time.Now, zap.NewNop(), func(context.Context) []string { return nil }, subjects...)
	require.NoError(t, err)
	sought := person.Sought{Sites: scope.All()}
	require.NoError(t, sought.Read(who))
	known, err := persons.Look(t.Context(), "vera", sought)
	require.NoError(t, err)
	id, err := persons.Erase(t.Context(), "vera", sought)
	require.NoError(t, err)
	require.NoError(t, persons.EraseAsked(t.Context()))
	erased, err := persons.Erasure(t.Context(), id)
	require.NoError(t, err)
	require.False(t, erased.EndedAt.IsZero())
	require.Equal(t, known.Total(), erased.Rows)
	left, err := persons.Look(t.Context(), "vera", sought)
	require.NoError(t, err)
	require.Empty(t, left.Rows)
	rows := make(map[string]int64)
	for _, table := range known.Rows {
		rows[table.Table] = table.Rows
	}
	return rows
}
