package db

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

const (
	// dutyTime is how long a node that has died keeps others from doing what it did.
	dutyTime = 30 * time.Second
	// dutyBeat is how often a duty is renewed.
	dutyBeat = 10 * time.Second
)

// Duty has do done by this node, unless another does what bears the name; mine is false then, and nothing is
// done. The context of do ends when the duty cannot be renewed.
func (d *DB) Duty(ctx context.Context, name string, do func(context.Context) error) (mine bool, err error) {
	owner := rand.Text()
	if mine, err = d.takeDuty(ctx, name, owner); !mine || err != nil {
		return mine, err
	}
	ctx, stop := context.WithCancel(ctx)
	renewed := make(chan struct{})
	aside.Go(d.logger, "renewing a duty", func() {
		defer close(renewed)
		defer stop()
		beat := time.NewTicker(dutyBeat)
		defer beat.Stop()
		for last := d.now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			if still, err := d.takeDuty(ctx, name, owner); still {
				last = d.now()
			} else if err == nil || d.now().Sub(last) > dutyTime-dutyBeat {
				stop()
			}
		}
	})
	err = do(ctx)
	stop()
	<-renewed
	// When this fails, the duty ends by itself.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), dutyBeat)
	defer cancel()
	_ = d.Write(ending, 0, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM duties WHERE name = $1 AND owner = $2`, name, owner)
		return err
	})
	return true, err
}

// takeDuty takes the duty, or renews it.
func (d *DB) takeDuty(ctx context.Context, name, owner string) (mine bool, err error) {
	err = d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
		now := Clock(tx.Engine())
		taken, err := tx.Exec(ctx, `INSERT INTO duties (name, owner, expires_at) VALUES ($1, $2, `+now+` + $3)
			ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, expires_at = EXCLUDED.expires_at
			WHERE duties.owner = EXCLUDED.owner OR duties.expires_at < `+now, name, owner, dutyTime.Milliseconds())
		mine = taken > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking the duty %s: %w", name, err)
	}
	return mine, nil
}
