package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// view is what was measured of a page in the rounds.
type view struct {
	bytes, elements int64
	server, usable  []time.Duration
}

// A page can be used when all of this is past: its first contents are painted, its load event has ended, and so has the
// last task of 50 ms or more of its main thread that began before half a second was calm.
const (
	calm  = 500 * time.Millisecond
	watch = `window.lastTask = 0; new PerformanceObserver(list => { for (const e of list.getEntries()) lastTask = Math.max(lastTask, e.startTime + e.duration); }).observe({type: "longtask", buffered: true})`
	ready = `(() => {
		const n = performance.getEntriesByType("navigation")[0], painted = performance.getEntriesByName("first-contentful-paint")[0];
		if (!painted || !n.loadEventEnd) return null;
		const usable = Math.max(painted.startTime, n.loadEventEnd, window.lastTask);
		if (performance.now() < usable + 500) return null;
		return {Usable: usable, Server: n.responseStart - n.requestStart, Elements: document.getElementsByTagName("*").length, Path: location.pathname};
	})()`
)

// told is what ready answers with.
type told struct {
	Usable, Server float64
	Elements       int64
	Path           string
}

// links are the pages that are found by a link: on which page it stands, and how its address begins.
var links = []struct{ name, on, begins string }{
	{"a lead", "/leads", "/leads/1/"}, {"a conversation", "/chats?tab=closed", "/chats/1/"}, {"a visitor", "/visitors", "/visitors/"}, {"a callback", "/callbacks", "/callbacks/1/"},
	{"a number", "/numbers", "/numbers/1/"}, {"a pool", "/numbers/pools", "/pools/1/"},
}

// further are pages that the menu has not, by their names.
var further = [][2]string{
	{"refused leads", "/leads/refused"}, {"forms", "/leads/forms"}, {"leads of a site", "/leads?site=2"}, {"of all sites again", "/leads?site=0"}, {"leads, searched", "/leads?q=mail.example"}, {"waits", "/chats/waits"}, {"pools", "/numbers/pools"}, {"who sees what", "/numbers/1/who"},
	{"a report by two", "/reports?by=source&and=channel"}, {"paths", "/reports/paths"}, {"saved reports", "/reports/saved"}, {"links to reports", "/reports/links"}, {"figures by mail", "/reports/mail"}, {"costs", "/costs"}, {"costs of a site", "/costs/1"},
	{"a site", "/sites/2"}, {"settings of a site", "/sites/2/settings"}, {"widget of a site", "/sites/2/widget"}, {"deliveries of a site", "/sites/2/deliveries"}, {"conversions of a site", "/sites/2/conversions"}, {"groups of a site", "/sites/2/groups"},
	{"replies of a site", "/sites/2/replies"}, {"an operator", "/operators/1"}, {"history", "/history"}, {"a person", "/person"}, {"search", "/lookup?q=somebody"}, {"account", "/account"},
	{"help", "/help"}, {"help: the console", "/help/console"}, {"help: the Caddyfile", "/help/caddyfile"},
}

// measurement is of one database.
type measurement struct {
	tools    Tools
	browser  context.Context
	settings db.Settings
	rounds   int
	console  string
	tab      context.Context
	weight   atomic.Int64
}

// run starts the program, and opens each page of its console.
func (m *measurement) run(ctx context.Context, size Size) (views map[string]view, names []string, err error) {
	site, err := m.tools.Address()
	if err != nil {
		return nil, nil, err
	}
	address, err := m.tools.Address()
	if err != nil {
		return nil, nil, err
	}
	m.console = "http://" + address
	_, port, _ := strings.Cut(site, ":")
	stop, err := m.tools.Start(fmt.Sprintf(`{
	admin off
	default_bind 127.0.0.1
	auto_https off
	persist_config off
	frontdesk {
		database %[1]s %[2]q
	}
	servers {
		trusted_proxies static 127.0.0.1/32
		trusted_proxies_strict
	}
}
http://:%[3]s {
	frontdesk {
		number 74951234567 {
			static 74957654321 utm_source=news
		}
	}
	respond ok
}
http://demo-shop:%[3]s {
	frontdesk demo-shop {
		number 74951234567 {
			dynamic 74957650011 74957650012 74957650013
		}
	}
	respond ok
}
%[4]s {
	frontdesk_console
}
`, m.settings.Engine, m.settings.Source, port, m.console), m.console+"/sign-in")
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	if err := arrive(ctx, site, size.Sites); err != nil {
		return nil, nil, fmt.Errorf("visiting the sites: %w", err)
	}
	closeTab, err := m.signIn()
	if err != nil {
		return nil, nil, fmt.Errorf("signing in: %w", err)
	}
	defer closeTab()
	pages, err := m.pages()
	if err != nil {
		return nil, nil, err
	}
	views = make(map[string]view)
	for _, p := range pages {
		name, path := p[0], p[1]
		v := view{}
		for round := range m.rounds + 1 {
			one, err := m.open(path)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
			if round > 0 { // what the page is made of has come the first time
				v.bytes, v.elements = m.weight.Load(), one.Elements
				v.server = append(v.server, time.Duration(one.Server*1e6))
				v.usable = append(v.usable, time.Duration(one.Usable*1e6))
			}
		}
		views[name] = v
		names = append(names, name)
	}
	return views, names, nil
}

