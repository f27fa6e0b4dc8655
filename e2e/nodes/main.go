// Command nodes runs a real cluster on one machine, puts a load and faults to it, and checks that what was acknowledged
// is there: three nodes behind a balancer, three PostgreSQL under Patroni with etcd, two PgBouncers, each in a network
// of its own. It needs root, and Debian's postgresql, patroni, etcd-server, pgbouncer and haproxy.
//
//	go run ./e2e/nodes -faults 20            faults, one after the other
//	go run ./e2e/nodes -sqlite -kills 1000   one node on SQLite, which is killed again and again
//	go run ./e2e/nodes -scale                hits and leads a second with one, two and three nodes
//	go run ./e2e/nodes -idle                 what nodes without visitors ask of the database
//	go run ./e2e/nodes -soak 2h -times 5     memory, goroutines, files, disk and latencies over time; -sqlite for one node
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/cluster"
)

// options are those of the command line.
type options struct {
	faults, kills           int
	stop, alive             time.Duration
	only                    *regexp.Regexp
	seed                    uint64
	failsafe, etcd3, resets bool
	sqlite, scale, idle     bool
	soaking                 time.Duration
	times                   float64
	folder, program         string
}

func main() {
	var o options
	flag.IntVar(&o.faults, "faults", 20, "how many faults there are, one after the other")
	flag.DurationVar(&o.stop, "stop", time.Minute, "how long what is stopped or cut off stays so")
	only := flag.String("only", "", "a regular `expression`: of the faults, by their names")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "what chooses the faults")
	flag.BoolVar(&o.failsafe, "failsafe", false, "Patroni's failsafe_mode")
	flag.BoolVar(&o.etcd3, "etcd3", false, "have Patroni speak version 3 of etcd's API, by which 3.0.2 loses what was acknowledged")
	flag.BoolVar(&o.resets, "resets", false, "leave net.ipv4.tcp_migrate_req as Linux has it, so that reloads reset connections")
	flag.BoolVar(&o.sqlite, "sqlite", false, "one node on SQLite")
	flag.IntVar(&o.kills, "kills", 1000, "how often the node on SQLite is killed")
	flag.DurationVar(&o.alive, "alive", time.Second, "how long the node on SQLite is let run at most between two kills, once it has acknowledged something")
	flag.BoolVar(&o.scale, "scale", false, "measure hits and leads a second by the number of nodes")
	flag.BoolVar(&o.idle, "idle", false, "measure what idle nodes ask of the database")
	flag.DurationVar(&o.soaking, "soak", 0, "keep a load on the nodes for so long, and reload them each minute")
	flag.Float64Var(&o.times, "times", 1, "how many times the usual load is put on nodes, in a soak or between kills")
	flag.StringVar(&o.folder, "folder", "", "a new `folder` for the book and the logs; it is kept")
	flag.StringVar(&o.program, "caddy", "", "the `program`, one that this has left in a folder; by default it is built")
	flag.Parse()
	o.only = regexp.MustCompile(*only)
	if missing := cluster.Missing(o.sqlite); len(missing) > 0 {
		fmt.Printf("skipped: not installed: %s (Debian: apt-get install --no-install-recommends postgresql patroni python3-etcd python3-psycopg2 etcd-server pgbouncer haproxy)\n", strings.Join(missing, ", "))
		return
	}
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o *options) run() error {
	outside, err := cluster.Confine()
	if ended, is := errors.AsType[*exec.ExitError](err); is {
		os.Exit(ended.ExitCode()) // it has said why
	}
	if outside || err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kept := o.folder != ""
	if !kept {
		if o.folder, err = os.MkdirTemp("", "frontdesk-nodes-"); err != nil {
			return err
		}
		if err := os.Chmod(o.folder, 0o755); err != nil { // PostgreSQL runs as another user
			return err
		}
	}
	if o.program == "" {
		o.program = filepath.Join(o.folder, "caddy")
		if err := cluster.Build(ctx, o.folder, o.program); err != nil {
			return err
		}
	}
	do := o.campaign
	switch {
	case o.soaking > 0:
		do = o.soak
	case o.scale:
		do = o.measureScale
	case o.idle:
		do = o.measureIdle
	case o.sqlite:
		do = o.killOften
	}
	if err := do(ctx); err != nil {
		return fmt.Errorf("%w (the book and the logs are in %s)", err, o.folder)
	}
	if kept {
		return nil
	}
	return errors.Join(cluster.Unmount(o.folder), os.RemoveAll(o.folder))
}
