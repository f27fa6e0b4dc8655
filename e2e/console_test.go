package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const consolePassword = "correct horse battery"

var setupLink = regexp.MustCompile(`"link":\s*"([^"]+/setup\?token=[^"]+)"`)

// signedIn opens the console of a program that has just been started for the
// first time, by the link in its log.
func (p *program) signedIn(t *testing.T) *tab {
	t.Helper()
	var link string
	p.await(t, func() bool {
		if found := setupLink.FindStringSubmatch(p.log.String()); found != nil {
			link = found[1]
		}
		return link != ""
	})
	b := newTab(t)
	b.size(1280, 800, false)
	b.visit(link)
	b.do(`document.getElementById("login").value = "vera";
		document.getElementById("password").value = "` + consolePassword + `";
		document.querySelector("main form").requestSubmit()`)
	b.until(`location.pathname === "/sites" && document.documentElement.dataset.stream === "live"`)
	b.do(`document.querySelector("nav a[href='/visitors']").click()`)
	b.until(`location.pathname === "/visitors" && document.documentElement.dataset.stream === "live"`)
	return b
}

// signIn signs in, in a browser in which nobody has yet.
func (p *program) signIn(b *tab) {
	b.t.Helper()
	b.visit(p.console + "/sign-in")
	b.do(`document.getElementById("login").value = "vera";
		document.getElementById("password").value = "` + consolePassword + `";
		document.querySelector("main form").requestSubmit()`)
	b.until(`location.pathname === "/overview" && document.documentElement.dataset.stream === "live"`)
	b.visit(p.console + "/visitors")
	b.until(`location.pathname === "/visitors" && document.documentElement.dataset.stream === "live"`)
}

// size makes the tab as large as a window or a phone.
func (b *tab) size(width, height int64, phone bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone})
	require.NoError(b.t, err)
}

// prefers sets a preference of the system, such as prefers-color-scheme.
func (b *tab) prefers(feature, choice string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: choice}}})
	require.NoError(b.t, err)
}

// point moves the mouse to the middle of the element.
func (b *tab) point(selector string) {
	b.t.Helper()
	at := value[[]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]})
	require.NoError(b.t, err)
}

func contains(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, text)
}

