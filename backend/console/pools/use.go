package pools

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// maxPast is how many past leases of a number a page shows.
const maxPast = 50

// leaseHistory are the past leases of one number of a pool.
type leaseHistory struct {
	Digits string // empty when none is looked at
	Rows   []leaseRow
	Older  string // address of the next part; empty at the end
}

// usePool adds to the page how the pool is used.
func (c *room) usePool(r *http.Request, f frame.Page, n *rows.Numbering, pool *number.Pool, body *poolPage) error {
	use := lease.Use{Pool: pool.Name, Numbers: len(pool.Digits)}
	uses, err := c.Leases.Uses(r.Context(), n.ID)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(uses, func(u lease.Use) bool { return u.Pool == pool.Name }); i >= 0 {
		use = uses[i]
		use.Numbers = len(pool.Digits)
	}
	body.Advice = adviceOf(f.Words, use)
	held, err := c.Leases.Held(r.Context(), pool.Digits)
	if err != nil {
		return err
	}
	resting, err := c.Leases.Resting(r.Context(), pool)
	if err != nil {
		return err
	}
	now := c.Now()
	for _, digits := range pool.Digits {
		row := leaseRow{Lease: lease.Lease{Digits: digits}}
		if !resting[digits].IsZero() {
			body.Rest = append(body.Rest, digits)
		}
		if l, known := held[digits]; known {
			row = leaseRowOf(f.Words, n.ID, l)
			if row.Free = l.Visitor == 0 || l.Until.Before(now); !row.Free {
				body.Taken++
			} else if row.Until.After(now) {
				row.Until = now
			}
		} else {
			row.Free, row.Never = true, true
		}
		row.Rests = resting[digits]
		row.Past = rows.PoolLink(n.ID, body.Was) + "?" + url.Values{"number": {digits}}.Encode() + "#past"
		body.Rows = append(body.Rows, row)
	}
	slices.SortStableFunc(body.Rows, func(a, b leaseRow) int {
		if a.Free != b.Free {
			return map[bool]int{false: -1, true: 1}[a.Free]
		}
		return b.Begun.Compare(a.Begun)
	})
	if err := c.pastOf(r, f, n.ID, pool, body); err != nil {
		return err
	}
	if err := c.sourcesOf(r, f.Words, n.ID, body.Rows, body.History.Rows); err != nil {
		return err
	}
	body.Chart, err = c.chartOf(r, n.ID, pool)
	return err
}

func leaseRowOf(w *words.Tongue, siteID int64, l lease.Lease) leaseRow {
	if l.Site != siteID { // another site's visitors are nobody's business here
		return leaseRow{Lease: lease.Lease{Digits: l.Digits, Until: l.Until}, Elsewhere: true}
	}
	return leaseRow{Lease: l, Visitor: rows.VisitorLabel(w, int64(l.Visitor)), Link: rows.CardLink(siteID, int64(l.Visitor))}
}

// sourcesOf adds from where those came who have the numbers, or had them.
func (c *room) sourcesOf(r *http.Request, w *words.Tongue, siteID int64, lists ...[]leaseRow) error {
	var ids []visit.ID
	for _, list := range lists {
		for _, l := range list {
			if l.Link != "" {
				ids = append(ids, l.Visit)
			}
		}
	}
	sources, err := c.Visits.Sources(r.Context(), siteID, ids...)
	if err != nil {
		return err
	}
	for _, list := range lists {
		for i := range list {
			if s, known := sources[list[i].Visit]; known {
				list[i].From = new(rows.SourceOf(w, s))
			}
		}
	}
	return nil
}

// pastOf adds the past leases of the number that the address names.
func (c *room) pastOf(r *http.Request, f frame.Page, siteID int64, pool *number.Pool, body *poolPage) error {
	query := r.URL.Query()
	digits := query.Get("number")
	if !slices.Contains(pool.Digits, digits) {
		return nil
	}
	past, err := c.Leases.Earlier(r.Context(), digits, lease.Cursor(frame.CursorOf(query)), maxPast+1)
	if err != nil {
		return err
	}
	body.History.Digits = digits
	if len(past) > maxPast {
		past = past[:maxPast]
		behind := past[maxPast-1].Cursor()
		body.History.Older = rows.PoolLink(siteID, body.Was) + "?" + url.Values{
			"number": {digits}, "at": {strconv.FormatInt(behind.At.UnixMilli(), 10)}, "id": {strconv.FormatInt(behind.ID, 10)}}.Encode() + "#past"
	}
	for _, l := range past {
		body.History.Rows = append(body.History.Rows, leaseRowOf(f.Words, siteID, l))
	}
	return nil
}

