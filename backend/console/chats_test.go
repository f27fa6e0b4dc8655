package console_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/dispatch"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

var (
	regexpFile     = regexp.MustCompile(`/chats/\d+/\d+/files/\d+`)
	regexpManifest = regexp.MustCompile(`rel="manifest" href="([^"]+)"`)
	regexpIcon     = regexp.MustCompile(`/assets/[^"]+`)
)

// asks has a new visitor of the shop write.
func (d *desk) asks(text string) (chat.From, chat.Conversation) {
	d.t.Helper()
	h := d.hit(visit.Arrival{URL: "https://shop.example/lamps", Title: "Lamps"})
	from := chat.From{SiteID: d.shop.ID, Ref: h.Ref, URL: "https://shop.example/lamps", Language: "en"}
	return from, d.asksAgain(from, text)
}

func (d *desk) asksAgain(from chat.From, text string) chat.Conversation {
	d.t.Helper()
	conversation, _, err := d.Chats.SayFrom(d.t.Context(), from, chat.Message{Text: text})
	require.NoError(d.t, err)
	return conversation
}

func chatPath(c chat.Conversation) string { return fmt.Sprintf("/chats/%d/%d", c.SiteID, c.ID) }

// agent makes an operator of the shop.
func (d *desk) agent(login string) operator.Operator { return d.agentOf(login, d.shop.ID) }

// agentOf makes an operator of the site.
func (d *desk) agentOf(login string, site int64) operator.Operator {
	d.t.Helper()
	made, err := d.Operators.Create(d.t.Context(), operator.Server(), operator.Account{Login: login, Name: strings.ToUpper(login), Password: password, Role: operator.Agent, Sites: scope.Of(site)})
	require.NoError(d.t, err)
	return made
}

func TestOperatorAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		hostile := `<script>alert(1)</script><img src=x onerror=alert(1)> "'` + "`javascript:alert(1)` \u202e https://evil.example/\"><b> javascript://%0aalert(1)"
		from, c := d.asks(hostile)
		b := d.signedIn("vera")
		at := chatPath(c)
		list := b.get("/chats").body
		require.Contains(t, list, at)
		page := b.get(at).body
		for _, shown := range []string{list, page} {
			require.Contains(t, shown, "&lt;script&gt;alert(1)")
			require.NotContains(t, shown, "<script>alert")
			require.NotContains(t, shown, "<img src=x")
			require.NotContains(t, shown, "\u202e")
			require.NotContains(t, shown, `href="javascript`)
		}
		require.Contains(t, page, "https://shop.example/lamps", "what the visitor looks at")
		require.Contains(t, b.get("/leads").body, `id="chatting" data-count="1"`)

		said := b.post(at+"/messages", "client", "one", "text", "We do.\r\n<b>Really</b>")
		require.Equal(t, http.StatusOK, said.status)
		require.Contains(t, said.body, `data-client="one"`)
		require.Contains(t, said.body, "We do.\n&lt;b&gt;Really")
		again := b.post(at+"/messages", "client", "one", "text", "We do.\r\n<b>Really</b>")
		require.Equal(t, said.body, again.body, "it is stored once")
		note := b.post(at+"/messages", "client", "two", "text", "A regular", "note", "true")
		require.Contains(t, note.body, `class="note mine"`)
		now, err := d.Chats.Get(t.Context(), c.SiteID, c.ID)
		require.NoError(t, err)
		require.EqualValues(t, 3, now.Seq)
		require.Equal(t, chat.Open, now.State)
		require.Contains(t, b.get("/chats?tab=mine").body, at)
		require.NotContains(t, b.get("/chats?tab=waiting").body, at)

		d.asksAgain(from, "And the price?")
		behind := b.get(at + "/messages?after=3").body
		require.Contains(t, behind, "And the price?")
		require.NotContains(t, behind, "Really")
		require.Contains(t, b.get(at+"/messages?before=3").body, "Really")
		require.Equal(t, http.StatusNoContent, b.post(at+"/read", "seq", "4").status)
		require.Contains(t, b.get("/leads").body, `id="chatting" data-count="0"`)
		require.Equal(t, http.StatusNoContent, b.post(at+"/typing").status)

		for name, a := range map[string]answer{
			"empty": b.post(at+"/messages", "client", "x", "text", " \n"), "long": b.post(at+"/messages", "client", "x", "text", strings.Repeat("я", 4001)),
			"id": b.post(at+"/messages", "client", strings.Repeat("x", 65), "text", "x"), "target": b.post(at+"/work", "do", "hand", "to", "operator 999"),
		} {
			require.Equal(t, http.StatusUnprocessableEntity, a.status, name)
		}
		require.Equal(t, http.StatusRequestEntityTooLarge, b.post(at+"/messages", "text", strings.Repeat("x", 70_000)).status)
		for _, wrong := range []string{at + "/messages", at + "/messages?after=-1", at + "/messages?after=x"} {
			require.Equal(t, http.StatusBadRequest, b.get(wrong).status, wrong)
		}
		require.Equal(t, http.StatusBadRequest, b.post(at+"/work", "do", "dance").status)
		require.Equal(t, http.StatusBadRequest, b.post(at+"/read", "seq", "-1").status)
		for _, missing := range []string{fmt.Sprintf("/chats/%d/999", d.shop.ID), "/chats/99/1", "/chats/x/y", at + "/files/7", at + "/files/x"} {
			require.Equal(t, http.StatusNotFound, b.get(missing).status, missing)
		}
		require.Equal(t, http.StatusNotFound, b.post(fmt.Sprintf("/chats/%d/999/messages", d.shop.ID), "text", "x").status)
	})
}

