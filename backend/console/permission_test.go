package console_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// secrets are what there is of the shop, each in words that stand nowhere else.
var secrets = []string{
	"secretshop.example", "SecretTitle", "secret-path", "SecretName", "SecretMessage", "SecretForm", "SecretCity", "secretsource",
	"SecretCategory", "SecretProperty", "secret@mail.example", "12 345-67-89", "74957654321", "shopkeeper", "SecretKeeper", "SecretRefused", "SecretRecording",
	"SecretCampaign", "765-00-03", "secrethook.example", "SecretField", "SecretGroup", "SecretQuestion", "SecretFile", "SecretContent", "SecretReply",
	"765-00-09", "secret-asking", "SecretProgram", "SecretGoal", "SecretSaved", "SecretLink", "secretreader",
}

// shopOfSecrets fills the shop, and returns what stands for the wildcards of routes.
func (d *desk) shopOfSecrets() map[string]string {
	t := d.t
	var err error
	d.shop, err = d.Sites.Provision(t.Context(), "secretshop.example")
	require.NoError(t, err)
	h := d.hit(visit.Arrival{URL: "https://shop.example/secret-path?utm_source=secretsource", Title: "SecretTitle"})
	require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, "event00000000000000001", visit.UserEvent{Category: "SecretCategory"}))
	value := "yes"
	require.NoError(t, d.Visits.SetProperty(t.Context(), d.shop.ID, h.Ref, "SecretProperty", &value))
	l := d.lead(h, map[string]any{"name": "SecretName", "phone": "+7 (912) 345-67-89", "email": "secret@mail.example", "message": "SecretMessage",
		"form_name": "SecretForm", "user_fields": map[string]any{"city": "SecretCity"}})
	d.declareNumbers("secret", number.Declared{Digits: "74950000000", Tracking: []string{"74950000001"}})
	require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/secret-path", map[string][]inventory.Writing{"74957654321": {{Text: "74957654321", Place: "text"}}}))
	d.Forms.Note(d.shop.ID, form.Answer{Path: "/secret-path", Status: 500, Fields: []string{"SecretField"}})
	require.NoError(t, d.Forms.Store(t.Context()))
	refused := d.refuse("foreign_ids", []byte(`{"name":"SecretRefused"}`), h.Ref)
	called := d.call(telephony.Event{Call: "secret", Kind: telephony.Start, Called: "74950000001", Caller: "79123456789", Recording: "https://pbx.example/SecretRecording.mp3"})
	_, err = d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{PhoneMask: new("+7 ###"),
		Numbers: []number.Number{{Number: "74950000002", Tracking: []number.Tracking{{Name: "SecretCampaign", Pool: "hiddenpool"}}}},
		Pools:   map[string]number.DeclaredPool{"hiddenpool": {Numbers: []string{"74957650003"}}}}, "shopkeeper")
	require.NoError(t, err)
	keeper, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{
		Login: "shopkeeper", Name: "SecretKeeper", Password: password, Role: operator.Admin, Sites: scope.Of(d.shop.ID)})
	require.NoError(t, err)
	endpoint, _, err := d.Deliveries.Endpoints.Add(t.Context(), notify.Endpoint{SiteID: d.shop.ID, Kind: notify.Webhook, Address: "https://secrethook.example/",
		Events: notify.Events, Language: "en"}, "shopkeeper")
	require.NoError(t, err)
	_, credential := conversion.NewPassword()
	destination, err := conversion.Endpoint(conversion.GoogleAds, platform.Destination{Address: conversion.Login, Credential: credential,
		Settings: platform.Settings{Names: map[platform.Goal]string{platform.Lead: "SecretGoal"}}})
	require.NoError(t, err)
	destination.SiteID = d.shop.ID
	destination, _, err = d.Deliveries.Endpoints.Add(t.Context(), destination, "shopkeeper")
	require.NoError(t, err)
	group, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "SecretGroup", Routing: group.ToAll})
	require.NoError(t, err)
	subscription, err := d.Bulletins.Add(t.Context(), bulletin.Subscription{SiteID: d.shop.ID, Address: "secretreader@shop.example", Language: "en", Every: bulletin.Week}, "vera")
	require.NoError(t, err)
	conversation, _, err := d.Chats.SayFrom(t.Context(), chat.From{SiteID: d.shop.ID, Ref: h.Ref}, chat.Message{Text: "SecretQuestion",
		File: &file.File{Name: "SecretFile.txt", Content: []byte("SecretContent")}})
	require.NoError(t, err)
	messages, err := d.Chats.Messages(t.Context(), d.shop.ID, conversation.ID, 0, 1)
	require.NoError(t, err)
	_, err = d.Replies.Keep(t.Context(), reply.Reply{SiteID: d.shop.ID, Word: "hello", Text: "SecretReply"})
	require.NoError(t, err)
	d.callBack("74957650009", callback.Asked{Ref: h.Ref, URL: "https://shop.example/secret-asking"})
	list, err := d.Callbacks.List(t.Context(), callback.Filter{Sites: scope.Of(d.shop.ID)}, 1)
	require.NoError(t, err)
	require.NoError(t, d.Saved.Save(t.Context(), keeper, saved.Report{SiteID: d.shop.ID, Name: "SecretSaved", Shared: true}))
	savedReports, err := d.Saved.Of(t.Context(), keeper)
	require.NoError(t, err)
	program, _, err := d.Tokens.Make(t.Context(), operator.Server(), token.Token{Name: "SecretProgram", Scopes: token.Scopes, Sites: scope.Of(d.shop.ID)}, 1)
	require.NoError(t, err)
	_, shared, err := d.ReportLinks.Make(t.Context(), link.Link{SiteID: d.shop.ID, Name: "SecretLink", By: "shopkeeper"}, 1)
	require.NoError(t, err)
	require.NoError(t, d.Costs.Enter(t.Context(), d.shop.ID, "shopkeeper", cost.Entry{Source: "secretplatform", Campaign: "SecretCost", First: 20000, Last: 20001, Amount: 7}))
	return map[string]string{
		"import":       "1",
		"call":         fmt.Sprint(called.ID),
		"callback":     fmt.Sprint(list[0].ID),
		"conversation": fmt.Sprint(conversation.ID), "file": fmt.Sprint(messages[0].File.ID), "reply": "1", "capture": "0", "manual": "words", "drawing": "leads.webp",
		"group":    fmt.Sprint(group.ID),
		"endpoint": fmt.Sprint(endpoint.ID), "destination": fmt.Sprint(destination.ID), "table": "conversions.csv", "feed": fmt.Sprintf("%d-%d", d.shop.ID, destination.ID), "subscriber": fmt.Sprint(subscription.ID),
		"site": fmt.Sprint(d.shop.ID), "visitor": fmt.Sprint(int64(h.Visitor)), "lead": fmt.Sprint(l.ID), "operator": fmt.Sprint(keeper.ID),
		"saved": fmt.Sprint(savedReports[0].ID), "link": "1", "shared": shared, "program": fmt.Sprint(program.ID),
		"refused": fmt.Sprint(refused.ID), "view": "leads", "message": "1", "number": "74950000002", "pool": "hiddenpool", "face": "none", "name": "console.css", "$": "",
	}
}

