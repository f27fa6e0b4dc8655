package bulletin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// StopPath is the route under the prefix of a site that stops the mails of a token.
	StopPath = "v1/bulletin/stop"
	// stopTime is how long the link of a mail stops further ones.
	stopTime = 400 * 24 * time.Hour
	// patience is for how long a mail waits for a node that serves its site.
	patience = 3 * 24 * time.Hour
	// jobTimeout is what a mail has, with what is asked of the database for it, and noteTimeout what a node that is
	// ending has to note what came of it.
	jobTimeout, noteTimeout = time.Minute, 5 * time.Second
)

// schedule are the pauses between attempts to hand over a mail that a mail server may take later: some three days.
var schedule = []time.Duration{time.Minute, 10 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

func next(attempts int) (time.Duration, bool) {
	if attempts > len(schedule) {
		return 0, false
	}
	return schedule[attempts-1], true
}

// do mails a bulletin, unless a later one has been ordered meanwhile, or nobody wants it any more.
func (b *Bulletins) do(ctx context.Context, j queue.Job) error {
	var o order
	if err := json.Unmarshal(j.Payload, &o); err != nil {
		return queue.Never(fmt.Errorf("reading a job: %w", err))
	}
	s, err := b.Get(ctx, j.SiteID, o.Subscription)
	switch {
	case errors.Is(err, ErrUnknown):
		return nil
	case err != nil:
		return err
	case s.State == Stopped, !o.Test && (s.State != Active || s.Period != o.First):
		return nil
	}
	served, err := b.Site(ctx, s.SiteID)
	switch {
	case errors.Is(err, ErrNotServed) && b.now().Sub(j.Added) < patience:
		return queue.Away(err)
	case errors.Is(err, ErrNotServed), errors.Is(err, site.ErrUnknown):
		return nil
	case err != nil:
		return err
	}
	l := mail.Letter{To: s.Address, ID: fmt.Sprintf("bulletin-%d-%d-%s", s.SiteID, s.ID, o.First), At: b.now(), Language: s.Language}
	i := Issue{Subscription: s, Covers: s.Every.from(o.First, served.Zone), PersonWindow: served.PersonWindow}
	if o.Test {
		l.ID, i.Covers = fmt.Sprintf("bulletin-%d-%d-test-%d", s.SiteID, s.ID, j.ID), s.Every.Latest(b.now(), served.Zone)
	}
	i.Stop = served.Service + StopPath + "?" + url.Values{"t": {b.Keys.SubscriptionToken(s.SiteID, s.ID, stopTime)}}.Encode()
	w, err := b.Write(ctx, i)
	if err == nil {
		l.Subject, l.Text, l.HTML, l.Stop = w.Subject, w.Text, w.HTML, i.Stop
		_, err = b.Deliveries.Send(ctx, l)
	}
	if err != nil && ctx.Err() != nil { // this node is ending, or the database does not answer
		return err
	}
	return b.conclude(ctx, s, j, err)
}

// conclude notes what came of the mail, and returns how the job ends.
func (b *Bulletins) conclude(ctx context.Context, s Subscription, j queue.Job, err error) error {
	if err == nil {
		return b.note(ctx, s, `sent_at = $3, refusals = 0, reason = '', status = 0, detail = ''`, b.now().UnixMilli())
	}
	f, is := errors.AsType[*attempt.Failure](err)
	switch {
	case errors.Is(err, notify.ErrNoServer):
		f = &attempt.Failure{Reason: attempt.NoServer, Away: true}
	case !is:
		b.logger.Warn("writing a bulletin failed", zap.Int64("site", s.SiteID), zap.Int64("subscription", s.ID), zap.Error(err))
		f = &attempt.Failure{Reason: attempt.Internal}
	}
	if f.Never {
		return b.refused(ctx, s, f)
	}
	if err := b.note(ctx, s, `reason = $3, status = $4, detail = $5`, f.Reason, f.Status, f.Detail); err != nil {
		return err
	}
	if _, again := next(j.Attempts + 1); !again && !f.Away {
		return nil
	}
	err = f
	if f.After > 0 {
		err = queue.After(f.After, err)
	}
	if f.Away {
		err = queue.Away(err)
	}
	return err
}

// refused notes that the mail server will never take the mail. After some of these in a row none are sent any more.
func (b *Bulletins) refused(ctx context.Context, s Subscription, f *attempt.Failure) error {
	if err := b.note(ctx, s, `reason = $3, status = $4, detail = $5, refusals = refusals + 1`, f.Reason, f.Status, f.Detail); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	err := b.set(ctx, s, RefusedFor, "", `state = 'refused'`, `state = 'active' AND refusals >= $3`, MaxRefusals)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// note stores what came of a mail, also when this node is ending: it would be sent once more.
func (b *Bulletins) note(ctx context.Context, s Subscription, values string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	err := b.DB.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE bulletin_subscriptions SET `+values+` WHERE site_id = $1 AND id = $2`, append([]any{s.SiteID, s.ID}, args...)...)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting what came of a bulletin: %w", err)
	}
	return nil
}

// OfToken returns the subscription of a mail's link at the site, or [ErrUnknown].
func (b *Bulletins) OfToken(ctx context.Context, siteID int64, token string) (Subscription, error) {
	id, valid := b.Keys.ParseSubscriptionToken(siteID, token)
	if !valid {
		return Subscription{}, ErrUnknown
	}
	return b.Get(ctx, siteID, id)
}
