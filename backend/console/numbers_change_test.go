package console_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

var older = regexp.MustCompile(`href="[^"]*\?([^"#]*)#past">Earlier ones`)

// configure gives the console a configuration with a number, its own pool and a pool with a name.
func (d *desk) configure() {
	d.t.Helper()
	auto := &number.Pool{Name: "auto", Digits: []string{"74957650021"}}
	require.NoError(d.t, auto.Complete())
	d.Configured = func(key string) (site.Settings, bool) {
		return site.Settings{Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{
			{Static: "74957654321", When: []string{"utm_source=news*"}}, {Dynamic: []string{"74957650031"}}}}}}, key == d.shop.Key
	}
	d.Pools = func() number.ConfiguredPools {
		return number.ConfiguredPools{Named: map[string]*number.Pool{"auto": auto}, Of: map[string]string{"74957650021": "auto", "74957650031": "74951234567"}}
	}
	d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321", "74957650031"}})
	d.console.Close()
	d.console = console.New(d.Subjects, d.now, zap.NewNop())
}

func (d *desk) settings() site.Settings {
	d.t.Helper()
	s, err := d.Sites.ByKey(d.t.Context(), d.shop.Key)
	require.NoError(d.t, err)
	return s.Settings
}

// numberFields are those of the form with one campaign.
func numberFields(version int, more ...string) []string {
	return append([]string{"version", fmt.Sprint(version), "was", "", "number", "8 800 555-35-35", "targets", ".tel\n #callme ", "selectors", "footer a", "template", "+7 ({area}) {rest}", "pictures", "1",
		"picture0place", ".phone-img", "picture0size", "20", "picture0color", "navy", "rules", "1", "rule0name", "Spring letters", "rule0show", "static", "rule0static", "+7 (495) 765-00-01",
		"rule0conditions", "2", "rule0c0field", "utm_source", "rule0c0how", "begins", "rule0c0value", "news", "rule0c1field", "gclid", "rule0c1how", "any", "rule0c1value", ""}, more...)
}

// A number of the pages is tracked, changed and removed, without touching the server.
func TestNumberIsTracked(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configure()
		b := d.signedIn("vera")
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/", map[string][]inventory.Writing{"78005553535": {{Text: "8 800 555-35-35", Place: "text"}}}))
		track := fmt.Sprintf("/numbers/%d/new?number=78005553535", d.shop.ID)
		require.Contains(t, b.get("/numbers").body, track)
		require.Contains(t, b.get(track).body, `value="&#43;7`+"\u00a0"+`800`)

		page := fmt.Sprintf("/numbers/%d", d.shop.ID)
		refused := b.post(page, numberFields(0)...)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Contains(t, refused.body, "is not a complete telephone number", "8 is no country code")
		require.Contains(t, refused.body, "Spring letters", "what was typed is still there")
		require.Equal(t, http.StatusSeeOther, b.post(page, numberFields(0, "number", "+7 800 555-35-35")...).status)
		require.Equal(t, []number.Number{{
			Number: "78005553535", Targets: []string{".tel", "#callme"}, Selectors: []string{"footer a"}, Pictures: []number.Picture{{Place: ".phone-img", Size: 20, Color: "navy"}},
			Template: "+7 ({area}) {rest}", Tracking: []number.Tracking{{Name: "Spring letters", Static: "74957650001", When: []string{"utm_source=news*", "gclid=*"}}},
		}}, d.settings().Numbers)
		list := b.get("/numbers").body
		require.NotContains(t, list, track)
		require.Contains(t, list, "Tracked")
		require.Contains(t, list, "1 campaign<")

		own := page + "/78005553535"
		shown := b.get(own).body
		for _, said := range []string{"static 74957650001 utm_source=news* gclid=*", "Spring letters", `<option value="begins" selected>`, `value="news"`, `<option value="any" selected>`, ">footer a</textarea>", `name="template" value="&#43;7 ({area}) {rest}"`} {
			require.Contains(t, shown, said)
		}
		stale := b.post(page, numberFields(0, "was", "78005553535", "number", "+7 800 555-35-35")...)
		require.Equal(t, http.StatusConflict, stale.status)
		require.Contains(t, stale.body, `name="version" value="1"`)
		history := b.get("/history").body
		require.Contains(t, history, "number +7\u00a0800\u00a0555\u201135\u201135 added")

		require.Equal(t, http.StatusSeeOther, b.post(own+"/removal", "version", "1").status)
		require.Nil(t, d.settings().Numbers)
		require.Equal(t, http.StatusNotFound, b.get(own).status)
		require.Contains(t, b.get("/history").body, "removed")
	})
}

