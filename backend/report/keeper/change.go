package keeper

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/report/fact"
)

// siteDay is a day of a site.
type siteDay struct{ site, day int64 }

// changeOf is the change of the day.
func changeOf(days map[siteDay]*fact.Change, of siteDay) *fact.Change {
	c := days[of]
	if c == nil {
		c = &fact.Change{SiteID: of.site, Day: of.day}
		days[of] = c
	}
	return c
}

// daysAtOnce are the days of one transaction: others wait for it.
const daysAtOnce = 8

// change puts the changes into the columns of their days.
func (k *Keeper) change(ctx context.Context, f *fact.Family, days map[siteDay]*fact.Change) error {
	for some := range slices.Chunk(slices.Collect(maps.Values(days)), daysAtOnce) {
		var prepared []fact.Prepared
		for _, c := range some {
			if f == &fact.Inquiries {
				c.Keep = keepPool
			}
			p, err := f.Prepare(ctx, k.db.Read(), *c)
			if err != nil {
				return err
			}
			prepared = append(prepared, p)
		}
		if err := k.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			for _, p := range prepared {
				if err := p.Write(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return fmt.Errorf("keeping figures: %w", err)
		}
	}
	return nil
}

// keepPool has a call keep the pool by which it was counted when its number has left that pool, or the site has come from
// another installation, whose pools are not known here.
func keepPool(was fact.Row, put *fact.Row) {
	if put.Texts[fact.InquiryPool] == "" && put.Texts[fact.InquiryNumber] == was.Texts[fact.InquiryNumber] {
		put.Texts[fact.InquiryPool] = was.Texts[fact.InquiryPool]
	}
}
