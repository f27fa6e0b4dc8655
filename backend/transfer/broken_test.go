package transfer_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/db/partition"
	"github.com/seed-3405227d/frontdesk/backend/db/table"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// stored is how many rows each table has.
func stored(t testing.TB, d *db.DB) map[string]int64 {
	t.Helper()
	all, err := table.List(t.Context(), d)
	require.NoError(t, err)
	counts := make(map[string]int64)
	for _, name := range append([]table.Table{{Name: "sites"}}, all...) {
		n, _, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT COUNT(*) FROM `+name.Name)
		require.NoError(t, err)
		counts[name.Name] = n
	}
	return counts
}

// change replaces the first occurrence behind the line of a table.
func change(t testing.TB, content, table, was, is string) string {
	t.Helper()
	at := strings.Index(content, `{"table":{"name":"`+table+`"`)
	require.GreaterOrEqual(t, at, 0, table)
	changed := content[:at] + strings.Replace(content[at:], was, is, 1)
	require.NotEqual(t, content, changed, "%s: %s", table, was)
	return changed
}

// rowOf is the first row of the table.
func rowOf(t testing.TB, content, table string) string {
	t.Helper()
	lines := strings.SplitAfter(content[strings.Index(content, `{"table":{"name":"`+table+`"`):], "\n")
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "[") {
			return line
		}
	}
	require.Fail(t, "the table has no row", table)
	return ""
}

// What is wrong with a file is told with its line, and changes nothing.
func TestWrongDataChangeNothing(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	shop(t, source, 150, 3)
	whole := string(export(t, source, demo.Site))
	lines := strings.SplitAfter(whole, "\n")
	visit, request, message := rowOf(t, whole, "visits"), rowOf(t, whole, "leads"), rowOf(t, whole, "messages")
	behindFirst := func(row string) string { return row[strings.Index(row, ","):] } // the values behind the first, which is a time
	replace := func(was, is string) string {
		t.Helper()
		changed := strings.Replace(whole, was, is, 1)
		require.NotEqual(t, whole, changed, was)
		return changed
	}
	sent := base64.StdEncoding.EncodeToString([]byte(picture))
	page := base64.StdEncoding.EncodeToString([]byte("<html>" + strings.Repeat(" ", len(picture)-6)))
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			neighbour(t, d)
			before := stored(t, d.DB)
			for _, wrong := range []struct{ expected, content string }{
				{"the end of the file is missing", strings.Join(lines[:len(lines)-2], "")},
				{"the end of the file is missing", strings.Join(lines[:len(lines)/2], "")},
				{"the end of the file is missing", whole[:strings.Index(whole, `{"table"`)]},
				{`: unexpected EOF`, strings.Join(lines[:len(lines)-2], "") + "[1,2"},
				{"expected the end", whole + "\n"},
				{"lines with", replace(`"end":{"lines":`, `"end":{"lines":1`)},
				{"lines with", replace(visit, "")},
				{"expected the table visitors, not \"operators\"", replace(`"name":"visitors"`, `"name":"operators"`)},
				{"the table visits has other columns here", change(t, whole, "visits", `"area"`, `"aria"`)},
				{"messages.author: expected a text", change(t, whole, "messages", `"visitor"`, `{"a":["visitor"]}`)},
				{"invalid character", replace(visit, strings.Replace(visit, ",", ",,", 1))},
				{"visits: expected", replace(visit, strings.Replace(visit, "]\n", ",]\n", 1))},
				{"expected one row", replace(visit, strings.Replace(visit, "]\n", "] 1\n", 1))},
				{"visits: expected 26 values", replace(visit, strings.Replace(visit, "]\n", strings.Repeat(",1", 4<<20)+"]\n", 1))},
				{"visits: expected", replace(visit, strings.Replace(visit, "]\n", ",1]\n", 1))},
				{"visits: expected", replace(visit, "[]\n")},
				{"expected a row, or 393216 bytes", replace(visit, visit+`{"table":{"name":"visits","columns":[`+strings.Repeat(`"",`, 1<<20)+`""]}}`+"\n")},
				{"too long", change(t, whole, "report_columns", `"login":"`, `"login":"`+strings.Repeat("a", 2000))},
				{"line 5: expected at most", replace(lines[1], strings.Repeat(`{"reply":{"word":"a","text":"`+strings.Repeat("a", 9<<20)+`"}}`+"\n", 4)+lines[1])},
				{"the first line is too long", replace(`"leads":`, `"x":"`+strings.Repeat("a", 65<<10)+`","leads":`)},
				{"expected a row, or the next table", replace(visit, visit+"{}\n")},
				{"unknown field", replace(visit, visit+"{\"row\":[1]}\n")},
				{"leads.at: expected a number, not true", replace(request, "[true"+behindFirst(request))},
				{"leads.at: expected a number, not 1e3", replace(request, "[1e3"+behindFirst(request))},
				{"leads.at: 99999999999999999 is out of range", replace(request, "[99999999999999999"+behindFirst(request))},
				{"leads.at: expected a value", replace(request, "[null"+behindFirst(request))},
				{"leads: expected", replace(request, strings.Replace(request, "]\n", ",1]\n", 1))},
				{"messages.author: a text has characters that cannot be stored", change(t, whole, "messages", `"visitor"`, `"visitor\u0000"`)},
				{"messages.author: \"nobody\" is none of", change(t, whole, "messages", `"visitor"`, `"nobody"`)},
				{"leads.user_fields: expected an object of texts", edit(t, whole, "leads", 0, map[string]any{"user_fields": "5"})},
				{"calls.recording: expected an address", edit(t, whole, "calls", 0, map[string]any{"recording": "javascript:alert(1)"})},
				{"visit_days.views: 4611686018427387904 is out of range", edit(t, whole, "visit_days", 0, map[string]any{"views": 1 << 62})},
				{"messages.seq: 4611686018427387904 is out of range", edit(t, whole, "messages", 0, map[string]any{"seq": 1 << 62})},
				{"leads.user_fields: expected an object of texts", change(t, whole, "leads", `"{\"town\"`, `"{\"town`)},
				{"the rows from line", replace(visit, visit+visit)},
				{"the rows from line", replace(message, message+message)},
				{"the number is none of the file's", regexp.MustCompile(`"leads":\d+`).ReplaceAllString(whole, `"leads":2`)},
				{"the first line does not say which numbers", replace(`"leads":`, `"x":1,"leads":`)},
				{"views are of days to come", regexp.MustCompile(`"day.visit.views":\d+`).ReplaceAllString(whole, fmt.Sprintf(`"day.visit.views":%d`, partition.First(time.Now())+1<<40-2))},
				{"views are of days to come", regexp.MustCompile(`"day.visit.views":\d+`).ReplaceAllString(whole, fmt.Sprintf(`"day.visit.views":%d`, partition.First(time.Now().Add(48*time.Hour))))},
				{"expected 1 to", replace(`"leads":`, `"leads":9999999999`)},
				{"has not been named", change(t, whole, "report_columns", `{"operator":`+operatorLine(whole), "")},
				{"files of this type are not taken", replace(sent, page)},
				{"expected a piece of", replace(sent, sent[:len(sent)-4]+"AAAA"+sent)},
				{"a column of a report is broken", regexp.MustCompile(`\{"piece":"....`).ReplaceAllString(whole, `{"piece":"////`)},
				{"token too long", replace(visit, visit+"["+strings.Repeat("1,", 9<<20)+"1]\n")},
				{"line 2: json", replace(`{"settings":{}`, `{"settings":{"what":1}`)},
				{"expected the settings once", replace(lines[1], "")},
			} {
				_, err := load(t.Context(), d, []byte(wrong.content), "wrong")
				require.ErrorContains(t, err, wrong.expected, wrong.expected)
				require.Equal(t, before, stored(t, d.DB), wrong.expected)
			}
			_, err := load(t.Context(), d, []byte(whole), "right")
			require.NoError(t, err, "the file itself is well")
		})
	}
}

// operatorLine is the first line that names an operator, behind its beginning.
func operatorLine(content string) string {
	_, rest, _ := strings.Cut(content, `{"operator":`)
	line, _, _ := strings.Cut(rest, "\n")
	return line + "\n"
}

// An import that is stopped takes back what it has done. While it is under way, nobody can have the site served, and
// neither are persons erased nor old visits deleted.
func TestStoppedImportIsTakenBack(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	shop(t, source, 300, 3)
	content := export(t, source, demo.Site)
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			neighbour(t, d)
			before := stored(t, d.DB)
			read, err := transfer.Read(t.Context(), bytes.NewReader(content))
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			undone, looked := false, false
			_, err = subjects(d).ImportData(ctx, read, "moved", transfer.Progress{Wait: func() {}, Undo: func() { undone = true }, Rows: func(n int64) {
				if n < 500 || looked {
					return
				}
				looked = true
				require.NoError(t, d.Sites.Refresh(t.Context()))
				_, err := d.Sites.ByKey(t.Context(), "moved")
				require.ErrorIs(t, err, site.ErrRetired)
				hidden, err := d.Sites.OfKey(t.Context(), "moved")
				require.NoError(t, err)
				require.False(t, hidden.ArrivingAt.IsZero())
				_, err = d.Sites.Retire(t.Context(), hidden.ID, false, "anna")
				require.NoError(t, err)
				require.NoError(t, d.Sites.Refresh(t.Context()))
				_, err = d.Sites.ByKey(t.Context(), "moved")
				require.ErrorIs(t, err, site.ErrRetired, "nobody restores it")
				_, err = subjects(d).Export(t.Context(), io.Discard, transfer.Wanted{Key: "moved"})
				require.ErrorIs(t, err, site.ErrArriving)
				for _, duty := range []string{person.Duty, retain.Duty} {
					mine, err := duties.Do(t.Context(), d.DB, duty, func(context.Context) error { return nil })
					require.NoError(t, err)
					require.False(t, mine, duty)
				}
				stop()
			}})
			require.ErrorIs(t, err, context.Canceled)
			require.True(t, undone)
			require.Equal(t, before, stored(t, d.DB))
			_, err = load(t.Context(), d, content, "moved")
			require.NoError(t, err)
			require.ErrorIs(t, subjects(d).TakeBack(t.Context(), "moved", quiet), transfer.ErrNotBroken)
		})
	}
}

// Who is being erased does not leave, and who was erased is not in the file.
func TestErasedPersonsDoNotMove(t *testing.T) {
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, settings(t))
			shop(t, d, 100, 2)
			require.Contains(t, string(export(t, d, demo.Site)), "ada@example.com")
			_, err := d.Persons.Erase(t.Context(), "", person.Sought{Emails: []string{"ada@example.com"}, Sites: scope.All()})
			require.NoError(t, err)
			_, err = subjects(d).Export(t.Context(), io.Discard, transfer.Wanted{Key: demo.Site, Data: true, Tell: func(int64) {}})
			require.ErrorIs(t, err, transfer.ErrErasing)
			require.NoError(t, d.Persons.EraseAsked(t.Context()))
			require.NotContains(t, string(export(t, d, demo.Site)), "ada@example.com")
			// Nothing comes while somebody is being erased.
			content, waited := export(t, d, demo.Site), make(chan struct{})
			_, err = duties.Do(t.Context(), d.DB, person.Duty, func(ctx context.Context) error {
				imported := make(chan error, 1)
				read, err := transfer.Read(t.Context(), bytes.NewReader(content))
				require.NoError(t, err)
				ctx, stop := context.WithCancel(ctx)
				go func() {
					_, err := subjects(d).ImportData(ctx, read, "moved", transfer.Progress{Wait: func() { close(waited) }, Undo: func() {}, Rows: func(int64) {}})
					imported <- err
				}()
				<-waited
				stop()
				require.ErrorIs(t, <-imported, context.Canceled)
				return nil
			})
			require.NoError(t, err)
		})
	}
}

