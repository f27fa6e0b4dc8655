package system

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/stretchr/testify/require"
)

// view reports a page view, and returns the status and the code of the answer.
func (s *server) view(n int) (status int, code any) {
	s.T.Helper()
	status, body := s.call("hit", map[string]any{
		"site_key": "shop", "view": fmt.Sprintf("view-%017d", n), "url": s.Text("http://localhost:$PORT/"), "kind": "load",
	})
	return status, body["code"]
}

// Above its limits a site goes on as if nothing were in front of it, and what was sent as a lead can be read by its owner.
func TestLimitsOfASite(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _, database string) {
		s := run(t, `
		{
			frontdesk {
				database `+database+`
				operator anna "`+hash+`"
				limits {
					views 4
					leads 1000000
					chats 1
				}
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				prerender static
				number 74951234567 {
					static 74957654321
				}
				capture /contact
				limits {
					leads 2
					streams 1
				}
			}
			handle /contact {
				respond "thanks"
			}
			handle {
				header Content-Type text/html
				respond "<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>"
			}
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`).Ready()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		t.Cleanup(done)
		const at = "http://localhost:$PORT"
		whole := s.Get(at + "/")
		require.Contains(t, whole.Content, insertion)
		require.Contains(t, whole.Content, "765-43-21")
		for n := range 4 {
			status, _ := s.view(n)
			require.Equal(t, http.StatusOK, status)
		}
		status, _ := s.view(0)
		require.Equal(t, http.StatusForbidden, status, "nothing more is stored")
		status, code := s.view(5)
		require.Equal(t, http.StatusForbidden, status)
		require.Equal(t, "limit_reached", code)
		bare := s.Get(at + "/")
		require.Equal(t, `<!doctype html><html><head><title>Lamps</title></head><body>+7 495 123-45-67</body></html>`, bare.Content)

		form := func(name string) {
			t.Helper()
			sent, err := s.Client.PostForm(s.Text(at+"/contact"), url.Values{"name": {name}, "phone": {"+7 495 000-00-01"}, "message": {name}})
			require.NoError(t, err)
			defer sent.Body.Close()
			require.Equal(t, http.StatusOK, sent.StatusCode)
		}
		form("Anna")
		form("Boris")
		require.Len(t, keptLeads(t, desk, 2), 2)
		form("Clara")
		require.Eventually(t, func() bool {
			console := s.console()
			client, signedIn := console.as("anna")
			require.True(t, signedIn)
			console.Client.Jar = client.Jar
			return strings.Contains(console.Get("http://localhost:$PORT/leads/refused").Content, "Clara")
		}, wait, tick)
		require.Len(t, leadsOf(t, desk), 2)
		require.NoError(t, desk.Limits.Store(t.Context()))
		wrong, err := desk.Incidents.Now(t.Context(), scope.All())
		require.NoError(t, err)
		var about []string
		for _, w := range wrong {
			require.Equal(t, incident.Limit, w.Kind)
			about = append(about, w.About)
		}
		require.ElementsMatch(t, []string{"views", "leads"}, about)
		require.Contains(t, s.Log(), "a site has reached its limit")
		require.Positive(t, s.Metric(`frontdesk_limited_total{limit="leads"}`))
		require.Positive(t, s.Metric(`frontdesk_pages_passed_total{reason="limited"}`))

		console := s.console()
		client, signedIn := console.as("anna")
		require.True(t, signedIn)
		console.Client.Jar = client.Jar
		page := console.Get("http://localhost:$PORT/sites/1").Content
		require.Contains(t, page, "The site has reached a limit: Leads today")
		require.Contains(t, page, "2 of 2")
		require.Contains(t, page, "4 of 4")
	})
}

// usesOf is what the public API says of the limits of a site, as "used of most" by kind; nil for a site that is not known.
func (n *node) usesOf(token, site string) map[string]string {
	n.T.Helper()
	answer, err := n.Do(http.MethodGet, "http://localhost:$PORT2/api/v1/sites/"+site+"/limits", "", "Authorization", "Bearer "+token)
	if err != nil || answer.StatusCode != http.StatusOK { // it is being reloaded, or does not know the site yet
		return nil
	}
	var body struct {
		Limits []struct {
			Name       string
			Used, Most int64
		}
	}
	require.NoError(n.T, json.Unmarshal([]byte(answer.Content), &body))
	uses := make(map[string]string)
	for _, u := range body.Limits {
		uses[u.Name] = fmt.Sprintf("%d of %d", u.Used, u.Most)
	}
	return uses
}

