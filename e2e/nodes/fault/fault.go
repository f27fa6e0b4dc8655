// Package fault is what goes wrong in a cluster: each fault begins, lasts, and ends.
package fault

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/cluster"
)

// Fault is something that goes wrong.
type Fault struct {
	Name string
	// Begin has it begin, and returns what ends it.
	Begin func(context.Context) (end func(context.Context) error, err error)
	// Lasts is how long it stays.
	Lasts time.Duration
	// Breaks is for how long pages and forms may be with a node that has ended or stopped, until the balancer knows.
	// What begins later must not be lost.
	Breaks time.Duration
	// Reloads is a fault while which Caddys read their configuration anew.
	Reloads bool
}

func nothing(context.Context) error { return nil }

// noticed is how long the balancer may take to notice a node that has stopped.
const noticed = 4 * time.Second

// All are the faults of a cluster. Those by which something stops last so long; r chooses which node it is.
func All(c *cluster.Cluster, stop time.Duration, r *rand.Rand) []Fault {
	return append(append(primary(c, stop), node(c, stop, r)...), others(c, stop, r)...)
}

// onPrimary is a fault of the machine that is the primary when it begins.
func onPrimary(c *cluster.Cluster, begin, end func(*cluster.Machine) error) func(context.Context) (func(context.Context) error, error) {
	return func(ctx context.Context) (func(context.Context) error, error) {
		m, err := c.AwaitPrimary(ctx)
		if err != nil {
			return nil, err
		}
		return func(context.Context) error { return end(m) }, begin(m)
	}
}

func primary(c *cluster.Cluster, stop time.Duration) []Fault {
	clock := func(name string, by time.Duration) Fault {
		return Fault{Name: "primary: clock " + name, Lasts: stop, Begin: onPrimary(c,
			func(m *cluster.Machine) error { return m.SetClock(by) }, func(m *cluster.Machine) error { return m.SetClock(0) })}
	}
	var clocks []Fault
	if cluster.HasClocks() {
		clocks = []Fault{clock("an hour ahead", time.Hour), clock("an hour behind", -time.Hour)}
	}
	return append(clocks, []Fault{
		{Name: "primary: machine killed", Lasts: stop, Begin: onPrimary(c, (*cluster.Machine).PowerOff, (*cluster.Machine).PowerOn)},
		{Name: "primary: server killed", Lasts: stop / 4, Begin: onPrimary(c, func(m *cluster.Machine) error {
			pid, err := c.Postmaster(m)
			if err != nil {
				return err
			}
			return syscall.Kill(pid, syscall.SIGKILL)
		}, func(*cluster.Machine) error { return nil })},
		{Name: "primary: stopped", Lasts: stop, Begin: onPrimary(c, (*cluster.Machine).Pause, (*cluster.Machine).Resume)},
		{Name: "primary: disk full", Lasts: stop, Begin: onPrimary(c, (*cluster.Machine).FillDisk, (*cluster.Machine).EmptyDisk)},
		{Name: "primary: network cut", Lasts: stop, Begin: onPrimary(c, (*cluster.Machine).Unplug, (*cluster.Machine).Plug)},
		{Name: "primary: switched over", Lasts: time.Second, Begin: func(ctx context.Context) (func(context.Context) error, error) {
			return nothing, c.SwitchOver(ctx)
		}},
	}...)
}

func node(c *cluster.Cluster, stop time.Duration, r *rand.Rand) []Fault {
	onNode := func(begin, end func(*cluster.Machine) error) func(context.Context) (func(context.Context) error, error) {
		return func(context.Context) (func(context.Context) error, error) {
			m := c.Nodes[r.IntN(len(c.Nodes))]
			return func(context.Context) error { return end(m) }, begin(m)
		}
	}
	services := append(append([]*cluster.Machine{}, c.Poolers...), c.Databases...)
	each := func(do func(m, other *cluster.Machine) error) func(*cluster.Machine) error {
		return func(m *cluster.Machine) (err error) {
			for _, other := range services {
				err = errors.Join(err, do(m, other))
			}
			return err
		}
	}
	clock := func(name string, by time.Duration) Fault {
		return Fault{Name: "node: clock " + name, Lasts: stop, Begin: onNode(
			func(m *cluster.Machine) error { return m.SetClock(by) }, func(m *cluster.Machine) error { return m.SetClock(0) })}
	}
	return []Fault{
		clock("an hour ahead", time.Hour), clock("an hour behind", -time.Hour),
		{Name: "node: killed", Lasts: 3 * time.Second, Breaks: 100 * time.Millisecond, Begin: func(context.Context) (func(context.Context) error, error) {
			return nothing, c.Frontdesks[r.IntN(len(c.Frontdesks))].Kill()
		}},
		{Name: "node: stopped", Lasts: stop, Breaks: noticed, Begin: onNode((*cluster.Machine).Pause, (*cluster.Machine).Resume)},
		{Name: "node: disk full", Lasts: stop / 2, Begin: onNode((*cluster.Machine).FillDisk, (*cluster.Machine).EmptyDisk)},
		{Name: "node: database cut off", Lasts: stop, Begin: onNode(each((*cluster.Machine).Block), each((*cluster.Machine).Unblock))},
	}
}

func others(c *cluster.Cluster, stop time.Duration, r *rand.Rand) []Fault {
	return []Fault{
		{Name: "pooler: killed", Lasts: 3 * time.Second, Begin: func(context.Context) (func(context.Context) error, error) {
			return nothing, c.Bouncers[r.IntN(len(c.Bouncers))].Kill()
		}},
		{Name: "pooler: machine killed", Lasts: stop / 2, Begin: func(context.Context) (func(context.Context) error, error) {
			m := c.Poolers[r.IntN(len(c.Poolers))]
			return func(context.Context) error { return m.PowerOn() }, m.PowerOff()
		}},
		{Name: "etcd: no quorum", Lasts: stop, Begin: func(context.Context) (func(context.Context) error, error) {
			lost := r.Perm(len(c.Etcd))[:2]
			return func(context.Context) (err error) {
				for _, i := range lost {
					err = errors.Join(err, c.Etcd[i].PowerOn())
				}
				return err
			}, errors.Join(c.Etcd[lost[0]].PowerOff(), c.Etcd[lost[1]].PowerOff())
		}},
		{Name: "balancer: reloaded", Lasts: time.Second, Reloads: true, Begin: func(ctx context.Context) (func(context.Context) error, error) {
			return nothing, c.Reload(ctx, c.Balancer)
		}},
		{Name: "all reloaded, 50 times", Lasts: time.Second, Reloads: true, Begin: func(ctx context.Context) (func(context.Context) error, error) {
			for range 50 {
				for _, m := range append([]*cluster.Machine{c.Balancer}, c.Nodes...) {
					if err := c.Reload(ctx, m); err != nil {
						return nil, err
					}
				}
			}
			return nothing, nil
		}},
	}
}