var wildcard = regexp.MustCompile(`\{([a-z$]+)\}`)

// requestFor is a request for the route of the pattern, with these values for its wildcards.
func (b *browser) requestFor(pattern string, values map[string]string, query string, fields ...string) *http.Request {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = http.MethodGet, pattern
	}
	for _, name := range wildcard.FindAllStringSubmatch(path, -1) {
		value, known := values[name[1]]
		require.True(b.t, known, "tell this test what stands for %s in %s", name[0], pattern)
		path = strings.ReplaceAll(path, name[0], value)
	}
	return b.request(method, path+query, fields...)
}

// doors are the routes for those who have not signed in.
var doors = []string{"GET /assets/{name}", "GET /worker.js", "GET /setup", "POST /setup", "GET /sign-in", "POST /sign-in", "POST /sign-out", "POST /language",
	"GET /password", "POST /password", "GET /forgotten", "POST /forgotten", "GET /sign-in/code", "POST /sign-in/code", "POST /sign-in/code/passkey/options", "POST /sign-in/code/passkey",
	"POST /sign-in/passkey/options", "POST /sign-in/passkey", "GET /feeds/{feed}/{table}", "GET /r/{shared}", "GET /r/{shared}/export", "/"}

func TestNobodySeesASiteOfOthers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		values := d.shopOfSecrets()
		values["shared"] = "1-unknown" // whoever has a link sees what it shows
		shop := values["site"]
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		for login, role := range map[string]operator.Role{"eve": operator.Admin, "mallory": operator.Agent} {
			_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: login, Password: password, Role: role, Sites: scope.Of(other.ID)})
			require.NoError(t, err)
		}
		before := d.everything()
		everything := []string{"name", "SecretThief", "role", "operator", "sites", shop, "key", "secretshop.example", "password", password, "login", "thief", "disabled", "true"}

		walk := func(login string) {
			b := d.signedIn(login)
			for _, pattern := range console.Patterns() {
				if strings.HasPrefix(pattern, "GET /stream") {
					continue // which do not end: see the next test
				}
				for _, query := range []string{"", "?site=" + shop, "?site=" + shop + "&site=" + fmt.Sprint(other.ID)} {
					for _, fields := range [][]string{everything, append([]string{"site", shop}, everything...)} {
						b.address = ""
						if pattern == "POST /sign-in" { // with a wrong password
							b.address = fmt.Sprintf("198.51.100.%d:1", d.calls.Add(1)%256)
						}
						a := b.do(b.requestFor(pattern, values, query, fields...))
						where := fmt.Sprintf("%s: %s%s %v", login, pattern, query, fields[0])
						for _, secret := range secrets {
							require.NotContains(t, a.body+fmt.Sprint(a.header), secret, "%s tells %s", where, secret)
						}
						if strings.HasPrefix(pattern, "POST /sign") { // in or out
							b = d.signedIn(login)
						}
						names := strings.Contains(pattern, "{site}") || strings.Contains(pattern, "{operator}") || query != "" ||
							fields[0] == "site" && strings.HasPrefix(pattern, "POST")
						open := false
						for _, door := range doors {
							open = open || door == pattern
						}
						if names && !open {
							require.Contains(t, []int{http.StatusNotFound, http.StatusForbidden}, a.status, where)
						}
					}
				}
			}
		}
		walk("eve")
		walk("mallory")
		require.Equal(t, before, d.everything(), "nothing was changed")

		seen := ""
		b := d.signedIn("vera")
		for _, pattern := range console.Patterns() {
			if strings.HasPrefix(pattern, "GET") && !strings.HasPrefix(pattern, "GET /stream") {
				seen += b.do(b.requestFor(pattern, values, "")).body
			}
		}
		for _, secret := range secrets {
			require.Contains(t, seen, secret, "%s: an admin of all sites sees it, or this test looks for nothing", secret)
		}
	})
}

