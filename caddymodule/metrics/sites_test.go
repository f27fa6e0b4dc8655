package metrics

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// However many sites there are, so many have series: those with the most pages. No page is counted twice or left out.
func TestSitesWithTheMostPages(t *testing.T) {
	clock := time.Unix(1_790_000_000, 0)
	s := newBySite(func() time.Time { return clock })
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(s))
	read := func() (sites map[string]float64, whole float64) {
		t.Helper()
		clock = clock.Add(chooseEvery)
		families, err := registry.Gather()
		require.NoError(t, err)
		sites = make(map[string]float64)
		for _, family := range families {
			if family.GetName() != "frontdesk_site_views_total" {
				continue
			}
			for _, m := range family.GetMetric() {
				sites[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
				whole += m.GetCounter().GetValue()
			}
		}
		return sites, whole
	}
	views := func(site string, n int) {
		for range n {
			s.count(site, func(c *siteCounts) { c.views++ })
		}
	}
	views("early.example", 5)
	sites, _ := read()
	require.Empty(t, sites, "it is an option")
	s.use(2)
	views("a.example", 3)
	views("b.example", 9)
	for i := range 1000 {
		views(fmt.Sprintf("small%d.example", i), 1)
	}
	sites, whole := read()
	require.Equal(t, map[string]float64{"a.example": 3, "b.example": 9, rest: 1000}, sites)
	require.EqualValues(t, 1012, whole)
	views("a.example", 10)
	views("b.example", 100)
	views("c.example", 20) // which is not more than twice as much
	read()
	views("a.example", 10)
	views("b.example", 100)
	views("c.example", 21)
	sites, whole = read()
	require.Equal(t, map[string]float64{"b.example": 209, "c.example": 0, rest: 1000 + 20 + 21 + 23}, sites)
	views("c.example", 7)
	sites, again := read()
	require.EqualValues(t, 7, sites["c.example"])
	require.Equal(t, whole+7, again)
	require.Len(t, sites, 3)
}
