package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/cluster"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/load"
)

// idleTime is how long idle nodes are watched, after settling.
const settling, idleTime = 20 * time.Second, time.Minute

// measureIdle measures what nodes without visitors ask of the database: none, and one after the other.
func (o *options) measureIdle(ctx context.Context) error {
	t, end, err := o.begin(ctx, load.Rates{})
	if err != nil {
		return err
	}
	defer end()
	for _, m := range t.Nodes {
		if err := m.PowerOff(); err != nil {
			return err
		}
	}
	fmt.Printf("%-6s %14s %14s %22s %16s\n", "nodes", "statements/s", "transactions/s", "databases' CPU, ms/s", "nodes', ms/s")
	for n := range len(t.Nodes) + 1 {
		if n > 0 {
			if err := t.Nodes[n-1].PowerOn(); err != nil {
				return err
			}
		}
		time.Sleep(settling)
		before, err := t.used(ctx)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(idleTime):
		}
		after, err := t.used(ctx)
		if err != nil {
			return err
		}
		of := func(part func(used) float64) float64 { return (part(after) - part(before)) / idleTime.Seconds() }
		fmt.Printf("%-6d %14.1f %14.1f %22.1f %16.1f\n", n, of(func(u used) float64 { return u.statements }), of(func(u used) float64 { return u.transactions }),
			of(func(u used) float64 { return u.databases.Seconds() * 1000 }), of(func(u used) float64 { return u.nodes.Seconds() * 1000 }))
	}
	return nil
}

// used is what has been used of the database until now.
type used struct {
	statements, transactions float64 // by the poolers
	databases, nodes         time.Duration
}

func (t *trial) used(ctx context.Context) (u used, err error) {
	for _, m := range t.Poolers {
		conn, err := pgx.Connect(ctx, "postgres://postgres@"+m.Address+":6432/pgbouncer?sslmode=disable&default_query_exec_mode=simple_protocol")
		if err != nil {
			return u, err
		}
		defer conn.Close(ctx)
		rows, err := conn.Query(ctx, "SHOW TOTALS")
		if err != nil {
			return u, err
		}
		var name string
		var value int64
		if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
			switch name {
			case "total_query_count":
				u.statements += float64(value)
			case "total_xact_count":
				u.transactions += float64(value)
			}
			return nil
		}); err != nil {
			return u, err
		}
	}
	for spent, machines := range map[*time.Duration][]*cluster.Machine{&u.databases: t.Databases, &u.nodes: t.Nodes} {
		for _, m := range machines {
			took, err := m.CPU()
			if err != nil {
				return u, err
			}
			*spent += took
		}
	}
	return u, nil
}
