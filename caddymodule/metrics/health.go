package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-3405227d/frontdesk/backend/health"
)

// reasons tells why the node is not well.
type reasons struct{ desc *prometheus.Desc }

// unwell is that of the process.
var unwell = reasons{prometheus.NewDesc("frontdesk_unwell", "1 for each reason for which the node is not healthy, else 0.", []string{"reason"}, nil)}

// Describe implements [prometheus.Collector].
func (r reasons) Describe(to chan<- *prometheus.Desc) { to <- r.desc }

// Collect implements [prometheus.Collector].
func (r reasons) Collect(to chan<- prometheus.Metric) {
	there := make(map[health.Code]float64)
	for _, reason := range now.Reasons() {
		there[reason.Code] = 1
	}
	for _, code := range health.Codes {
		to <- prometheus.MustNewConstMetric(r.desc, prometheus.GaugeValue, there[code], string(code))
	}
}
