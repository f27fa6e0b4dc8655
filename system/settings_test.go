package system

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// namesOfSettings are those of all settings, with the parts of callbacks and of the widget, each of which may be set
// by itself.
func namesOfSettings() (names []string) {
	var fields func(of reflect.Type, before string)
	fields = func(of reflect.Type, before string) {
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "callback" || name == "widget" {
				fields(f.Type.Elem(), name+".")
				continue
			}
			names = append(names, before+name)
		}
	}
	fields(reflect.TypeFor[site.Settings](), "")
	return names
}

// rivalLoader is the code of another service.
const rivalLoader = `<script async src="https://app.other.example/static/cs.min.js?k=Ab3-xY_7Ab3-xY_7Ab3-xY_7Ab3-xY_7"></script>`

// office is one node with a site and the console, in which somebody has signed in.
type office struct {
	*node
	desk   *node
	client *http.Client
	served int     // requests that were to be told apart
	found  float64 // forms that no rule keeps
}

// page is a page of the console.
func (o *office) page(path string) string {
	o.T.Helper()
	o.desk.Client.Jar = o.client.Jar
	got, err := o.desk.Do(http.MethodGet, "http://localhost:$PORT"+path, "")
	require.NoError(o.T, err)
	require.Equal(o.T, http.StatusOK, got.StatusCode, path)
	return got.Content
}

// send sends the form on the page of the console that goes to the address, as a browser does: with all that is in it, but
// for the values, pairs of a name and what is filled in.
func (o *office) send(path, action string, values ...string) {
	o.T.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(o.page(path)))
	require.NoError(o.T, err)
	form := d.Find(`form[action="` + action + `"]`)
	require.Equal(o.T, 1, form.Length(), "%s has one form to %s", path, action)
	filled := url.Values{}
	form.Find("input[name], select[name], textarea[name]").Each(func(_ int, field *goquery.Selection) {
		name, value := field.AttrOr("name", ""), field.AttrOr("value", "")
		_, checked := field.Attr("checked")
		switch kind := field.AttrOr("type", ""); {
		case field.Is("select"):
			chosen := field.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = field.Find("option").First()
			}
			value = chosen.AttrOr("value", "")
		case field.Is("textarea"):
			value = field.Text()
		case kind == "checkbox" && !checked:
			return
		}
		filled.Add(name, value)
	})
	for i := 0; i < len(values); i += 2 {
		filled.Set(values[i], values[i+1])
	}
	answer, err := o.client.PostForm(o.desk.Text("http://localhost:$PORT"+action), filled)
	require.NoError(o.T, err)
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	require.Equal(o.T, http.StatusOK, answer.StatusCode, "%s: %.2000s", action, body)
}

// hit is what the script is answered for a page view.
func (o *office) hit(headers ...string) answer {
	o.T.Helper()
	o.served++
	got, err := o.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/hit", o.Text(fmt.Sprintf(`{"site_key":"shop","view":"view-%s-%012d","url":"http://localhost:$PORT/","kind":"load"}`, o.Text("$PORT"), o.served)),
		append(headers, "Content-Type", "application/json", "User-Agent", browser)...)
	require.NoError(o.T, err)
	return got
}

// fills sends a form to the site, with a text of its own, which is returned.
func (o *office) fills(path, fields string) string {
	o.T.Helper()
	o.served++
	name := fmt.Sprintf("Ada%s%d", o.Text("$PORT"), o.served)
	_, err := o.Do(http.MethodPost, "http://localhost:$PORT"+path, "name="+name+"&"+fields, "Content-Type", formType, "User-Agent", browser)
	require.NoError(o.T, err)
	return name
}

// panels is what the panels are told.
func (o *office) panels() (widget map[string]any, language string, texts map[string]string) {
	o.T.Helper()
	var told struct {
		Language string            `json:"language"`
		Texts    map[string]string `json:"texts"`
		Widget   map[string]any    `json:"widget"`
	}
	require.NoError(o.T, json.Unmarshal([]byte(o.Get("http://localhost:$PORT/frontdesk/v1/widget?k=shop&l=en").Content), &told))
	return told.Widget, told.Language, told.Texts
}