// What has happened long ago elsewhere is no news here, to nobody; what happens from then on is.
func TestNoNewsOfOldData(t *testing.T) {
	source := open(t, dbtest.SQLite(t))
	shop(t, source, 300, 3)
	content := export(t, source, demo.Site)
	for name, settings := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := settings(t)
			service := backend.New(there, zap.NewNop(), nil)
			service.Start(backend.Configuration{})
			t.Cleanup(func() { service.Close() })
			require.Eventually(t, service.Ready, time.Minute, 10*time.Millisecond)
			_, err := load(t.Context(), open(t, there), content, "moved")
			require.NoError(t, err)
			desk, done, err := service.Use()
			require.NoError(t, err)
			defer done()
			var moved site.Site
			require.Eventually(t, func() bool { moved, err = desk.Sites.ByKey(t.Context(), "moved"); return err == nil }, time.Minute, 10*time.Millisecond)
			n, _, err := desk.Leads.Add(t.Context(), submission.Submission{SiteID: moved.ID, Origin: lead.Server, Name: "Vera", Phone: "+7 999 000-00-09"})
			require.NoError(t, err)
			type noted struct {
				event   string
				subject int64
			}
			deliveries := func() []noted {
				list, err := db.List(t.Context(), desk.DB.Read(), func(n *noted) []any { return []any{&n.event, &n.subject} }, `SELECT event, subject_id FROM deliveries WHERE site_id = $1`, moved.ID)
				require.NoError(t, err)
				return list
			}
			require.Eventually(t, func() bool { return len(deliveries()) > 0 }, time.Minute, 10*time.Millisecond)
			require.NoError(t, desk.Bulletins.Look(t.Context()))
			require.Equal(t, []noted{{"lead.added", n.ID}}, deliveries())
			jobs, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], `SELECT kind FROM jobs WHERE site_id = $1`, moved.ID)
			require.NoError(t, err)
			require.LessOrEqual(t, len(jobs), 1, "%v", jobs)
			kinds, err := db.List(t.Context(), desk.DB.Read(), db.Only[string], `SELECT kind FROM journal WHERE site_id = $1 ORDER BY seq`, moved.ID)
			require.NoError(t, err)
			kinds = slices.DeleteFunc(kinds, func(kind string) bool {
				return strings.HasPrefix(kind, "site.") || strings.HasPrefix(kind, "operator.")
			})
			require.Equal(t, []string{"lead.added"}, kinds)
		})
	}
}
