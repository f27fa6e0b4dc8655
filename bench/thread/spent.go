package thread

import (
	"context"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// Spent is what a page has taken of its renderer's main thread, in milliseconds of CPU time.
type Spent struct{ Script, Layout, Task float64 }

// Count has the tab count what is spent from now on.
func Count(tab context.Context) error {
	_, err := chromedp.Call(tab, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	return err
}

// SoFar is what has been spent since [Count] was called.
func SoFar(tab context.Context) (Spent, error) {
	result, err := chromedp.Call(tab, performance.GetMetrics, struct{}{})
	if err != nil {
		return Spent{}, err
	}
	by := make(map[string]float64)
	for _, m := range result.Metrics {
		by[m.Name] = 1000 * m.Value
	}
	return Spent{
		Script: by["ScriptDuration"] + by["V8CompileDuration"],
		Layout: by["LayoutDuration"] + by["RecalcStyleDuration"],
		Task:   by["TaskDuration"] - by["DevToolsCommandDuration"],
	}, nil
}
