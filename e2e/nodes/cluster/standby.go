package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// back is how long a standby has to come back by itself.
const back = 90 * time.Second

// AwaitStandbys waits until two standbys follow the primary, of which it waits for one. A database that does not come
// back by itself is copied from the primary, once, as its owner would do.
func (c *Cluster) AwaitStandbys(ctx context.Context) error {
	began, copied := time.Now(), false
	return await(ctx, 2*back, "two standbys, one of them synchronous", func() bool {
		primary := c.Primary(ctx)
		if primary == nil {
			return false
		}
		role, err := c.RoleOf(ctx, primary)
		if err != nil {
			return false
		}
		away := map[string]*Machine{}
		for _, m := range c.Databases {
			if m != primary {
				away[m.Name] = m
			}
		}
		synchronous := 0
		for _, standby := range role.Replication {
			if standby.State == "streaming" {
				delete(away, standby.Name)
			}
			if standby.Sync == "sync" {
				synchronous++
			}
		}
		if len(away) == 1 && time.Since(began) > back && !copied {
			for _, m := range away {
				copied = c.copies(ctx, m)
			}
		}
		return len(away) == 0 && synchronous == 1
	})
}

// copies has the database copied from the primary, unless it is being copied, and tells whether that has begun.
func (c *Cluster) copies(ctx context.Context, m *Machine) bool {
	if role, err := c.RoleOf(ctx, m); err == nil && role.State == "creating replica" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	said, err := c.ask(ctx, http.MethodPost, "http://"+m.Address+":8008/reinitialize", []byte(`{"force": true}`))
	if err != nil || !strings.Contains(string(said), "reinitialize started") {
		return false
	}
	fmt.Printf("\t%s does not come back by itself, and is copied from the primary\n", m.Name)
	return true
}
