// Package duties has things done by one node at a time.
package duties

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

const (
	// lasts is how long a node that has died keeps others from doing what it did.
	lasts = 30 * time.Second
	// beat is how often a duty is renewed.
	beat = 10 * time.Second
)

// Do has do done by this node, unless another does what bears the name; mine is false then, and nothing is
// done. The context of do ends when the duty cannot be renewed.
func Do(ctx context.Context, d *db.DB, name string, do func(context.Context) error) (mine bool, err error) {
	owner := rand.Text()
	if mine, err = take(ctx, d, name, owner); !mine || err != nil {
		return mine, err
	}
	ctx, stop := context.WithCancel(ctx)
	renewed := make(chan struct{})
	aside.Go(d.Logger(), "renewing a duty", func() {
		defer close(renewed)
		defer stop()
		ticks := time.NewTicker(beat)
		defer ticks.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			if still, err := take(ctx, d, name, owner); still {
				last = time.Now()
			} else if err == nil || time.Since(last) > lasts-beat {
				stop()
			}
		}
	})
	err = do(ctx)
	stop()
	<-renewed
	// When this fails, the duty ends by itself.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), beat)
	defer cancel()
	_ = d.Write(ending, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM duties WHERE name = $1 AND owner = $2`, name, owner)
		return err
	})
	return true, err
}

// take takes the duty, or renews it.
func take(ctx context.Context, d *db.DB, name, owner string) (mine bool, err error) {
	err = d.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		now := db.Clock(tx.Engine())
		taken, err := tx.Exec(ctx, `INSERT INTO duties (name, owner, expires_at) VALUES ($1, $2, `+now+` + $3)
			ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, expires_at = EXCLUDED.expires_at
			WHERE duties.owner = EXCLUDED.owner OR duties.expires_at < `+now, name, owner, lasts.Milliseconds())
		mine = taken > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking the duty %s: %w", name, err)
	}
	return mine, nil
}
