package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/console/bulletins"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const password = "correct horse battery"

// desk is a console in front of a database, served over HTTP.
type desk struct {
	t *testing.T
	console.Subjects
	console   *console.Console
	server    *httptest.Server
	ahead     atomic.Int64 // nanoseconds by which the desk's clock is ahead
	held      atomic.Pointer[time.Time]
	calls     atomic.Int64
	shop      site.Site
	Sightings *sighting.Sightings
	keeper    *keeper.Keeper              // of the figures
	mail      atomic.Pointer[mail.Server] // that of the configuration; nil for none
	required  atomic.Value                // a twostep.Rule: who has to sign in with two steps
	pbx       atomic.Pointer[pbx]         // the telephone platform that calls people; nil for none
}

func (d *desk) now() time.Time {
	at := time.Now()
	if held := d.held.Load(); held != nil {
		at = *held
	}
	return at.Add(time.Duration(d.ahead.Load()))
}

// hold lets no time pass by itself any more, however slow the machine is.
func (d *desk) hold()                     { d.held.Store(new(time.Now())) }
func (d *desk) pass(passed time.Duration) { d.ahead.Add(int64(passed)) }

func newDesk(t *testing.T, database *db.DB) *desk {
	t.Helper()
	ctx := t.Context()
	d := &desk{t: t}
	visits, err := visittest.Make(ctx, database, d.now)
	require.NoError(t, err)
	previews, err := preview.Open(ctx, database, d.now)
	require.NoError(t, err)
	numbers, leases := inventory.New(database, d.now), lease.New(database, d.now, nil)
	leads := lead.New(lead.Subjects{DB: database, Visits: visits.Visits, Texts: visits.Texts, Numbers: leases.ShownAt}, d.now)
	region := func(context.Context, int64) string { return "RU" }
	d.Subjects = console.Subjects{
		Previews: previews,
		Service:  func(key string) string { return "https://" + key + "/frontdesk/" },
		Forms:    form.New(database, d.now), Incidents: incident.New(database, d.now), Reports: report.New(database, visits.Keys, d.now), Saved: saved.New(database, d.now), ReportLinks: link.New(database, d.now), Costs: cost.New(database, d.now), Tokens: token.New(database, d.now),
		DB: database, Journal: journal.New(database), Visits: visits.Visits, Cards: visits.Cards, Onsite: visits.Onsite, Days: visits.Days,
		Sites: site.New(database, d.now, zap.NewNop(), func(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
			return numbers.KeepOwn(ctx, tx, siteID, own, nil)
		}),
		Leads:     leads,
		Chats:     chat.New(chat.Subjects{DB: database, Visits: visits.Visits, Texts: visits.Texts, Cards: visits.Cards, Leads: leads, Region: region}, d.now),
		Replies:   reply.New(database),
		Ratings:   rating.New(database, d.now),
		Operators: operator.New(database, d.now),
		Groups:    group.New(database, d.now),
		Numbers:   numbers,
		Leases:    leases,
	}
	d.keeper, err = keeper.Open(ctx, database, visits.Keys, d.now)
	require.NoError(t, err)
	d.Calls = call.New(call.Subjects{DB: database, Visits: visits.Visits, Leases: leases, Leads: d.Leads}, d.now)
	d.Sightings = sighting.New(database, d.now)
	d.Checks = check.New(check.Subjects{Sites: d.Sites, Days: d.Days, Sightings: d.Sightings, Numbers: numbers, Forms: d.Forms, Calls: d.Calls, Service: d.Service}, d.now)
	d.Inbox = inbox.New(database, d.Leads, d.now)
	d.Refused = refused.New(database, d.Leads, nil, d.now)
	d.SignIns, d.Presence = signin.New(database, d.Operators, d.now), presence.New(database, d.Operators, d.Groups, d.now)
	d.Callbacks, err = callback.Open(t.Context(), callback.Subjects{
		DB: database, Queue: queue.New(database, zap.NewNop()), Visits: visits.Visits, Groups: d.Groups, Key: d.Sites.Key,
		Diallers: func() []telephony.Dialler {
			if p := d.pbx.Load(); p != nil {
				return []telephony.Dialler{p}
			}
			return nil
		},
	}, d.now, zap.NewNop())
	require.NoError(t, err)
	d.Region = region
	d.Deliveries = notify.New(notify.Subjects{
		DB: database, Journal: d.Journal, Queue: queue.New(database, zap.NewNop()), Sites: d.Sites, Leads: d.Leads, Calls: d.Calls,
	}, func() notify.Settings {
		return notify.Settings{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Mail: d.mail.Load()}
	}, nil, d.now, zap.NewNop())
	d.TwoStep = twostep.New(database, d.now)
	d.Passkeys = passkey.New(database, d.Operators, d.now)
	d.Required = func() twostep.Rule { rule, _ := d.required.Load().(twostep.Rule); return rule }
	d.Invitations = invitation.New(invitation.Subjects{
		DB: database, Operators: d.Operators, HasMail: d.Deliveries.HasMail, Console: func() string { return "https://desk.example/" },
		Send: func(ctx context.Context, l invitation.Letter) (never bool, err error) {
			return d.Deliveries.Send(ctx, mail.Letter{To: l.To, Subject: l.Subject, Text: l.Text, ID: l.ID, At: l.At, Language: l.Language, Link: l.Link})
		},
	}, d.Deliveries.Queue, d.now)
	d.Conversions = conversion.New(conversion.Subjects{
		DB: database, Deliveries: d.Deliveries, Sites: d.Sites, Leads: d.Leads, Calls: d.Calls, Chats: d.Chats, Visits: visits.Visits, Clients: client.New(database, visits.Keys, zap.NewNop()),
	}, d.now, zap.NewNop())
	writer := bulletins.NewWriter(bulletins.Sources{Reports: d.Reports, Incidents: d.Incidents, Key: d.Sites.Key, Console: func() string { return "https://desk.example/" }}, d.now)
	d.Bulletins = bulletin.New(bulletin.Subjects{
		DB: database, Keys: visits.Keys, Queue: d.Deliveries.Queue, Deliveries: d.Deliveries, Write: writer.Write,
		Site: func(context.Context, int64) (bulletin.Served, error) {
			return bulletin.Served{Zone: time.UTC, Service: "https://shop.example/frontdesk/"}, nil
		},
	}, d.now, zap.NewNop())
	d.Persons, err = person.New(ctx, database, d.now, zap.NewNop(), func(context.Context) []string { return []string{"RU"} },
		d.Visits.Traces(), d.Chats.Traces(), d.Leads.Traces(), inbox.Traces(), refused.Traces(), d.Callbacks.Traces(), d.Calls.Traces(), d.Journal.Traces())
	require.NoError(t, err)
	d.shop, err = d.Sites.Provision(ctx, "shop.example")
	require.NoError(t, err)
	d.console = console.New(d.Subjects, d.now, zap.NewNop())
	d.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := r.Header.Get("Test-Address"); address != "" {
			r.RemoteAddr = address
		}
		defer func() {
			if cause := recover(); cause != nil {
				if cause != http.ErrAbortHandler {
					t.Errorf("%s %s: panic: %v\n%s", r.Method, r.URL, cause, debug.Stack())
				}
				panic(http.ErrAbortHandler)
			}
		}()
		d.console.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		d.console.Close()
		d.server.Close()
	})
	return d
}

