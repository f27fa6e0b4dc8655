package bulletin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// looking is how often it is looked for mails that are due.
	looking = time.Minute
	// duty is its name among the duties of nodes.
	duty = "bulletins"
	// kind is the kind of the jobs that mail bulletins.
	kind = "bulletin"
)

// order is the data of a job. First is the first day of the period; a test is of the latest one.
type order struct {
	Subscription int64       `json:"subscription"`
	First        period.Date `json:"first,omitempty"`
	Test         bool        `json:"test,omitempty"`
}

func jobOf(o order, s Subscription) (queue.Job, error) {
	payload, err := json.Marshal(o)
	return queue.Job{SiteID: s.SiteID, Kind: kind, Payload: payload}, err
}

// Run has mails sent as they are due until ctx ends, on one node at a time.
func (b *Bulletins) Run(ctx context.Context) {
	for again := true; again; again = aside.Sleep(ctx, looking) {
		if _, err := duties.Do(ctx, b.DB, duty, b.Look); err != nil && ctx.Err() == nil {
			b.logger.Warn("looking for bulletins that are due failed", zap.Error(err))
		}
	}
}

// Look has the mails sent that are due now and that nobody has had sent yet. Of several periods that are over, that is
// the latest.
func (b *Bulletins) Look(ctx context.Context) error {
	active, err := list(ctx, b.DB.Read(), `state = 'active' ORDER BY site_id, id`)
	if err != nil {
		return err
	}
	var served Served
	for i, s := range active {
		if i == 0 || s.SiteID != active[i-1].SiteID {
			served, err = b.Site(ctx, s.SiteID)
		}
		if errors.Is(err, ErrNotServed) || errors.Is(err, site.ErrUnknown) {
			continue
		}
		if err != nil {
			return err
		}
		if first := s.Every.Latest(b.now(), served.Zone).First; first > s.Period {
			if err := b.order(ctx, s, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// order has the mail of the period sent that begins on the day, unless another node has. Of a new subscription the day is
// noted alone.
func (b *Bulletins) order(ctx context.Context, s Subscription, first period.Date) error {
	job, err := jobOf(order{Subscription: s.ID, First: first}, s)
	if err != nil {
		return err
	}
	err = b.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		mine, err := tx.Exec(ctx, `UPDATE bulletin_subscriptions SET period = $3 WHERE site_id = $1 AND id = $2 AND state = 'active' AND period = $4`,
			s.SiteID, s.ID, int64(first), int64(s.Period))
		if err != nil || mine == 0 || s.Period == 0 {
			return err
		}
		return queue.Add(ctx, tx, job)
	})
	if err != nil {
		return fmt.Errorf("having a bulletin sent: %w", err)
	}
	return nil
}
