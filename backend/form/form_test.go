package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/person/persontest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site = 7

func each(t *testing.T, test func(t *testing.T, d *db.DB, f *form.Forms, pass func(time.Duration))) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var clock atomic.Int64
		clock.Store(1_790_000_000_000)
		test(t, d, form.New(d, func() time.Time { return time.UnixMilli(clock.Load()) }), func(passed time.Duration) { clock.Add(passed.Milliseconds()) })
	})
}

func list(t *testing.T, f *form.Forms) []form.Form {
	t.Helper()
	require.NoError(t, f.Store(t.Context()))
	forms, err := f.List(t.Context(), scope.Of(site))
	require.NoError(t, err)
	return forms
}

func TestFormsAreListed(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, f *form.Forms, pass func(time.Duration)) {
		require.False(t, f.Known(site, "/contact"))
		f.Note(site, form.Answer{Path: "/contact", Status: 200}) // of which no field was read yet
		f.Note(site, form.Answer{Path: "/contact", Status: 302, Fields: []string{"name", "anna@example.com", "phone", "name", "74951234567", "I wrote this", strings.Repeat("a", 100), "lamp[]"}})
		require.True(t, f.Known(site, "/contact"))
		f.Note(site, form.Answer{Path: "/contact", Status: 500})
		f.Note(8, form.Answer{Path: "/other", Status: 200, Fields: []string{"a"}})
		want := form.Form{SiteID: site, Path: "/contact", Fields: []string{"name", "phone", "lamp[]"}, Times: 2, Errors: 1, LastAt: time.UnixMilli(1_790_000_000_000)}
		require.Equal(t, []form.Form{want}, list(t, f))

		pass(61 * time.Minute)
		require.False(t, f.Known(site, "/contact"), "it may have other fields now")
		f.Note(site, form.Answer{Path: "/contact", Status: 200, Fields: []string{"tel"}})
		want.Fields, want.Times, want.LastAt = []string{"tel"}, 3, want.LastAt.Add(61*time.Minute)
		require.Equal(t, []form.Form{want}, list(t, f))

		pass(31 * 24 * time.Hour)
		require.Empty(t, list(t, f))
		require.NoError(t, f.Prune(t.Context()))
		left, _, err := db.One(t.Context(), d.Read(), db.Only[int], `SELECT (SELECT COUNT(*) FROM forms) + (SELECT COUNT(*) FROM form_answers)`)
		require.NoError(t, err)
		require.Zero(t, left)
	})
}

// However many paths somebody sends forms to, few are listed, and the others are found again.
func TestFormsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, _ *db.DB, f *form.Forms, pass func(time.Duration)) {
		many := func(called string) {
			for i := range 3 * form.MaxForms {
				f.Note(site, form.Answer{Path: fmt.Sprintf("/%s/%d", called, i), Status: 200, Fields: []string{"email"}})
			}
		}
		many("a")
		require.Len(t, list(t, f), form.MaxForms)
		pass(2 * time.Hour)
		many("b")
		require.Len(t, list(t, f), form.MaxForms)
		pass((form.DaysKept + 1) * 24 * time.Hour)
		require.NoError(t, f.Prune(t.Context()))
		f.Note(site, form.Answer{Path: "/contact", Status: 200, Fields: []string{"email"}})
		require.Len(t, list(t, f), 1)
		f.Note(site, form.Answer{Path: "/" + strings.Repeat("a", form.MaxPath), Status: 200, Fields: []string{"email"}})
		require.Len(t, list(t, f), 1)
	})
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/contact.php": "/contact.php", "/lamps/17/question": "/lamps/*/question", "/wp-json/contact-form-7/v1/contact-forms/12/feedback": "/wp-json/contact-form-7/v1/contact-forms/*/feedback",
		"/u/anna@example.com": "/u/*", "/order/0f8fad5b-d9cb-469f-a165-70867728950e": "/order/*", "/" + strings.Repeat("a", 61): "/*", "//": "//",
	} {
		require.Equal(t, want, form.PathOf(path))
	}
}