// Two nodes share a database. One serves sites that nobody has visited, the other the console alone.
func TestLimitsAreKnownBeforeTheFirstRequest(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	console := func(name string) string {
		return `
		{
			frontdesk {
				database postgres "$SOURCE"
				name ` + name + `
				operator anna "` + hash + `"
				limits {
					mails 70
				}
			}
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`
	}
	edge := func(limits string) string {
		return console("edge") + `
		http://lamps.example:$PORT {
			frontdesk lamps {
				` + limits + `
			}
			respond "lamps"
		}
		http://:$PORT {
			frontdesk {
				limits {
					chats 3
				}
			}
			respond "any shop"
		}`
	}
	a := runNode(t, edge("limits {\nviews 40\n}"), "$SOURCE", source)
	b := runNode(t, console("desk"), "$SOURCE", source)
	made, err := command(t, "", "token", "add", "A test", "--scope", "sites:read", "--scope", "sites:write", "--database-postgres", source)
	require.NoError(t, err)
	token := strings.TrimSpace(made[strings.LastIndex(strings.TrimSpace(made), "\n")+1:])
	everywhere := func(site string, uses map[string]string) {
		t.Helper()
		for _, n := range []*node{a, b} {
			require.Eventually(t, func() bool { return maps.Equal(uses, n.usesOf(token, site)) }, wait, tick)
		}
	}
	everywhere("lamps", map[string]string{"views": "0 of 40", "mails": "0 of 70"})
	client, signedIn := a.console().as("anna")
	require.True(t, signedIn)
	page := a.console()
	page.Client.Jar = client.Jar
	require.Contains(t, page.Get("http://localhost:$PORT/sites/1").Content, "0 of 40")
	require.EqualValues(t, 1, a.Metric(`frontdesk_limits{limit="views"}`))
	require.EqualValues(t, 0, a.Metric(`frontdesk_limits_reached{limit="views"}`))

	// A site that is added on the other node is served by the block for all hosts.
	added, err := b.Do(http.MethodPost, b.Text("http://localhost:$PORT2/api/v1/sites"), `{"key": "chairs.example"}`, "Authorization", "Bearer "+token, "Content-Type", "application/json")
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, added.StatusCode, added.Content)
	everywhere("chairs.example", map[string]string{"chats": "0 of 3", "mails": "0 of 70"})

	reload := func(limits string) {
		t.Helper()
		answer, err := a.Do(http.MethodPost, "http://"+a.Admin+"/load", string(a.Adapt(edge(limits))), "Content-Type", "application/json")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, answer.Content)
	}
	reload("limits {\nviews 50\nleads 6\n}")
	everywhere("lamps", map[string]string{"views": "0 of 50", "leads": "0 of 6", "mails": "0 of 70"})
	reload("")
	everywhere("lamps", map[string]string{"mails": "0 of 70"})
}

// A site that has no room for its data goes on as if nothing were in front of it. With more room, it is tracked again.
func TestLimitOfWhatIsStored(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _, database string) {
		const page, at = `<!doctype html><html><head><title>Lamps</title></head><body>lamps</body></html>`, "http://localhost:$PORT"
		caddyfile := func(disk string) string {
			return `
			{
				frontdesk {
					database ` + database + `
					operator anna "` + hash + `"
				}
			}
			http://localhost:$PORT {
				frontdesk shop {
					capture /contact
					limits {
						disk ` + disk + `
					}
				}
				handle /contact {
					respond "thanks"
				}
				handle {
					header Content-Type text/html
					respond "` + page + `"
				}
			}
			http://localhost:$PORT2 {
				frontdesk_console
			}`
		}
		s := run(t, caddyfile("20KB")).Ready()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		t.Cleanup(done)
		console := s.console()
		client, signedIn := console.as("anna")
		require.True(t, signedIn)
		console.Client.Jar = client.Jar
		require.Eventually(t, func() bool {
			return strings.Contains(console.Get("http://localhost:$PORT/sites/1").Content, "Texts, numbers and files in the database, counted")
		}, wait, tick)
		require.Contains(t, s.Get(at+"/").Content, insertion)
		stored := 0
		for status, code := s.view(stored); status != http.StatusForbidden; status, code = s.view(stored) {
			require.Equal(t, http.StatusOK, status, code)
			stored++
			require.Less(t, stored, 100)
		}
		require.Greater(t, stored, 20)
		_, code := s.view(stored)
		require.Equal(t, "limit_reached", code)
		require.Equal(t, page, s.Get(at+"/").Content)
		sent, err := s.Client.PostForm(s.Text(at+"/contact"), url.Values{"name": {"Clara"}, "phone": {"+7 495 000-00-01"}, "message": {"A lamp"}})
		require.NoError(t, err)
		defer sent.Body.Close()
		require.Equal(t, http.StatusOK, sent.StatusCode)
		require.Eventually(t, func() bool {
			return strings.Contains(console.Get("http://localhost:$PORT/leads/refused").Content, "Clara")
		}, wait, tick)
		require.Empty(t, leadsOf(t, desk))
		require.Positive(t, s.Metric(`frontdesk_limited_total{limit="disk"}`))

		require.NoError(t, s.Load(caddyfile("20MB")))
		require.Eventually(t, func() bool { return strings.Contains(s.Get(at+"/").Content, insertion) }, wait, tick)
		status, code := s.view(stored)
		require.Equal(t, http.StatusOK, status, code)
	})
}