// The rows of the form are made, moved and removed by buttons that store nothing.
func TestRowsOfTheNumberForm(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := fmt.Sprintf("/numbers/%d", d.shop.ID)
		press := func(button string, more ...string) string {
			t.Helper()
			a := b.post(page, numberFields(0, append(more, "do", button)...)...)
			require.Equal(t, http.StatusOK, a.status)
			return a.body
		}
		require.Contains(t, press("rule"), `name="rules" value="2"`)
		require.Contains(t, press("drop-0"), `name="rules" value="0"`)
		require.Contains(t, press("condition-0"), `name="rule0conditions" value="3"`)
		require.Contains(t, press("uncondition-0-0"), "static 74957650001 gclid=*")
		require.Contains(t, press("picture"), `name="pictures" value="2"`)
		require.Contains(t, press("unpicture-0"), `name="pictures" value="0"`)
		second := []string{"rules", "2", "rule1name", "Second", "rule1show", "static", "rule1static", "+7 495 765-00-02"}
		for _, move := range []string{"up-1", "down-0"} {
			require.Regexp(t, `(?s)name="rule0name" value="Second".*name="rule1name" value="Spring letters"`, press(move, second...))
		}
		require.Contains(t, press("rule", "rules", "100000000"), `name="rules" value="60"`, "the form is bounded")
		require.Zero(t, d.settings())

		// What can never be shown is said at its campaign, with the one that covers it.
		refused := b.post(page, numberFields(0, append(second, "number", "+7 800 555-35-35", "rule1conditions", "1", "rule1c0field", "utm_source", "rule1c0how", "is", "rule1c0value", "newsletter",
			"rule0conditions", "1")...)...)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		require.Regexp(t, `(?s)name="rule1name".*class="wrong".*campaign 1 above it is for all these visitors`, refused.body)
		for _, wrong := range [][]string{{"number", "112"}, {"rule0static", "7495"}, {"targets", "footer"}, {"selectors", "a["}, {"template", "({area})"}, {"template", "+1 {area} {rest}"}, {"picture0size", "x"}, {"rule0c0field", "nothing"}, {"rule0show", "pool:none"}} {
			a := b.post(page, numberFields(0, append([]string{"number", "+7 800 555-35-35"}, wrong...)...)...)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, wrong)
			require.Contains(t, a.body, `class="wrong"`, wrong)
		}
		require.Zero(t, d.settings())
	})
}

