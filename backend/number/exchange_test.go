package number_test

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/number"
)

type nobody struct{}

func (nobody) Of(context.Context, db.Queries, string, time.Time) ([]number.Lease, error) {
	return nil, nil
}

// exchange is what a node has of it.
func (x *exchange) exchange() *number.Calls { return number.NewCalls(x.db, x.visits, nobody{}, x.now) }
