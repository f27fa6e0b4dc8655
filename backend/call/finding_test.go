package call

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestWhoseCallItIs(t *testing.T) {
	const called, printed, shop = "74957650001", "74951234567", 7
	held := func(visitor visit.ID, from, to time.Duration) lease.Lease {
		return lease.Lease{Site: shop, Digits: called, Replaces: printed, Visitor: visitor, Visit: visitor * 10, Begun: noon.Add(from), Until: noon.Add(to)}
	}
	ann := acquaintance{site: shop, visitor: 1, visit: 15}
	bob := acquaintance{site: shop, visitor: 2, visit: 25}
	regular := acquaintance{site: shop, visitor: 3, visit: 35, called: called}
	static := inventory.Standing{Site: shop, Replaces: printed, Conditions: "utm_source=news"}
	const hour = time.Hour
	for name, c := range map[string]struct {
		evidence
		site           int64
		reason         Reason
		confidence     Confidence
		visitor, visit visit.ID
	}{
		"a number of nobody":       {evidence{}, 0, Nothing, None, 0, 0},
		"a number of the campaign": {evidence{standings: []inventory.Standing{static}}, shop, Campaign, Medium, 0, 0},
		"a printed number":         {evidence{standings: []inventory.Standing{{Site: shop, Replaces: called}}}, shop, Printed, None, 0, 0},
		"of several sites, the most telling": {evidence{standings: []inventory.Standing{static, {Site: 8, Replaces: called}}},
			shop, Campaign, Medium, 0, 0},
		"who has the number":                    {evidence{leases: []lease.Lease{held(1, -hour, hour)}}, shop, ShownNow, High, 1, 10},
		"and at the very end":                   {evidence{leases: []lease.Lease{held(1, -hour, 0)}}, shop, ShownNow, High, 1, 10},
		"who had it before":                     {evidence{leases: []lease.Lease{held(1, -3*hour, -2*hour)}}, shop, ShownBefore, Medium, 1, 10},
		"who had it last":                       {evidence{leases: []lease.Lease{held(1, -3*hour, -2*hour), held(2, -4*hour, -hour)}}, shop, ShownMany, Low, 2, 20},
		"who has it, and not who had it":        {evidence{leases: []lease.Lease{held(2, -5*hour, -hour), held(1, -hour, hour)}}, shop, ShownNow, High, 1, 10},
		"who will have it is nobody yet":        {evidence{leases: []lease.Lease{held(1, hour, 2*hour)}, standings: []inventory.Standing{static}}, shop, Campaign, Medium, 0, 0},
		"several who have it":                   {evidence{leases: []lease.Lease{held(2, -hour, hour), held(1, -2*hour, hour)}}, shop, ShownMany, Low, 2, 20},
		"two sessions of one who has it":        {evidence{leases: []lease.Lease{held(1, -hour, hour), held(1, -2*hour, hour)}}, shop, ShownNow, High, 1, 10},
		"known, and has it":                     {evidence{leases: []lease.Lease{held(1, -hour, hour)}, acquaintances: []acquaintance{ann}}, shop, KnownShown, High, 1, 10},
		"known, of several who have it":         {evidence{leases: []lease.Lease{held(2, -hour, hour), held(1, -2*hour, hour)}, acquaintances: []acquaintance{ann}}, shop, KnownShown, High, 1, 10},
		"known, and had it before another":      {evidence{leases: []lease.Lease{held(2, -hour, hour), held(1, -5*hour, -2*hour)}, acquaintances: []acquaintance{ann}}, shop, KnownShown, High, 1, 10},
		"known in two browsers, one has it":     {evidence{leases: []lease.Lease{held(1, -hour, hour)}, acquaintances: []acquaintance{bob, ann}}, shop, KnownShown, High, 1, 10},
		"known, but it was shown to others":     {evidence{leases: []lease.Lease{held(2, -hour, hour)}, acquaintances: []acquaintance{ann}}, shop, ShownNow, High, 2, 20},
		"known, and it is shown to nobody":      {evidence{standings: []inventory.Standing{static}, acquaintances: []acquaintance{ann}}, shop, KnownCaller, Medium, 1, 15},
		"the one who was there last":            {evidence{standings: []inventory.Standing{static}, acquaintances: []acquaintance{bob, ann}}, shop, KnownCaller, Medium, 2, 25},
		"has called it before, now another's":   {evidence{leases: []lease.Lease{held(2, -hour, hour)}, acquaintances: []acquaintance{regular}}, shop, KnownShown, High, 3, 35},
		"has called another, now another's":     {evidence{leases: []lease.Lease{held(2, -hour, hour)}, acquaintances: []acquaintance{{site: shop, visitor: 3, visit: 35, called: "1"}}}, shop, ShownNow, High, 2, 20},
		"known at a site that shows it to none": {evidence{leases: []lease.Lease{held(2, -hour, hour)}, acquaintances: []acquaintance{{site: 8, visitor: 1, visit: 1}}}, shop, ShownNow, High, 2, 20},
	} {
		c.called, c.at = called, noon
		site, found := c.find()
		require.Equal(t, c.site, site, name)
		require.Equal(t, c.reason, found.Reason, name)
		require.Equal(t, c.confidence, found.Confidence, name)
		require.Equal(t, c.visitor, found.Visitor, name)
		require.Equal(t, c.visit, found.Visit, name)
		if len(c.leases) > 0 && found.Reason == ShownNow {
			require.Equal(t, printed, found.Replaces, name)
		}
		if len(c.standings) > 0 {
			require.Equal(t, c.standings[0].Replaces, found.Replaces, name)
			require.Equal(t, c.standings[0].Conditions, found.Conditions, name)
		}
	}
	for _, reason := range Reasons {
		require.Contains(t, confidences, reason)
	}
}