// What the configuration has is shown, and can be made the site's own and be given back.
func TestConfiguredNumberIsMadeTheSitesOwn(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configure()
		b := d.signedIn("vera")
		page := fmt.Sprintf("/numbers/%d", d.shop.ID)
		shown := b.get(page + "/74951234567").body
		require.Contains(t, shown, "Configuration: node.")
		require.Contains(t, shown, "utm_source=news*")
		require.NotContains(t, shown, `name="number"`)
		form := b.get(page + "/new?number=74951234567").body
		require.Contains(t, form, `<option value="pool:74951234567" selected>`, "the number's own pool of the configuration")
		rules := []string{"version", "0", "number", "+7 495 123-45-67", "rules", "2", "rule0show", "static", "rule0static", "+7 495 765-00-09", "rule0conditions", "1",
			"rule0c0field", "kind", "rule0c0how", "is", "rule0c0value", "social", "rule1show", "pool:74951234567"}
		// Who did not know that the configuration has it begins with what that says.
		require.Equal(t, page+"/new?number=74951234567", b.post(page, rules...).header.Get("Location"))
		form = b.get(page + "/new?number=74951234567").body
		require.Contains(t, form, "This number is there already.")
		require.Contains(t, form, `name="over" value="74951234567"`)
		require.Equal(t, "/numbers", b.post(page, append(rules, "over", "74951234567")...).header.Get("Location"))
		require.Equal(t, page+"/74951234567", b.post(page, rules...).header.Get("Location"), "it is the site's own now")
		own := b.get(page + "/74951234567").body
		require.Contains(t, own, "In the configuration")
		require.Contains(t, own, "utm_source=news*")
		require.Contains(t, own, `value="social"`)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/74951234567/removal", "version", "1").status)
		require.NotContains(t, b.get(page+"/74951234567").body, "social")

		// The configuration has changed, and what is stored does not go together with it.
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 2, site.Settings{Pools: map[string]number.DeclaredPool{
			"auto": {Numbers: []string{"74957650041"}}, "spring": {Numbers: []string{"74957650021"}}}}, "vera")
		require.NoError(t, err)
		require.Contains(t, b.get("/numbers").body, "The server&#39;s configuration already has a pool auto.")
		pools := fmt.Sprintf("/pools/%d", d.shop.ID)
		spring := []string{"version", "3", "was", "spring", "numbers", "74957650021", "hold", "5", "exhausted", "original"}
		require.Equal(t, http.StatusSeeOther, b.post(pools, append(spring, "numbers", "+7 495 765-00-51")...).status, "one is mended after the other")
		require.Contains(t, b.get("/numbers").body, "already has a pool auto")
		require.Equal(t, http.StatusSeeOther, b.post(pools+"/auto/removal", "version", "4").status)
		require.NotContains(t, b.get("/numbers").body, "conflict with the server")
		require.Equal(t, http.StatusUnprocessableEntity, b.post(pools, append(spring, "version", "5")...).status)
	})
}

func TestPoolIsMade(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configure()
		d.hold()
		b := d.signedIn("vera")
		pools, page := fmt.Sprintf("/pools/%d", d.shop.ID), fmt.Sprintf("/pools/%d/spring", d.shop.ID)
		fields := func(version int, more ...string) []string {
			return append([]string{"version", fmt.Sprint(version), "was", "", "name", "spring", "numbers", "+7 495 765-00-01\n74957650002, 74957650003\n", "hold", "2,5", "exhausted", "reserve", "reserve", "+7 495 765-00-99"}, more...)
		}
		for _, wrong := range [][]string{{"name", "Spring"}, {"name", "auto"}, {"numbers", ""}, {"numbers", "7495"}, {"numbers", "74957650021"}, {"hold", "0"}, {"hold", "x"}, {"hold", "99999"},
			{"exhausted", "never"}, {"reserve", ""}, {"reserve", "74957650002"}} {
			a := b.post(pools, fields(0, wrong...)...)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, wrong)
			require.Contains(t, a.body, `class="wrong"`, wrong)
		}
		require.Equal(t, http.StatusSeeOther, b.post(pools, fields(0)...).status)
		require.Equal(t, map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650001", "74957650002", "74957650003"}, Hold: 150 * time.Second, Exhausted: number.ShowReserve, Reserve: "74957650099"}}, d.settings().Pools)
		require.Contains(t, b.get("/numbers/pools").body, page)
		require.Contains(t, b.get(page).body, "No number uses it yet")
		require.Equal(t, http.StatusUnprocessableEntity, b.post(pools, fields(1)...).status, "there is one of that name")
		require.Equal(t, http.StatusConflict, b.post(pools, fields(0, "was", "spring")...).status)

		// Another site cannot have its numbers.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		taken := b.post(fmt.Sprintf("/pools/%d", other.ID), fields(0, "name", "summer")...)
		require.Equal(t, http.StatusUnprocessableEntity, taken.status)
		require.Contains(t, taken.body, "belongs to a pool of another site")

		number := fmt.Sprintf("/numbers/%d", d.shop.ID)
		require.Equal(t, http.StatusSeeOther, b.post(number, "version", "1", "number", "+7 800 555-35-35", "rules", "1", "rule0show", "pool:spring").status)
		used := b.get(page).body
		require.Contains(t, used, "Used for")
		require.Contains(t, used, number+"/78005553535")
		require.Equal(t, http.StatusUnprocessableEntity, b.post(page+"/removal", "version", "2").status, "a campaign uses it")
		require.Equal(t, http.StatusSeeOther, b.post(pools, fields(2, "was", "spring", "numbers", "74957650001")...).status)
		require.Equal(t, http.StatusSeeOther, b.post(number+"/78005553535/removal", "version", "3").status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/removal", "version", "4").status)
		require.Nil(t, d.settings().Pools)
		require.Equal(t, http.StatusNotFound, b.get(page).status)
		require.Contains(t, b.get("/history").body, "pool spring removed")
		// What was given back another site can have.
		require.Equal(t, http.StatusSeeOther, b.post(fmt.Sprintf("/pools/%d", other.ID), fields(0, "name", "summer")...).status)
	})
}

