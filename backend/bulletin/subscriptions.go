package bulletin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Kinds of the journal's entries about subscriptions. Their subject is the subscription, and their data {"by", "name"}:
// who did it, and the address.
const (
	Added      = "site.bulletin_added"
	PausedBy   = "site.bulletin_paused"
	ResumedBy  = "site.bulletin_resumed"
	Tested     = "site.bulletin_tested"
	Removed    = "site.bulletin_removed"
	StoppedBy  = "site.bulletin_stopped" // the reader
	RefusedFor = "site.bulletin_refused" // the mail server's answers
)

const columns = `site_id, id, address, language, every, state, made_by, made_at, period, sent_at, reason, status, detail`

// row is a subscription as it is stored.
type row struct {
	Subscription
	made, sent, period int64
}

func (r *row) fields() []any {
	return []any{&r.SiteID, &r.ID, &r.Address, &r.Language, &r.Every, &r.State, &r.By, &r.made, &r.period, &r.sent, &r.Reason, &r.Status, &r.Detail}
}

func list(ctx context.Context, from db.Queries, where string, args ...any) ([]Subscription, error) {
	rows, err := db.List(ctx, from, (*row).fields, `SELECT `+columns+` FROM bulletin_subscriptions WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading subscriptions: %w", err)
	}
	found := make([]Subscription, len(rows))
	for i, r := range rows {
		found[i] = r.Subscription
		found[i].MadeAt, found[i].SentAt, found[i].Period = db.Time(r.made), db.Time(r.sent), period.Date(r.period)
	}
	return found, nil
}

// List returns the subscriptions of the sites, by the site and then the oldest first; limit at most.
func (b *Bulletins) List(ctx context.Context, sites scope.Sites, limit int) ([]Subscription, error) {
	return list(ctx, b.DB.Read(), sites.SQL("site_id")+` ORDER BY site_id, id LIMIT $1`, limit)
}

// Get returns a subscription of the site, or [ErrUnknown].
func (b *Bulletins) Get(ctx context.Context, siteID, id int64) (Subscription, error) {
	found, err := list(ctx, b.DB.Read(), `site_id = $1 AND id = $2`, siteID, id)
	if err == nil && len(found) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Subscription{}, err
	}
	return found[0], nil
}

// Add adds the subscription to its site. The first mail is that of the period that is over next. by is the login of who
// did it. The error may be one of this package.
func (b *Bulletins) Add(ctx context.Context, s Subscription, by string) (Subscription, error) {
	if err := s.check(); err != nil {
		return s, err
	}
	var err error
	if s.ID, err = b.DB.Sequence("bulletin.subscriptions", 1).Next(ctx); err != nil {
		return s, fmt.Errorf("adding a subscription: %w", err)
	}
	s.State, s.By, s.MadeAt = Active, by, b.now()
	return s, b.change(ctx, s, Added, by, func(ctx context.Context, tx db.Tx) error {
		there, err := list(ctx, tx, `site_id = $1`, s.SiteID)
		if err != nil {
			return err
		}
		for _, other := range there {
			if other.Every == s.Every && strings.EqualFold(other.Address, s.Address) {
				return ErrTwice
			}
		}
		if len(there) >= MaxSubscriptions {
			return ErrTooMany
		}
		_, err = tx.Exec(ctx, `INSERT INTO bulletin_subscriptions (`+columns+`, tested_at, refusals) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, '', 0, '', 0, 0)`,
			s.SiteID, s.ID, s.Address, s.Language, string(s.Every), string(s.State), s.By, db.Millis(s.MadeAt))
		return err
	})
}

// change changes the subscription in one transaction, and notes it by kind in the journal.
func (b *Bulletins) change(ctx context.Context, s Subscription, kind, by string, f func(ctx context.Context, tx db.Tx) error) error {
	data, err := json.Marshal(map[string]string{"by": by, "name": s.Address})
	if err != nil {
		return err
	}
	err = b.DB.Attempt(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		if err := f(ctx, tx); err != nil {
			return err
		}
		return journal.Append(ctx, tx, journal.Entry{SiteID: s.SiteID, At: b.now(), Kind: kind, SubjectID: s.ID, Data: data})
	})
	for _, expected := range []error{nil, ErrUnknown, ErrTwice, ErrTooMany, ErrSoon, ErrStopped, errUnchanged} {
		if errors.Is(err, expected) {
			return err
		}
	}
	return fmt.Errorf("changing a subscription: %w", err)
}

// errUnchanged means that there was nothing to change.
var errUnchanged = errors.New("nothing to change")

// set is change for what the statement alone does to the row of the site and the id, if its condition holds.
func (b *Bulletins) set(ctx context.Context, s Subscription, kind, by, values, condition string, args ...any) error {
	return b.change(ctx, s, kind, by, func(ctx context.Context, tx db.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE bulletin_subscriptions SET `+values+` WHERE site_id = $1 AND id = $2 AND `+condition, append([]any{s.SiteID, s.ID}, args...)...)
		if err == nil && changed == 0 {
			err = errUnchanged
		}
		return err
	})
}

