package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/load"
)

const (
	// clients ask at once, each for the next thing when it has the answer to the last, for so long.
	clients   = 32
	scaleTime = 20 * time.Second
)

// measureScale counts hits and leads that are acknowledged by one, two and three nodes on one database.
func (o *options) measureScale(ctx context.Context) error {
	t, end, err := o.begin(ctx, load.Rates{})
	if err != nil {
		return err
	}
	defer end()
	fmt.Printf("acknowledged through both poolers, with a synchronous standby, %d clients, %v each\n", clients, scaleTime)
	fmt.Printf("%-6s %-6s %10s %22s %26s\n", "nodes", "", "a second", "nodes' CPU, µs each", "databases' CPU, µs each")
	for n := range t.Nodes {
		var addresses []string
		for _, m := range t.Nodes[:n+1] {
			addresses = append(addresses, m.Address+":80")
		}
		for _, what := range []struct {
			name string
			ask  load.Ask
		}{{"hits", t.load.Hit}, {"leads", t.load.Lead}} {
			if _, err := t.load.Drive(ctx, addresses, clients, scaleTime/4, what.ask); err != nil { // warms up
				return err
			}
			before, err := t.used(ctx)
			if err != nil {
				return err
			}
			answered, err := t.load.Drive(ctx, addresses, clients, scaleTime, what.ask)
			if err != nil {
				return err
			}
			after, err := t.used(ctx)
			if err != nil {
				return err
			}
			if answered == 0 {
				return errors.New("nothing was acknowledged")
			}
			each := func(before, after time.Duration) float64 {
				return float64((after - before).Microseconds()) / float64(answered)
			}
			fmt.Printf("%-6d %-6s %10.0f %22.0f %26.0f\n", n+1, what.name, float64(answered)/scaleTime.Seconds(), each(before.nodes, after.nodes), each(before.databases, after.databases))
		}
	}
	return nil
}
