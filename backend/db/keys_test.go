package db_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// keysWithoutSite are the tables with a site that is not the first of their key, and why.
var keysWithoutSite = map[string]string{
	"own_pool_numbers": "a number is in one pool, whichever site has it",
	"pool_numbers":     "a number is one for all sites that share its pool",
	"leases":           "a number is one for all sites that share its pool",
	"call_places":      "a platform's id tells of which site a call is",
	"lead_read":        "an operator has one place of all sites, and few",
	"erasure_marks":    "an erasure is of several sites, and ends",
}

// What is unique in a table that is distributed is so at a site.
func TestDistributedTablesAreUniqueAtASite(t *testing.T) {
	script, err := os.ReadFile("../../examples/citus/distribute.sql")
	require.NoError(t, err)
	d := dbtest.Open(t, dbtest.Postgres(t))
	type index struct{ table, name, columns string }
	indexes, err := db.List(t.Context(), d.Read(), func(i *index) []any { return []any{&i.table, &i.name, &i.columns} }, `SELECT c.relname::text, i.indexrelid::regclass::text,
			(SELECT string_agg(a.attname, ' ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey))
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition ORDER BY 1, 2`)
	require.NoError(t, err)
	seen := 0
	for _, of := range indexes {
		if strings.Contains(string(script), "'"+of.table+"'") {
			require.Contains(t, strings.Fields(of.columns), "site_id", "%s of %s", of.name, of.table)
			seen++
		}
	}
	require.GreaterOrEqual(t, seen, 11)
}

// A PostgreSQL can be distributed by site: the site is the first of the key of what grows with it.
func TestKeysLeadWithTheSite(t *testing.T) {
	type table struct{ name, first string }
	d := dbtest.Open(t, dbtest.Postgres(t))
	tables, err := db.List(t.Context(), d.Read(), func(f *table) []any { return []any{&f.name, &f.first} }, `SELECT c.relname::text, a.attname::text
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE i.indisprimary AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
			AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'site_id') ORDER BY 1`)
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	without := make(map[string]bool)
	for _, of := range tables {
		if of.first == "site_id" {
			continue
		}
		require.Contains(t, keysWithoutSite, of.name, "its key begins with %s", of.first)
		without[of.name] = true
	}
	for name := range keysWithoutSite {
		require.True(t, without[name], "%s has the site first in its key", name)
	}
}