// declare declares the operator, as a configuration does.
func (d *desk) declare(login, hash string) {
	d.t.Helper()
	require.NoError(d.t, d.DB.Write(d.t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		return d.Operators.Declare(ctx, tx, "node", []operator.Declared{{Login: login, PasswordHash: hash, Sites: scope.All()}})
	}))
}

// declareNumbers declares the numbers of the shop.
func (d *desk) declareNumbers(declarer string, numbers ...number.Declared) {
	d.t.Helper()
	require.NoError(d.t, d.DB.Write(d.t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
		return d.Numbers.Declare(ctx, tx, declarer, map[int64][]number.Declared{d.shop.ID: numbers})
	}))
}

// each runs the test on a desk of each database, with the admin vera.
func each(t *testing.T, test func(t *testing.T, d *desk)) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newDesk(t, database)
		require.NoError(t, d.Operators.Add(t.Context(), "vera", password, operator.Admin))
		test(t, d)
	})
}

// hit is a page view by a new visitor.
func (d *desk) hit(view visit.Arrival) visit.View {
	d.t.Helper()
	view.Nonce = fmt.Sprintf("view%018d", d.calls.Add(1))
	if view.URL == "" {
		view.URL = "https://shop.example/order"
	}
	if view.UserAgent == "" {
		view.UserAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	}
	view.Kind = "load"
	h, err := d.Visits.Arrive(d.t.Context(), d.shop.ID, 0, view)
	require.NoError(d.t, err)
	return h
}

// lead is a request from the page view.
func (d *desk) lead(h visit.View, fields map[string]any) lead.Lead {
	d.t.Helper()
	object, err := json.Marshal(fields)
	require.NoError(d.t, err)
	s, err := submission.FromObject(object)
	require.NoError(d.t, err)
	s.SiteID, s.Ref, s.Origin, s.Region = d.shop.ID, h.Ref, lead.Script, "RU"
	s.CallID = fmt.Sprintf("call%018d", d.calls.Add(1))
	if s.URL == "" {
		s.URL = "https://shop.example/order"
	}
	l, _, err := d.Leads.Add(d.t.Context(), s)
	require.NoError(d.t, err)
	return l
}

// browser is a client with cookies of its own, which follows no redirects.
type browser struct {
	t       *testing.T
	base    string
	address string // of the client, with a port; empty for the real one
	*http.Client
}

func (d *desk) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(d.t, err)
	return &browser{t: d.t, base: d.server.URL, Client: &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn is a browser in which the operator has signed in.
func (d *desk) signedIn(login string) *browser {
	d.t.Helper()
	b := d.browser()
	a := b.post("/sign-in", "login", login, "password", password)
	require.Equal(d.t, http.StatusSeeOther, a.status, a.body)
	return b
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (b *browser) do(r *http.Request) answer {
	b.t.Helper()
	response, err := b.Do(r)
	require.NoError(b.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	return answer{response.StatusCode, response.Header, string(body)}
}

func (b *browser) request(method, path string, fields ...string) *http.Request {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	if b.address != "" {
		r.Header.Set("Test-Address", b.address)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	return b.do(b.request(http.MethodGet, path))
}

func (b *browser) post(path string, fields ...string) answer {
	b.t.Helper()
	return b.do(b.request(http.MethodPost, path, fields...))
}

// cookie is the one that the answer sets whose name is the prefix, or the prefix
// and the rest of 12 letters.
func (a answer) cookie(t *testing.T, prefix string) *http.Cookie {
	t.Helper()
	for _, line := range a.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		require.NoError(t, err)
		if rest, found := strings.CutPrefix(c.Name, prefix); found && (rest == "" || len(rest) == 12 && strings.HasSuffix(prefix, "-")) {
			return c
		}
	}
	require.Fail(t, "no such cookie", "%s in %q", prefix, a.header.Values("Set-Cookie"))
	return nil
}
