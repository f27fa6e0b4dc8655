// Package demo makes up a year of a shop, to try reports and lists with. Everything is stored by the subjects as if it
// happened, at its own time.
package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

// Site is the key of the shop's site: that of Caddyfile.example.
const Site = "demo-shop"

// The numbers of the shop in Caddyfile.example.
const (
	printed = "74951234567"
	ofNews  = "74957654321"
)

var ofAds = []string{"74957650011", "74957650012", "74957650013"}

// ErrInUse is returned for a database that has something of its own.
var ErrInUse = errors.New("the database is not empty: made-up data goes only into one that has no site but " + Site + ", and of it no visits")

// workers make their visitors' visits at the same time. Each visitor is of one of them.
const workers = 32

// Fill makes up what the plan says, and the figures of reports. The error may be ErrInUse, and nothing is stored then. tell is called after each day.
func Fill(ctx context.Context, d *db.DB, plan Plan, tell func(day time.Time, visits int64)) error {
	sites := site.New(d, time.Now, d.Logger(), nil)
	shop, err := ready(ctx, d, sites)
	if err != nil {
		return err
	}
	if err := declare(ctx, d, shop.ID, plan.day(0)); err != nil {
		return err
	}
	var filled atomic.Int64 // days
	keys, err := key.Open(ctx, d, func() time.Time { return plan.day(int(filled.Load())) })
	if err != nil {
		return err
	}
	crew := make([]*worker, workers)
	for i := range crew {
		if crew[i], err = newWorker(ctx, d, keys, shop.ID, rand.New(rand.NewPCG(plan.Seed, uint64(i)))); err != nil {
			return err
		}
		crew[i].name = fmt.Sprint(i)
	}
	office, err := newOffice(ctx, d, keys, shop)
	if err != nil {
		return err
	}
	var visits atomic.Int64
	counts := plan.counts(rand.New(rand.NewPCG(plan.Seed, workers)))
	for day := range plan.Days {
		filled.Store(int64(day))
		together, running := errgroup.WithContext(ctx)
		for i, w := range crew {
			n := counts[day] / workers
			if i < counts[day]%workers {
				n++
			}
			together.Go(func() error {
				err := errStopped
				aside.Do(d.Logger(), "making a day up", func() { err = w.live(running, plan.day(day), plan.Days-1-day, n) })
				visits.Add(int64(n))
				return err
			})
		}
		err := together.Wait()
		if err == nil {
			err = office.do(ctx, plan.day(day), plan.Days-1-day, crew)
		}
		if err != nil {
			return fmt.Errorf("making up %s: %w", plan.day(day).Format(time.DateOnly), err)
		}
		tell(plan.day(day), visits.Load())
	}
	if err := spend(ctx, d, shop.ID, plan); err != nil {
		return err
	}
	figures, err := keeper.Open(ctx, d, keys, time.Now)
	if err != nil {
		return err
	}
	return figures.Rebuild(ctx, func(keeper.Rebuilt) {})
}

var errStopped = errors.New("it has panicked")

// ready returns the shop's site, which is made if it is not there.
func ready(ctx context.Context, d *db.DB, sites *site.Sites) (site.Site, error) {
	keys, err := db.List(ctx, d.Read(), db.Only[string], `SELECT key FROM sites`)
	if err != nil {
		return site.Site{}, fmt.Errorf("reading sites: %w", err)
	}
	if slices.ContainsFunc(keys, func(k string) bool { return k != Site }) {
		return site.Site{}, ErrInUse
	}
	for _, table := range []string{"visits", "leads", "calls", "report_columns"} {
		some, found, err := db.One(ctx, d.Read(), db.Only[int64], `SELECT 1 FROM `+table+` LIMIT 1`)
		if err != nil {
			return site.Site{}, fmt.Errorf("reading %s: %w", table, err)
		}
		if found && some == 1 {
			return site.Site{}, ErrInUse
		}
	}
	if len(keys) == 0 {
		return sites.Add(ctx, Site, "demo-data")
	}
	return sites.ByKey(ctx, Site)
}

// spend enters what the campaigns have cost.
func spend(ctx context.Context, d *db.DB, siteID int64, plan Plan) error {
	costs := cost.New(d, time.Now)
	for _, w := range ways {
		first, last := max(plan.Days-1-w.from, 0), plan.Days-1-w.to
		if w.cost == 0 || last < first {
			continue
		}
		marks, err := url.ParseQuery(w.query)
		if err != nil {
			return err
		}
		err = costs.Enter(ctx, siteID, "demo-data", cost.Entry{
			Source: marks.Get("utm_source"), Medium: marks.Get("utm_medium"), Campaign: marks.Get("utm_campaign"),
			First: period.DateOf(plan.day(first), time.UTC), Last: period.DateOf(plan.day(last), time.UTC),
			Amount: w.cost * int64(last-first+1) * cost.Unit,
		})
		if err != nil {
			return fmt.Errorf("entering costs: %w", err)
		}
	}
	return nil
}

// declare says whose the numbers are, from the first day on.
func declare(ctx context.Context, d *db.DB, siteID int64, from time.Time) error {
	numbers := inventory.New(d, func() time.Time { return from })
	return d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		return numbers.Declare(ctx, tx, "demo-data", map[int64][]number.Declared{siteID: {{
			Digits: printed, Tracking: append([]string{ofNews}, ofAds...), Conditions: map[string]string{ofNews: "utm_source=news*"},
		}}})
	})
}