// everything is what the walk must not change.
func (d *desk) everything() string {
	t := d.t
	sites, err := d.Sites.List(t.Context())
	require.NoError(t, err)
	staff, err := d.Operators.List(t.Context(), scope.All())
	require.NoError(t, err)
	text := fmt.Sprintln(len(sites))
	for _, s := range sites {
		text += fmt.Sprintln(s.ID, s.Key, s.Version)
	}
	for _, o := range staff {
		if o.Sites != scope.Of(sites[0].ID) { // of the other site
			text += fmt.Sprintln(o.ID, o.Login, o.Name, o.Role, o.Sites, o.Disabled, o.Waiting, o.Epoch)
		}
	}
	entries, err := d.Journal.Administration(t.Context(), scope.Of(d.shop.ID), journal.Position{}, 1000)
	require.NoError(t, err)
	callbacks, err := d.Callbacks.List(t.Context(), callback.Filter{Sites: scope.Of(d.shop.ID)}, 1000)
	require.NoError(t, err)
	for _, b := range callbacks {
		text += fmt.Sprintln(b.ID, b.State, b.Attempts, b.ChangedAt)
	}
	return text + fmt.Sprintln(len(entries))
}

func TestNoStreamTellsOfASiteOfOthers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		values := d.shopOfSecrets()
		shop := d.shop
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "eve", Password: password, Role: operator.Admin, Sites: scope.Of(other.ID)})
		require.NoError(t, err)
		eve := d.signedIn("eve")
		d.shop = other
		mine := d.hit(visit.Arrival{URL: "https://other.example/mine", Title: "Mine"})
		for _, view := range []string{"visitors", "leads", "calls", "callbacks", "callback", "chats", "other", "card"} {
			for _, query := range []string{"site=" + values["site"], "site=" + values["site"] + "&visitor=" + values["visitor"], "site=0&site=" + values["site"], "site=x", "site=-1"} {
				require.Equal(t, http.StatusNotFound, eve.open("/stream/"+view+"?after=0-0&"+query, "").status, view)
			}
			// All that has happened, and what goes on to happen.
			query := fmt.Sprintf("&visitor=%s&callback=%s", values["visitor"], values["callback"])
			address := fmt.Sprintf("/stream/%s?after=0-0&site=%d", view, other.ID) + query
			for _, address := range []string{address, strings.Replace(address, fmt.Sprint("site=", other.ID), "site=0", 1), strings.Replace(address, fmt.Sprint("&site=", other.ID), "", 1)} {
				s := eve.open(address, "")
				require.Equal(t, http.StatusOK, s.status, address)
				d.shop = shop
				h := d.hit(visit.Arrival{URL: "https://shop.example/secret-path", Title: "SecretTitle"})
				d.lead(h, map[string]any{"name": "SecretName", "message": "SecretMessage"})
				d.asks("SecretQuestion")
				_, _, err := d.Callbacks.Make(t.Context(), callback.By{SiteID: shop.ID, Phone: "74957650009", Login: "shopkeeper"}, calledFirst)
				require.NoError(t, err)
				d.call(telephony.Event{Call: fmt.Sprint("secret", d.calls.Add(1)), Kind: telephony.Start, Called: "74950000001", Caller: "79123456789"})
				d.shop = other
				last := fmt.Sprint("Last", d.calls.Load())
				d.lead(mine, map[string]any{"message": last})
				s.hear(address, func(e event) bool {
					for _, secret := range secrets {
						require.NotContains(t, e.data, secret, address)
					}
					return strings.Contains(e.data, last)
				})
				s.close()
			}
		}
	})
}

