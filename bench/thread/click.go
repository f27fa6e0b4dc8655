package thread

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// between is how long nobody clicks after a click.
const between = 20 * time.Millisecond

// click clicks on the page again and again: whatever takes the page's time, a click falls into it.
func click(tab context.Context, done <-chan struct{}) error {
	for {
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			at := input.DispatchMouseEventParams{Type: kind, X: 2, Y: 2, Button: input.MouseButtonLeft, ClickCount: 1}
			if _, err := chromedp.Call(tab, input.DispatchMouseEvent, at); err != nil {
				return err
			}
		}
		select {
		case <-time.After(between):
		case <-done:
			return nil
		case <-tab.Done():
			return tab.Err()
		}
	}
}