// arrive has a visitor come to each of the sites.
func arrive(ctx context.Context, address string, sites int) error {
	coming, ctx := errgroup.WithContext(ctx)
	coming.SetLimit(8)
	for n := range sites - 1 {
		coming.Go(func() error {
			host := hostOf(n)
			body := fmt.Sprintf(`{"site_key":%q,"view":"%024d","url":"http://%s/lamps/%d?utm_source=news","referrer":"https://search.example/?q=lamps","title":"A lamp for reading","kind":"load"}`, host, n, host, n%50)
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/frontdesk/v1/hit", strings.NewReader(body))
			if err != nil {
				return err
			}
			request.Host = host
			request.Header = http.Header{"Content-Type": {"application/json"}, "Origin": {"http://" + host}, "X-Forwarded-For": {fmt.Sprintf("10.0.%d.%d", n>>8, n&255)},
				"User-Agent": {"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"}, "Accept-Language": {"en"}}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", host, answer.Status)
			}
			return nil
		})
	}
	return coming.Wait()
}

// signIn opens a slow tab in which the admin has signed in.
func (m *measurement) signIn() (closeTab func(), err error) {
	m.tab, closeTab = chromedp.NewContext(m.browser, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(m.tab, chromedp.Navigate(m.console+"/sign-in")); err != nil {
		return closeTab, err
	}
	if _, err := chromedp.Call(m.tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		return closeTab, err
	}
	if _, err := chromedp.Call(m.tab, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slowness}); err != nil {
		return closeTab, err
	}
	if _, err := chromedp.Call(m.tab, network.Enable, network.EnableParams{}); err != nil {
		return closeTab, err
	}
	if err := chromedp.Listen(m.tab, func(event any) { // a stream does not end, and does not count
		if e, is := event.(*network.EventLoadingFinished); is {
			m.weight.Add(int64(e.EncodedDataLength))
		}
	}); err != nil {
		return closeTab, err
	}
	if err := chromedp.Do(m.tab, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById("login").value = %q; document.getElementById("password").value = %q;
		document.querySelector("main form").requestSubmit()`, login, password))); err != nil {
		return closeTab, err
	}
	_, err = m.await(`location.pathname === "/overview" ? ` + ready + ` : null`)
	return closeTab, err
}

// pages are the names and the addresses of all that are opened: those of the menu, and further ones.
func (m *measurement) pages() (pages [][2]string, err error) {
	menu, err := chromedp.Run(m.tab, chromedp.Evaluate[[]string](`[...document.querySelectorAll("header nav a")].map(a => a.getAttribute("href"))`))
	if err != nil {
		return nil, err
	}
	for _, path := range menu {
		if path != "/account" {
			pages = append(pages, [2]string{strings.TrimPrefix(path, "/"), path})
		}
	}
	for _, l := range links {
		if _, err := m.open(l.on); err != nil {
			return nil, err
		}
		found, err := chromedp.Run(m.tab, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll("main a")].map(a => a.getAttribute("href")).find(to => to.startsWith(%q) && !to.endsWith("/new")) || ""`, l.begins)))
		if err != nil {
			return nil, err
		}
		if found == "" {
			return nil, fmt.Errorf("%s has no link to %s", l.on, l.name)
		}
		pages = append(pages, [2]string{l.name, found})
	}
	return append(pages, further...), nil
}

// open goes to the page, and waits until it is ready.
func (m *measurement) open(path string) (told, error) {
	m.weight.Store(0)
	if err := chromedp.Do(m.tab, chromedp.Navigate(m.console+path)); err != nil {
		return told{}, err
	}
	return m.await(ready)
}

// await asks the page until the expression is not null.
func (m *measurement) await(expression string) (t told, err error) {
	for range 150 {
		time.Sleep(calm / 2)
		answer, err := chromedp.Run(m.tab, chromedp.Evaluate[*told](expression))
		if err == nil && answer != nil { // a page that is being left answers with an error
			return *answer, nil
		}
	}
	return t, fmt.Errorf("never ready: %v", err)
}
