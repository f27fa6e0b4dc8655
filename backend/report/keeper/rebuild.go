package keeper

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// rebuiltAtOnce is how many rows are read at once.
const rebuiltAtOnce = 10_000

// Rebuilt is how far a rebuilding has come.
type Rebuilt struct {
	// Visits and Inquiries are how many have been read; Views are those of the visits.
	Visits, Inquiries, Views int64
}

// Rebuild makes the figures anew of everything that is stored, while everything goes on. What they were made of and is stored no more stays in
// them, but for days whose columns are broken. tell is called now and then.
func (k *Keeper) Rebuild(ctx context.Context, tell func(Rebuilt)) error {
	for {
		mine, err := duties.Do(ctx, k.db, Duty, func(ctx context.Context) error { return k.rebuild(ctx, tell) })
		if mine || err != nil {
			return err
		}
		if !aside.Sleep(ctx, time.Second) { // another node is at work, which takes it a moment
			return ctx.Err()
		}
	}
}

func (k *Keeper) rebuild(ctx context.Context, tell func(Rebuilt)) error {
	var done Rebuilt
	if err := k.rebuildVisits(ctx, &done, tell); err != nil {
		return err
	}
	if err := k.rebuildEvents(ctx); err != nil {
		return err
	}
	for kind := range views {
		if err := k.rebuildInquiries(ctx, kind, &done, tell); err != nil {
			return err
		}
	}
	return k.Keep(ctx)
}

func (k *Keeper) rebuildVisits(ctx context.Context, done *Rebuilt, tell func(Rebuilt)) error {
	for site, id := int64(-1), int64(-1); ; {
		raw, err := db.List(ctx, k.db.Read(), (*rawVisit).fields,
			fmt.Sprintf(`SELECT %s FROM report_visits WHERE (site_id, id) > ($1, $2) ORDER BY site_id, id LIMIT %d`, visitColumns, rebuiltAtOnce), site, id)
		if err != nil {
			return fmt.Errorf("reading visits: %w", err)
		}
		if len(raw) == 0 {
			return nil
		}
		if err := k.putVisits(ctx, raw); err != nil {
			return err
		}
		last := raw[len(raw)-1]
		site, id = last.site, last.id
		done.Visits += int64(len(raw))
		for i := range raw {
			done.Views += raw[i].views
		}
		tell(*done)
	}
}

func (k *Keeper) rebuildInquiries(ctx context.Context, kind string, done *Rebuilt, tell func(Rebuilt)) error {
	for site, id := int64(-1), int64(-1); ; {
		raw, err := db.List(ctx, k.db.Read(), (*rawInquiry).fields,
			fmt.Sprintf(`SELECT %s FROM %s WHERE (site_id, id) > ($1, $2) ORDER BY site_id, id LIMIT %d`, inquiryColumns, views[kind].name, rebuiltAtOnce), site, id)
		if err != nil {
			return fmt.Errorf("reading inquiries: %w", err)
		}
		if len(raw) == 0 {
			return nil
		}
		last := raw[len(raw)-1]
		if len(raw) == rebuiltAtOnce { // a conversation may be there on several days
			for n := len(raw); n > 0 && raw[n-1].id == last.id && raw[n-1].site == last.site; n-- {
				raw = raw[:n-1]
			}
			last = raw[len(raw)-1]
		}
		days := make(map[siteDay]*fact.Change)
		for i := range raw {
			c := changeOf(days, siteDay{raw[i].site, raw[i].at / dayLength})
			if row, is := k.row(kind, &raw[i]); is {
				c.Put = append(c.Put, row)
			} else {
				c.Drop = append(c.Drop, fact.InquiryID(views[kind].place, raw[i].id))
			}
		}
		if err := k.change(ctx, &fact.Inquiries, days); err != nil {
			return err
		}
		site, id = last.site, last.id
		done.Inquiries += int64(len(raw))
		tell(*done)
	}
}