// Who has a number of the pool now, and who had it before; of other sites' visitors nothing more.
func TestLeasesOfAPool(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{
			Pools:   map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650001"}}},
			Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Pool: "spring"}}}},
		}, "vera")
		require.NoError(t, err)
		pool := &number.Pool{Name: number.OwnPoolName(d.shop.ID, "spring"), Digits: []string{"74957650001"}}
		require.NoError(t, pool.Complete())
		b := d.signedIn("vera")
		page := fmt.Sprintf("/pools/%d/spring", d.shop.ID)
		require.Contains(t, b.get(page).body, "Nobody has had it yet")
		_, first := d.lease(pool)
		require.Contains(t, b.get(page).body, first)
		require.Contains(t, b.get(page).body, "instead of &#43;7 495 123-45-67 · <bdi>Direct</bdi>", "from where the visitor came")
		d.lease(pool) // finds none
		d.pass(time.Hour)
		free := b.get(page).body
		require.Contains(t, free, ">Free<")
		require.NotContains(t, free, first)
		_, second := d.lease(pool)
		past := b.get(page + "?number=74957650001").body
		require.Contains(t, past, first)
		require.Contains(t, past, second)
		require.Contains(t, past, "Who had &#43;7 495 765-00-01 before")
		require.Regexp(t, `Visitors who needed one</dt><dd>3<`, past)
		require.Regexp(t, `Found none free</dt><dd class="lossy">1<`, past)
		require.Contains(t, past, `1 got a number, 1 found none free</title>`)
		for _, span := range []string{"week", "month", "none"} {
			require.Regexp(t, `Visitors who needed one</dt><dd>3<`, b.get(page+"?span="+span).body)
		}

		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		d.pass(time.Hour)
		_, _, err = d.Leases.Take(t.Context(), lease.Want{Site: other.ID, Visitor: 471104711, Visit: 471104711, Replaces: "74951234567", Pool: pool})
		require.NoError(t, err)
		foreign := b.get(page).body
		require.Contains(t, foreign, "A visitor of another site")
		require.NotContains(t, foreign, "471104711")

		// Past leases come in parts.
		for range 60 {
			d.pass(time.Hour)
			d.lease(pool)
		}
		part := b.get(page + "?number=74957650001").body
		require.Contains(t, part, "Earlier ones")
		require.NotContains(t, part, first)
		query := older.FindStringSubmatch(part)
		require.NotNil(t, query)
		require.Contains(t, b.get(page+"?"+html.UnescapeString(query[1])).body, first)
	})
}

