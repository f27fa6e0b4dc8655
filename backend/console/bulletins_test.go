package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// posted is the mail server of the desk's configuration.
func (d *desk) posted() *mailtest.Server {
	d.t.Helper()
	post := mailtest.Start(d.t)
	server, err := mail.ParseServer("smtp://"+post.Address, "", "Shop <desk@shop.example>")
	require.NoError(d.t, err)
	d.mail.Store(&server)
	return post
}

// comes is the mail that comes next.
func comes(t *testing.T, post *mailtest.Server) mailtest.Letter {
	t.Helper()
	select {
	case text := <-post.Letters:
		return mailtest.Read(t, text)
	case <-time.After(time.Minute):
		require.FailNow(t, "no mail has come")
		return mailtest.Letter{}
	}
}

func TestFiguresByMail(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.visited()
		d.held.Store(new(d.now().Add(24 * time.Hour)))
		b := d.signedIn("vera")
		require.Contains(t, b.get("/reports").body, `href="/reports/mail"`)
		empty := b.get("/reports/mail").body
		require.Contains(t, empty, "Nobody gets figures by mail yet")
		require.Contains(t, empty, "No mail server is configured", "and what to do about it")
		require.Contains(t, empty, "/help/caddyfile-global#doc-mail")
		site := fmt.Sprint(d.shop.ID)
		add := func(address, every, language string) answer {
			return b.post("/reports/mail", "site", site, "address", address, "every", every, "language", language)
		}
		for said, fields := range map[string][3]string{
			"Enter an address such as":       {"Ann <ann@shop.example>", "day", "en"},
			"Choose daily, weekly or":        {"ann@shop.example", "hour", "en"},
			"Choose a language of the list.": {"ann@shop.example", "day", "xx"},
		} {
			refused := add(fields[0], fields[1], fields[2])
			require.Equal(t, http.StatusUnprocessableEntity, refused.status)
			require.Contains(t, refused.body, said)
			require.Contains(t, refused.body, `value="`+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(fields[0]), "the form is there to be mended")
		}
		require.Equal(t, http.StatusSeeOther, add(" owner@shop.example ", "day", "en").status)
		require.Contains(t, b.get("/reports/mail").body, "The address is added.")
		require.Contains(t, add("OWNER@shop.example", "day", "ru").body, "This address gets these mails already.")
		require.NotContains(t, b.get("/reports/mail").body, "Send one now", "without a mail server")

		post := d.posted()
		d.deliver()
		page := b.get("/reports/mail").document(t)
		link := strings.TrimSuffix(page.Find(".bulletins form").First().AttrOr("action", ""), "/test")
		require.Equal(t, http.StatusSeeOther, b.post(link+"/test").status)
		l := comes(t, post)
		yesterday := d.now().Add(-24 * time.Hour).Format(time.DateOnly)
		require.Equal(t, "shop.example: "+yesterday+": 6 visits, 2 inquiries", l.Subject)
		for _, line := range []string{"Visits: 6 (▲, Before: 0)\n", "Revenue: 1,500.50 (", "Best sources\n- news: Visits 4, Inquiries 1\n", "- /lamps: Visits 4, Inquiries 1\n", "- spring: Visits 4, Inquiries 1\n",
			"https://desk.example/reports?from=" + yesterday + "&site=" + site + "&span=own&to=" + yesterday, "owner@shop.example is subscribed", "https://shop.example/frontdesk/v1/bulletin/stop?t="} {
			require.Contains(t, l.Plain, line)
		}
		for _, person := range []string{"Anna", "Boris", "boris@mail.example", "123-45-67"} {
			require.NotContains(t, l.Plain+l.HTML, person)
		}
		html, err := goquery.NewDocumentFromReader(strings.NewReader(l.HTML))
		require.NoError(t, err)
		require.Contains(t, html.Find("tr").FilterFunction(func(_ int, tr *goquery.Selection) bool { return tr.Find("th").First().Text() == "Visits" }).Text(), "6")
		require.Zero(t, html.Find("img, script, link, svg, iframe, form").Length(), "nothing that is blocked, or that is loaded")
		require.NotRegexp(t, `(?i)url\(|@import|src=|background`, l.HTML)
		require.Equal(t, 2, html.Find("a[href^='https://']").Length())
		require.Equal(t, "<"+html.Find("a").Last().AttrOr("href", "")+">", l.Get("List-Unsubscribe"))

		require.Equal(t, http.StatusSeeOther, b.post(link+"/test").status)
		require.Contains(t, b.get("/reports/mail").body, "was sent to this address just now")
		require.Equal(t, http.StatusSeeOther, b.post(link+"/paused", "paused", "true").status)
		require.Contains(t, b.get("/reports/mail").body, "Paused")
		require.Equal(t, http.StatusSeeOther, b.post(link+"/paused", "paused", "false").status)

		// What the mail server says of the address stands there.
		post.Refuse(550, "no such user <b>")
		d.pass(2 * time.Minute)
		require.Equal(t, http.StatusSeeOther, b.post(link+"/test").status)
		require.Eventually(t, func() bool { return strings.Contains(b.get("/reports/mail").body, "no such user &lt;b&gt;") }, time.Minute, 10*time.Millisecond)
		require.Contains(t, b.get("/history").body, "Figures by mail: test sent")
		require.Equal(t, http.StatusSeeOther, b.post(link+"/removal").status)
		require.Contains(t, b.get("/reports/mail").body, "Nobody gets figures by mail yet")
		require.Equal(t, http.StatusNotFound, b.post(link+"/test").status)

		require.NoError(t, d.Operators.Add(t.Context(), "boris", password, operator.Agent))
		agent := d.signedIn("boris")
		require.Equal(t, http.StatusForbidden, agent.get("/reports/mail").status)
		require.NotContains(t, agent.get("/reports").body, "/reports/mail")
	})
}

