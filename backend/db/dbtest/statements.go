package dbtest

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// statisticsSettings have the server count the statements that it has executed, whichever database they were for.
func statisticsSettings() []string {
	return []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=100000", "pg_stat_statements.track=all", "track_activity_query_size=65536"}
}

// MainBySite is [Main] for the tests of what visitors cause. It fails if a statement of them needed what grows with
// traffic, and did not name the site: a cluster that is distributed by site would have to ask all of its servers. across
// are the beginnings of statements that are of all sites. Of a cluster nothing is counted: it makes statements of its own.
func MainBySite(m *testing.M, across ...string) {
	if distributed {
		Main(m)
		return
	}
	server.counted = true
	server.checked = func() error {
		module, err := root()
		if err != nil {
			return err
		}
		script, err := os.ReadFile(filepath.Join(module, "examples/citus/distribute.sql"))
		if err != nil {
			return err
		}
		_, list, _ := strings.Cut(string(script), "ARRAY[")
		list, _, _ = strings.Cut(list, "]")
		var tables []string
		for _, quoted := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(list, -1) {
			tables = append(tables, quoted[1])
		}
		statements, err := executed()
		if err != nil {
			return err
		}
		return namesSite(statements, tables, across)
	}
	Main(m)
}

// executed are the statements that the server has executed.
func executed() (statements []string, err error) {
	conn, err := sql.Open("pgx", source("postgres"))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Exec("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return nil, err
	}
	rows, err := conn.Query("SELECT DISTINCT query FROM pg_stat_statements")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	return statements, rows.Err()
}

// asked are statements that visitors cause. What is deleted is so by the service itself, at some time, of all sites.
var asked = regexp.MustCompile(`^(WITH|SELECT|INSERT|UPDATE)\b`)

// namesSite returns an error if one of the statements needs one of the tables and does not name the site.
func namesSite(statements, tables, across []string) error {
	grown := regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE)\s+(` + strings.Join(tables, "|") + `)(_\d+)*\b`) // or a partition
	site := regexp.MustCompile(`\bsite_id = |\((\w+\.)?site_id, |INTO \w+ \(site_id,`)
	seen := 0
	for _, statement := range statements {
		if !asked.MatchString(statement) || !grown.MatchString(statement) {
			continue
		}
		seen++
		if !site.MatchString(statement) && !slices.ContainsFunc(across, func(begin string) bool { return strings.HasPrefix(statement, begin) }) {
			return fmt.Errorf("this statement does not name the site: %s", statement)
		}
	}
	if seen == 0 && flag.Lookup("test.run").Value.String() == "" {
		return fmt.Errorf("of %d statements none needed one of %v", len(statements), tables)
	}
	return nil
}