// A number that visitors have seen in another pool rests there, unless somebody releases it.
func TestRestingNumbers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.hold()
		spring := &number.Pool{Name: number.OwnPoolName(d.shop.ID, "spring"), Digits: []string{"74957650001", "74957650002"}}
		require.NoError(t, spring.Complete())
		d.lease(spring)
		d.pass(time.Hour)
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{
			Pools: map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650002"}}, "summer": {Numbers: []string{"74957650001", "74957650003"}}},
			Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{
				{Pool: "spring", When: []string{"kind=ad"}}, {Pool: "summer"}}}},
		}, "vera")
		require.NoError(t, err)
		b := d.signedIn("vera")
		page := fmt.Sprintf("/pools/%d/summer", d.shop.ID)
		resting := b.get(page).body
		require.Contains(t, resting, "Rests until")
		require.Regexp(t, `Resting now</dt><dd>1<`, resting)
		require.Contains(t, resting, `name="number" value="74957650001"`)
		require.NotContains(t, resting, `name="number" value="74957650003"`)
		require.Contains(t, b.get("/numbers/pools").body, "1 rests")
		who := fmt.Sprintf("/numbers/%d/who?address=https%%3A%%2F%%2Fshop.example%%2F", d.shop.ID)
		require.Contains(t, b.get(who).body, "1 of 2 are free now")

		require.Equal(t, http.StatusNotFound, b.post(page+"x/release", "number", "74957650001").status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/release", "number", "74957650002").status)
		require.Contains(t, b.get(page).body, "Rests until", "another pool's number is none of these")
		require.Equal(t, http.StatusSeeOther, b.post(page+"/release", "number", "74957650001").status)
		require.NotContains(t, b.get(page).body, "Rests until")
		require.Contains(t, b.get(who).body, "2 of 2 are free now")
	})
}

// The tester says what a visitor of a source would see, and why.
func TestWhoSeesWhat(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configure()
		b := d.signedIn("vera")
		page := fmt.Sprintf("/numbers/%d/who", d.shop.ID)
		require.Contains(t, b.get(page).body, "Set for the site: The last visit with a source")
		ask := func(query string) string { return b.get(page + "?" + query).body }
		news := ask("address=https%3A%2F%2Fshop.example%2F%3Futm_source%3Dnewsletter")
		require.Contains(t, news, "7\u00a0495\u00a0765\u201143\u201121")
		require.Contains(t, news, "Campaign 1 <code>static 74957654321 utm_source=news*</code>")
		preview := regexp.MustCompile(`href="https://shop\.example/\?utm_source=newsletter&amp;svc_preview=([^"]+)"`).FindStringSubmatch(news)
		require.NotNil(t, preview, news)
		begun, err := d.Previews.Read(d.shop.ID, preview[1])
		require.NoError(t, err)
		require.Equal(t, "newsletter", begun.Source().Source)
		direct := ask("address=https%3A%2F%2Fshop.example%2F")
		require.Contains(t, direct, "1 of 1 are free now")
		pool := &number.Pool{Name: "74951234567", Digits: []string{"74957650031"}}
		require.NoError(t, pool.Complete())
		d.lease(pool)
		require.Contains(t, ask("address=https%3A%2F%2Fshop.example%2F&referrer=https%3A%2F%2Fwww.google.com%2F"), "has no number left now. When all are taken, visitors see the number as it is on the site.")
		again := "address=https%3A%2F%2Fshop.example%2F%3Futm_source%3Dnews&again=https%3A%2F%2Fshop.example%2F"
		require.Contains(t, ask(again), "Campaign 1", "the visit with a source decides")
		require.Contains(t, ask(again+"&attribution=last"), "Campaign 2", "the last one does")
		require.Equal(t, http.StatusUnprocessableEntity, b.get(page+"?address=shop.example").status)
	})
}

