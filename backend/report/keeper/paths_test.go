package keeper

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/channel"
)

// walk follows the visits before each inquiry patiently. It returns the paths by their steps.
func (h *history) walk(q report.Question, goal report.Metric) map[string]report.Path {
	paths := make(map[string]report.Path)
	passes := func(campaign string) bool {
		return len(q.Filters) == 0 || slices.Contains(q.Filters[0].Values, campaign)
	}
	valueOf := func(v *pastVisit) string {
		switch q.By[0] {
		case report.Channel:
			return string(channel.Of(v.kind, v.source, ""))
		case report.Country:
			return v.country
		}
		return v.campaign
	}
	for _, p := range h.pasts {
		figures := h.figures(p, false)
		if p.at.Before(q.Period.Start()) || !p.at.Before(q.Period.End()) || figures[goal] == 0 && figures[report.Sales] == 0 {
			continue
		}
		var visits []*pastVisit
		for _, v := range h.visits {
			if v.visitor == p.visitor && !v.bot && !v.at.After(p.at) && !v.at.Before(p.at.Add(-q.Credit.Window)) {
				visits = append(visits, v)
			}
		}
		slices.SortFunc(visits, func(a, b *pastVisit) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
		var steps []report.Step
		passed := false
		for _, v := range visits {
			passed = passed || passes(v.campaign)
			value := valueOf(v)
			if n := len(steps); n > 0 && steps[n-1].Value == value {
				steps[n-1].Times++
				continue
			}
			steps = append(steps, report.Step{Value: value, Times: 1})
		}
		var between time.Duration
		if len(visits) > 0 {
			between = visits[len(visits)-1].at.Sub(visits[0].at)
		} else {
			value, campaign := report.Unknown, report.Unknown
			if p.campaign != "" {
				value, campaign = valueOf(&pastVisit{kind: "campaign", campaign: p.campaign, country: report.Unknown}), p.campaign
			}
			passed, steps = passes(campaign), []report.Step{{Value: value, Times: 1}}
		}
		if !passed {
			continue
		}
		path := paths[fmt.Sprint(steps)]
		if figures[goal] == 0 { // a lead that was made of an inquiry: its sale counts
			between, visits = 0, nil
		} else {
			path.Count++
		}
		path.Sales += int(figures[report.Sales])
		path.Revenue += figures[report.Revenue]
		path.Between += between // of all together
		path.Visits += float64(len(visits))
		paths[fmt.Sprint(steps)] = path
	}
	return paths
}

// comparePaths holds the paths of the question to the rows.
func (h *history) comparePaths(reports *report.Reports, q report.Question) {
	h.t.Helper()
	var sales []int
	for _, goal := range report.Goals {
		walked := h.walk(q, goal)
		found, all, err := reports.Paths(h.t.Context(), q, goal)
		require.NoError(h.t, err)
		require.Len(h.t, found, len(walked))
		count, last := 0, all.Count
		for _, p := range found {
			expected := walked[fmt.Sprint(p.Steps)]
			require.Equal(h.t, expected.Count, p.Count, p.Steps)
			require.Equal(h.t, expected.Sales, p.Sales, p.Steps)
			require.InDelta(h.t, expected.Revenue, p.Revenue, 1e-6)
			require.InDelta(h.t, expected.Between.Minutes()/max(1, float64(p.Count)), p.Between.Minutes(), 1)
			require.InDelta(h.t, expected.Visits/max(1, float64(p.Count)), p.Visits, 1e-6)
			require.LessOrEqual(h.t, p.Count, last, "the most frequent first")
			refs, behind, err := reports.BehindPath(h.t.Context(), q, goal, p.ID, 2)
			require.NoError(h.t, err)
			require.Equal(h.t, p.Count, behind)
			require.Len(h.t, refs, min(2, p.Count))
			count, last = count+p.Count, p.Count
		}
		require.Equal(h.t, all.Count, count)
		sales = append(sales, all.Sales)
	}
	require.Equal(h.t, sales[0], sales[1], "whatever the paths lead to")
}
