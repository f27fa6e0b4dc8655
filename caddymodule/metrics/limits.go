package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-3405227d/frontdesk/backend/limit"
)

// siteLimits tells how many sites have limits, by kind, and how many have reached them.
type siteLimits struct{ has, reached *prometheus.Desc }

// limits are those of the process.
var limits = siteLimits{
	has:     prometheus.NewDesc("frontdesk_limits", "Sites that have a limit, by what it is of.", []string{"limit"}, nil),
	reached: prometheus.NewDesc("frontdesk_limits_reached", "Sites that have reached a limit, by what it is of.", []string{"limit"}, nil),
}

// Describe implements [prometheus.Collector].
func (l siteLimits) Describe(to chan<- *prometheus.Desc) {
	to <- l.has
	to <- l.reached
}

// Collect implements [prometheus.Collector].
func (l siteLimits) Collect(to chan<- prometheus.Metric) {
	state := now.Limits()
	for _, k := range limit.Kinds {
		to <- prometheus.MustNewConstMetric(l.has, prometheus.GaugeValue, float64(state.Limited[k]), k.String())
		to <- prometheus.MustNewConstMetric(l.reached, prometheus.GaugeValue, float64(state.Reached[k]), k.String())
	}
}
