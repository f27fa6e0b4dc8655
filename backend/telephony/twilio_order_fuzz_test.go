package telephony

import (
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/steps/stepstest"
)

// Whatever a platform tells of an order, what is kept of it is within bounds.
func FuzzTwilioProgress(f *testing.F) {
	f.Add("order=a&leg=operator", "CallStatus=ringing&Timestamp=Sun, 22 Nov 2026 10:00:00 %2B0000")
	f.Add("order=a&leg=dial", "DialCallStatus=completed&DialCallDuration=99999999999999999999")
	f.Add("order=%00&leg=visitor", "CallStatus=in-progress")
	f.Fuzz(func(t *testing.T, query, sent string) {
		asked, err := url.ParseQuery(query)
		told, wrong := url.ParseQuery(sent)
		if err != nil || wrong != nil {
			return
		}
		var p *Progress
		stepstest.Hold(t, len(query)+len(sent), func() { p, err = progressOf(asked, told) })
		if err != nil || p == nil {
			return
		}
		require.True(t, p.Order != "" && len(p.Order) <= maxOrder && plain(p.Order))
		require.Contains(t, Steps, p.Step)
		require.True(t, p.Outcome == "" || p.Step == Ended && slices.Contains(Outcomes, p.Outcome))
		require.True(t, p.Talk == Untold || p.Talk >= 0 && p.Talk <= maxSeconds)
	})
}
