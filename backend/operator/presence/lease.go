package presence

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

const (
	// LeaseTime is how long a lease lasts without being renewed.
	LeaseTime = 30 * time.Second
	// FadeTime is how long an operator still counts as there whose console closed: time enough to come to its next
	// page.
	FadeTime = 5 * time.Second
	// Heartbeat is how often a lease is to be renewed.
	Heartbeat = 10 * time.Second
	// leasesAtOnce bounds how many leases one statement renews.
	leasesAtOnce = 1024
)

// Lease is an operator's presence in one open console. It ends with [Lease.End], or by itself [LeaseTime] after it was
// last renewed.
type Lease struct {
	presence   *Presence
	id         string
	operatorID int64
}

// Arrive begins a lease for the account.
func (p *Presence) Arrive(ctx context.Context, id int64) (*Lease, error) {
	l := &Lease{presence: p, id: rand.Text(), operatorID: id}
	return l, l.write(ctx, LeaseTime, true)
}

// Renew keeps the leases for another [LeaseTime], in one statement for many. One that has ended stays so.
func (p *Presence) Renew(ctx context.Context, leases ...*Lease) error {
	for some := range slices.Chunk(leases, leasesAtOnce) {
		ids := make([]string, len(some))
		for i, l := range some {
			ids[i] = l.id
		}
		err := p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
			values, args := db.Values(db.Padded(ids), db.Only[string], p.now().Add(LeaseTime).UnixMilli())
			_, err := tx.Exec(ctx, `UPDATE operator_leases SET expires_at = $1 WHERE id IN (`+values+`)`, args...)
			return err
		})
		if err != nil {
			return fmt.Errorf("renewing presence: %w", err)
		}
	}
	return nil
}

// Fade ends the lease [FadeTime] from now.
func (l *Lease) Fade(ctx context.Context) error { return l.write(ctx, FadeTime, false) }

func (l *Lease) write(ctx context.Context, lasting time.Duration, arriving bool) error {
	p := l.presence
	err := p.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		now := p.now()
		_, err := tx.Exec(ctx, `INSERT INTO operator_leases (id, operator_id, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at`, l.id, l.operatorID, now.Add(lasting).UnixMilli())
		if err != nil || !arriving {
			return err
		}
		tx.Wake(operator.Topic)
		_, err = tx.Exec(ctx, `DELETE FROM operator_leases WHERE expires_at < $1`, now.Add(-time.Hour).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("renewing presence: %w", err)
	}
	return nil
}

// End ends the lease at once.
func (l *Lease) End(ctx context.Context) error {
	err := l.presence.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		tx.Wake(operator.Topic)
		_, err := tx.Exec(ctx, `DELETE FROM operator_leases WHERE id = $1`, l.id)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending presence: %w", err)
	}
	return nil
}
