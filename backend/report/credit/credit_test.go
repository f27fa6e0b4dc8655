package credit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/report/credit"
)

const day = 24 * time.Hour

var contact = time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)

// visits came so many days before the contact. Those of a negative number were direct.
func visits(days ...int) (list []credit.Visit) {
	for _, n := range days {
		list = append(list, credit.Visit{At: contact.Add(-time.Duration(max(n, -n)) * day), Direct: n < 0})
	}
	return list
}

func TestShares(t *testing.T) {
	all := visits(40, 21, 14, -7)
	for _, test := range []struct {
		name   string
		visits []credit.Visit
		rule   credit.Rule
		shares []float64
	}{
		{"the first in the window", all, credit.Rule{Model: credit.First, Window: 30 * day}, []float64{0, 1, 0, 0}},
		{"the first of all", all, credit.Rule{Model: credit.First, Window: 90 * day}, []float64{1, 0, 0, 0}},
		{"the edge of the window is in it", all, credit.Rule{Model: credit.First, Window: 21 * day}, []float64{0, 1, 0, 0}},
		{"the last", all, credit.Rule{Model: credit.Last, Window: 30 * day}, []float64{0, 0, 0, 1}},
		{"the last but direct", all, credit.Rule{Model: credit.LastNotDirect, Window: 30 * day}, []float64{0, 0, 1, 0}},
		{"no source at all", visits(-3, -2), credit.Rule{Model: credit.LastNotDirect, Window: 30 * day}, []float64{0, 1}},
		{"the source is before the window", visits(30, -2), credit.Rule{Model: credit.LastNotDirect, Window: 7 * day}, []float64{0, 1}},
		{"each as much", all, credit.Rule{Model: credit.Linear, Window: 90 * day}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"by position", visits(9, 8, 7, 6), credit.Rule{Model: credit.Position, Window: 90 * day}, []float64{0.4, 0.1, 0.1, 0.4}},
		{"by position of two", visits(9, 8), credit.Rule{Model: credit.Position, Window: 90 * day}, []float64{0.5, 0.5}},
		{"by position of one", visits(9), credit.Rule{Model: credit.Position, Window: 90 * day}, []float64{1}},
		{"falling", visits(21, 14, 7), credit.Rule{Model: credit.Decay, Window: 90 * day}, []float64{1. / 7, 2. / 7, 4. / 7}},
		{"nobody", visits(21), credit.Rule{Model: credit.Linear, Window: 7 * day}, []float64{0}},
		{"no visits", nil, credit.Rule{Model: credit.Linear, Window: 7 * day}, []float64{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, test.rule.Check())
			require.InDeltaSlice(t, test.shares, test.rule.Shares(test.visits, contact), 1e-9)
		})
	}
}

// A contact is one contact, by every model.
func TestSharesAreOneContact(t *testing.T) {
	many := make([]credit.Visit, 1000)
	for i := range many {
		many[i] = credit.Visit{At: contact.Add(-time.Duration(len(many)-i) * time.Hour), Direct: i%3 == 0}
	}
	for _, model := range credit.Models {
		var all float64
		for _, share := range (credit.Rule{Model: model, Window: credit.MaxWindow}).Shares(many, contact) {
			require.GreaterOrEqual(t, share, 0.0)
			all += share
		}
		require.InDelta(t, 1, all, 1e-9, model)
	}
}

func TestWhatIsNoRule(t *testing.T) {
	for _, r := range []credit.Rule{
		{Model: "best", Window: day}, {Window: day}, {Model: credit.First}, {Model: credit.First, Window: 91 * day}, {Model: credit.First, Window: -day},
	} {
		require.ErrorIs(t, r.Check(), credit.ErrRule)
	}
}