// reader is the number on the page that a new reader of the newsletter sees, who comes back from a search if again is
// true.
func (o *office) reader(again bool) string {
	o.T.Helper()
	got := o.Get("http://localhost:$PORT/?utm_source=news", "Sec-Fetch-Dest", "document")
	if again {
		cookie, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";")
		got = o.Get("http://localhost:$PORT/", "Sec-Fetch-Dest", "document", "Cookie", cookie, "Referer", google)
	}
	return got.Content
}

// change is a change of some settings in the console, and how it is seen.
type change struct {
	of         []string             // the settings
	make, back func(o *office)      // the change, and its way back
	seen       func(o *office) bool // on a node
	then       func(all ...*office) // further looks, once it is seen
}

// also has something done before the change.
func (c *change) also(first func(o *office)) {
	then := c.make
	c.make = func(o *office) { first(o); then(o) }
}

// TestEverySettingIsInEffectOnAllNodes changes each setting of a site in the console of one node, sees it on the pages and
// at the doors of both, and takes it back. A setting that is in none of the changes fails the test.
func TestEverySettingIsInEffectOnAllNodes(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	database, err := db.Open(t.Context(), db.Settings{Engine: db.Postgres, Source: source}, zap.NewNop())
	require.NoError(t, err)
	defer database.Close()
	pbx := newExchange(t)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, strings.Replace(numberedPage, "<p>", `<p><a href="https://wa.me/74951234567">Write</a> <i>+7 (495) 222-33-44</i> `, 1)+rivalLoader)
	}))
	defer origin.Close()
	caddyfile := `
		{
			servers {
				trusted_proxies static 127.0.0.1/32 ::1/128
			}
			frontdesk {
				database postgres "$SOURCE"
				name node
				operator anna "` + hash + `"
				` + pbx.directive() + `
			}
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}
		http://localhost:$PORT {
			frontdesk shop {
				prerender static
				ignore_forms on
				number 74951234567 {
					static 74957650001 utm_source=news*
					static 74957650002 referrer=*.google.*
				}
				capture /lead
			}
			reverse_proxy ` + strings.TrimPrefix(origin.URL, "http://") + `
		}`
	var offices []*office
	for range 2 {
		o := &office{node: runNode(t, caddyfile, "$SOURCE", source)}
		o.desk = o.console()
		var signedIn bool
		o.client, signedIn = o.desk.as("anna")
		require.True(t, signedIn)
		offices = append(offices, o)
	}
	here := offices[0]
	changes := settingsToChange(t, database, pbx)
	changed := make(map[string]bool)
	for _, c := range changes {
		for _, name := range c.of {
			changed[name] = true
		}
	}
	require.ElementsMatch(t, namesOfSettings(), slices.Collect(maps.Keys(changed)), "each setting is changed by this test")
	for _, c := range changes {
		for _, o := range offices {
			require.False(t, c.seen(o), "%s before the change", c.of)
		}
		c.make(here)
		began := time.Now()
		for _, o := range offices {
			require.Eventually(t, func() bool { return c.seen(o) }, wait, tick, "%s", c.of)
		}
		t.Logf("%s: seen on both nodes after %v", c.of, time.Since(began).Round(time.Millisecond))
		if c.then != nil {
			c.then(offices...)
		}
		if c.back == nil {
			continue
		}
		c.back(here)
		for _, o := range offices {
			require.Eventually(t, func() bool { return !c.seen(o) }, wait, tick, "%s, as configured again", c.of)
		}
	}
	history := here.page("/history")
	for _, words := range []string{"Consent", "Visits are kept for", "Callbacks", "Chat and forms", "Forms that are kept", "Other addresses"} {
		require.Contains(t, history, "<bdi>"+words+"</bdi>")
	}
}

