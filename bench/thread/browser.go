// Package thread measures what pages take of the main thread of Chromium's renderer: by how much, in which tasks, and how long a click
// waits.
package thread

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Start starts Chromium, which is no robot by its word.
func Start(ctx context.Context) (browser context.Context, stop func(), err error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, nil, errors.New("no chromium, chromium-browser or google-chrome in PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserAgent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"))
	allocator, closeAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	stop = func() {
		closeBrowser()
		closeAllocator()
	}
	if err := chromedp.Do(browser); err != nil {
		stop()
		return nil, nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return browser, stop, nil
}

// Open opens a tab in a browser context of its own, on a processor that is slow times slower. It is at an address of the site that has
// nothing, so that the page which is opened next comes into the same process.
func Open(browser context.Context, site string, slow float64) (tab context.Context, end func(), err error) {
	tab, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	tab, cancel := context.WithTimeout(tab, time.Minute)
	end = func() {
		cancel()
		closeTab()
	}
	if err := chromedp.Do(tab, chromedp.Navigate(site+"/none")); err != nil {
		end()
		return nil, nil, err
	}
	if slow > 1 {
		if _, err := chromedp.Call(tab, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slow}); err != nil {
			end()
			return nil, nil, err
		}
	}
	return tab, end, nil
}
