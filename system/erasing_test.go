package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// someone is a person who leaves all kinds of traces.
type someone struct{ name, phone, digits, email, secret string }

var (
	ada   = someone{"Ada Lovelace", "+7 (495) 111-22-33", "74951112233", "Ada@example.com", "likes-engines"}
	boris = someone{"Boris Godunov", "+7 495 444-55-66", "74954445566", "boris@example.com", "likes-operas"}
)

// texts are those by which somebody could be known.
func (who someone) texts() []string {
	return []string{who.name, who.phone, who.digits, who.email, strings.ToLower(who.email), who.secret, "495) " + who.phone[8:], who.digits[1:]}
}

// behave has the person look at pages, tell of everything, send requests of each kind and call.
func (who someone) behave(t *testing.T, s *server, desk *backend.Desk, n int) (visitor int64) {
	t.Helper()
	call := func(route string, content map[string]any) map[string]any {
		status, body := s.call(route, content)
		require.Equal(t, http.StatusOK, status, "%s: %v", route, body)
		return body
	}
	credentials := call("hit", map[string]any{"site_key": "shop", "view": strings.Repeat(fmt.Sprint(n), 22), "url": s.Text("http://localhost:$PORT/?" + who.secret), "title": who.secret, "kind": "load"})
	visitor = int64(credentials["visitor_id"].(float64))
	for name := range credentials {
		if !slices.Contains([]string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id", "browser"}, name) {
			delete(credentials, name)
		}
	}
	id := func(what string) string { return fmt.Sprintf("%s-%017d", what, n) }
	call("visitor", map[string]any{"credentials": credentials, "browser": credentials["browser"], "id": id("info"), "name": who.name, "email": who.email})
	call("property", map[string]any{"credentials": credentials, "browser": credentials["browser"], "id": id("prop"), "name": "hobby", "value": who.secret})
	call("event", map[string]any{"credentials": credentials, "browser": credentials["browser"], "id": id("evnt"), "category": "a", "action": "b", "name": who.secret, "value": who.phone})
	call("presence", map[string]any{"credentials": credentials, "browser": credentials["browser"], "presence": "here"})
	call("lead", map[string]any{"credentials": credentials, "browser": credentials["browser"], "id": id("lead"), "request": map[string]any{
		"name": who.name, "phone": who.phone, "email": who.email, "message": strings.Repeat(who.secret+" ", 2000), "x": who.secret}})
	// Nobody proves to have sent this one, which is refused.
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/api/add_offline_message/", "name="+who.secret+"&phone=8(495)"+who.digits[4:]+"&visitor_id=7&hit_id=8&session_id=9",
		"Content-Type", "application/x-www-form-urlencoded")
	require.NoError(t, err)
	require.Contains(t, got.Content, `"success":false`)
	for i, caller := range []string{who.digits, "7999000000" + fmt.Sprint(n)} {
		_, _, err := desk.Calls.Take(t.Context(), telephony.Event{Platform: "webhook", Call: fmt.Sprint(n, " ", i), Kind: telephony.Start, Called: "74957654321", Caller: caller})
		require.NoError(t, err)
	}
	return visitor
}

// eachEngine runs the test with a Caddy on each engine. all is the text of everything that is stored.
func eachEngine(t *testing.T, test func(t *testing.T, s *server, desk *backend.Desk, all func() string)) {
	eachDatabase(t, func(t *testing.T, engine, database string) {
		s := run(t, strings.Replace(option, "database sqlite $DIR/frontdesk.db", "database "+database, 1)+strings.Replace(tracked, "frontdesk shop", "frontdesk shop {\n region RU\n}", 1)).Ready()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		defer done()
		test(t, s, desk, func() string {
			var text strings.Builder
			if engine == db.SQLite {
				for _, end := range []string{"", "-wal", "-shm", ".forms", ".forms.1"} {
					content, err := os.ReadFile(s.Text("$DIR/frontdesk.db") + end)
					if os.IsNotExist(err) {
						continue
					}
					require.NoError(t, err)
					text.Write(bytes.TrimRight(content, "\x00"))
				}
				return text.String()
			}
			for _, table := range tablesWith(t, desk, "") {
				rows, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], `SELECT CAST(t AS TEXT) FROM `+table+` AS t`)
				require.NoError(t, err)
				for _, row := range rows {
					text.WriteString(row)
				}
			}
			return text.String()
		})
	})
}

