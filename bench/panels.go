package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// slowed is by how much the browser's CPU is slowed, as that of a phone that costs little.
	slowed = 4
	// panelRest is how long a page that is ready is left alone before the click.
	panelRest = 500 * time.Millisecond
	// panelTime bounds one load with its click.
	panelTime = 30 * time.Second
)

// clickable is something on the page that opens, when the element is clicked.
type clickable struct {
	name, path string
	// ready is true in a page that can be clicked, at is the element, and usable is true when what it opens can be used.
	ready, at, usable string
}

const (
	launcherReady = `globalThis.panels && panels.querySelector(".launcher:not([hidden])")`
	fieldUsable   = `globalThis.panels && panels.activeElement && /INPUT|TEXTAREA/.test(panels.activeElement.nodeName)`
	chatUsable    = fieldUsable + ` && panels.activeElement.nodeName === "TEXTAREA" && performance.getEntriesByType("resource").some(e => /v1.chat$/.test(e.name) && e.responseEnd)`
	somebodyIs    = `globalThis.Svc && Svc.getCredentials && Svc.getCredentials().hit_id && Svc.getOperatorStatus()`
)

var clickables = []clickable{
	{"an empty <dialog> of the page", "/own", somebodyIs, `document.getElementById("open-dialog")`, `document.querySelector("dialog").open`},
	{"request form, nothing loaded before", "/own", somebodyIs, `document.getElementById("open-request")`, fieldUsable},
	{"sitephone form, nothing loaded before", "/own", somebodyIs, `document.getElementById("open-phone")`, fieldUsable},
	{"chat, nothing loaded before", "/own", somebodyIs, `document.getElementById("open-chat")`, chatUsable},
	{"chat, by the launcher", "/page", somebodyIs + " && " + launcherReady, `panels.querySelector(".launcher")`, chatUsable},
}

// watchClick has the page keep the time from its first click to the first frame in which what was clicked can be used. It sees into
// the panels' closed root.
const watchClick = `{
	const attach = Element.prototype.attachShadow;
	Element.prototype.attachShadow = function (options) { return globalThis.panels = attach.call(this, options); };
	addEventListener("click", event => {
		const look = () => requestAnimationFrame(() => usable() ? setTimeout(() => globalThis.took = performance.now() - event.timeStamp) : look());
		look();
	}, {capture: true, once: true});
}`

// panels measures the time from a click to a panel that can be used, on pages of which nothing is cached, with the CPU slowed, beside
// an empty dialog of the same page; and what the panels' parts weigh as they come.
func panels(ctx context.Context, folder, caddy string, rounds int) error {
	address, stop, err := startPanels(ctx, folder, caddy)
	if err != nil {
		return err
	}
	defer stop()
	browser, closeBrowser, err := startBrowser(ctx)
	if err != nil {
		return err
	}
	defer closeBrowser()
	took := make(map[string][]float64)
	for round := range rounds + 1 {
		for _, c := range clickables {
			ms, err := c.measure(browser, "http://"+address)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 { // the first one warms the browser up
				took[c.name] = append(took[c.name], ms)
			}
		}
	}
	fmt.Printf("Milliseconds from a click to what can be used, the CPU slowed %d times, %d cold loads each, in turns\n", slowed, rounds)
	fmt.Printf("%-40s %10s %10s %10s\n", "", "lowest", "median", "worst")
	for _, c := range clickables {
		ms := took[c.name]
		fmt.Printf("%-40s %10.0f %10.0f %10.0f\n", c.name, slices.Min(ms), median(ms), slices.Max(ms))
	}
	return printParts(browser, "http://"+address)
}

