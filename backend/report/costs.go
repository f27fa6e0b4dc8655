package report

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
)

// OfCosts are the dimensions of visits that costs have, too.
var OfCosts = []Dimension{Channel, Source, Medium, Campaign}

// Costed reports whether costs have the question's dimensions, and those of its filters.
func (q Question) Costed() bool {
	for _, d := range q.By {
		if !slices.Contains(OfCosts, d) {
			return false
		}
	}
	return !slices.ContainsFunc(q.Filters, func(f Filter) bool { return !slices.Contains(OfCosts, f.Dimension) })
}

// countCosts counts what advertising has cost on the days of the period. A row has the costs of the same source, medium and campaign.
func (a *asking) countCosts(ctx context.Context, from db.Queries, siteID int64) (err error) {
	if !a.Costed() || a.behind != nil || a.paths != nil || a.end <= a.start || a.has(OfEvents) {
		return nil
	}
	if a.costly, err = cost.Any(ctx, from, siteID); err != nil || !a.costly {
		return err
	}
	spent, err := cost.Of(ctx, from, siteID, a.Period.First, a.Period.Last)
	if err != nil {
		return err
	}
	for i := range spent {
		a.countCost(&spent[i])
	}
	return nil
}

func (a *asking) countCost(s *cost.Spent) {
	for i := range a.filters {
		if f := &a.filters[i]; !f.pass(f.ofCost(s)) {
			return
		}
	}
	var v [2]uint32
	for n := range a.By {
		v[n] = a.by[n].ofCost(s)
	}
	amount := float64(s.Amount) / 1e6
	a.total[Cost] += amount
	if c := a.cellOf(v); c != nil {
		c.Figures[Cost] += amount
	}
	parts := a.partsOf(minutes(s.Day.Start(a.Period.Zone)), minutes((s.Day + 1).Start(a.Period.Zone)))
	for i := range parts { // hours have even parts of a day's cost
		parts[i][Cost] += amount / float64(len(parts))
	}
}

// partsOf are the parts of the period that have the day from start to end: one, or its hours.
func (a *asking) partsOf(start, end int64) []Figures {
	first, found := slices.BinarySearch(a.bounds, start)
	if !found {
		first--
	}
	last := first + 1
	for last < len(a.bounds) && a.bounds[last] < end {
		last++
	}
	return a.parts[first:last]
}

// ofCost is the value of a cost in the dimension.
func (v *values) ofCost(s *cost.Spent) uint32 {
	switch v.dimension {
	case Channel:
		return v.channel(s.Kind, s.Source, s.Medium)
	case Source:
		return v.number(s.Source)
	case Medium:
		return v.number(s.Medium)
	}
	return v.number(s.Campaign)
}
