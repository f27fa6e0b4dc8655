package caddymodule

import (
	"errors"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// quotaLine is a line of a quota's block: a size.
func quotaLine(name, example string, of func(*quota.Quota) *int64) subdirective {
	return subdirective{read: func(h *Handler, values []string) error {
		expected := errors.New("expected: " + name + " SIZE of 100KB or more, such as " + name + " " + example)
		if len(values) != 1 {
			return expected
		}
		bytes, err := humanize.ParseBytes(values[0])
		if err != nil || bytes == 0 || bytes > math.MaxInt64/2 {
			return expected
		}
		return h.ChangeQuota(func(q *quota.Quota) { *of(q) = int64(bytes) })
	}}
}

var quotaBlock = block{
	of:       "quota",
	expected: "visitor or site",
	lines: map[string]subdirective{
		"visitor": quotaLine("visitor", "20MB", func(q *quota.Quota) *int64 { return &q.Visitor }),
		"site":    quotaLine("site", "500MB", func(q *quota.Quota) *int64 { return &q.Site }),
	},
}