// poolChart is how a pool was used over a time.
type poolChart struct {
	Spans  []chartSpan
	Bars   []chartBar
	Line   string // the points of the most numbers that were taken at once; empty when that is not known
	Top    int    // of the scale
	Middle int
	Marks  []time.Time // beneath the bars
	As     string      // how these are written, see frame/browser/times.ts
	Wanted int
	Lost   int
	Most   int
	Known  bool // how many were taken at once
	Width  int
	Height int
}

// chartSpan is a time that can be looked at.
type chartSpan struct {
	Name   string // of the words
	Link   string
	Chosen bool
}

// chartBar is a part of the time.
type chartBar struct {
	At                                     time.Time
	Begun, Lost, Most                      int
	X, Width, BegunY, BegunH, LostY, LostH int
}

// chartSpans are the times that can be looked at, and into how many parts each is cut.
var chartSpans = []struct {
	name, as string
	part     time.Duration
	parts    int
	mark     int // every so many parts have one
}{
	{"chart.day", "clock", time.Hour, 24, 6},
	{"chart.week", "date", 6 * time.Hour, 28, 4},
	{"chart.month", "date", 24 * time.Hour, 30, 5},
}

// The bars are drawn on a ground of this size, which is stretched to its place.
const (
	chartWidth  = 840
	chartHeight = 160
)

func (c *room) chartOf(r *http.Request, siteID int64, pool *number.Pool) (poolChart, error) {
	chosen := 0
	for i, span := range chartSpans {
		if "chart."+r.URL.Query().Get("span") == span.name {
			chosen = i
		}
	}
	span := chartSpans[chosen]
	chart := poolChart{As: span.as, Width: chartWidth, Height: chartHeight}
	for i, s := range chartSpans {
		chart.Spans = append(chart.Spans, chartSpan{Name: s.name, Link: rows.PoolLink(siteID, number.PoolTitle(pool.Name)) + "?" + url.Values{"span": {strings.TrimPrefix(s.name, "chart.")}}.Encode() + "#use", Chosen: i == chosen})
	}
	since := c.Now().Truncate(span.part).Add(-time.Duration(span.parts-1) * span.part)
	hours, err := c.Leases.Hours(r.Context(), siteID, pool.Name, since)
	if err != nil {
		return chart, err
	}
	most, known, err := c.Leases.AtOnce(r.Context(), pool.Digits, since, span.part)
	if err != nil {
		return chart, err
	}
	chart.Known = known
	for i := range span.parts {
		at := since.Add(time.Duration(i) * span.part)
		bar := chartBar{At: at, Most: most[at]}
		for _, h := range hours {
			if !h.At.Before(at) && h.At.Before(at.Add(span.part)) {
				bar.Begun, bar.Lost = bar.Begun+h.Begun, bar.Lost+h.Lost
			}
		}
		if i%span.mark == 0 {
			chart.Marks = append(chart.Marks, at)
		}
		chart.Wanted, chart.Lost, chart.Most = chart.Wanted+bar.Begun+bar.Lost, chart.Lost+bar.Lost, max(chart.Most, bar.Most)
		chart.Top = max(chart.Top, bar.Begun+bar.Lost, bar.Most)
		chart.Bars = append(chart.Bars, bar)
	}
	chart.draw()
	return chart, nil
}

// draw places the bars and the line.
func (c *poolChart) draw() {
	c.Top = roundUp(c.Top)
	c.Middle = c.Top / 2
	width := chartWidth / len(c.Bars)
	for i := range c.Bars {
		bar := &c.Bars[i]
		gap := max(width/6, 1)
		bar.X, bar.Width = i*width+gap, width-2*gap
		bar.BegunH, bar.LostH = bar.Begun*chartHeight/c.Top, bar.Lost*chartHeight/c.Top
		bar.BegunY = chartHeight - bar.BegunH
		bar.LostY = bar.BegunY - bar.LostH
		if c.Known {
			y := strconv.Itoa(chartHeight - bar.Most*chartHeight/c.Top)
			c.Line += strconv.Itoa(i*width) + "," + y + " " + strconv.Itoa((i+1)*width) + "," + y + " "
		}
	}
}

// roundUp is an even number that is easy to read, not below n.
func roundUp(n int) int {
	for step := 1; ; step *= 10 {
		for _, m := range []int{2, 4, 6, 10} {
			if m*step >= n {
				return m * step
			}
		}
	}
}
