package transfer_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/demo"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		if err := commanded(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dbtest.Main(m)
}

// last is the end of what has happened on the shop's site.
var last = time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)

var engines = map[string]func(testing.TB) db.Settings{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres}

// open opens an installation.
func open(t testing.TB, settings db.Settings) *backend.Desk {
	t.Helper()
	desk, err := backend.Open(context.Background(), settings, zap.NewNop(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { desk.Close() })
	return desk
}

func subjects(d *backend.Desk) transfer.Subjects {
	return transfer.Subjects{DB: d.DB, Sites: d.Sites, Groups: d.Groups, Replies: d.Replies, Endpoints: d.Deliveries.Endpoints, Operators: d.Operators, Keys: d.Keys, Leads: d.Leads}
}

// picture is a GIF of one pixel.
const picture = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// account adds an account for all sites.
func account(t testing.TB, d *backend.Desk, login string) operator.Operator {
	t.Helper()
	require.NoError(t, d.Operators.Add(t.Context(), login, "correct horse battery", operator.Admin))
	all, err := d.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	return all[slices.IndexFunc(all, func(o operator.Operator) bool { return o.Login == login })]
}

// shop makes up some days of a shop, and what its operators have done.
func shop(t testing.TB, d *backend.Desk, visits, days int) site.Site {
	t.Helper()
	plan := demo.Year(last)
	plan.Visits, plan.Days = visits, days
	require.NoError(t, demo.Fill(t.Context(), d.DB, plan, func(time.Time, int64) {}))
	require.NoError(t, d.Sites.Refresh(t.Context()))
	s, err := d.Sites.ByKey(t.Context(), demo.Site)
	require.NoError(t, err)
	work(t, d, s)
	require.NoError(t, d.Figures.Keep(t.Context()))
	return s
}

// work is what operators and a visitor of today do.
func work(t testing.TB, d *backend.Desk, s site.Site) {
	t.Helper()
	ctx := t.Context()
	anna, boris := account(t, d, "anna"), account(t, d, "boris")
	sales, err := d.Groups.Keep(ctx, operator.Server(), group.Group{SiteID: s.ID, Name: "Sales", Routing: group.Routings[0]})
	require.NoError(t, err)
	view, err := d.Visits.Arrive(ctx, s.ID, 0, visit.Arrival{Nonce: "today", URL: "http://localhost:8080/?utm_source=today&utm_campaign=now", Title: "Lamps \"and\" <more> \u2028", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140.0"})
	require.NoError(t, err)
	require.NoError(t, d.Visits.AddInfo(ctx, s.ID, view.Ref, visit.Info{Name: "Ada", Email: "ada@example.com", Phone: "+7 999 000-00-01"}))
	require.NoError(t, d.Visits.SetProperty(ctx, s.ID, view.Ref, "vip", nil))
	require.NoError(t, d.Visits.TrackEvent(ctx, s.ID, view.Ref, "", visit.UserEvent{Category: "cart", Action: "add", Value: "7"}))
	one, _, err := d.Leads.Add(ctx, submission.Submission{SiteID: s.ID, Ref: view.Ref, Origin: lead.Form, Name: "Ada", Email: "ada@example.com", Phone: "+7 999 000-00-01", Message: "A turquoise lampshade, please\n\"quoted\"",
		GroupID: sales.ID, FormName: "Order", UserFields: map[string]string{"town": "Пермь"}, URL: "http://localhost:8080/order"})
	require.NoError(t, err)
	other, _, err := d.Leads.Add(ctx, submission.Submission{SiteID: s.ID, Origin: lead.Server, Name: "Ada", Phone: "+7 999 000-00-01", Message: "Once more"})
	require.NoError(t, err)
	by := lead.By{ID: anna.ID, Login: anna.Login}
	key := lead.Key{SiteID: s.ID, ID: one.ID}
	require.NoError(t, d.Leads.Give(ctx, by, key, lead.By{}, lead.By{ID: boris.ID, Login: boris.Login}))
	require.NoError(t, d.Leads.AddNote(ctx, by, key, "she will call on Monday"))
	require.NoError(t, d.Leads.SetTags(ctx, by, key, []string{"lamps"}))
	require.NoError(t, d.Leads.SetSale(ctx, by, key, true, "12.50"))
	require.NoError(t, d.Leads.Merge(ctx, by, key, other.ID))
	_, _, err = d.Deliveries.Endpoints.Add(ctx, notify.Endpoint{SiteID: s.ID, Kind: notify.Mail, Address: "desk@shop.example", Events: []notify.Event{notify.LeadAdded}, Language: "en"}, "anna")
	require.NoError(t, err)
	_, err = d.Bulletins.Add(ctx, bulletin.Subscription{SiteID: s.ID, Address: "owner@shop.example", Language: "en", Every: bulletin.Day}, "anna")
	require.NoError(t, err)
	talk, _, err := d.Chats.SayFrom(ctx, chat.From{SiteID: s.ID, Ref: view.Ref, URL: "http://localhost:8080/", Language: "en", GroupID: sales.ID}, chat.Message{Text: "Is anybody there?", ClientID: "one"})
	require.NoError(t, err)
	_, err = d.Chats.Say(ctx, s.ID, talk.ID, chat.Message{Author: chat.Operator, OperatorID: anna.ID, Text: "Here is a picture", File: &file.File{Name: "lamp.gif", Content: []byte(picture)}})
	require.NoError(t, err)
	_, err = d.Chats.Say(ctx, s.ID, talk.ID, chat.Message{Author: chat.Note, OperatorID: boris.ID, Text: "a friend of Carl's"})
	require.NoError(t, err)
	require.NoError(t, d.Chats.Close(ctx, s.ID, talk.ID, anna.ID))
	require.NoError(t, d.Saved.Save(ctx, anna, saved.Report{SiteID: s.ID, Name: "Mine", Query: fmt.Sprintf("by=campaign&f.operator=%d", boris.ID), Shared: true}))
	require.NoError(t, d.Saved.Save(ctx, boris, saved.Report{SiteID: s.ID, Name: "His", Query: "by=campaign", Shared: true}))
}

// export writes the site.
func export(t testing.TB, d *backend.Desk, key string) []byte {
	t.Helper()
	var file bytes.Buffer
	_, err := subjects(d).Export(t.Context(), &file, transfer.Wanted{Key: key, Release: "1", Data: true, At: last, Tell: func(int64) {}})
	require.NoError(t, err)
	return file.Bytes()
}

var quiet = transfer.Progress{Wait: func() {}, Undo: func() {}, Rows: func(int64) {}}

// load imports a file.
func load(ctx context.Context, d *backend.Desk, content []byte, as string) (transfer.Imported, error) {
	read, err := transfer.Read(ctx, bytes.NewReader(content))
	if err != nil {
		return transfer.Imported{}, err
	}
	return subjects(d).ImportData(ctx, read, as, quiet)
}

// neighbour has another site in the installation, whose rows have numbers that the shop's also have elsewhere.
func neighbour(t testing.TB, d *backend.Desk) site.Site {
	t.Helper()
	s, err := d.Sites.Provision(t.Context(), "neighbour")
	require.NoError(t, err)
	for n := range 20 {
		view, err := d.Visits.Arrive(t.Context(), s.ID, 0, visit.Arrival{Nonce: fmt.Sprint(n), URL: "https://neighbour.example/?utm_source=news", Kind: "load", UserAgent: "Mozilla/5.0 Chrome/140.0"})
		require.NoError(t, err)
		_, _, err = d.Leads.Add(t.Context(), submission.Submission{SiteID: s.ID, Ref: view.Ref, Origin: lead.Form, Name: "Neighbour", Phone: fmt.Sprint("+7 912 000 10 ", 10+n), Message: "A table"})
		require.NoError(t, err)
		_, _, err = d.Chats.SayFrom(t.Context(), chat.From{SiteID: s.ID, Ref: view.Ref, Language: "en"}, chat.Message{Text: "Hello", ClientID: "one"})
		require.NoError(t, err)
	}
	require.NoError(t, d.Figures.Keep(t.Context()))
	return s
}

// look tells what people see of a site, in lines without numbers of the installation.
type look struct {
	t      testing.TB
	d      *backend.Desk
	site   int64
	logins map[int64]string
	lines  []string
}

func see(t testing.TB, d *backend.Desk, siteID int64) []string {
	t.Helper()
	l := &look{t: t, d: d, site: siteID, logins: map[int64]string{0: ""}}
	all, err := d.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	for _, o := range all {
		l.logins[o.ID] = o.Login
	}
	l.leads()
	l.calls()
	l.chats()
	l.callbacks()
	l.rest()
	return l.lines
}

func (l *look) say(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func at(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000")
}

// visitor tells what is known of one.
func (l *look) visitor(id visit.ID) string {
	if id == 0 {
		return "nobody"
	}
	c, err := l.d.Cards.Card(l.t.Context(), l.site, id)
	require.NoError(l.t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", at(c.FirstAt), at(c.LastAt), c.Name)
	for _, kind := range c.Emails {
		fmt.Fprintf(&b, " %+v", kind)
	}
	for _, kind := range c.Phones {
		fmt.Fprintf(&b, " %+v", kind)
	}
	for _, p := range c.Properties {
		fmt.Fprintf(&b, " %s %v %s", p.Name, p.Value, at(p.At))
	}
	for _, v := range c.Visits {
		fmt.Fprintf(&b, " | %s %s %+v %d %v %s", at(v.StartedAt), at(v.LastAt), v.Source, v.Views, v.Bot, v.UserAgent)
		for _, p := range v.Pages {
			fmt.Fprintf(&b, " %s %s %q", at(p.At), p.URL, p.Title)
		}
		for _, e := range v.Events {
			fmt.Fprintf(&b, " %s %s %s %s", e.Category, e.Action, e.Value, at(e.At))
			require.Contains(l.t, slices.Collect(func(yield func(visit.ID) bool) {
				for _, p := range v.Pages {
					if !yield(p.ID) {
						return
					}
				}
			}), e.View, "the view of an event")
		}
	}
	return b.String()
}

func (l *look) lead(n lead.Lead) string {
	if n.ID == 0 {
		return "none"
	}
	return fmt.Sprintf("%s %s %q %q %q %v %s %v %s %v %v %+v %s %v", at(n.At), n.Origin, n.Name, n.PhoneDigits, n.Message, n.IsSale, n.SaleCost, n.UserFields, n.URL, n.State, n.Tags, n.Source, l.logins[n.Owner], n.Marks)
}

func (l *look) leads() {
	ctx := l.t.Context()
	list, err := l.d.Leads.List(ctx, scope.Of(l.site), lead.Cursor{}, 100_000)
	require.NoError(l.t, err)
	require.NotEmpty(l.t, list)
	for i, n := range list {
		l.say("lead %s", l.lead(n))
		parts, err := l.d.Leads.Parts(ctx, lead.Key{SiteID: l.site, ID: n.ID})
		require.NoError(l.t, err)
		for _, p := range parts {
			l.say("  part %s", l.lead(p))
		}
		if i > 100 && n.Tags == nil {
			continue
		}
		l.say("  of %s", l.visitor(n.Visitor))
		deeds, err := l.d.Leads.Deeds(ctx, l.site, []int64{n.ID})
		require.NoError(l.t, err)
		for _, deed := range deeds {
			if deed.Kind == "merged" || deed.Kind == "took_in" {
				var id int64
				_, err := fmt.Sscan(deed.Said, &id)
				require.NoError(l.t, err)
				other, err := l.d.Leads.Get(ctx, l.site, id)
				require.NoError(l.t, err)
				deed.Said = l.lead(other)
			}
			l.say("  deed %s %s %s %s %q %q", at(deed.At), deed.By.Login, l.logins[deed.By.ID], deed.Kind, deed.Was, deed.Said)
		}
		numbers, err := l.d.Leads.Numbers(ctx, lead.Key{SiteID: l.site, ID: n.ID})
		require.NoError(l.t, err)
		l.say("  numbers %v", numbers)
	}
	for _, typed := range []string{"turquoise", "once"} {
		found, _, err := l.d.Inbox.Found(ctx, scope.Of(l.site), typed, 100)
		require.NoError(l.t, err)
		for _, id := range found {
			n, err := l.d.Leads.Get(ctx, l.site, id)
			require.NoError(l.t, err)
			l.say("found by %s %s", typed, l.lead(n))
		}
	}
}

func (l *look) calls() {
	calls, err := l.d.Calls.List(l.t.Context(), call.Filter{Sites: scope.Of(l.site)}, call.Cursor{}, 100_000)
	require.NoError(l.t, err)
	for i, c := range calls {
		of := "none"
		if c.LeadID != 0 {
			n, err := l.d.Leads.Get(l.t.Context(), l.site, c.LeadID)
			require.NoError(l.t, err)
			of = l.lead(n)
		}
		l.say("call %s %s %s %s %s %s %d %s %v %v lead %s", c.Platform, c.PlatformID, c.Called, c.Caller, at(c.StartedAt), c.Status, c.Talk, c.Recording, c.First, c.Confidence, of)
		if i < 100 {
			l.say("  of %s", l.visitor(c.Visitor))
		}
	}
}

func (l *look) chats() {
	ctx := l.t.Context()
	talks, err := l.d.Chats.List(ctx, scope.Of(l.site), chat.Filter{}, chat.Cursor{}, 100_000)
	require.NoError(l.t, err)
	for _, c := range talks {
		groups, err := l.d.Groups.Of(ctx, l.site)
		require.NoError(l.t, err)
		of := ""
		for _, g := range groups {
			if g.ID == c.GroupID {
				of = g.Name
			}
		}
		require.Equal(l.t, c.GroupID != 0, of != "")
		l.say("conversation %s %s %s %s %d %d %s %s of %s", of, l.logins[c.OperatorID], at(c.OpenedAt), at(c.LastAt), c.Seq, c.VisitorRead, c.URL, c.Language, l.visitor(c.Visitor))
		messages, err := l.d.Chats.Messages(ctx, l.site, c.ID, 0, 1000)
		require.NoError(l.t, err)
		for _, m := range messages {
			l.say("  %s %s %s %q %s", m.Author, l.logins[m.OperatorID], m.Code, m.Text, at(m.At))
			if m.File != nil {
				f, err := l.d.Chats.File(ctx, l.site, c.ID, m.File.ID, chat.Operator)
				require.NoError(l.t, err)
				l.say("  file %s %s %d %d %x", f.Name, f.Type, f.Size, f.Pixels, f.Content)
			}
		}
	}
}

func (l *look) callbacks() {
	ctx := l.t.Context()
	list, err := l.d.Callbacks.List(ctx, callback.Filter{Sites: scope.Of(l.site)}, 100_000)
	require.NoError(l.t, err)
	for _, c := range list {
		l.say("callback %s %s %s %s of %s", c.State, c.Phone, at(c.CreatedAt), c.URL, l.visitor(c.Visitor))
		steps, err := l.d.Callbacks.Steps(ctx, l.site, c.ID)
		require.NoError(l.t, err)
		for _, s := range steps {
			l.say("  %+v", s)
		}
	}
}

func (l *look) rest() {
	ctx := l.t.Context()
	for _, dimension := range []report.Dimension{report.Channel, report.Campaign, report.Pool, report.Number, report.Event, report.Operator, report.Group} {
		end := period.DateOf(time.Now(), time.UTC)
		answer, err := l.d.Reports.Ask(ctx, report.Question{SiteIDs: []int64{l.site}, By: []report.Dimension{dimension}, Period: period.Period{First: end - 700, Last: end, Step: period.Month, Zone: time.UTC},
			Credit: credit.Rule{Model: credit.Models[0], Window: 30 * 24 * time.Hour}, PersonWindow: 30 * 24 * time.Hour})
		require.NoError(l.t, err)
		l.say("figures %v %v", answer.Total, answer.Parts)
		rows := make(map[string]report.Figures)
		for i, r := range answer.Rows {
			value := r.Values[0]
			if dimension == report.Operator && value != "" && value[0] != 0 {
				var id int64
				_, err := fmt.Sscan(value, &id)
				require.NoError(l.t, err)
				value = l.logins[id]
			}
			if dimension == report.Group {
				value = fmt.Sprint(i)
				if len(r.Values[0]) > 0 && r.Values[0][0] > 0 {
					value = "Sales"
				}
			}
			rows[value] = r.Figures
		}
		for _, value := range slices.Sorted(maps.Keys(rows)) {
			l.say("figures by %s %q %v", dimension, value, rows[value])
		}
	}
	costs, err := l.d.Costs.List(ctx, l.site, 1000)
	require.NoError(l.t, err)
	for _, c := range costs {
		c.SiteID, c.ID = 0, 0
		l.say("costs %+v", c)
	}
	reports, err := l.d.Saved.SharedAt(ctx, scope.Of(l.site), 0, 100)
	require.NoError(l.t, err)
	for _, r := range reports {
		l.say("report %s %s %s", r.Name, l.logins[r.Operator], strings.Split(r.Query, "f.operator")[0])
	}
}

// same expects the same lines, and shows the first that differ.
func same(t testing.TB, expected, got []string, when string) {
	t.Helper()
	for i := range max(len(expected), len(got)) {
		line := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return "(end)"
		}
		require.Equal(t, line(expected), line(got), when)
	}
}

// A site with all that is stored of it goes from each engine to each, beside another site whose rows have the same
// numbers, and people see what they saw.
func TestDataMove(t *testing.T) {
	for from, first := range engines {
		t.Run("from "+from, func(t *testing.T) {
			t.Parallel()
			source := open(t, first(t))
			moved := shop(t, source, 2000, 40)
			expected := see(t, source, moved.ID)
			content := export(t, source, demo.Site)
			for to, second := range engines {
				t.Run("to "+to, func(t *testing.T) {
					d := open(t, second(t))
					account(t, d, "anna")
					account(t, d, "boris")
					other := neighbour(t, d)
					before := see(t, d, other.ID)
					done, err := load(t.Context(), d, content, "moved")
					require.NoError(t, err)
					require.Equal(t, []string{"anna", "boris"}, slices.Sorted(slices.Values(done.Data.Known)))
					require.Empty(t, done.Data.Unknown)
					require.NoError(t, d.Sites.Refresh(t.Context()))
					made, err := d.Sites.ByKey(t.Context(), "moved")
					require.NoError(t, err)
					same(t, expected, see(t, d, made.ID), "before figures are counted anew")
					require.NoError(t, d.Figures.Keep(t.Context()))
					same(t, expected, see(t, d, made.ID), "after")
					same(t, before, see(t, d, other.ID), "the other site")
					_, err = load(t.Context(), d, content, "moved")
					require.ErrorIs(t, err, site.ErrTaken)
					same(t, expected, see(t, d, made.ID), "and later")
				})
			}
		})
	}
}
