package sites

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// limitLine is what a site uses of one of its limits, in words.
type limitLine struct {
	limit.Use
	Name, Used, Most string
	Counted          string // what was counted, and when
	Refused          int
}

// limitsOf is what the site uses of its limits.
func (c *room) limitsOf(ctx context.Context, f *frame.Page, siteID int64) (lines []limitLine, err error) {
	if c.Limits == nil {
		return nil, nil
	}
	uses, err := c.Limits.Of(ctx, siteID)
	for _, u := range uses {
		line := limitLine{Use: u, Name: f.Words.Text("limit." + u.Kind.String()), Refused: int(u.Refused)}
		line.Used, line.Most = f.Words.Number(int(u.Used)), f.Words.Number(int(u.Most))
		if u.Kind == limit.Disk {
			line.Used, line.Most = f.Words.Bytes(u.Used), f.Words.Bytes(u.Most)
			line.Counted = f.Words.Text("limits.uncounted")
			if !u.CountedAt.IsZero() {
				line.Counted = f.Words.Text("limits.counted", "at", f.Words.Ago(u.CountedAt))
			}
		}
		lines = append(lines, line)
	}
	return lines, err
}
