package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/load"
)

// killOften kills a node on SQLite again and again, each time after it has acknowledged a lead since it began.
func (o *options) killOften(ctx context.Context) error {
	t, end, err := o.begin(ctx, load.Rates{Pages: 4, Leads: 10, Sales: 2, Forms: 5, Calls: 2, Talks: 2, Settings: 0.2, Listeners: 3}.Times(o.times))
	if err != nil {
		return err
	}
	t.load.Excuse(24 * time.Hour) // while there is no other node
	r := rand.New(rand.NewPCG(o.seed, 2))
	for n := range o.kills {
		if _, err := t.acknowledged(ctx, time.Now()); err != nil {
			return fmt.Errorf("after %d kills: %w", n, err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(o.alive))))
		node := t.Frontdesks[0]
		killed := node.PID()
		if err := node.Kill(); err != nil {
			return err
		}
		for node.PID() == killed && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		if (n+1)%100 == 0 {
			if err := t.AwaitNodes(ctx); err != nil {
				return err
			}
			time.Sleep(book.Back) // forms that were under way are stored
			entries, err := t.book.Entries()
			if err != nil {
				return err
			}
			violated, err := t.check(ctx)
			if err != nil {
				return err
			}
			s := sum(entries, time.Time{}, time.Now())
			fmt.Printf("%d kills: %d leads and %d forms are acknowledged, %d violations\n", n+1, s.leads, s.forms, len(violated))
			for _, v := range violated {
				fmt.Printf("\t%s: %s\n", v.Kind, v.What)
			}
		}
	}
	if _, err := t.acknowledged(ctx, time.Now()); err != nil {
		return err
	}
	end()
	return t.conclude(ctx)
}