// A site's visitors ask for more callbacks than the site may have on a day.
func TestLimitOfCallbacks(t *testing.T) {
	pbx := newExchange(t)
	eachDatabase(t, func(t *testing.T, _, database string) {
		with := func(most string) string {
			caddyfile := strings.NewReplacer("DATABASE", database, "PLATFORM", pbx.directive(), "LINES", "phone 74951234567").Replace(calling)
			return strings.Replace(caddyfile, "region RU", "region RU\nlimits {\ncallbacks "+most+"\n}", 1)
		}
		s, before := run(t, with("2")).Ready(), pbx.count()
		ask := func(n int) (status int, code string) {
			status, code, _ = s.callBack(map[string]any{"phone": mobile(n)}, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", n+1))
			return status, code
		}
		limited := s.Metric(`frontdesk_limited_total{limit="callbacks"}`)
		for n := range 2 {
			status, code := ask(n)
			require.Equal(t, callback.Sent, status, code)
		}
		status, code := ask(2)
		require.Equal(t, callback.TooMany, status)
		require.Equal(t, "limit_reached", code)
		require.Len(t, s.callbacks(), 2)
		pbx.placed(t, before+1)
		require.Equal(t, before+2, pbx.count())
		require.Equal(t, limited+1, s.Metric(`frontdesk_limited_total{limit="callbacks"}`))

		require.NoError(t, s.Load(with("3")))
		require.Eventually(t, func() bool { status, _ = ask(3); return status == callback.Sent }, wait, tick)
		status, code = ask(4)
		require.Equal(t, callback.TooMany, status)
		require.Equal(t, "limit_reached", code)
	})
}

// A site sends more mails than it may on a day. They wait for the next.
func TestLimitOfMails(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _, database string) {
		post := mailtest.Start(t)
		s := run(t, `
		{
			frontdesk {
				database `+database+`
				operator anna "`+hash+`"
				mail smtp://`+post.Address+` {
					from "Shop <desk@shop.example>"
				}
				limits {
					mails 1
				}
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /contact
			}
			respond "thanks"
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`).Ready()
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		t.Cleanup(done)
		_, _, err = desk.Deliveries.Endpoints.Add(t.Context(), notify.Endpoint{
			SiteID: 1, Kind: notify.Mail, Address: "sales@shop.example", Events: []notify.Event{notify.LeadAdded}, Language: "en",
		}, "anna")
		require.NoError(t, err)
		limited := s.Metric(`frontdesk_limited_total{limit="mails"}`)
		send := func(name string) {
			t.Helper()
			said := url.Values{"name": {name}, "phone": {"+7 495 000-00-01"}, "message": {"From " + name}}
			sent, err := s.Do(http.MethodPost, "http://localhost:$PORT/contact", said.Encode(), "Content-Type", formType, "User-Agent", browser) // of a program's lead nobody is told
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, sent.StatusCode)
		}
		send("Anna")
		select {
		case letter := <-post.Letters:
			require.Contains(t, letter, "From Anna")
		case <-time.After(wait):
			require.FailNow(t, "no mail has come")
		}
		send("Boris")
		send("Clara")
		require.Eventually(t, func() bool { return s.Metric(`frontdesk_limited_total{limit="mails"}`) > limited }, wait, tick)
		require.Len(t, keptLeads(t, desk, 3), 3)
		require.Empty(t, post.Letters)
		console := s.console()
		client, signedIn := console.as("anna")
		require.True(t, signedIn)
		console.Client.Jar = client.Jar
		require.Contains(t, console.Get("http://localhost:$PORT/sites/1").Content, "1 of 1")

		require.Eventually(t, func() bool {
			left, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM deliveries WHERE state = 'waiting'`)
			return err == nil && left == 2
		}, wait, tick, "they are kept until tomorrow")
	})
}
