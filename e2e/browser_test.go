// Package e2e tests what people get, in a real browser.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long a condition may take to come true before a test gives up. It is no measure of anything: all
// tests share the machine.
const patience = 30 * time.Second

// chromium is a browser process of the test binary: it is started by the first test that opens a tab in it.
type chromium struct {
	names []string // of its program, the best first
	sync.Once
	ctx   context.Context
	close func()
	err   error
}

var (
	// shell is the browser without its windows, and takes half the time.
	shell = &chromium{names: []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}}
	// whole has what the shell has not: notifications, and pages that come back from the cache of the browser.
	whole = &chromium{names: []string{"chromium", "chromium-browser", "google-chrome"}}
	// inWhole are the tests whose tabs are opened in whole.
	inWhole sync.Map
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, c := range []*chromium{shell, whole} {
		if c.close != nil {
			c.close()
		}
	}
	os.RemoveAll(binaryFolder)
	os.Exit(code)
}

// useWhole has the tabs of the test opened in the whole browser.
func useWhole(t *testing.T) {
	inWhole.Store(t, true)
	t.Cleanup(func() { inWhole.Delete(t) })
}

// chromiumOf is the browser of the test's tabs, which runs.
func chromiumOf(t *testing.T) *chromium {
	t.Helper()
	c := shell
	if _, is := inWhole.Load(t); is {
		c = whole
	}
	c.Do(c.start)
	require.NoError(t, c.err)
	return c
}

func (c *chromium) start() {
	var path string
	for _, name := range c.names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		c.err = fmt.Errorf("none of %s in PATH", strings.Join(c.names, ", "))
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(4*patience),
		chromedp.DisableGPU,
		// What blinks for ever costs much where the processor draws.
		chromedp.Flag("force-prefers-reduced-motion", true),
		// A host that, unlike localhost, browsers do not trust over plain HTTP.
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"),
		// By its own word a headless browser is a robot, and robots are no visitors.
		chromedp.UserAgent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"),
	)
	allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	c.close = func() {
		closeBrowser()
		closeAllocator()
	}
	c.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		c.err = fmt.Errorf("starting %s: %w", path, err)
	}
}

// tab is a browser tab with cookies and storage of its own.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	exceptions []string
}

// newTab opens a tab that is closed with the test. Exceptions that no page of it catches fail the test, unless the test takes
// them with thrown.
func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromiumOf(t).ctx, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		cancel()
		require.Empty(t, b.thrown(), "uncaught exceptions in the page")
	})
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.mu.Lock()
			defer b.mu.Unlock()
			b.exceptions = append(b.exceptions, described(e.ExceptionDetails))
		case *page.EventJavascriptDialogOpening:
			if e.Type == page.DialogTypeBeforeunload { // what is typed may be lost
				go chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			}
		}
	}))
	return b
}

func described(details *runtime.ExceptionDetails) string {
	if details.Exception != nil {
		return details.Exception.Description
	}
	return details.Text
}

// openAlone opens the address in a tab that nobody drives, and closes it with the test: Chromium prerenders nothing for a page
// that is driven.
func openAlone(t *testing.T, url string) {
	t.Helper()
	c := chromiumOf(t)
	opened, err := cdp.Call(c.ctx, chromedp.FromContext(c.ctx).Browser, target.CreateTarget, target.CreateTargetParams{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { closeTarget(t, opened.TargetID) })
}

// close closes the tab as its user would.
func (b *tab) close() {
	b.t.Helper()
	closeTarget(b.t, chromedp.FromContext(b.ctx).Target.TargetID)
}

func closeTarget(t *testing.T, id target.ID) {
	t.Helper()
	c := chromiumOf(t)
	_, err := cdp.Call(c.ctx, chromedp.FromContext(c.ctx).Browser, target.CloseTarget, target.CloseTargetParams{TargetID: id})
	require.NoError(t, err)
}

// thrown takes the uncaught exceptions since the last call.
func (b *tab) thrown() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	exceptions := b.exceptions
	b.exceptions = nil
	return exceptions
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...))
}

// front makes the tab the one that is seen: a page that nobody sees has no idle moments.
func (b *tab) front() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, page.BringToFront, cdp.Empty{})
	require.NoError(b.t, err)
}

// visit opens the address and waits for the page's load event.
func (b *tab) visit(url string) {
	b.t.Helper()
	b.run(chromedp.Navigate(url))
}

// reloadsUntil loads the page again and again until the expression is true in it.
func (b *tab) reloadsUntil(expression string) {
	b.t.Helper()
	for end := time.Now().Add(2 * patience); !value[bool](b, `!!(`+expression+`)`); {
		require.True(b.t, time.Now().Before(end), "never true in the page: %s; the page: %s", expression, b.page())
		time.Sleep(200 * time.Millisecond)
		b.run(chromedp.Reload())
	}
}

// before runs the script in every page of the tab before any script of the page.
func (b *tab) before(script string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	require.NoError(b.t, err)
}

// do runs the statements in the page, inside an async function. They may leave
// the page: then nothing answers for them any more.
func (b *tab) do(statements string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void]("(async () => {"+statements+"})()", chromedp.EvalAwaitPromise))
	if err != nil && (strings.Contains(err.Error(), "context was destroyed") || strings.Contains(err.Error(), "navigated or closed")) {
		return
	}
	require.NoError(b.t, err)
}

// value evaluates the expression in the page; a promise is awaited.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T]("(async () => ("+expression+"))()", chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	return v
}

// page is where the tab is and what it shows, or why that cannot be said.
func (b *tab) page() string {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	said, err := chromedp.Run(ctx, chromedp.Evaluate[string]("`${location.href} ${document.readyState}: ${document.body?.innerText.slice(0, 1000)}`"))
	if err != nil {
		return err.Error()
	}
	return said
}

// until waits until the expression is true in a page that has loaded, whatever pages the tab passes through meanwhile.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.holds(`document.readyState === "complete" && !!(` + expression + `)`)
}

// holds is until for a page that is loading as well.
func (b *tab) holds(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if holds {
			return
		}
		select {
		case <-ctx.Done():
			require.FailNow(b.t, "never true in the page", "%s (last error: %v; the page: %s)", expression, err, b.page())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