func TestFilesOfConversations(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Hello")
		b := d.signedIn("vera")
		at := chatPath(c)
		send := func(name string, content []byte) answer {
			r := b.request(http.MethodPost, at+"/files?"+url.Values{"name": {name}, "client": {name}}.Encode())
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
			r.Header.Set("Content-Type", "application/octet-stream")
			return b.do(r)
		}
		picture := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 100_000)...)
		sent := send(`../"lamp".png`, picture)
		require.Equal(t, http.StatusOK, sent.status, sent.body)
		link := regexpFile.FindString(sent.body)
		got := b.get(link)
		require.Equal(t, string(picture), got.body)
		require.Equal(t, "image/png", got.header.Get("Content-Type"))
		require.True(t, strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment"))
		require.NotContains(t, got.header.Get("Content-Disposition"), "..")
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))

		// A picture is shown, unless the browser would take too much for it.
		require.NotContains(t, sent.body, "<img", "it is no whole picture")
		drawn := func(width, height int) []byte {
			var b bytes.Buffer
			require.NoError(t, png.Encode(&b, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White})))
			return b.Bytes()
		}
		require.Contains(t, send("small.png", drawn(40, 30)).body, `<img src="`+at+"/files/")
		large := send("vast.png", drawn(5001, 5000)).body
		require.NotContains(t, large, "<img")
		require.Contains(t, large, `<a class="file" href="`+at+"/files/")

		// Of a file that has stalled on its way, a page whose connection lives is told to send it again.
		stalled := b.request(http.MethodPost, at+"/files?name=half.png&client=half")
		stalled.Body, stalled.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader(picture[:1000]), iotest.ErrReader(os.ErrDeadlineExceeded))), int64(len(picture))
		for _, cookie := range b.Jar.Cookies(stalled.URL) {
			stalled.AddCookie(cookie)
		}
		told := httptest.NewRecorder()
		d.server.Config.Handler.ServeHTTP(told, stalled)
		require.Equal(t, http.StatusRequestTimeout, told.Code)

		// A script that is sent as text is saved as text.
		script := send("run.bat", []byte("@echo off"))
		require.Contains(t, script.body, "run.bat.txt")
		require.Contains(t, b.get(regexpFile.FindString(script.body)).header.Get("Content-Disposition"), "run.bat.txt")
		require.Equal(t, http.StatusUnprocessableEntity, send("page.png", []byte("<html><script>alert(1)</script>")).status)
		require.Equal(t, http.StatusUnprocessableEntity, send("none.png", nil).status)
		require.Equal(t, http.StatusRequestEntityTooLarge, send("large.png", append(picture, make([]byte, file.Max)...)).status)
	})
}

func TestTwoOperatorsClaim(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Hello")
		d.agent("anna")
		d.agent("boris")
		browsers := []*browser{d.signedIn("anna"), d.signedIn("boris"), d.signedIn("vera")}
		statuses := make([]int, len(browsers))
		var wait sync.WaitGroup
		for i, b := range browsers {
			wait.Go(func() { statuses[i] = b.post(chatPath(c)+"/work", "do", "claim").status })
		}
		wait.Wait()
		won := 0
		for _, status := range statuses {
			if status == http.StatusNoContent {
				won++
			} else {
				require.Equal(t, http.StatusConflict, status)
			}
		}
		require.Equal(t, 1, won)
	})
}