// An open page hears of it when its operator is given sites, or loses them.
func TestStreamBeginsAnewWithOtherSites(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		boris, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.Of(d.shop.ID, other.ID)})
		require.NoError(t, err)
		b := d.signedIn("boris")
		require.Equal(t, http.StatusOK, b.get(fmt.Sprint("/leads?site=", d.shop.ID)).status)
		s := b.follow("/leads", "")
		vera := d.signedIn("vera")
		require.Equal(t, http.StatusSeeOther, vera.post(fmt.Sprintf("/operators/%d/sites", boris.ID), "sites", fmt.Sprint(other.ID)).status)
		for e := (event{}); e.name != "ended"; {
			var found bool
			e, found = s.next()
			require.True(t, found, "the page is not told")
		}
		page := b.get("/leads")
		require.Equal(t, http.StatusOK, page.status, "who is still signed in, though narrowed to a site that is gone")
		require.NotContains(t, page.body, ">shop.example<")
		require.Equal(t, http.StatusNotFound, b.get(fmt.Sprint("/leads?site=", d.shop.ID)).status)
	})
}

// The sites' own scripts are told of those alone who answer for the site.
func TestPresenceIsOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		_, err = d.Operators.Create(t.Context(), operator.Server(), operator.Account{Login: "boris", Password: password, Role: operator.Agent, Sites: scope.Of(other.ID)})
		require.NoError(t, err)
		s := d.signedIn("boris").follow("/leads", "")
		require.Equal(t, http.StatusOK, s.status)
		for id, expected := range map[int64]bool{other.ID: true, d.shop.ID: false} {
			is, err := d.Presence.Online(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, expected, is)
		}
	})
}

func TestDeclaredOperatorOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		hash := "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
		require.NoError(t, d.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return d.Operators.Declare(ctx, tx, "node", []operator.Declared{{Login: "keeper", PasswordHash: hash, Sites: scope.Of(d.shop.ID)}})
		}))
		_, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		page := d.signedIn("keeper").get("/sites").body
		require.Contains(t, page, "shop.example")
		require.NotContains(t, page, ">other.example")
	})
}
