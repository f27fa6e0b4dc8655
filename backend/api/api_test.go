package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

func TestMain(m *testing.M) {
	dbtest.MainBySite(m, "SELECT COUNT(*) FROM ") // what the tests count
}

// desk is the service over HTTP, with one site.
type desk struct {
	t         testing.TB
	db        *db.DB
	visits    *visittest.Rooms
	leads     *lead.Leads
	refusals  *refused.Refusals
	operators *operator.Operators
	groups    *group.Groups
	presence  *presence.Presence
	captchas  *captcha.Captchas
	clients   *client.Clients
	chats     *chat.Chats
	bulletins *bulletin.Bulletins
	chatting  *live.Pages
	handler   http.Handler
	url       string // of the prefix, as consultant_server_url
	logs      *observer.ObservedLogs
	counted   *counter
	clock     atomic.Int64 // what is added to the time, in nanoseconds
	panics    atomic.Bool  // whoever asks for a name
}

// counter counts what the observer is told.
type counter struct {
	mu     sync.Mutex
	views  int
	leads  map[string]int
	unkept map[string]int
}

func (c *counter) Unkept(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unkept == nil {
		c.unkept = make(map[string]int)
	}
	c.unkept[what]++
}

func (c *counter) View(string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views++
}

func (c *counter) Lead(origin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leads[origin]++
}

const siteID = 7

const variantA, variantB = "A", "B"

func siteOf(variant string) gate.Site {
	return gate.Site{ID: siteID, Key: "shop", Signed: variant == variantA, Prefix: "/frontdesk/", Origins: []string{"https://www.shop.example"}, Region: func(context.Context) string { return "RU" }}
}

// serve runs the service for the site. A request's header From-Address stands
// for the address of its client.
func serve(t testing.TB, d *db.DB, site gate.Site) *desk {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	s := &desk{t: t, db: d, logs: logs, counted: &counter{leads: map[string]int{}}}
	now := func() time.Time { return time.Now().Add(time.Duration(s.clock.Load())) }
	var err error
	s.visits, err = visittest.Make(context.Background(), d, now)
	require.NoError(t, err)
	s.leads = lead.New(lead.Subjects{DB: d, Visits: s.visits.Visits, Texts: s.visits.Texts, Stored: s.counted.Lead}, now)
	s.refusals = refused.New(d, s.leads, nil, now)
	s.operators, s.groups = operator.New(d, now), group.New(d, now)
	s.presence = presence.New(d, s.operators, s.groups, now)
	s.captchas, err = captcha.Open(context.Background(), d, now)
	require.NoError(t, err)
	callbacks, err := callback.Open(context.Background(), callback.Subjects{
		DB: d, Queue: queue.New(d, zap.NewNop()), Diallers: func() []telephony.Dialler { return nil },
	}, now, zap.NewNop())
	require.NoError(t, err)
	s.chats = chat.New(chat.Subjects{DB: d, Visits: s.visits.Visits, Texts: s.visits.Texts, Cards: s.visits.Cards}, now)
	s.chatting = live.New(d, s.chats, journal.New(d), s.presence.Online)
	t.Cleanup(s.chatting.Close)
	s.clients = client.New(d, s.visits.Keys, zap.NewNop())
	ctx, stop := context.WithCancel(context.Background())
	var storing sync.WaitGroup
	storing.Go(func() { s.clients.Run(ctx) })
	t.Cleanup(func() { stop(); storing.Wait() })
	s.bulletins = bulletin.New(bulletin.Subjects{DB: d, Keys: s.visits.Keys, Queue: queue.New(d, zap.NewNop())}, now, zap.NewNop())
	handler := api.New(api.Subjects{
		Keys: s.visits.Keys, Texts: s.visits.Texts, Visits: s.visits.Visits, Clients: s.clients, Onsite: s.visits.Onsite, Leads: s.leads, Refused: s.refusals, Presence: s.presence, Captchas: s.captchas, Callbacks: callbacks, Chats: s.chats, Live: s.chatting,
		Transcripts: letter.NewTranscripts(d, s.chats, queue.New(d, zap.NewNop()), letter.Letters{Can: func() bool { return false }}, now),
		Ratings:     rating.New(d, now),
		Bulletins:   s.bulletins,
		Now:         now,
		Answers:     letter.NewAnswers(letter.Subjects{DB: d, Chats: s.chats}, queue.New(d, zap.NewNop()), now),
		Who: func(ctx context.Context, id int64) (conversation.Who, error) {
			if s.panics.Load() {
				panic("no names today")
			}
			o, err := s.operators.Get(ctx, id)
			return conversation.Who{Name: o.Name, Face: o.Face}, err
		},
		Face: func(ctx context.Context, siteID int64, name string) ([]byte, error) {
			return s.operators.Faces().Named(ctx, scope.Of(siteID), name)
		},
	}, zap.New(core), s.counted)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { gate.Unknown(w) })
	api.Mount(mux, site.Prefix, func(w http.ResponseWriter, r *http.Request, path string) {
		if address := r.Header.Get("From-Address"); address != "" {
			r.RemoteAddr = address
		}
		handler.Serve(w, r, site, path)
	})
	s.handler = mux
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL + "/frontdesk/"
	return s
}

// each runs the test for both variants on both databases.
func each(t *testing.T, test func(t *testing.T, s *desk, v string)) {
	for _, v := range []string{variantA, variantB} {
		t.Run("variant "+v, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) { test(t, serve(t, d, siteOf(v)), v) })
		})
	}
}

// answer is what a request was answered with.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (a answer) code() string {
	code, _ := a.body["code"].(string)
	return code
}

