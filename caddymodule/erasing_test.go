package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

var fencedSQL = regexp.MustCompile("(?ms)^```sql\n(.*?)^```")

// TestDocumentedErasing runs the statements of the documentation beside a running Caddy: nothing is left of the person, and all of
// everybody else.
func TestDocumentedErasing(t *testing.T) {
	content, err := os.ReadFile("../docs/erasing.md")
	require.NoError(t, err)
	var statements []string
	for _, block := range fencedSQL.FindAllStringSubmatch(string(content), -1) {
		for statement := range strings.SplitSeq(block[1], ";") {
			statement = strings.TrimSpace(statement)
			if statement != "" && statement != "BEGIN" && statement != "COMMIT" && !strings.HasPrefix(statement, "SELECT") {
				statements = append(statements, statement)
			}
		}
	}
	require.Greater(t, len(statements), 10)

	server, err := dbtest.StartServer("")
	require.NoError(t, err)
	t.Cleanup(server.Remove)
	for engine, database := range map[string]string{
		db.SQLite:   "sqlite $DIR/frontdesk.db",
		db.Postgres: `postgres "postgres://postgres@` + server.Address + `/postgres?sslmode=disable"`,
	} {
		t.Run(engine, func(t *testing.T) {
			s := run(t, strings.Replace(option, "database sqlite $DIR/frontdesk.db", "database "+database, 1)+tracked).ready()
			var ids []int64
			for i, who := range []struct{ phone, email string }{{"+7 495 111-22-33", "Ada@example.com"}, {"+7 495 444-55-66", "boris@example.com"}} {
				status, credentials := s.call("hit", map[string]any{
					"site_key": "shop", "view": strings.Repeat(fmt.Sprint(i), 22), "url": s.text("http://localhost:$PORT/"), "kind": "load",
				})
				require.Equal(t, http.StatusOK, status)
				ids = append(ids, int64(credentials["visitor_id"].(float64)))
				for name := range credentials {
					if !slices.Contains([]string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"}, name) {
						delete(credentials, name)
					}
				}
				status, body := s.call("lead", map[string]any{
					"credentials": credentials, "id": fmt.Sprintf("lead-%017d", i), "request": map[string]any{"name": "A", "phone": who.phone, "email": who.email},
				})
				require.Equal(t, http.StatusOK, status, "%v", body)
			}
			desk, done, err := activeService(t).Use()
			require.NoError(t, err)
			defer done()
			for i, caller := range []string{"74951112233", "74954445566"} {
				_, _, err := desk.Calls.Take(t.Context(), telephony.Event{Platform: "webhook", Call: fmt.Sprint(i), Kind: telephony.Start, Called: "74957654321", Caller: caller})
				require.NoError(t, err)
			}
			_, set := s.viewed("http://localhost:$PORT", "http://localhost:$PORT/", "")
			nobody := cookieOf(t, set)
			count := func(query string) int {
				n, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], query)
				require.NoError(t, err, query)
				return n
			}
			visitors, leads := count("SELECT COUNT(*) FROM visitors"), count("SELECT COUNT(*) FROM leads")
			require.Equal(t, 2, leads)
			require.NoError(t, desk.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				for _, statement := range statements {
					if _, err := tx.Exec(ctx, statement); err != nil {
						return fmt.Errorf("%s: %w", statement, err)
					}
				}
				return nil
			}))
			require.Equal(t, visitors-1, count("SELECT COUNT(*) FROM visitors"))
			require.Equal(t, 1, count("SELECT COUNT(*) FROM leads"))
			require.Equal(t, 1, count("SELECT COUNT(*) FROM leads WHERE email = 'boris@example.com'"))

			require.Equal(t, 1, count("SELECT COUNT(*) FROM calls"))
			require.Equal(t, 1, count("SELECT COUNT(*) FROM call_places"))
			require.Equal(t, 1, count("SELECT COUNT(*) FROM calls WHERE caller = '74954445566'"))
			require.Equal(t, 1, count("SELECT COUNT(*) FROM journal WHERE kind = 'call.told'"))

			columns := `SELECT table_name FROM information_schema.columns WHERE column_name = 'visitor_id' AND table_schema = 'public'`
			if engine == db.SQLite {
				columns = `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'visitor_id' WHERE m.type = 'table'`
			}
			require.Zero(t, count("SELECT COUNT(*) FROM journal WHERE visitor_id = "+fmt.Sprint(ids[0])))
			require.NotZero(t, count("SELECT COUNT(*) FROM journal WHERE visitor_id = "+fmt.Sprint(ids[1])))
			tables, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], columns)
			require.NoError(t, err)
			require.Greater(t, len(tables), 5)
			for _, table := range tables {
				require.True(t, slices.ContainsFunc(statements, func(s string) bool {
					return strings.HasPrefix(s, "DELETE FROM "+table+" ") || strings.HasPrefix(s, "UPDATE "+table+" SET visitor_id = 0 ")
				}), "%s holds persons", table)
				if !slices.Contains([]string{"leads", "journal", "leases", "pool_numbers", "calls"}, table) { // they know visitors by other numbers
					require.Zero(t, count("SELECT COUNT(*) FROM "+table+" WHERE visitor_id NOT IN (SELECT id FROM visitors)"), table)
				}
			}
			before, _ := s.viewed("http://localhost:$PORT", "http://localhost:$PORT/", nobody)
			require.NotEmpty(t, before, "all others remain who they are")
		})
	}
}
