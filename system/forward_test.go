package system

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// central runs the node that has the visitors of a shop that others are in front of.
func central(t *testing.T, settings string) *node {
	return runNode(t, `
		{
			servers {
				trusted_proxies static 127.0.0.1 ::1
			}
			frontdesk {
				database sqlite $DIR/central.db
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				`+settings+`
				origins http://shop.example
			}
			respond "nothing"
		}`, "$DIR", t.TempDir())
}

// edgeOf runs the node in front of the shop.
func edgeOf(t *testing.T, c *node, settings, database string, m *mailer) *node {
	return runNode(t, `
		{
			frontdesk {
				database `+database+`
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				service `+c.Text("http://localhost:$PORT/frontdesk/")+`
				`+settings+`
				capture /send/* {
					form_name "Contact"
				}
				capture /join {
					kind visitor
				}
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`, "$DIR", t.TempDir())
}

// stored are the leads that a central node has stored, how often each name.
func stored(t *testing.T, d *db.DB) map[string]int {
	t.Helper()
	names, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT name FROM leads`)
	require.NoError(t, err)
	times := make(map[string]int)
	for _, name := range names {
		times[name]++
	}
	return times
}

func (n *node) database() *db.DB {
	n.T.Helper()
	d, err := db.Open(context.Background(), db.Settings{Engine: db.SQLite, Source: filepath.Join(n.Text("$DIR"), "central.db")}, zap.NewNop())
	require.NoError(n.T, err)
	n.T.Cleanup(func() { d.Close() })
	return d
}

// What the edge of another Frontdesk keeps reaches that one, in both variants, under the right visitor.
func TestServiceElsewhere(t *testing.T) {
	for _, variant := range []string{"A", "B"} {
		t.Run(variant, func(t *testing.T) {
			c, m := central(t, "variant "+variant), newMailer(t)
			e := edgeOf(t, c, "variant "+variant, "sqlite $DIR/edge.db", m)
			d := c.database()
			const site = "http://localhost:$PORT"
			page := e.Get(site+"/", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
			require.Contains(t, page.Content, `src="/frontdesk/svc.js"`)
			require.Empty(t, page.Header.Values("Set-Cookie"), "the visit is elsewhere")
			script := e.Get(site + "/frontdesk/svc.js")
			require.Equal(t, c.Get(site+"/frontdesk/svc.js").Content, script.Content)

			// The script's calls go through, and the visitor is the site's own.
			visitor, set := e.Viewed(site, site+"/?utm_source=news", "session=secret", "User-Agent", browser)
			require.NotEmpty(t, visitor)
			cookie := servertest.CookieOf(t, set)
			post := func(path, body string, headers ...string) {
				t.Helper()
				got, err := e.Do(http.MethodPost, site+path, body, append(headers, "Content-Type", formType, "User-Agent", browser)...)
				require.NoError(t, err)
				require.Equal(t, body, string(m.received))
				require.Contains(t, got.Content, "sent")
			}
			for range 2 { // pressed twice
				post("/send/200", "name=Anna&phone=%2B74951112233&message=Is+it+there%3F&city=Kazan", "Cookie", cookie)
				post("/send/200", "name=Bob&email=bob@example.com")
			}
			post("/send/500", "name=Carl&email=carl@example.com&_gotcha=1")
			post("/join", "name=Anna+Bell&email=anna@example.com", "Cookie", cookie)
			require.Eventually(t, func() bool { return len(stored(t, d)) == 3 }, wait, tick)
			type row struct {
				name, phone, message, form, fields, source string
				visitor                                    int64
				marks                                      string
				siteError                                  int
			}
			leads, err := db.List(t.Context(), d.Read(), func(r *row) []any {
				return []any{&r.name, &r.phone, &r.message, &r.form, &r.fields, &r.source, &r.visitor, &r.marks, &r.siteError}
			}, `SELECT name, phone, message, form_name, user_fields, source_name, visitor_id,
				COALESCE((SELECT MIN(mark) FROM lead_marks AS m WHERE m.site_id = leads.site_id AND m.lead_id = leads.id), ''), site_error FROM leads ORDER BY name`)
			require.NoError(t, err)
			require.Equal(t, row{"Anna", "+74951112233", "Is it there?", "Contact", `{"city":"Kazan"}`, "news", leads[0].visitor, "", 0}, leads[0])
			require.Equal(t, visitor.String(), fmt.Sprint(leads[0].visitor))
			require.NotZero(t, leads[1].visitor)
			require.NotEqual(t, leads[0].visitor, leads[1].visitor)
			require.Equal(t, lead.Trap, leads[2].marks, "what speaks against it travels along")
			require.Equal(t, 500, leads[2].siteError)
			require.Eventually(t, func() bool {
				_, found, err := db.One(t.Context(), d.Read(), db.Only[string], `SELECT value FROM contacts WHERE kind = 'email' AND value = 'anna@example.com'`)
				return err == nil && found
			}, wait, tick)
			require.Eventually(t, func() bool { return e.Metric(`frontdesk_forwards_total{outcome="taken"}`) >= 6 }, wait, tick)
			// Another edge, which shares nothing with this one, gets the second of two presses.
			e2 := edgeOf(t, c, "variant "+variant, "sqlite $DIR/edge.db", m)
			_, err = e2.Do(http.MethodPost, site+"/send/200", "name=Anna&phone=%2B74951112233&message=Is+it+there%3F&city=Kazan", "Cookie", cookie, "Content-Type", formType, "User-Agent", browser)
			require.NoError(t, err)
			require.Eventually(t, func() bool { return e2.Metric(`frontdesk_forwards_total{outcome="taken"}`) >= 1 }, wait, tick)
			require.Zero(t, e.Metric(`frontdesk_forwards_total{outcome="refused"}`))
			require.Equal(t, map[string]int{"Anna": 1, "Bob": 1, "Carl": 1}, stored(t, d))
		})
	}
}

// A refused form of which somebody makes a lead on the edge goes to the service, as the form's visitor, and once.
func TestWhatIsTakenOverGoesElsewhere(t *testing.T) {
	c, m := central(t, "variant B"), newMailer(t)
	d := c.database()
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				service `+c.Text("http://localhost:$PORT/frontdesk/")+`
				variant B
				capture /send/* {
					on success
				}
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	t.Cleanup(done)
	const site = "http://localhost:$PORT"
	visitor, set := s.Viewed(site, site+"/?utm_source=news", "", "User-Agent", browser)
	_, err = s.Do(http.MethodPost, site+"/send/500", "name=Anna&phone=%2B74951112233&message=Hello&city=Kazan", "Content-Type", formType, "User-Agent", browser, "Cookie", servertest.CookieOf(t, set))
	require.NoError(t, err)
	var refusals []refused.Refusal
	require.Eventually(t, func() bool {
		refusals, err = desk.Refused.List(t.Context(), scope.All(), lead.Cursor{}, 2)
		return err == nil && len(refusals) == 1
	}, wait, tick)
	for range 2 {
		made, err := desk.Refused.TakeOver(t.Context(), refusals[0].SiteID, refusals[0].ID)
		require.NoError(t, err)
		require.EqualValues(t, refused.Forwarded, made.ID)
	}
	require.Eventually(t, func() bool { return len(stored(t, d)) == 1 }, wait, tick)
	require.Empty(t, leadsOf(t, desk))
	type row struct {
		message, fields string
		visitor         int64
		siteError       int
	}
	got, _, err := db.One(t.Context(), d.Read(), func(r *row) []any { return []any{&r.message, &r.fields, &r.visitor, &r.siteError} }, `SELECT message, user_fields, visitor_id, site_error FROM leads`)
	require.NoError(t, err)
	require.Equal(t, row{"Hello", `{"city":"Kazan"}`, got.visitor, 500}, got)
	require.Equal(t, visitor.String(), fmt.Sprint(got.visitor))
}

// Central and edge are killed under a stream of forms and calls. Whatever was acknowledged is there once.
func TestForwardingThroughOutages(t *testing.T) {
	c := central(t, "variant A")
	m := &mailer{Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // of many at once
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "sent")
	}))}
	t.Cleanup(m.Close)
	e := edgeOf(t, c, "variant A", "sqlite $DIR/edge.db", m)
	d := c.database()
	const site, senders, each = "http://localhost:$PORT", 4, 60
	client := &http.Client{Timeout: 10 * time.Second}
	var sending sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	reached := func(n int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(acknowledged) >= n
		}
	}
	for s := range senders {
		sending.Go(func() {
			var credentials map[string]any
			deadline := time.Now().Add(5 * wait)
			for i, known := 0, 0; known < each && time.Now().Before(deadline); {
				name := fmt.Sprintf("s%dn%d", s, i)
				var ok bool
				switch {
				case credentials == nil:
					body := fmt.Sprintf(`{"site_key":"shop","view":"%s","url":"http://shop.example/","kind":"load"}`, strings.Repeat(fmt.Sprint(s+1), 22))
					answer, err := postTo(client, e.Text(site+"/frontdesk/v1/hit"), "application/json", body)
					ok = err == nil && json.Unmarshal(answer, &credentials) == nil && credentials["visitor_id"] != nil
					if !ok {
						credentials = nil
					}
					time.Sleep(tick)
					continue
				case i%3 == 0: // the site's server
					form := url.Values{"name": {name}, "email": {name + "@example.com"}}
					for key, value := range credentials {
						switch v := value.(type) {
						case string:
							form.Set(key, v)
						case float64:
							form.Set(key, fmt.Sprintf("%.0f", v))
						}
					}
					answer, err := postTo(client, e.Text(site+"/frontdesk/api/add_offline_message/"), formType, form.Encode())
					ok = err == nil && strings.Contains(string(answer), `"success":true`)
				case i%3 == 1: // a form, of a stranger
					answer, err := postTo(client, e.Text(site+"/send/200"), formType, "name="+name+"&email="+name+"@example.com")
					ok = err == nil && strings.Contains(string(answer), "sent")
				default: // the script
					given := map[string]any{}
					for _, key := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
						given[key] = credentials[key]
					}
					body, _ := json.Marshal(map[string]any{"credentials": given, "id": "call-of-" + strings.Repeat("x", 10) + name, "request": map[string]string{"name": name, "email": name + "@example.com"}})
					answer, err := postTo(client, e.Text(site+"/frontdesk/v1/lead"), "application/json", string(body))
					ok = err == nil && strings.Contains(string(answer), `"success":true`)
				}
				if ok {
					mu.Lock()
					acknowledged[name] = true
					mu.Unlock()
					known++
				}
				i++ // what was not acknowledged may be there or not
				if time.Sleep(5 * time.Millisecond); !ok {
					time.Sleep(200 * time.Millisecond) // nobody is there
				}
			}
		})
	}
	require.Eventually(t, reached(senders*each/6), wait, tick)
	c.kill()
	require.Eventually(t, reached(senders*each/2), wait, tick, "the site takes forms without its service")
	e.kill()
	e.launch()
	require.Eventually(t, reached(senders*each*2/3), wait, tick)
	c.launch()
	sending.Wait()
	require.Greater(t, len(acknowledged), senders*each*2/3)
	require.Eventually(t, func() bool {
		times := stored(t, d)
		for name := range acknowledged {
			if times[name] == 0 {
				return false
			}
		}
		return true
	}, 2*wait, tick)
	for name, times := range stored(t, d) {
		require.Equal(t, 1, times, name)
	}
}

func postTo(client *http.Client, address, contentType, body string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("User-Agent", browser)
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// The edge's database is stopped: forms go to the disk, and from there to the service.
func TestForwardingWithoutTheEdgesDatabase(t *testing.T) {
	server := dbtest.OwnServer(t)
	c, m := central(t, "variant B"), newMailer(t)
	source := server.Source()
	e := edgeOf(t, c, "variant B", `postgres "`+source+`"`, m)
	post := func(who string) {
		t.Helper()
		got, err := e.Do(http.MethodPost, "http://localhost:$PORT/send/200", "name="+who+"&email="+who+"@example.com", "Content-Type", formType, "User-Agent", browser)
		require.NoError(t, err)
		require.Contains(t, got.Content, "sent")
	}
	post("anna")
	server.Stop()
	post("bob")
	post("carl")
	e.kill()
	require.NoError(t, server.Start())
	e.launch()
	d := c.database()
	require.Eventually(t, func() bool { return len(stored(t, d)) == 3 }, wait, tick)
	require.Equal(t, map[string]int{"anna": 1, "bob": 1, "carl": 1}, stored(t, d))
}

type unobserved struct{}

func (unobserved) Forwarded(forward.Outcome) {}

// What a service refuses for good is listed with the reason, and can be sent once more or deleted.
func TestForwardsCommand(t *testing.T) {
	var mended atomic.Bool
	var received atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if received.Add(1); !mended.Load() {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.WriteString(w, `{"success":true}`)
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(option, "$DIR", dir)), 0o600))
	d, err := db.Open(t.Context(), db.Settings{Engine: db.SQLite, Source: filepath.Join(dir, "frontdesk.db")}, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	require.NoError(t, d.Migrate(t.Context()))
	q := queue.New(d, zap.NewNop())
	f := forward.New(d, q, unobserved{})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	do := func(args ...string) string {
		t.Helper()
		output, err := command(t, "", append([]string{"forwards"}, append(args, "-c", file)...)...)
		require.NoError(t, err, output)
		return output
	}
	require.Equal(t, "nothing is waiting\n", do("list"))

	of, err := forward.ParseService(service.URL, "")
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, f.Add(t.Context(), 1, forward.Item{
			ID: fmt.Sprintf("%022d", i), Service: of, Fields: url.Values{"name": {"Anna"}}, Credentials: map[string]string{"site_key": "shop", "visitor_id": "1"},
			Call: &forward.Call{Method: "POST", Path: "v1/lead", Body: "{}"},
		}))
	}
	refused := regexp.MustCompile(`(?m)^(\d+) .*"400"$`)
	require.Eventually(t, func() bool { return len(refused.FindAllString(do("list"), -1)) == 3 }, wait, tick)
	list := do("list")
	require.NotContains(t, list, "Anna")
	ids := refused.FindAllStringSubmatch(list, -1)
	require.Equal(t, ids[0][1]+" is deleted\n", do("discard", ids[0][1]))
	mended.Store(true)
	require.Equal(t, ids[1][1]+" is sent again\n", do("again", ids[1][1]))
	require.Equal(t, ids[2][1]+" is sent again\n", do("again", "--all"))
	require.Eventually(t, func() bool { return do("list") == "nothing is waiting\n" }, wait, tick)
	require.EqualValues(t, 5, received.Load())
	for expected, args := range map[string][]string{
		"expected the ids":          {"again"},
		"expected the ids of refu":  {"discard"},
		`"7" is not a refused item`: {"again", "7"},
		`"x" is not a refused item`: {"discard", "x"},
	} {
		_, err := command(t, "", append([]string{"forwards"}, append(args, "-c", file)...)...)
		require.ErrorContains(t, err, expected)
	}
}

// The service elsewhere hears who has agreed, and that somebody objects.
func TestConsentToAServiceElsewhere(t *testing.T) {
	const settings = "consent agreed yes\n\t\t\t\trespect gpc"
	c, m := central(t, settings), newMailer(t)
	e := edgeOf(t, c, settings, "sqlite $DIR/edge.db", m)
	d := c.database()
	const site = "http://localhost:$PORT"
	hit := func(headers ...string) int {
		t.Helper()
		got, err := e.Do(http.MethodPost, site+"/frontdesk/v1/hit", `{"site_key":"shop","view":"`+strings.Repeat("v", 22)+`","url":"http://shop.example/","kind":"load"}`,
			append(headers, "Content-Type", "application/json", "User-Agent", browser)...)
		require.NoError(t, err)
		return got.StatusCode
	}
	require.Equal(t, http.StatusForbidden, hit())
	require.Equal(t, http.StatusForbidden, hit("Cookie", "agreed=yes", "Sec-Gpc", "1"))
	require.Equal(t, http.StatusOK, hit("Cookie", "session=secret; agreed=yes"))
	post := func(who string, headers ...string) {
		t.Helper()
		_, err := e.Do(http.MethodPost, site+"/send/200", "name="+who+"&email="+who+"@example.com", append(headers, "Content-Type", formType, "User-Agent", browser)...)
		require.NoError(t, err)
	}
	post("nobody")
	post("objector", "Cookie", "agreed=yes", "Sec-Gpc", "1")
	post("anna", "Cookie", "session=secret; agreed=yes")
	require.Eventually(t, func() bool { return len(stored(t, d)) > 0 }, wait, tick)
	require.Equal(t, map[string]int{"anna": 1}, stored(t, d))
	require.Zero(t, e.Metric(`frontdesk_forwards_total{outcome="refused"}`))
}