// startPanels runs Frontdesk in front of a page with buttons, with an operator whose console is open.
func startPanels(ctx context.Context, folder, caddy string) (address string, stop func(), err error) {
	origin, err := servePageWithButtons()
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(folder, "panels.db")
	if err := addOperators(ctx, db.Settings{Engine: db.SQLite, Source: file}, 1); err != nil {
		return "", nil, err
	}
	address, err = freeAddress()
	if err != nil {
		return "", nil, err
	}
	console, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", origin.Addr().String()).Replace(
		caddyConfig("frontdesk {\n\t\tdatabase sqlite "+file+"\n\t\ttelephony webhook http://"+origin.Addr().String()+" {\n\t\t\tsecret \"for the bench alone\"\n\t\t}\n\t}",
			"encode\n\tfrontdesk shop {\n\t\twidget\n\t\tcallback {\n\t\t\tphone 74951234567\n\t\t}\n\t}")) +
		"http://" + console + " {\n\tfrontdesk_console\n}\n"
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "panels.conf"), config, "http://"+console+"/sign-in")
	if err != nil {
		return "", nil, err
	}
	consoles := &openConsoles{base: "http://" + console}
	stop = func() {
		consoles.close()
		p.stop()
		origin.Close()
	}
	if err := consoles.grow(ctx, 1); err != nil {
		stop()
		return "", nil, err
	}
	return address, stop, nil
}

// servePageWithButtons serves the page that the script is measured with, and buttons. At /own the site shows no launcher.
func servePageWithButtons() (net.Listener, error) {
	buttons := []byte(`<div style="position:fixed;top:0;left:0;z-index:9">
		<button id=open-dialog onclick="document.querySelector('dialog').showModal()">1</button><button id=open-request onclick="Svc.openSiteRequestPanel()">2</button>
		<button id=open-phone onclick="Svc.openSitePhonePanel()">3</button><button id=open-chat onclick="Svc.openChatWindow()">4</button></div><dialog></dialog></body>`)
	launched := bytes.Replace(measuredPage.Make(), []byte("</body>"), buttons, 1)
	own := bytes.Replace(launched, []byte("</head>"), []byte(`<script>var __cs = __cs || []; __cs.push(["disableWidgets", true])</script></head>`), 1)
	return servePages(map[string][]byte{"/page": launched, "/own": own})
}

// measure opens the page in a browser context of its own, clicks, and gives the milliseconds.
func (c clickable) measure(browser context.Context, base string) (milliseconds float64, err error) {
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer closeTab()
	ctx, cancel := context.WithTimeout(ctx, panelTime)
	defer cancel()
	if err := c.open(ctx, base); err != nil {
		return 0, err
	}
	at, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`(r => [r.x + r.width / 2, r.y + r.height / 2])(`+c.at+`.getBoundingClientRect())`))
	if err != nil {
		return 0, err
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		click := input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1}
		if _, err := chromedp.Call(ctx, input.DispatchMouseEvent, click); err != nil {
			return 0, err
		}
	}
	if err := untilTrue(ctx, `globalThis.took !== undefined`); err != nil {
		return 0, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[float64](`took`))
}

// open opens the page, and waits until it can be clicked.
func (c clickable) open(ctx context.Context, base string) error {
	// The first address is one of the same site, so that the page comes into a process that runs.
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/none")); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slowed}); err != nil {
		return err
	}
	watch := watchClick + `; globalThis.usable = () => ` + c.usable
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, page.BringToFront, cdp.Empty{}); err != nil {
		return err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(base+c.path)); err != nil {
		return err
	}
	if err := untilTrue(ctx, c.ready); err != nil {
		return err
	}
	time.Sleep(panelRest)
	return nil
}

// untilTrue waits until the expression is true in the page.
func untilTrue(ctx context.Context, expression string) error {
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if holds {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("never true in the page: %s", expression), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// printParts prints what the parts of the script weigh as the page of the chat gets them.
func printParts(browser context.Context, base string) error {
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer closeTab()
	ctx, cancel := context.WithTimeout(ctx, panelTime)
	defer cancel()
	chat := clickables[len(clickables)-1]
	if err := chat.open(ctx, base); err != nil {
		return err
	}
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`Svc.openChatWindow()`)); err != nil {
		return err
	}
	if err := untilTrue(ctx, chat.usable); err != nil {
		return err
	}
	parts, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`performance.getEntriesByType("resource").filter(e => /\.js\b/.test(e.name))
		.map(e => new URL(e.name).pathname.split("/").pop() + ": " + e.encodedBodySize + " of " + e.decodedBodySize)`))
	if err != nil {
		return err
	}
	fmt.Printf("\nbytes of the scripts as they come, of those as they are\n%s\n", strings.Join(parts, "\n"))
	return nil
}
