package report

import (
	"context"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// askEvents counts the user events of the site. They are of their visits: nothing is shared.
func (a *asking) askEvents(ctx context.Context, from db.Queries, siteID int64) error {
	var texts []int
	for _, v := range a.all() {
		texts = append(texts, visitTexts[v.dimension]...)
		if v.dimension == Event {
			texts = append(texts, fact.EventName)
		}
	}
	slices.Sort(texts)
	blocks, err := fact.Load(ctx, from, siteID, &fact.Events, a.start/minutesOfDay, a.end/minutesOfDay,
		[]int{fact.ID, fact.Minute, fact.EventVisit, fact.EventValue, fact.EventFlags}, slices.Compact(texts))
	if err != nil {
		return err
	}
	for i := range blocks {
		a.eventsOf(siteID, &blocks[i])
	}
	return nil
}

// eventsOf counts the user events of a day.
func (a *asking) eventsOf(siteID int64, b *fact.Block) {
	var by, filters []reading
	for n := range a.By {
		by = append(by, a.by[n].ofEvents(b, &a.clock))
	}
	for i := range a.filters {
		filters = append(filters, a.filters[i].ofEvents(b, &a.clock))
	}
	for row, minute := range b.Numbers[fact.Minute] {
		at := b.Day*minutesOfDay + minute
		if at < a.start || at >= a.end || b.Numbers[fact.EventFlags][row]&fact.Bot != 0 {
			continue
		}
		passes := true
		for n := range filters {
			passes = passes && a.filters[n].pass(filters[n](row))
		}
		if !passes {
			continue
		}
		var v [2]uint32
		for n := range by {
			v[n] = by[n](row)
		}
		part, c, value := a.partAt(at), a.cellOf(v), float64(b.Numbers[fact.EventValue][row])/1e6
		for _, m := range [...]Metric{Events, Value} {
			n := 1.0
			if m == Value {
				n = value
			}
			a.total[m] += n
			a.parts[part][m] += n
			if c != nil {
				c.Figures[m] += n
			}
			if n != 0 && a.collects(m, v, part) {
				a.behind.refs = append(a.behind.refs, Ref{siteID, "event", b.Numbers[fact.EventVisit][row], time.Unix(at*60, 0).UTC(), 1, n})
			}
		}
	}
}

// ofEvents reads the dimension of a block's user events, which have the texts of their visits.
func (v *values) ofEvents(b *fact.Block, c *clock) reading {
	if v.dimension != Event {
		return v.ofVisits(b, c)
	}
	return v.ofTexts(&b.Texts[fact.EventName])
}