// tablesWith are the tables that have the column, or all.
func tablesWith(t *testing.T, desk *backend.Desk, column string) []string {
	t.Helper()
	query := `SELECT DISTINCT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON $1 IN ('', c.name) WHERE m.type = 'table' ORDER BY 1`
	if desk.DB.Engine() == db.Postgres {
		// The parts of a table are erased with it.
		query = `SELECT DISTINCT t.relname FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0
			WHERE CAST($1 AS TEXT) IN ('', c.attname) AND t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition ORDER BY 1`
	}
	tables, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], query, column)
	require.NoError(t, err)
	return tables
}

// keepNothing are tables with such a column that say nothing of anybody, or whose rows go with those that are covered.
var keepNothing = []string{"lead_search"}

// TestAPersonIsErased erases somebody beside a running Caddy: nothing is left of the person, and all of everybody else.
func TestAPersonIsErased(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *server, desk *backend.Desk, all func() string) {
		ctx := t.Context()
		var ids []int64
		for i, who := range []someone{boris, ada} {
			s.Client.Jar = nil
			ids = append(ids, who.behave(t, s, desk, i))
		}
		for i := range 600 { // more than one piece
			ids = append(ids, 0)
			status, body := s.call("hit", map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%020d", i), "url": s.Text("http://localhost:$PORT/?" + fmt.Sprint(i)), "kind": "load"})
			require.Equal(t, http.StatusOK, status, body)
		}
		require.Eventually(t, func() bool { // both wait for a second or two
			refused, err := desk.Refused.List(ctx, scope.All(), lead.Cursor{}, 10)
			require.NoError(t, err)
			present, _, err := db.One(ctx, desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM presences`)
			require.NoError(t, err)
			return len(refused) == 2 && present == 2
		}, wait, tick)
		before := all()
		for _, text := range []string{ada.name, ada.digits, ada.secret, boris.name, boris.digits} {
			require.Contains(t, before, text)
		}
		count := func(query string) int {
			n, _, err := db.One(ctx, desk.DB.Read(), db.Only[int], query)
			require.NoError(t, err, query)
			return n
		}
		visitors := count("SELECT COUNT(*) FROM visitors")

		sought := person.Sought{Sites: scope.All()}
		require.NoError(t, sought.Read("8 495 111 22 33, ADA@example.com"))
		known, err := desk.Persons.Look(ctx, "chief", sought)
		require.NoError(t, err)
		require.Len(t, known.Visitors, 1)
		require.Equal(t, ids[1], known.Visitors[0].ID)
		require.Len(t, known.Leads, 1)
		var exported strings.Builder
		require.NoError(t, desk.Persons.Export(ctx, "chief", sought, &exported, nil))
		var object struct {
			Person string
			Tables map[string][]map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(exported.String()), &object), exported.String())
		require.Equal(t, known.Person, object.Person)
		for _, rows := range known.Rows {
			require.Len(t, object.Tables[rows.Table], int(rows.Rows), rows.Table)
		}
		for _, table := range []string{"visitors", "contacts", "properties", "user_events", "views", "presences", "visits", "leads", "lead_requests", "refused_leads", "calls", "call_places", "journal"} {
			require.NotEmpty(t, object.Tables[table], table)
		}
		require.EqualValues(t, ids[1], object.Tables["views"][0]["visitor_id"], "ids as everybody sees them")
		require.Equal(t, map[string]any{"x": ada.secret}, object.Tables["leads"][0]["user_fields"])
		require.Contains(t, exported.String(), ada.phone)
		require.NotContains(t, exported.String(), boris.name)

		id, err := desk.Persons.Erase(ctx, "chief", sought)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			e, err := desk.Persons.Erasure(ctx, id)
			require.NoError(t, err)
			return !e.EndedAt.IsZero()
		}, wait, tick)
		ended, err := desk.Persons.Erasure(ctx, id)
		require.NoError(t, err)
		require.Equal(t, known.Total(), ended.Rows)

		// A form that has waited since, in the file of another process, and two of somebody else.
		_, state := s.Health()
		another := spool.New(spool.Settings{File: state.Forms.File, Size: spool.MinSize}, zap.NewNop())
		for i, who := range []someone{ada, boris, boris} {
			message := ""
			if i == 2 {
				message = "call my wife: 8 495 111-22-33"
			}
			record, err := json.Marshal(map[string]any{
				"id": fmt.Sprint("waiting ", i), "at": time.Now().Add(-time.Hour), "site": "shop", "rule": map[string]any{"path": "/send"}, "status": 200, "host": "localhost", "path": "/send",
				"client": "127.0.0.1:1", "said": map[string]any{"Name": "late " + who.name, "Phone": who.phone, "Message": message},
			})
			require.NoError(t, err)
			require.NoError(t, another.Append(0, record))
		}
		file := another.State().File
		another.Close()
		require.Eventually(t, func() bool { // when the server has taken it over and stored it
			left, err := os.ReadFile(file)
			require.NoError(t, err)
			_, now := s.Health()
			return len(bytes.Trim(left, "\x00")) == 0 && now.Forms.Waiting == 0
		}, wait, tick)
		require.Equal(t, 1, count("SELECT COUNT(*) FROM leads WHERE name LIKE 'late %'"))
		require.NoError(t, desk.DB.Scrub(ctx))

		after := all()
		for _, text := range ada.texts() {
			require.NotContains(t, after, text)
		}
		for _, text := range []string{boris.name, boris.digits, boris.secret, "journal"} {
			require.Contains(t, after+"journal", text)
		}
		require.Equal(t, visitors-1+1, count("SELECT COUNT(*) FROM visitors"), "one for the form that has waited")
		require.Equal(t, 2, count("SELECT COUNT(*) FROM leads"))
		require.Equal(t, 3, count("SELECT COUNT(*) FROM calls"))
		require.Equal(t, 1, count("SELECT COUNT(*) FROM refused_leads"))
		require.Zero(t, count("SELECT COUNT(*) FROM erasure_marks"))

		// Who has done what is told, and not of whom.
		entries, err := desk.Journal.Administration(ctx, scope.All(), journal.Position{}, 100)
		require.NoError(t, err)
		told := make(map[string]operator.Handled)
		for _, e := range entries {
			var h operator.Handled
			require.NoError(t, json.Unmarshal(e.Data, &h))
			told[e.Kind] = h
		}
		for _, kind := range []string{operator.PersonLooked, operator.Exported, operator.PersonErased} {
			require.Equal(t, "chief", told[kind].By, kind)
			require.Equal(t, known.Person, told[kind].Person, kind)
			require.NotZero(t, told[kind].Rows, kind)
		}
		again, err := desk.Persons.Look(ctx, "chief", sought)
		require.NoError(t, err)
		require.Zero(t, again.Total())
	})
}

// TestAllTracesAreCovered goes through the schema: whoever adds a table that refers to visitors or leads has to say how a person
// is erased from it, in the list of backend/desk.go.
func TestAllTracesAreCovered(t *testing.T) {
	eachEngine(t, func(t *testing.T, _ *server, desk *backend.Desk, _ func() string) {
		var covered []string
		for _, table := range desk.Persons.Tables() {
			covered = append(covered, table.Name)
		}
		tables := 0
		for _, column := range []string{"visitor_id", "lead_id", "session_id", "call_id"} {
			for _, table := range tablesWith(t, desk, column) {
				tables++
				require.True(t, slices.Contains(covered, table) || slices.Contains(keepNothing, table), "%s has a %s: its subject's Traces have to say how a person is erased from it", table, column)
			}
		}
		require.Greater(t, tables, 15)
		for _, table := range covered {
			require.Contains(t, tablesWith(t, desk, ""), table)
		}
	})
}