func TestVisitorsAndLeadsAppearInTheConsole(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.until(`document.querySelector(".empty").checkVisibility()`)
	desk.do(`window.sameDocument = true`)

	visitor := newTab(t)
	visitor.visit(p.shop + "/lamps/birch.html")
	visitor.until(`window.Svc && Svc.getCredentials().hit_id`)
	desk.until(contains("#guests", "/lamps/birch.html"))
	visitor.visit(p.shop + "/contacts.html")
	desk.until(contains("#guests li", "/contacts.html"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#guests li").length`), "one visit, one row")

	credentials := p.credentials(t)
	require.True(t, sendRequest(credentials, map[string]string{"name": "Anna", "phone": "8 (495) 123-45-67", "text": "Two birch lamps"}))
	desk.until(contains("#arrivals", "Two birch lamps"))
	require.True(t, value[bool](desk, `window.sameDocument === true`), "without a reload")
	require.Equal(t, "(1) ", value[string](desk, `document.title.slice(0, 4)`))

	desk.do(`document.querySelector("#arrivals a").click()`)
	desk.until(contains("main", "Two birch lamps") + ` && location.pathname.startsWith("/leads/")`)
	desk.do(`document.querySelector("a[href^='/visitors/']").click()`)
	desk.until(`location.pathname.startsWith("/visitors/") && ` + contains("h1", "Anna"))
}

// A burst is told as a burst, and what one browser of the operator has read is read in the others.
func TestBurstOfLeadsAndWhatIsUnread(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk, phone := p.signedIn(t), newTab(t)
	p.signIn(phone)
	phone.size(390, 844, true)
	credentials := p.credentials(t)
	for i := range 5 {
		require.True(t, sendRequest(credentials, map[string]string{"name": "Anna", "phone": "8 (495) 123-45-67", "email": "anna@mail.example", "text": fmt.Sprint("Lamp ", i)}))
	}
	for _, b := range []*tab{desk, phone} {
		b.until(contains("#arrivals", "5 new leads") + `&& ` + contains("#arrivals", "Lamp 4"))
		b.until(contains("#unread", "5") + ` && document.title.startsWith("(5) ")`)
	}
	phone.do(`document.querySelector("#arrivals a").click()`)
	phone.until(`location.pathname === "/leads" && document.querySelectorAll("#leads .dot").length === 5`)
	desk.until(`!document.querySelector("#unread").checkVisibility() && !document.title.startsWith("(")`)
	phone.until(`!document.querySelector("#unread").checkVisibility()`)

	phone.do(`document.querySelector("#leads a").click()`)
	phone.until(`document.querySelector(".reach")`)
	require.Equal(t, []string{"tel:+74951234567", "mailto:anna@mail.example"}, value[[]string](phone, `[...document.querySelectorAll(".reach a")].map((a) => a.href)`))
	require.GreaterOrEqual(t, value[float64](phone, `Math.min(...[...document.querySelectorAll(".reach a")].map((a) => a.getBoundingClientRect().height))`), 44.0)
	require.True(t, sendRequest(credentials, map[string]string{"name": "Boris", "text": "One more"}))
	desk.until(contains("#unread", "1") + ` && ` + contains("#arrivals", "One more"))
}

func TestNumbersOfPagesAppearInTheConsole(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	newTab(t).visit(p.shop + "/contacts.html")
	p.await(t, func() bool {
		desk.visit(p.console + "/numbers")
		return value[bool](desk, contains("main", "+7 495 123-45-67")+` === true`)
	})
	row := `[...document.querySelectorAll(".numbers .rows > li")].find((row) => row.innerText.includes("74951234567"))`
	require.True(t, value[bool](desk, row+`.innerText.includes("8 495 123 45 67")`), "as people read it")
	require.True(t, value[bool](desk, row+`.innerText.includes("/contacts.html")`))
	require.True(t, value[bool](desk, row+`.innerText.includes("Configured")`))
}

func TestRowsDoNotMoveUnderThePointer(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	credentials := p.credentials(t)
	require.True(t, sendRequest(credentials, map[string]string{"name": "Anna", "text": "first"}))
	desk.visit(p.console + "/leads")
	desk.until(contains("#leads", "first") + ` && document.documentElement.dataset.stream === "live"`)

	desk.point("#leads li")
	require.True(t, sendRequest(credentials, map[string]string{"name": "Boris", "text": "second"}))
	desk.until(contains("[data-waiting=leads]", "1 new"))
	require.Equal(t, 1, value[int](desk, `document.querySelectorAll("#leads li").length`))
	desk.do(`document.querySelector("[data-waiting=leads]").click()`)
	desk.until(contains("#leads li", "second") + ` && document.querySelector("[data-waiting=leads]").hidden`)

	// The keyboard holds the rows as well, and lets them go.
	desk.point("h1")
	desk.do(`document.querySelector("#leads a").focus()`)
	require.True(t, sendRequest(credentials, map[string]string{"name": "Clara", "text": "third"}))
	desk.until(contains("[data-waiting=leads]", "1 new"))
	desk.do(`document.activeElement.blur()`)
	desk.until(contains("#leads li", "third"))
	require.Equal(t, 3, value[int](desk, `document.querySelectorAll("#leads li").length`))
}

func TestLostStreamIsSaidAndMissesNothing(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`window.sameDocument = true`)
	p.kill()
	desk.until(`document.getElementById("lost").checkVisibility()`)
	p.start(t)
	require.True(t, sendRequest(p.credentials(t), map[string]string{"name": "Anna", "text": "after the restart"}))
	desk.until(contains("#leads", "after the restart"))
	desk.until(`!document.getElementById("lost").checkVisibility() && window.sameDocument`)
}

// An account's oldest page gives way to the newest, and does not come back
// unless it is asked to.
func TestTooManyPagesDoNotFight(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	desk := p.signedIn(t)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	signedIn, err := client.PostForm(p.console+"/sign-in", url.Values{"login": {"vera"}, "password": {consolePassword}})
	require.NoError(t, err)
	signedIn.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	streams := make([]*bufio.Scanner, 20)
	for i := range streams {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.console+"/stream/leads?after=0-0", nil)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		streams[i] = bufio.NewScanner(response.Body)
	}
	until := func(s *bufio.Scanner, text string) {
		t.Helper()
		for s.Scan() {
			if strings.Contains(s.Text(), text) {
				return
			}
			require.NotContains(t, s.Text(), "yielded")
		}
		require.Fail(t, "the stream ended", "before %q", text)
	}
	desk.until(`document.getElementById("yielded").checkVisibility() && !document.getElementById("lost").checkVisibility()`)
	require.True(t, sendRequest(p.credentials(t), map[string]string{"name": "Anna", "text": "First"}))
	for _, s := range streams {
		until(s, "First")
	}
	require.Equal(t, "yielded", value[string](desk, `document.documentElement.dataset.stream`))

	desk.do(`document.querySelector("#yielded a").click()`)
	desk.until(`document.documentElement.dataset.stream === "live"`)
	until(streams[0], "yielded")
	require.True(t, sendRequest(p.credentials(t), map[string]string{"name": "Anna", "text": "Second"}))
	for _, s := range streams[1:] {
		until(s, "Second")
	}
}

