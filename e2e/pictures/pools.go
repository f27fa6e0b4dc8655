package main

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// own are the numbers and pools that were made in the console.
var own = site.Settings{
	Captures: []capture.Rule{{Path: "/contact"}},
	Pools: map[string]number.DeclaredPool{"moscow": {
		Numbers: []string{"74957651001", "74957651002", "74957651003", "74957651004", "74957651005", "74957651006"}, Hold: 10 * time.Minute, Exhausted: number.ShowReserve, Reserve: "74957651099"}},
	Numbers: []number.Number{{Number: "78005550142", Targets: []string{"#sales"}, Pictures: []number.Picture{{Place: ".sales-img", Size: 18, Color: "#333"}}, Tracking: []number.Tracking{
		{Name: "Spring letters", Static: "74957652001", When: []string{"utm_source=news*", "utm_medium=email"}},
		{Name: "Yandex Direct", Pool: "moscow", When: []string{"yclid=*", "utm_campaign=*kitchen*"}},
		{Name: "Social networks", Static: "74957652002", When: []string{"kind=social"}},
	}}},
}

// keepOwn notes what sites have of their own.
func keepOwn(database *db.DB, now func() time.Time) site.KeepOwn {
	return func(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
		return inventory.New(database, now).KeepOwn(ctx, tx, siteID, own, nil)
	}
}

// leasing stores what the site has of its own, and a day of its pool's visitors.
func leasing(ctx context.Context, database *db.DB, sites *site.Sites, shop site.Site, who visit.Ref, began time.Time) error {
	at := began
	if _, err := sites.Change(ctx, shop.Key, shop.Version, own, login); err != nil {
		return err
	}
	leases := lease.New(database, func() time.Time { return at }, nil)
	pool, err := own.Pools["moscow"].Resolve("moscow")
	if err != nil {
		return err
	}
	pool.Name = number.OwnPoolName(shop.ID, "moscow")
	random := rand.New(rand.NewPCG(1, 2))
	visitor := visit.ID(1 << 40)
	for hour := 23; hour >= 0; hour-- {
		at = began.Add(-time.Duration(hour)*time.Hour - 30*time.Minute)
		for range int(12 + 14*math.Sin(float64(at.Hour()-8)/3) + float64(random.IntN(6))) {
			at, visitor = at.Add(2*time.Minute), visitor+1
			if _, _, err := leases.Take(ctx, lease.Want{Site: shop.ID, Visitor: visitor, Visit: visitor, Replaces: "78005550142", Pool: pool, First: true}); err != nil {
				return err
			}
		}
	}
	at = began
	_, _, err = leases.Take(ctx, lease.Want{Site: shop.ID, Visitor: who.Visitor, Visit: who.Visit, Replaces: "78005550142", Pool: pool, First: true})
	return err
}
