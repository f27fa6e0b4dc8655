package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestVisitorsAndLeadsAreShown(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.Contains(t, b.get("/visitors").body, "Nobody is on the site right now")
		require.Contains(t, b.get("/leads").body, "No leads yet")

		h := d.hit(visit.Arrival{URL: "https://shop.example/order?utm_source=yandex&utm_campaign=spring", Title: "Order a lamp", Referrer: "https://yandex.ru/"})
		l := d.lead(h, map[string]any{"name": "Anna", "phone": "8 (495) 123-45-67", "email": "anna@mail.example", "message": "Two lamps\nplease",
			"is_sale": true, "sale_cost": "1500.5", "form_name": "Order", "user_fields": map[string]any{"city": "Tver"}})
		require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, "event00000000000000001", visit.UserEvent{Category: "catalogue", Action: "download"}))
		value := "brass"
		require.NoError(t, d.Visits.SetProperty(t.Context(), d.shop.ID, h.Ref, "wanted", &value))

		visitors := b.get("/visitors").body
		for _, text := range []string{"Anna", "Order a lamp", "Yandex", "spring", ">/order<"} {
			require.Contains(t, visitors, text)
		}
		leads := b.get("/leads").body
		for _, text := range []string{"Anna", "Two lamps please", "Order", "1,500.50", "+7 495 123-45-67"} {
			require.Contains(t, leads, text)
		}
		detail := b.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID))
		require.Equal(t, http.StatusOK, detail.status)
		for _, text := range []string{"Two lamps\nplease", `href="tel:&#43;74951234567"`, `href="mailto:anna@mail.example"`, "city", "Tver"} {
			require.Contains(t, detail.body, text)
		}
		card := b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID, l.Visitor))
		require.Equal(t, http.StatusOK, card.status)
		for _, text := range []string{"Anna", "<bdi>catalogue</bdi> · <bdi>download</bdi>", "wanted", "brass", "Two lamps\nplease", "Chrome · Windows", "on the site now"} {
			require.Contains(t, card.body, text)
		}

		d.pass(6 * time.Minute)
		require.Contains(t, b.get("/visitors").body, "Nobody is on the site right now")
		require.Equal(t, http.StatusNotFound, b.get(fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID+1)).status)
		require.Equal(t, http.StatusNotFound, b.get(fmt.Sprintf("/visitors/%d/%d", d.shop.ID+1, l.Visitor)).status)
	})
}

// What a visitor can make up, in every field there is.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>` + "\r\nevent: ended\r\n\r\n<hx-partial hx-target=body>"

func TestHostileTextStaysText(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{URL: "https://shop.example/" + hostile, Title: hostile, Referrer: "https://evil.example/" + hostile, UserAgent: hostile, Language: hostile})
		bad := d.hit(visit.Arrival{URL: "javascript:alert(document.domain)", Title: "link", Referrer: "data:text/html,x"})
		require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, "event00000000000000001",
			visit.UserEvent{Category: hostile, Action: hostile, Name: hostile, Value: hostile}))
		value := hostile
		require.NoError(t, d.Visits.SetProperty(t.Context(), d.shop.ID, h.Ref, hostile, &value))
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, h.Ref, visit.Info{Name: hostile, Email: hostile + "@mail.example", Phone: hostile}))
		l := d.lead(h, map[string]any{"name": hostile, "email": "a@b.example?subject=" + hostile, "phone": "javascript:alert(1)", "message": hostile,
			"form_name": hostile, "user_fields": map[string]any{hostile: hostile}})

		b := d.signedIn("vera")
		for _, path := range []string{"/visitors", "/leads", fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID),
			fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor), fmt.Sprintf("/visitors/%d/%d", d.shop.ID, bad.Visitor)} {
			page := b.get(path)
			require.Equal(t, http.StatusOK, page.status, path)
			document, err := goquery.NewDocumentFromReader(strings.NewReader(page.body))
			require.NoError(t, err)
			require.Zero(t, document.Find("script:not([src^='/assets/']), img, hx-partial, [onerror], style, [style]").Length(), path)
			document.Find("[href], [src], [action]").Each(func(_ int, element *goquery.Selection) {
				for _, name := range []string{"href", "src", "action"} {
					address, found := element.Attr(name)
					if !found {
						continue
					}
					require.Regexp(t, `^(#main$|/|https?://|tel:\+\d+$|mailto:[^?&]+$|$)`, address, path)
					if strings.HasPrefix(address, "http") {
						require.Equal(t, "noopener noreferrer", element.AttrOr("rel", ""), path)
					}
				}
			})
		}
	})
}

// Signs that nobody sees: the name ends in a feigned type of file, another looks
// like "admin", and some look like nothing at all.
const deceptive = "deceit\u202egpj.exe \u2066\u2069\u200f adm\u200bin \u00ad\ufeff\u0007\u0085\u2028\U000e0041\u3164\u061c"

// shownDeceit is the same, as it is to be seen: signs in a row are one mark.
const shownDeceit = "deceitU+202Egpj.exe U+2066…U+200F ×3 admU+200Bin U+00AD…U+061C ×8"

