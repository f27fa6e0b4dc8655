package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// waitingDeliveries wait for a receiver that is away, and tell of waitingLeads.
const waitingDeliveries, waitingLeads = 100_000, 100

// deliveries measures how long it takes until a webhook's receiver has everything that has
// waited while it was away.
func deliveries(ctx context.Context, folder string) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	fmt.Printf("Webhooks to a receiver that comes back, with %d that wait\n", waitingDeliveries)
	fmt.Printf("%-10s %12s %14s %14s %12s\n", "database", "noted in", "first after", "all after", "a second")
	for _, settings := range []db.Settings{
		{Engine: db.SQLite, Source: filepath.Join(folder, "deliveries.db")},
		{Engine: db.Postgres, Source: postgres.Source()},
	} {
		if err := deliver(ctx, settings); err != nil {
			return fmt.Errorf("%s: %w", settings.Engine, err)
		}
	}
	return nil
}

func deliver(ctx context.Context, settings db.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	visits, err := visit.Open(ctx, d, time.Now)
	if err != nil {
		return err
	}
	sites, leads, entries := site.New(d, time.Now, zap.NewNop()), lead.New(d, visits, time.Now), journal.New(d)
	work := queue.New(d, zap.NewNop())
	out := notify.New(notify.Subjects{
		DB: d, Journal: entries, Queue: work, Sites: sites, Leads: leads, Calls: number.NewCalls(d, visits, number.NewLeases(d, time.Now, nil), time.Now),
	}, func() notify.Settings {
		return notify.Settings{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	}, nil, time.Now, zap.NewNop())
	shop, err := sites.Provision(ctx, "shop.example")
	if err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	if _, _, err := out.Add(ctx, notify.Endpoint{SiteID: shop.ID, Kind: notify.Webhook, Address: "http://" + address, Events: notify.Events, Language: "en"}, ""); err != nil {
		return err
	}
	if err := fillJournal(ctx, d, leads, shop.ID); err != nil {
		return err
	}

	running, stop := context.WithCancel(ctx)
	var nodes sync.WaitGroup
	defer nodes.Wait()
	defer stop()
	began := time.Now()
	nodes.Go(func() { out.Run(running) })
	nodes.Go(func() { work.Run(running) })
	if err := until(ctx, func() (bool, error) {
		counts, err := out.Counts(ctx, shop.ID)
		return len(counts) == 1 && counts[0].Number == waitingDeliveries, err
	}); err != nil {
		return err
	}
	noted := time.Since(began)

	var came atomic.Int64
	var first atomic.Pointer[time.Time]
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	receiver := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if came.Add(1) == 1 {
			first.Store(new(time.Now()))
		}
	})}
	defer receiver.Close()
	back := time.Now()
	nodes.Go(func() { _ = receiver.Serve(listener) })
	if err := until(ctx, func() (bool, error) {
		counts, err := out.Counts(ctx, shop.ID)
		return len(counts) == 0, err
	}); err != nil {
		return err
	}
	all := time.Since(back)
	if n := came.Load(); n < waitingDeliveries {
		return fmt.Errorf("%d messages have come of %d", n, waitingDeliveries)
	}
	until := first.Load().Sub(back)
	fmt.Printf("%-10s %12v %14v %14v %12.0f\n", settings.Engine, noted.Round(time.Second/10), until.Round(time.Second/10), all.Round(time.Second/10),
		waitingDeliveries/(all-until).Seconds())
	receiver.Close()
	return nil
}

// fillJournal appends as many entries as are to wait, of leads that there are.
func fillJournal(ctx context.Context, d *db.DB, leads *lead.Leads, siteID int64) error {
	var ids []int64
	for n := range waitingLeads {
		l, _, err := leads.Add(ctx, lead.Submission{SiteID: siteID, Origin: lead.Server, Name: fmt.Sprint("Ada ", n), Phone: "+7 912 345-67-89", Message: "Is the lamp in stock?"})
		if err != nil {
			return err
		}
		ids = append(ids, l.ID)
	}
	const atOnce = 1000
	for left := waitingDeliveries - waitingLeads; left > 0; left -= atOnce {
		rows := make([]journal.Entry, min(atOnce, left))
		for i := range rows {
			rows[i] = journal.Entry{SiteID: siteID, At: time.Now(), Kind: lead.Added, SubjectID: ids[i%len(ids)]}
		}
		if err := d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error { return journal.AppendAll(ctx, tx, rows) }); err != nil {
			return err
		}
	}
	return nil
}

// until waits until it is so.
func until(ctx context.Context, is func() (bool, error)) error {
	for {
		so, err := is()
		if err != nil || so {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("it takes too long"), ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