// A form that fails is told once, and again when it has worked for a while, of however many nodes it is asked.
func TestFailuresAreTold(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, f *form.Forms, pass func(time.Duration)) {
		clock := time.UnixMilli(1_790_000_000_000)
		incidents := incident.New(d, func() time.Time { return clock })
		told := func() (said []string) {
			t.Helper()
			require.NoError(t, f.Store(t.Context()))
			require.NoError(t, incidents.Settle(t.Context()))
			for _, e := range journaltest.Entries(t, d) {
				require.EqualValues(t, site, e.SiteID)
				var of incident.News
				require.NoError(t, json.Unmarshal(e.Data, &of))
				said = append(said, fmt.Sprintf("%s %s %s %d", e.Kind, of.Kind, of.About, of.Status))
			}
			return said
		}
		answered := func(status, times int, kept bool) {
			for range times {
				f.Note(site, form.Answer{Path: "/contact", Status: status, Fields: []string{"email"}, Kept: kept})
			}
		}
		answered(500, 3, false)
		answered(200, 3, true)
		answered(422, 3, true) // what was typed is refused
		answered(429, 1, true)
		require.Empty(t, told())
		answered(500, 2, true)
		want := []string{"incident.begun form /contact 500"}
		require.Equal(t, want, told())
		later := func(passed time.Duration) {
			clock = clock.Add(passed)
			pass(passed)
		}
		later(50 * time.Minute)
		answered(500, 4, true)
		answered(503, 3, true)
		require.Equal(t, want, told())
		answered(200, 1, true)
		require.Equal(t, want, told())
		later(incident.Calm)
		want = append(want, "incident.over form /contact 503")
		require.Equal(t, want, told())

		failing, err := f.FailingOf(t.Context(), scope.Of(site), func(siteID int64, path string) bool { return path == "/contact" })
		require.NoError(t, err)
		require.Equal(t, []form.Failing{{SiteID: site, Path: "/contact", Status: 500, Times: 9}, {SiteID: site, Path: "/contact", Status: 422, Times: 3}, {SiteID: site, Path: "/contact", Status: 503, Times: 3}, {SiteID: site, Path: "/contact", Status: 429, Times: 1}}, failing)
		for _, none := range []scope.Sites{{}, scope.Of(8)} {
			failing, err = f.FailingOf(t.Context(), none, func(int64, string) bool { return true })
			require.NoError(t, err)
			require.Empty(t, failing)
		}
	})
}

// The markup of pages is kept in bounds, of those that were seen last, and for as long as they are seen.
func TestMarkupOfPages(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, f *form.Forms, pass func(time.Duration)) {
		keep := func(path, markup string) {
			t.Helper()
			require.NoError(t, f.KeepPage(t.Context(), site, form.Page{Path: path, Markup: markup}))
		}
		pages := func() map[string]string {
			t.Helper()
			kept, err := f.Pages(t.Context(), site)
			require.NoError(t, err)
			all := make(map[string]string)
			for _, p := range kept {
				all[p.Path] = p.Markup
			}
			return all
		}
		keep("/", "[1]")
		keep("/contact", "[2]")
		keep("/nothing", "")
		keep("/long", strings.Repeat("x", form.MaxMarkup+1))
		require.Equal(t, map[string]string{"/": "[1]", "/contact": "[2]"}, pages())
		keep("/", "[3]")
		keep("/contact", "")
		require.Equal(t, map[string]string{"/": "[3]"}, pages())
		for i := range form.MaxPages + 10 {
			pass(time.Second)
			keep(fmt.Sprint("/", i), "[4]")
		}
		all := pages()
		require.Len(t, all, form.MaxPages)
		require.NotContains(t, all, "/")
		require.Contains(t, all, fmt.Sprint("/", form.MaxPages+9))
		pass((form.DaysKept - 1) * 24 * time.Hour)
		keep("/20", "[4]")
		pass(2 * 24 * time.Hour)
		require.NoError(t, f.Prune(t.Context()))
		require.Equal(t, map[string]string{"/20": "[4]"}, pages())
	})
}

// Visitors choose paths, and pages show what is their visitors' own.
func TestFormsThatNameAPersonAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB, f *form.Forms, _ func(time.Duration)) {
		naming := form.PathOf("/call/8-495/111-22/33.html")
		for _, a := range []form.Answer{
			{Path: naming, Fields: []string{"email"}}, {Path: "/contact", Fields: []string{"name", "ada%40example.com"}}, {Path: "/order", Fields: []string{"name"}},
		} {
			a.Status = 200
			f.Note(site, a)
		}
		require.Len(t, list(t, f), 3)
		for path, markup := range map[string]string{naming: `{}`, "/account": `{"phone":{"Label":"Not 8 (495) 111-22-33?"}}`, "/order": `{"phone":{"Label":"Phone"}}`} {
			require.NoError(t, f.KeepPage(t.Context(), site, form.Page{Path: path, Markup: markup}))
		}
		require.Equal(t, map[string]int64{"forms": 2, "form_answers": 1, "page_markups": 2}, persontest.Erase(t, d, "+7 495 111 22 33, Ada@example.com", form.Traces()))
		left := list(t, f)
		require.Len(t, left, 1)
		require.Equal(t, "/order", left[0].Path)
		pages, err := f.Pages(t.Context(), site)
		require.NoError(t, err)
		require.Equal(t, []form.Page{{Path: "/order", Markup: `{"phone":{"Label":"Phone"}}`}}, pages)
	})
}