func TestNothingIsHiddenOrTurnedAround(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		in := func(what string) string { return what + deceptive }
		b := d.signedIn("vera")
		s := b.follow("/visitors", "")
		announced := b.follow("/account", "")
		h := d.hit(visit.Arrival{URL: "https://shop.example/" + url.PathEscape(in("page")) + "?utm_source=" + url.QueryEscape(in("source")) +
			"&utm_medium=" + url.QueryEscape(in("medium")) + "&utm_campaign=" + url.QueryEscape(in("campaign")) + "&utm_term=" + url.QueryEscape(in("term")),
			Title: in("title"), UserAgent: in("agent"), Language: in("language")})
		require.NoError(t, d.Visits.TrackEvent(t.Context(), d.shop.ID, h.Ref, "event00000000000000001",
			visit.UserEvent{Category: in("category"), Action: in("action"), Name: in("label"), Value: in("worth")}))
		value := in("value")
		require.NoError(t, d.Visits.SetProperty(t.Context(), d.shop.ID, h.Ref, in("property"), &value))
		require.NoError(t, d.Visits.AddInfo(t.Context(), d.shop.ID, h.Ref, visit.Info{Name: in("name"), Phone: in("phone")}))
		l := d.lead(h, map[string]any{"name": in("name"), "email": in("mail") + "@mail.example", "phone": in("phone"), "message": in("message") + "\nsecond line",
			"form_name": in("form"), "user_fields": map[string]any{in("field"): in("content")}})
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/"+in("example"), map[string][]inventory.Writing{
			"74951234567": {{Text: in("writing"), Place: "text"}}}))
		_, err := d.Operators.Create(t.Context(), operator.Server(), operator.Account{Sites: scope.All(), Login: "boris", Name: "operator\u202egpj.exe", Password: password, Role: operator.Agent})
		require.NoError(t, err)

		seen := ""
		check := func(where, html string) {
			t.Helper()
			document, err := goquery.NewDocumentFromReader(strings.NewReader(html))
			require.NoError(t, err)
			if title := document.Find("title").Text(); strings.Contains(title, "deceit") {
				require.Contains(t, title, "deceit[U+202E]gpj.exe", where)
				document.Find("title").Remove()
			}
			require.Empty(t, regexp.MustCompile(`[^\P{C}\n\t]|[\x{2028}\x{2029}\x{3164}]`).FindAllString(html, -1), where)
			for _, text := range document.Find("*").Contents().EachIter() {
				if goquery.NodeName(text) == "#text" && strings.Contains(text.Text(), "deceit") {
					require.NotEmpty(t, text.Closest("bdi, style, script").Nodes, "%s: %q is not isolated", where, text.Text())
				}
			}
			document.Find("bdi").Each(func(_ int, text *goquery.Selection) { seen += text.Text() + "|" })
		}
		for _, path := range []string{"/visitors", "/leads", fmt.Sprintf("/leads/%d/%d", d.shop.ID, l.ID),
			fmt.Sprintf("/visitors/%d/%d", d.shop.ID, h.Visitor), "/numbers", "/operators"} {
			page := b.get(path)
			require.Equal(t, http.StatusOK, page.status, path)
			check(path, page.body)
		}
		for _, what := range []string{"page", "source", "medium", "campaign", "term", "title", "agent", "category", "action", "label", "worth",
			"property", "value", "name", "phone", "message", "form", "field", "content", "example", "writing"} {
			shown := shownDeceit
			if what == "message" { // which is on one line, too: some of the signs end lines
				shown = "deceitU+202Egpj.exe U+2066…U+200F ×3 admU+200Bin U+00AD…U+0007 ×3 U+E0041…U+061C ×3 second line"
				require.Contains(t, seen, what+shownDeceit+"\nsecond line")
			}
			require.Contains(t, seen, what+shown, what)
		}
		require.Contains(t, seen, "operatorU+202Egpj.exe")
		check("a live row", s.until("deceit").data)
		check("an arrival", announced.until("deceit").data)
	})
}

func TestListsAreNarrowedToASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		d.lead(d.hit(visit.Arrival{Title: "Lamps"}), map[string]any{"name": "Anna"})
		require.NotContains(t, b.get("/leads").body, `<select id="site"`, "one site needs no choice")

		require.Equal(t, http.StatusUnprocessableEntity, b.post("/sites", "key", "not a key").status)
		require.Equal(t, http.StatusSeeOther, b.post("/sites", "key", "books.example").status)
		sites, err := d.Sites.List(t.Context())
		require.NoError(t, err)
		require.Len(t, sites, 2)
		for _, s := range sites {
			for _, path := range []string{"/leads", "/visitors"} {
				page := b.get(path + "?site=" + strconv.FormatInt(s.ID, 10))
				require.Equal(t, s.ID == d.shop.ID, strings.Contains(page.body, "Anna"), "%s of %s", path, s.Key)
				require.Equal(t, s.ID == d.shop.ID, strings.Contains(b.get(path).body, "Anna"), "the choice stays")
			}
		}
		require.Contains(t, b.get("/leads?site=0").body, "Anna")
	})
}