// settingsToChange are changes of all settings.
func settingsToChange(t *testing.T, database *db.DB, pbx *exchange) []change {
	const page = "/sites/1/settings"
	// chosen is a change of fields of the page of settings.
	chosen := func(of string, seen func(o *office) bool, values ...string) change {
		var back []string
		for i := 0; i < len(values); i += 2 {
			if !strings.HasSuffix(values[i], ".own") {
				back = append(back, values[i], "")
			}
		}
		return change{of: strings.Fields(of), seen: seen, make: func(o *office) { o.send(page, page, values...) }, back: func(o *office) { o.send(page, page, back...) }}
	}
	own := func(name, value string) []string { return []string{name, "own", name + ".own", value} }
	refused := func(headers ...string) func(o *office) bool {
		return func(o *office) bool {
			got := o.hit(headers...)
			return got.StatusCode == http.StatusForbidden && strings.Contains(got.Content, "consent_missing")
		}
	}
	shows := func(path, text string) func(o *office) bool {
		return func(o *office) bool { return strings.Contains(o.page(path), text) }
	}
	serves := func(path, text string) func(o *office) bool {
		return func(o *office) bool {
			return strings.Contains(o.Get("http://localhost:$PORT"+path, "Sec-Fetch-Dest", "document").Content, text)
		}
	}
	lead := func(o *office, path, fields string) string {
		name := o.fills(path, fields)
		found := o.page("/leads?q=" + name)
		if !strings.Contains(found, `<bdi>`+name) {
			return ""
		}
		return strings.ReplaceAll(found, "\u00a0", " ")
	}
	// asked asks for a callback once for each time that the node's console has the setting: a site may be asked for ten in
	// a minute.
	asked := func(known, phone string, is func(code string, placed map[string]any) bool) func(o *office) bool {
		told := make(map[*office]bool)
		return func(o *office) bool {
			if !strings.Contains(o.page(page), known) {
				delete(told, o)
			} else if !told[o] {
				o.served++
				before, order := pbx.count(), map[string]any(nil)
				_, code, _ := o.callBack(map[string]any{"phone": phone + o.Text("$PORT")[1:]}, "X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", o.served, o.served))
				if code == "sent" {
					order = pbx.placed(t, before)
				}
				told[o] = is(code, order)
				require.True(t, told[o], "%s: %s, %v", known, code, order)
			}
			return told[o]
		}
	}
	code := func(known, expected string) func(o *office) bool {
		return asked(known, "+7 912 345 ", func(code string, _ map[string]any) bool { return code == expected })
	}
	called := asked(`value="74959998877"`, "+7 701 345 ", func(code string, order map[string]any) bool {
		return code == "sent" && order["operator"] == "74959998877" && order["caller_id"] == "74957650009"
	})
	callbacks := slices.Concat(own("callback_phone", "+7 495 999-88-77"), own("callback_caller_id", "+7 495 765-00-09"), own("callback_countries", "RU KZ"),
		own("callback_repeat", "1"), own("callback_pause_seconds", "77"), []string{"callback_platform", "webhook"})
	placed := chosen("callback.phone callback.caller_id callback.countries callback.repeat callback.pause_seconds callback.platform", called, callbacks...)
	placed.then = func(all ...*office) {
		rows, err := db.List(t.Context(), database.Read(), func(r *[2]int64) []any { return []any{&r[0], &r[1]} }, `SELECT most, pause FROM callbacks WHERE state <> 'failed'`)
		require.NoError(t, err)
		require.NotEmpty(t, rows)
		require.Equal(t, [2]int64{2, 77_000}, rows[len(rows)-1])
	}
	currency := chosen("currency", shows("/costs/1", "€"), own("currency", "eur")...)
	currency.also(func(o *office) {
		o.send("/costs/1", "/costs/1/entries", "source", "radio", "first", "2026-10-01", "last", "2026-10-02", "amount", "10")
	})
	return []change{
		chosen("phone_mask", serves("/", "49 ### #######"), own("phone_mask", "+49 ### #######")...),
		chosen("region", func(o *office) bool { return strings.Contains(lead(o, "/lead", "phone=030+901820"), "+49 30 901820") }, own("region", "de")...),
		chosen("timezone", shows("/leads/export", "Asia/Kathmandu"), own("timezone", "Asia/Kathmandu")...),
		chosen("person_days", shows(page, `value="61"`), own("person_days", "61")...),
		currency,
		chosen("dynamical_replacement", serves("/", `["setDynamicalReplacement",false]`), "dynamical_replacement", "off"),
		chosen("messengers", serves("/?utm_source=news", "wa.me/74957650001"), "messengers", "on"),
		chosen("supersede", serves("/", `type="text/plain" `+strings.TrimPrefix(rivalLoader, "<script ")), "supersede", "on"),
		chosen("prerender", func(o *office) bool {
			return strings.Contains(o.reader(false), "<p><a") && !strings.Contains(o.reader(false), "765-00-01")
		}, "prerender", "off"),
		chosen("attribution", func(o *office) bool { return strings.Contains(o.reader(true), "765-00-01") }, "attribution", "first"),
		chosen("consent", refused(), own("consent", "agreed=yes")...),
		chosen("respect", refused("DNT", "1"), "respect", "gpc dnt"),
		chosen("origins", func(o *office) bool {
			return o.hit("Origin", "https://m.shop.example").StatusCode == http.StatusOK
		}, own("origins", "https://m.shop.example")...),
		{of: []string{"captures"}, make: func(o *office) {
			o.send("/sites/1/captures/new", "/sites/1/captures", "path", "/order/*", "form_name", "Order", "name", "name", "phone", "tel")
		}, back: func(o *office) { o.send("/sites/1/captures", "/sites/1/captures/0/removal") },
			seen: func(o *office) bool { return strings.Contains(lead(o, "/order/lamp", "tel=%2B4930901820"), "Order") }},
		chosen("ignore_forms", func(o *office) bool { // the forms of earlier calls have been looked at
			before := o.found
			o.found = o.Metric("frontdesk_forms_found_total")
			o.fills("/found/"+strings.Map(func(r rune) rune { return r + 'a' - '0' }, fmt.Sprint(o.served)), "phone=%2B4930901820")
			return o.found > before
		}, "ignore_forms", "on"),
		chosen("credentials", serves("/", "form.contact"), own("credentials", "form.contact")...),
		chosen("callback.off", code(`<option value="off" selected`, "off"), "callback_off", "off"),
		placed,
		chosen("callback.per_day", code(`name="callback_per_day.own" value="1"`, "limit_day"), slices.Concat(callbacks, own("callback_per_day", "1"))...),
		chosen("callback.captcha", func(o *office) bool { widget, _, _ := o.panels(); return widget["captcha"] == true }, "callback_captcha", "on"),
		{of: []string{"numbers", "pools"}, make: func(o *office) {
			o.send("/pools/1/new", "/pools/1", "name", "summer", "numbers", "74957650011\n74957650012", "hold", "5", "exhausted", "original")
			o.send("/numbers/1/new", "/numbers/1", "number", "74952223344", "rules", "1", "rule0name", "All", "rule0show", "pool:summer", "rule0conditions", "0")
		}, seen: func(o *office) bool {
			told := o.hit().Content
			return strings.Contains(told, "74957650011") || strings.Contains(told, "74957650012")
		}, back: func(o *office) {
			o.send("/numbers/1/74952223344", "/numbers/1/74952223344/removal")
			o.send("/pools/1/summer", "/pools/1/summer/removal")
		}},
		widgetChange(),
		{of: []string{"guide_hidden"}, make: func(o *office) { o.send("/sites/1", "/sites/1/guide") }, seen: func(o *office) bool { return !strings.Contains(o.page("/sites/1"), `class="guided"`) }},
		retentionChange(t, database, chosen("retention_days", nil, own("retention_days", "30")...)),
	}
}