func TestConversationIsHandedOver(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Hello")
		anna, boris := d.agent("anna"), d.agent("boris")
		group, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Service", Routing: group.ToAll, Members: []int64{anna.ID}})
		require.NoError(t, err)
		a, b, at := d.signedIn("anna"), d.signedIn("boris"), chatPath(c)
		do := func(of *browser, fields ...string) int { return of.post(at+"/work", fields...).status }
		require.Equal(t, http.StatusNoContent, do(a, "do", "claim"))
		require.Equal(t, http.StatusNoContent, a.post(at+"/read", "seq", "1").status)
		require.Equal(t, http.StatusConflict, do(b, "do", "hand", "to", fmt.Sprint("operator ", boris.ID)))
		require.Equal(t, http.StatusNoContent, do(a, "do", "hand", "to", fmt.Sprint("operator ", boris.ID)))
		require.Contains(t, b.get("/chats?tab=mine").body, at)
		require.Contains(t, b.get("/leads").body, `id="chatting" data-count="1"`, "who gets it has not read it")
		require.Equal(t, http.StatusNoContent, a.post(at+"/read", "seq", "9").status)
		require.Contains(t, b.get("/leads").body, `id="chatting" data-count="1"`, "others leave it unread")
		require.Contains(t, b.get(at).body, "Handed over to BORIS")
		require.Equal(t, http.StatusNoContent, b.post(at+"/read", "seq", "9").status)
		require.Contains(t, b.get("/leads").body, `id="chatting" data-count="0"`)
		require.Equal(t, http.StatusNoContent, do(b, "do", "hand", "to", fmt.Sprint("group ", group.ID)))
		require.Contains(t, a.get("/chats?tab=waiting").body, at)
		require.NotContains(t, b.get("/chats?tab=waiting").body, at, "who is not of the group")
		require.Equal(t, http.StatusUnprocessableEntity, do(a, "do", "hand", "to", "group 999"))
		require.Equal(t, http.StatusNoContent, do(a, "do", "claim"))
		require.Equal(t, http.StatusNoContent, do(a, "do", "return"))
		require.Equal(t, http.StatusNoContent, do(a, "do", "close"))
		require.Contains(t, a.get("/chats?tab=closed").body, at)
		require.Equal(t, http.StatusNoContent, do(a, "do", "ban"))
		_, _, err = d.Chats.SayFrom(t.Context(), from, chat.Message{Text: "Hello?"})
		require.ErrorIs(t, err, chat.ErrBanned)
		require.Equal(t, http.StatusNoContent, do(a, "do", "unban"))
	})
}

// What happens in conversations reaches open pages at once.
func TestStreamOfConversations(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		from, c := d.asks("Hello")
		b := d.signedIn("vera")
		s := b.follow(chatPath(c), "")
		require.Equal(t, http.StatusOK, s.status)
		other := b.follow("/leads", "")
		d.asksAgain(from, "One more <b>thing</b>")
		told := s.until(`id="entry-2"`, "One more &lt;b&gt;thing", `id="chat-`)
		require.Equal(t, 1, strings.Count(told.data, `data-seq="2"`))
		other.until("#chatting", "#arrivals", "One more")
		require.Equal(t, http.StatusOK, b.post(chatPath(c)+"/messages", "client", "a", "text", "Yes?").status)
		s.until(`id="entry-3"`, "Yours")
		require.NoError(t, d.Chats.Read(t.Context(), c.SiteID, c.ID, chat.Visitor, 3))
		s.until(`data-read="3"`)
		d.Chats.Typing(c, 0)
		s.until("#typing")
		_, err := d.Visits.Arrive(t.Context(), d.shop.ID, from.Visitor, visit.Arrival{Nonce: "secondview000001", URL: "https://shop.example/checkout", Title: "Checkout", Kind: "load", UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"})
		require.NoError(t, err)
		s.until("#now", "Checkout")
	})
}