// violation is what axe found wrong.
type violation struct {
	ID    string
	Nodes []struct {
		HTML           string
		FailureSummary string
	}
}

func TestConsoleIsAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	p := runProgram(t, callingBack(example(t)), "")
	outside := newTab(t)
	desk := p.signedIn(t)
	require.True(t, sendRequest(p.credentials(t), map[string]string{
		"name": "Anna", "phone": "8 (495) 123-45-67", "email": "anna@mail.example", "text": "Two birch lamps", "is_sale": "1", "sale_cost": "1500.50", "city": "Tver"}))
	require.False(t, sendRequest(p.credentials(t), map[string]string{"name": "Boris", "sale_cost": "500"}))
	require.Eventually(t, func() bool { // it is kept a moment later
		desk.visit(p.console + "/leads/refused")
		return value[bool](desk, contains("main", "Boris"))
	}, patience, 200*time.Millisecond)
	desk.visit(p.console + "/leads")
	lead := value[string](desk, `document.querySelector("#leads a").pathname`)
	desk.visit(p.console + lead)
	card := value[string](desk, `document.querySelector("a[href^='/visitors/']").pathname`)

	p.writes(t, p.credentials(t), "Is Birch in stock? https://shop.example/lamps")
	desk.visit(p.console + "/chats")
	chat := value[string](desk, `document.querySelector("#chats a").pathname`)

	visitor := newTab(t)
	p.open(visitor, "/lamps/")
	visitor.do(`Svc.sitePhoneCall({phone: "8 912 345-67-89", delayed_call_time: Date.now() + 86400000})`)
	callback := p.lastCallback(t, desk)

	check := func(b *tab, path string) {
		b.visit(p.console + path)
		b.do(`document.querySelectorAll("details").forEach((one) => { one.open = true; })`)
		b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
		found := value[[]violation](b, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.violations)`)
		var said strings.Builder
		for _, v := range found {
			for _, n := range v.Nodes {
				fmt.Fprintf(&said, "%s: %s\n%s\n", v.ID, n.HTML, n.FailureSummary)
			}
		}
		require.Empty(t, said.String(), path)
		require.False(t, value[bool](b, `document.documentElement.scrollWidth > innerWidth`), "%s is wider than the window", path)
	}
	// Colours are of the scheme, and the rest of the width: each is seen once.
	for _, window := range []struct {
		scheme        string
		width, height int64
		phone         bool
	}{{"light", 1280, 800, false}, {"dark", 390, 844, true}} {
		for _, b := range []*tab{desk, outside} {
			b.size(window.width, window.height, window.phone)
			b.prefers("prefers-color-scheme", window.scheme)
		}
		check(outside, "/sign-in")
		for _, path := range []string{"/visitors", "/leads", "/leads/refused", lead, card, "/calls", "/callbacks", callback, "/callbacks/new", "/chats", chat, "/sites/1/groups", "/sites/1/groups/new", "/sites/1/replies", "/numbers", "/numbers/1/new", "/numbers/1/new?number=74951234567", "/numbers/1/74951234567", "/numbers/1/who?address=http%3A%2F%2Flocalhost%2F%3Futm_source%3Dnews",
			"/overview", "/inquiries", "/costs", "/costs/1", "/reports/saved", "/reports/links", "/reports/mail", "/reports/paths", "/reports", "/reports?by=hour&and=weekday&span=today", "/reports/rows?figure=visits", "/reports?span=own&from=x", "/numbers/pools", "/pools/1/new", "/pools/1/ads", "/sites", "/sites/1", "/sites/1/settings", "/sites/1/captures", "/sites/1/captures/new", "/sites/1/deliveries", "/sites/1/endpoints/new?as=webhook", "/sites/1/endpoints/new?as=mail", "/sites/1/endpoints/new?as=telegram", "/sites/1/conversions", "/sites/1/conversions/new?as=ga4", "/sites/1/conversions/new?as=meta", "/operators", "/operators/1", "/history", "/account", "/help", "/help/calls", "/nowhere"} {
			check(desk, path)
		}
	}
}