// What strangers put into addresses of pages stays on its line and does nothing.
func TestMailOfHostileNames(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.held.Store(new(time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)))
		require.NoError(t, d.keeper.Keep(t.Context()))
		for _, name := range []string{"<script>alert(1)</script>", "a\r\nBcc: eve\r\n\r\nHello", "\u202egnp.exe", "https://evil.example/pay", strings.Repeat("long ", 100)} {
			d.hit(visit.Arrival{URL: "https://shop.example/?utm_source=" + url.QueryEscape(name) + "&utm_campaign=" + url.QueryEscape(name)})
		}
		d.pass(24 * time.Hour)
		require.NoError(t, d.keeper.Keep(t.Context()))
		post := d.posted()
		d.deliver()
		s, err := d.Bulletins.Add(t.Context(), bulletin.Subscription{SiteID: d.shop.ID, Address: "owner@shop.example", Language: "ru", Every: bulletin.Day}, "vera")
		require.NoError(t, err)
		require.NoError(t, d.Bulletins.Try(t.Context(), d.shop.ID, s.ID, "vera"))
		l := comes(t, post)
		require.Regexp(t, `^shop\.example: \d{4}-\d\d-\d\d: 5 визитов, 0 обращений$`, l.Subject)
		require.Empty(t, l.Get("Bcc"))
		require.Contains(t, l.HTML, "&lt;script&gt;alert(1)&lt;/script&gt;")
		require.NotContains(t, l.HTML, "<script")
		require.Contains(t, l.Plain, "- a Bcc: eve Hello: Визиты 1")
		require.NotContains(t, l.Plain+l.HTML, "\u202e")
		require.NotContains(t, l.Plain+l.HTML, "https://evil.example", "which mail programs would make a link of")
		require.Contains(t, l.Plain, "long long long")
		require.NotContains(t, l.Plain, strings.Repeat("long ", 20))
	})
}