// widgetChange sets all of the widget.
func widgetChange() change {
	names := []string{"launcher", "side", "color", "avatar", "title", "greeting", "language", "fields", "texts", "chat", "files", "rating", "unanswered", "mail_answers", "sitephone", "invitations"}
	for i, name := range names {
		names[i] = "widget." + name
	}
	const page = "/sites/1/widget"
	return change{of: names,
		make: func(o *office) {
			o.send(page, page, "launcher", "on", "side", "left", "color", "own", "colorText", "#0a7d4f", "avatar", "own", "avatarText", "/vera.jpg", "title.ru", "Лампы", "greeting.ru", "Спросите",
				"language", "ru", "chat", "on", "files", "off", "rating", "on", "sitephone", "off", "unanswered", "own", "unansweredIn", "10", "mailAnswers", "own", "mailedIn", "61",
				"fieldsAre", "own", "fields", "1", "field0name", "email", "field0required", "yes", "text.request.send.ru", "Отправьте",
				"invitationsAre", "own", "invitations", "1", "invite0after", "30", "invite0address", "/cart*", "invite0source", "", "invite0text.ru", "Помочь?")
		},
		back: func(o *office) {
			o.send(page, page, "launcher", "", "side", "", "color", "", "avatar", "", "title.ru", "", "greeting.ru", "", "language", "", "chat", "", "files", "", "rating", "", "sitephone", "",
				"unanswered", "", "mailAnswers", "", "fieldsAre", "", "text.request.send.ru", "", "invitationsAre", "")
		},
		seen: func(o *office) bool {
			is, language, texts := o.panels()
			fields, _ := json.Marshal(is["fields"])
			invitations, _ := json.Marshal(is["invitations"])
			return is["launcher"] == true && is["side"] == "left" && is["color"] == "#0a7d4f" && is["avatar"] == "/vera.jpg" && is["title"] == "Лампы" && is["greeting"] == "Спросите" && language == "ru" &&
				is["chat"] == true && is["files"] == false && is["rating"] == true && is["sitephone"] == false && strings.HasPrefix(string(fields), `[{"name":"email","required":true`) &&
				texts["request.send"] == "Отправьте" && strings.Contains(string(invitations), "Помочь?") && strings.Contains(o.page(page), `name="mailedIn" value="61"`)
		},
		then: func(all ...*office) { // who is not answered for ten seconds leaves a lead
			for _, o := range all {
				var credentials map[string]any
				viewed := o.hit()
				require.NoError(o.T, json.Unmarshal([]byte(viewed.Content), &credentials))
				maps.DeleteFunc(credentials, func(name string, _ any) bool {
					return !slices.Contains([]string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"}, name)
				})
				said, err := json.Marshal(map[string]any{"credentials": credentials, "id": "say-" + strings.Repeat("0", 18), "request": map[string]any{"text": "Unanswered" + o.Text("$PORT")}})
				require.NoError(o.T, err)
				got, err := o.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/chat/say", string(said), "Content-Type", "application/json", "User-Agent", browser,
					"Cookie", servertest.CookieOf(o.T, viewed.Header.Values("Set-Cookie")))
				require.NoError(o.T, err)
				require.Equal(o.T, http.StatusOK, got.StatusCode, got.Content)
			}
			for _, o := range all {
				require.Eventually(o.T, func() bool { return strings.Contains(o.page("/leads"), "Unanswered"+o.Text("$PORT")) }, wait, tick)
			}
		},
	}
}

// retentionChange makes all visits old before the change, after which they are deleted.
func retentionChange(t *testing.T, database *db.DB, c change) change {
	c.seen = func(*office) bool {
		visits, _, err := db.One(t.Context(), database.Read(), db.Only[int], `SELECT COUNT(*) FROM visits WHERE NOT bot`)
		require.NoError(t, err)
		return visits == 0
	}
	c.also(func(*office) {
		require.NoError(t, database.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE visits SET last_at = last_at - $1`, 31*24*time.Hour.Milliseconds())
			return err
		}))
	})
	c.back = nil
	return c
}