// An operator hears of what is offered or handed over, and of nobody's notes.
func TestNewsOfConversations(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, c := d.asks("Hello")
		anna, vera := d.agent("anna"), d.signedIn("vera")
		a := d.signedIn("anna")
		heard, watched := a.follow("/leads", ""), vera.follow("/leads", "")
		const news = "data-link="
		require.Equal(t, http.StatusOK, vera.post(chatPath(c)+"/messages", "client", "a", "text", "A regular", "note", "true").status)
		for _, s := range []*stream{heard, watched} {
			require.NotContains(t, s.until("#chatting").data, news)
		}
		require.Equal(t, http.StatusNoContent, vera.post(chatPath(c)+"/read", "seq", "1").status)
		require.Equal(t, http.StatusNoContent, vera.post(chatPath(c)+"/work", "do", "hand", "to", fmt.Sprint("operator ", anna.ID)).status)
		require.Contains(t, heard.until(news).data, `data-mine="1"`)
		require.NotContains(t, watched.until(`data-waiting="0"`).data, news)

		from := chat.From{SiteID: d.shop.ID, Language: "en"}
		from.Ref = d.hit(visit.Arrival{URL: "https://shop.example/lamps"}).Ref
		group, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Service", Routing: group.RoundRobin, Members: []int64{anna.ID}})
		require.NoError(t, err)
		from.GroupID = group.ID
		d.asksAgain(from, "Is anybody there?")
		require.NotContains(t, heard.until("#chatting").data, news, "it is not offered yet")
		require.NoError(t, dispatch.New(d.DB, d.Chats, d.Presence, d.now, zaptest.NewLogger(t)).Look(t.Context()))
		require.Contains(t, heard.until(news).data, "Is anybody there?", "it is offered")
	})
}

// What a group has one after the other calls for the one to whom it is offered, and for no other of the group before or after.
func TestOffersCallForOne(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		anna, boris := d.agent("anna"), d.agent("boris")
		group, err := d.Groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: d.shop.ID, Name: "Service", Routing: group.RoundRobin, Members: []int64{anna.ID, boris.ID}})
		require.NoError(t, err)
		first, second := d.signedIn("anna"), d.signedIn("boris")
		offered, other := first.follow("/leads", ""), second.follow("/leads", "")
		told := func(s *stream) string {
			t.Helper()
			return s.until("#chatting").data
		}
		from := chat.From{SiteID: d.shop.ID, Language: "en", GroupID: group.ID, Ref: d.hit(visit.Arrival{URL: "https://shop.example/lamps"}).Ref}
		at := chatPath(d.asksAgain(from, "Is anybody there?"))
		for _, s := range []*stream{offered, other} {
			require.Contains(t, told(s), `data-count="0"`)
		}
		require.NotContains(t, first.get("/chats?tab=waiting").body, at)

		require.NoError(t, dispatch.New(d.DB, d.Chats, d.Presence, d.now, zaptest.NewLogger(t)).Look(t.Context()))
		require.Contains(t, told(offered), `data-link="`+at)
		require.Contains(t, told(other), `data-count="0"`)
		require.Contains(t, first.get("/chats?tab=waiting").body, at)
		require.NotContains(t, second.get("/chats?tab=waiting").body, at)
	})
}

// What is nobody's any more rings for those who can take it, and not for who has put it there.
func TestWhatWaitsAgainIsNews(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		anna, boris := d.agent("anna"), d.agent("boris")
		keep := func(g group.Group) group.Group {
			t.Helper()
			g.SiteID, g.Members = d.shop.ID, []int64{anna.ID, boris.ID}
			g, err := d.Groups.Keep(t.Context(), operator.Server(), g)
			require.NoError(t, err)
			return g
		}
		all, turns := keep(group.Group{Name: "All", Routing: group.ToAll}), keep(group.Group{Name: "Turns", Routing: group.RoundRobin})
		one, other := d.signedIn("anna"), d.signedIn("boris")
		by, hears := one.follow("/leads", ""), other.follow("/leads", "")
		const news = "data-link="
		told := func(s *stream) string {
			t.Helper()
			return s.until("#chatting").data
		}
		from := chat.From{SiteID: d.shop.ID, Language: "en", GroupID: all.ID, Ref: d.hit(visit.Arrival{URL: "https://shop.example/lamps"}).Ref}
		at := chatPath(d.asksAgain(from, "Is anybody there?"))
		for _, s := range []*stream{by, hears} {
			require.Contains(t, told(s), news)
		}
		for _, deed := range [][]string{{"do", "return"}, {"do", "hand", "to", fmt.Sprint("group ", all.ID)}} {
			require.Equal(t, http.StatusNoContent, one.post(at+"/work", "do", "claim").status)
			for _, s := range []*stream{by, hears} {
				require.NotContains(t, told(s), news)
			}
			require.Equal(t, http.StatusNoContent, one.post(at+"/work", deed...).status)
			require.NotContains(t, told(by), news)
			require.Contains(t, told(hears), news, deed)
		}

		// When all but who gave it away were asked in vain, it is everybody's.
		require.Equal(t, http.StatusNoContent, one.post(at+"/work", "do", "hand", "to", fmt.Sprint("group ", turns.ID)).status)
		for _, s := range []*stream{by, hears} {
			require.NotContains(t, told(s), news)
		}
		routes := dispatch.New(d.DB, d.Chats, d.Presence, d.now, zaptest.NewLogger(t))
		for round := range 2 {
			for _, o := range []operator.Operator{anna, boris} { // they are still there
				_, err := d.Presence.Arrive(t.Context(), o.ID)
				require.NoError(t, err)
			}
			require.NoError(t, routes.Look(t.Context()))
			one, other := strings.Contains(told(by), news), strings.Contains(told(hears), news)
			require.Equal(t, []bool{round == 1, true}, []bool{one, other})
			d.pass(dispatch.OfferTime)
		}
	})
}

