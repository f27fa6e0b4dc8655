package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// browser is Chromium with the operator signed in.
type browser struct {
	ctx           context.Context
	close         func()
	console, shop string
	language      string
}

func open(ctx context.Context, console, shop string) (*browser, error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("no chromium, chromium-browser or google-chrome in PATH")
	}
	allocator, closeAllocator := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-background-networking", true),
		// By its own word a headless browser is a robot, and robots are no visitors.
		chromedp.UserAgent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"))...)
	tab, closeTab := chromedp.NewContext(allocator)
	b := &browser{ctx: tab, console: console, shop: shop, close: func() {
		closeTab()
		closeAllocator()
	}}
	err := b.see("/sign-in", fmt.Sprintf(`document.getElementById("login").value = %q; document.getElementById("password").value = %q;
		document.querySelector("main form").requestSubmit()`, login, password), `document.documentElement.dataset.stream === "live"`)
	return b, err
}

// see goes to the console's page, or to that of a file, runs the script there, and waits until the expression is true.
func (b *browser) see(path, script, until string) error {
	if !strings.HasPrefix(path, "file:") {
		path = b.console + path
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate(path)); err != nil {
		return err
	}
	return b.then(script, until)
}

// then runs the script where the browser is, and waits until the expression is true.
func (b *browser) then(script, until string) error {
	if script != "" {
		if err := chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](script)); err != nil {
			return err
		}
	}
	for range 200 {
		if holds, _ := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+until+")")); holds { // a page that is being left answers with an error
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("never true: %s", until)
}

func (b *browser) take(s shot, format string) ([]byte, error) {
	if s.language == "" {
		s.language = "en"
	}
	if s.visitor {
		return b.visit(s, format)
	}
	if err := b.size(s); err != nil {
		return nil, err
	}
	if b.language != s.language {
		if err := b.see("/account", fmt.Sprintf(`window.earlier = true; document.querySelector("[name=language][value=%s]").click()`, s.language),
			fmt.Sprintf(`!window.earlier && document.documentElement.lang === %q && document.readyState === "complete"`, s.language)); err != nil {
			return nil, err
		}
		b.language = s.language
	}
	until := `document.readyState === "complete" && document.documentElement.dataset.stream !== "connecting"`
	if s.until != "" {
		until += " && " + s.until
	}
	if err := b.see(s.path, s.prepare, until); err != nil {
		return nil, err
	}
	return b.capture(format)
}

// size gives the tab the size and the look of the picture.
func (b *browser) size(s shot) error {
	look := map[bool]string{false: "light", true: "dark"}[s.dark]
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.width < 600}); err != nil {
		return err
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: look}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	return err
}

func (b *browser) capture(format string) ([]byte, error) {
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(format)}
	if format == "webp" {
		quality := int64(80)
		params.Quality = &quality
	}
	shown, err := chromedp.Call(b.ctx, page.CaptureScreenshot, params)
	return shown.Data, err
}