// The link to a page as somebody sees it leads to the site's hosts, and nowhere else.
func TestPreviewStaysAtTheSite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.configure()
		b := d.signedIn("vera")
		leads := func(address string) bool {
			t.Helper()
			a := b.get(fmt.Sprintf("/numbers/%d/who?", d.shop.ID) + url.Values{"address": {address}}.Encode())
			require.Equal(t, http.StatusOK, a.status, address)
			require.NotEqual(t, strings.Contains(a.body, "svc_preview="), strings.Contains(a.body, "there is no link to it"), address)
			return strings.Contains(a.body, "svc_preview=")
		}
		for _, of := range []string{"https://shop.example/", "http://SHOP.example:8080/lamps"} {
			require.True(t, leads(of), of)
		}
		elsewhere := []string{"https://evil.example/", "https://shop.example@evil.example/", "https://shop.example.evil.example/", "https://evil.example/shop.example",
			"https://xshop.example/", "https://m.shop.example/", "https://127.0.0.1/"}
		for _, of := range elsewhere {
			require.False(t, leads(of), of)
		}

		// Where the configuration names no host, those count at which pages were served.
		d.Sites.Serve(d.shop.ID, "M.shop.example:8080")
		d.Sites.Serve(d.shop.ID+1, "evil.example")
		require.True(t, leads("https://m.shop.example/"))
		require.False(t, leads("https://evil.example/"))
		for i := range 100 { // these are requests of strangers
			d.Sites.Serve(d.shop.ID, fmt.Sprint(i, ".example"))
		}
		require.True(t, leads("https://m.shop.example/"))
		require.False(t, leads("https://99.example/"), "so many are remembered and no more")

		// Where it does, they do not.
		d.Hosts = func(key string) []string { return map[string][]string{d.shop.Key: {"www.shop.example"}}[key] }
		configured := d.Configured
		d.Configured = func(key string) (site.Settings, bool) {
			set, known := configured(key)
			set.Origins = []string{"https://de.shop.example:8443", "https://xn--e1afmkfd.example"}
			return set, known
		}
		d.console.Close()
		d.console = console.New(d.Subjects, d.now, zap.NewNop())
		for _, of := range []string{"https://shop.example/", "https://www.shop.example/", "https://de.shop.example/", "https://пример.example/"} {
			require.True(t, leads(of), of)
		}
		for _, of := range elsewhere {
			require.False(t, leads(of), of)
		}
	})
}

// Operators look, and change nothing.
func TestOperatorsLookAtNumbers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		_, err := d.Sites.Change(t.Context(), d.shop.Key, 0, site.Settings{
			Pools:   map[string]number.DeclaredPool{"spring": {Numbers: []string{"74957650001"}}},
			Numbers: []number.Number{{Number: "74951234567", Tracking: []number.Tracking{{Name: "Spring letters", Pool: "spring"}}}},
		}, "vera")
		require.NoError(t, err)
		require.NoError(t, d.Operators.Add(t.Context(), "otto", password, operator.Agent))
		d.hit(visit.Arrival{})
		b := d.signedIn("otto")
		shop := d.shop.ID
		for _, page := range []string{"/numbers", fmt.Sprintf("/numbers/%d/74951234567", shop), "/numbers/pools", fmt.Sprintf("/pools/%d/spring", shop), fmt.Sprintf("/numbers/%d/who", shop)} {
			a := b.get(page)
			require.Equal(t, http.StatusOK, a.status, page)
			require.NotContains(t, a.body, `name="version"`, page)
			require.NotContains(t, a.body, "/new", page)
		}
		require.Contains(t, b.get(fmt.Sprintf("/numbers/%d/74951234567", shop)).body, "Spring letters")
		for _, page := range []string{fmt.Sprintf("/numbers/%d", shop), fmt.Sprintf("/numbers/%d/74951234567/removal", shop), fmt.Sprintf("/pools/%d", shop), fmt.Sprintf("/pools/%d/spring/removal", shop)} {
			require.Equal(t, http.StatusForbidden, b.post(page, "version", "1").status, page)
		}
		require.Equal(t, http.StatusForbidden, b.get(fmt.Sprintf("/pools/%d/new", shop)).status)
	})
}