func TestLeadsArePaged(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		h := d.hit(visit.Arrival{})
		for i := range 120 {
			d.lead(h, map[string]any{"name": "Caller " + strconv.Itoa(i)})
		}
		b := d.signedIn("vera")
		seen := map[string]bool{}
		path := "/leads"
		for pages := 1; path != ""; pages++ {
			require.LessOrEqual(t, pages, 3)
			body := b.get(path).body
			for _, name := range regexp.MustCompile(`Caller \d+`).FindAllString(body, -1) {
				seen[name] = true
			}
			document, err := goquery.NewDocumentFromReader(strings.NewReader(body))
			require.NoError(t, err)
			path = document.Find(".after a").AttrOr("href", "")
		}
		require.Len(t, seen, 120)
	})
}

func TestLanguageIsTheOperatorsOwn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.browser()
		r := b.request(http.MethodGet, "/sign-in")
		r.Header.Set("Accept-Language", "ru-RU,ru;q=0.9,en;q=0.8")
		require.Contains(t, b.do(r).body, `<html lang="ru"`)
		r.Header.Set("Accept-Language", "de")
		require.Contains(t, b.do(r).body, `<html lang="en"`)
		require.Equal(t, http.StatusSeeOther, b.post("/language", "language", "ru").status)
		require.Contains(t, b.get("/sign-in").body, `<html lang="ru"`)

		inside := d.signedIn("vera")
		require.Contains(t, inside.get("/leads").body, "Leads")
		require.Equal(t, http.StatusSeeOther, inside.post("/language", "language", "ru", "back", "/leads").status)
		require.Contains(t, inside.get("/leads").body, "Заявки")
		require.Contains(t, d.signedIn("vera").get("/leads").body, "Заявки", "in every browser")
		require.Equal(t, http.StatusBadRequest, inside.post("/language", "language", "xx").status)
	})
}

func TestOperatorsPage(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declare("chief", "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg")
		b := d.signedIn("vera")
		require.Equal(t, http.StatusSeeOther, b.post("/operators", "login", "boris", "name", "Boris", "password", password, "role", "operator", "all", "true").status)
		page := b.get("/operators").body
		require.Contains(t, page, "The operator is added.")
		require.Contains(t, page, "configuration")
		require.NotContains(t, b.get("/operators").body, "The operator is added.", "said once")

		taken := b.post("/operators", "login", "Boris", "password", password, "role", "admin", "all", "true")
		require.Equal(t, http.StatusUnprocessableEntity, taken.status)
		require.Contains(t, taken.body, "There is already an operator with this login.")
		require.Equal(t, http.StatusUnprocessableEntity, b.post("/operators", "login", "eve", "password", password, "role", "owner", "all", "true").status)
		require.Equal(t, http.StatusNotFound, b.post("/operators/999/disabled", "disabled", "true").status)

		list, err := d.Operators.List(t.Context(), scope.All())
		require.NoError(t, err)
		for _, o := range list {
			if o.Login == "boris" {
				require.Equal(t, operator.Agent, o.Role)
			} else {
				id := strconv.FormatInt(o.ID, 10)
				require.Equal(t, http.StatusUnprocessableEntity, b.post("/operators/"+id+"/disabled", "disabled", "true").status, "provisioned, or oneself")
			}
		}
	})
}

func TestFailingDatabaseIsSaid(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		require.NoError(t, d.DB.Close())
		page := b.get("/visitors")
		require.Equal(t, http.StatusServiceUnavailable, page.status)
		require.NotEmpty(t, page.header.Get("Retry-After"))
		require.NotContains(t, page.body, "closed", "without the machine's own words")
	})
}

func TestAssets(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		document, err := goquery.NewDocumentFromReader(strings.NewReader(b.get("/visitors").body))
		require.NoError(t, err)
		files := document.Find("script[src], link[href]")
		require.Equal(t, 5, files.Length())
		files.Each(func(_ int, element *goquery.Selection) {
			address := element.AttrOr("src", element.AttrOr("href", ""))
			file := d.browser().get(address)
			require.Equal(t, http.StatusOK, file.status, address)
			require.Contains(t, file.header.Get("Cache-Control"), "immutable")
			require.NotEmpty(t, file.body)
		})
		require.Equal(t, http.StatusNotFound, b.get("/assets/console-AAAAAAAAAAA.js").status)
	})
}

// A page that is shown because a form was not accepted is one to come back to.
func TestPagesAreFoundAgain(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		for _, refused := range []answer{
			b.post("/account/password", "current", "wrong", "password", password),
			b.post("/sites", "key", "not a key"),
			b.post("/operators", "login", "boris"),
		} {
			require.Equal(t, http.StatusUnprocessableEntity, refused.status)
			document, err := goquery.NewDocumentFromReader(strings.NewReader(refused.body))
			require.NoError(t, err)
			back, found := document.Find("input[name=back]").Attr("value")
			require.True(t, found)
			require.Equal(t, back, b.post("/account/away", "away", "false", "back", back).header.Get("Location"))
			require.Equal(t, http.StatusOK, b.get(back).status, back)
		}
	})
}