// Who is away is not rung for what others can take.
func TestWhoIsAwayIsNotRung(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		anna := d.agent("anna")
		here, away := d.signedIn("vera").follow("/leads", ""), d.signedIn("anna").follow("/leads", "")
		const news = "data-link="
		require.NoError(t, d.Operators.SetAway(t.Context(), anna.ID, true))
		from, c := d.asks("Is anybody there?")
		require.Contains(t, here.until("#chatting").data, news)
		told := away.until("#chatting").data
		require.NotContains(t, told, news)
		require.Contains(t, told, `data-count="1"`)
		require.NoError(t, d.Chats.Claim(t.Context(), c.SiteID, c.ID, anna.ID))
		d.asksAgain(from, "And now?")
		// The claim alone may be told first: the conversation is theirs by then, and nothing in it is new.
		require.Contains(t, away.until(news).data, `data-mine="1"`, "it is theirs")
	})
}

func TestAdminKeepsReplies(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		at := fmt.Sprintf("/sites/%d/replies", d.shop.ID)
		require.Equal(t, http.StatusSeeOther, b.post(at, "word", "/Hello", "place", "1", "text", "Good day <b>").status)
		require.Contains(t, b.get(at).body, "Good day &lt;b&gt;")
		_, c := d.asks("Hello")
		require.Contains(t, b.get(chatPath(c)).body, `data-word="hello" data-place="1" data-text="Good day &lt;b&gt;"`)
		for _, wrong := range [][]string{{"word", "a b", "text", "x"}, {"word", "hello", "text", "x"}, {"word", "x", "text", " "}, {"word", "x", "place", "1", "text", "x"}, {"word", "x", "place", "10", "text", "x"}} {
			require.Equal(t, http.StatusUnprocessableEntity, b.post(at, wrong...).status, wrong)
		}
		list, err := d.Replies.Of(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, http.StatusSeeOther, b.post(at, "reply", fmt.Sprint(list[0].ID), "word", "hi", "text", "Hi").status)
		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("%s/%d/removal", at, list[0].ID)).status)
		require.Equal(t, http.StatusNotFound, b.post(fmt.Sprintf("%s/%d/removal", at, list[0].ID)).status)
		d.agent("anna")
		require.NotEqual(t, http.StatusOK, d.signedIn("anna").get(at).status, "admins keep them")
	})
}

func TestConsoleIsAnApp(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := b.get("/chats")
		link := regexpManifest.FindStringSubmatch(page.body)
		require.NotNil(t, link)
		manifest := b.get(link[1])
		require.Equal(t, "application/manifest+json", manifest.header.Get("Content-Type"))
		for _, icon := range regexpIcon.FindAllString(manifest.body, -1) {
			require.Equal(t, http.StatusOK, b.get(icon).status, icon)
		}
		require.Contains(t, manifest.body, `"start_url":"/chats"`)
		require.Equal(t, "text/javascript; charset=utf-8", b.get("/worker.js").header.Get("Content-Type"))
		require.Contains(t, page.header.Get("Content-Security-Policy"), "manifest-src 'self'; worker-src 'self'")
	})
}
