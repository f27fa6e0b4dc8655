package db

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/db/postgres"
	"github.com/seed-3405227d/frontdesk/backend/db/replica"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Lagging is for queries whose answers may be some seconds old, and never for what somebody has just written. Those of one
// Lagging are asked of one replica of [Settings], so that what is asked later is no older; see [DB.Lagging].
type Lagging struct {
	of      *DB
	replica *replica.Replica // nil for none
}

// Lagging is a replica whose turn it is, and [DB.Read] where none may be asked or none are configured. It does not wait.
// A query that a replica cannot answer is asked of the primary. One that would write fails.
func (d *DB) Lagging() Lagging {
	l := Lagging{of: d}
	if d.replicas != nil {
		l.replica = d.replicas.Next()
	}
	return l
}

// From is [DB.Lagging] for who does not need what has just been written, and [DB.Read] for all others.
func From(d *DB, lagging bool) Queries {
	if lagging {
		return d.Lagging()
	}
	return d.Read()
}

// Replicas are why some of the replicas are not asked. Those that have not been looked at have no time.
func (d *DB) Replicas() []replica.Trouble {
	if d.replicas == nil {
		return nil
	}
	return d.replicas.Troubles()
}

func (l Lagging) ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) error {
	if l.of.replicas == nil {
		return l.of.Read().ask(ctx, query, args, read)
	}
	ctx, cancel := context.WithTimeout(ctx, postgres.ReadTimeout)
	defer cancel()
	if l.replica != nil {
		err := l.replica.Ask(ctx, query, args, read)
		if err == nil || ctx.Err() != nil || postgres.IsWrite(err) {
			return err
		}
	}
	return l.of.postgres.AskOnly(ctx, query, args, read) // what a replica refuses is refused here, too
}