// Pause has no more mails sent, or with paused false goes on with the period that is over next. The error is
// [ErrStopped] when the reader has stopped them.
func (b *Bulletins) Pause(ctx context.Context, siteID, id int64, paused bool, by string) error {
	s, err := b.Get(ctx, siteID, id)
	switch {
	case err != nil:
		return err
	case s.State == Stopped:
		return ErrStopped
	case paused:
		err = b.set(ctx, s, PausedBy, by, `state = 'paused'`, `state IN ('active', 'refused')`)
	default:
		err = b.set(ctx, s, ResumedBy, by, `state = 'active', refusals = 0, period = 0`, `state IN ('paused', 'refused')`)
	}
	if errors.Is(err, errUnchanged) { // somebody else has done so
		return nil
	}
	return err
}

// Remove removes the subscription.
func (b *Bulletins) Remove(ctx context.Context, siteID, id int64, by string) error {
	s, err := b.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	return b.change(ctx, s, Removed, by, func(ctx context.Context, tx db.Tx) error {
		removed, err := tx.Exec(ctx, `DELETE FROM bulletin_subscriptions WHERE site_id = $1 AND id = $2`, siteID, id)
		if err == nil && removed == 0 {
			err = ErrUnknown
		}
		return err
	})
}

// Try has the mail of the latest period sent now, whether or not it was sent before. The error may be [ErrSoon] or
// [ErrStopped].
func (b *Bulletins) Try(ctx context.Context, siteID, id int64, by string) error {
	s, err := b.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	if s.State == Stopped {
		return ErrStopped
	}
	job, err := jobOf(order{Subscription: id, Test: true}, s)
	if err != nil {
		return err
	}
	return b.change(ctx, s, Tested, by, func(ctx context.Context, tx db.Tx) error {
		now := b.now()
		changed, err := tx.Exec(ctx, `UPDATE bulletin_subscriptions SET tested_at = $3 WHERE site_id = $1 AND id = $2 AND tested_at <= $4`,
			siteID, id, now.UnixMilli(), now.Add(-TestPause).UnixMilli())
		if err == nil && changed == 0 {
			err = ErrSoon
		}
		if err != nil {
			return err
		}
		return queue.Add(ctx, tx, job)
	})
}

// Stop ends all mails of the site to the reader of the subscription, who asks for that.
func (b *Bulletins) Stop(ctx context.Context, s Subscription) error {
	there, err := list(ctx, b.DB.Read(), `site_id = $1 AND state <> 'stopped'`, s.SiteID)
	if err != nil {
		return err
	}
	for _, other := range there {
		if !strings.EqualFold(other.Address, s.Address) {
			continue
		}
		if err := b.set(ctx, other, StoppedBy, "", `state = 'stopped'`, `state <> 'stopped'`); err != nil && !errors.Is(err, errUnchanged) {
			return err
		}
	}
	return nil
}