// send makes a request; headers are given as names and values in turn, an empty
// value leaving out a header.
func (s *desk) send(method, route, content string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+route, strings.NewReader(content))
	require.NoError(s.t, err)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer response.Body.Close()
	return s.read(response)
}

// hurried is the status of a GET that takes no connection, so that very many come in a moment.
func (s *desk) hurried(route string, headers ...string) int {
	r := httptest.NewRequest(http.MethodGet, "/frontdesk/"+route, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Code
}

// read checks what holds for every answer.
func (s *desk) read(response *http.Response) answer {
	s.t.Helper()
	raw, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw)}
	kept := "no-store"
	if a.status == http.StatusOK && strings.HasSuffix(response.Request.URL.Path, "/v1/widget") {
		kept = "private, max-age=60"
	}
	require.Equal(s.t, kept, a.header.Get("Cache-Control"))
	require.Equal(s.t, "nosniff", a.header.Get("X-Content-Type-Options"))
	if a.status == http.StatusNoContent {
		return a
	}
	require.Equal(s.t, "application/json; charset=utf-8", a.header.Get("Content-Type"))
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(s.t, decoder.Decode(&a.body), a.raw)
	success, ok := a.body["success"].(bool)
	require.True(s.t, ok, a.raw)
	if success {
		require.Equal(s.t, http.StatusOK, a.status)
	} else {
		require.NotEmpty(s.t, a.body["error"], a.raw)
		require.NotEmpty(s.t, a.code(), a.raw)
	}
	return a
}

// script makes a call of the script, which sends the token of its browser beside the credentials.
func (s *desk) script(route string, body any, headers ...string) answer {
	s.t.Helper()
	call, _ := body.(object)
	if credentials, _ := call["credentials"].(object); credentials["browser"] != nil {
		call, credentials = maps.Clone(call), maps.Clone(credentials)
		call["browser"], call["credentials"] = credentials["browser"], credentials
		delete(credentials, "browser")
		body = call
	}
	content, err := json.Marshal(body)
	require.NoError(s.t, err)
	return s.send(http.MethodPost, "v1/"+route, string(content), append([]string{"Content-Type", "application/json"}, headers...)...)
}

// server makes a server's call.
func (s *desk) server(route string, form url.Values, headers ...string) answer {
	s.t.Helper()
	return s.send(http.MethodPost, route, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"}, headers...)...)
}

var calls atomic.Int64

// id is an id as the script makes it.
func id() string {
	n := strconv.FormatInt(calls.Add(1), 10)
	return strings.Repeat("i", 22-len(n)) + n
}

type object = map[string]any

func viewOf(address string) object {
	return object{"site_key": "shop", "view": id(), "url": address, "referrer": "https://search.example/?q=lamps", "title": "Lamps", "kind": "load"}
}

// visitor is a page view as the browser knows it after its hit.
type visitor struct {
	answer
	cookie string
}

// visit opens a page in a new browser.
func (s *desk) visit() visitor {
	s.t.Helper()
	return s.open(viewOf("https://shop.example/lamps?utm_source=news&utm_medium=mail"), "")
}

func (s *desk) open(view object, cookie string) visitor {
	s.t.Helper()
	a := s.script("hit", view, "Cookie", cookie)
	require.Equal(s.t, http.StatusOK, a.status, a.raw)
	set := a.header.Get("Set-Cookie")
	value, _, _ := strings.Cut(set, ";")
	return visitor{answer: a, cookie: value}
}

// credentials are those that the script sends, with the token of its browser, if it has one.
func (v visitor) credentials() object {
	c := v.shown()
	if token, given := v.body["browser"]; given {
		c["browser"] = token
	}
	return c
}

// shown are the credentials as the page has them, and whoever reads its forms.
func (v visitor) shown() object {
	c := object{}
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		c[name] = v.body[name]
	}
	return c
}

func (v visitor) number(name string) int64 {
	n, err := v.body[name].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return n
}

func (v visitor) ref() visit.Ref {
	return visit.Ref{Visitor: visit.ID(v.number("visitor_id")), Visit: visit.ID(v.number("session_id")), View: visit.ID(v.number("hit_id"))}
}

// form are the credentials as a site's server sends them, with the fields.
func (v visitor) form(variant string, fields ...string) url.Values {
	form := url.Values{}
	for _, name := range []string{"site_key", "visitor_id", "hit_id", "session_id", "consultant_server_url"} {
		form.Set(name, text(v.body[name]))
	}
	if variant == variantA {
		form.Set("key", text(v.body["key"]))
		form.Set("uri", text(v.body["uri"]))
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}

func text(value any) string {
	if n, ok := value.(json.Number); ok {
		return n.String()
	}
	return value.(string)
}

// stored are all leads, newest first.
func (s *desk) stored() []lead.Lead {
	s.t.Helper()
	leads, err := s.leads.List(context.Background(), scope.All(), lead.Cursor{}, 1000)
	require.NoError(s.t, err)
	return leads
}

// rows counts what the subjects have stored, so that a test can say that
// nothing was.
func (s *desk) rows() map[string]int64 {
	s.t.Helper()
	counts := map[string]int64{}
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if s.db.Engine() == db.Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	tables, err := db.List(context.Background(), s.db.Read(), db.Only[string], query)
	require.NoError(s.t, err)
	for _, table := range tables {
		if table == "sequences" || table == "secrets" {
			continue // numbers that are given out are not what is stored
		}
		counts[table], _, err = db.One(context.Background(), s.db.Read(), db.Only[int64], `SELECT COUNT(*) FROM `+table)
		require.NoError(s.t, err)
	}
	return counts
}

// dump is the value as JSON, for looking whether something is in it.
func dump(t testing.TB, value any) string {
	t.Helper()
	content, err := json.Marshal(value)
	require.NoError(t, err)
	return string(content)
}
