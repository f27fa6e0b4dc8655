// Package cluster runs three nodes of Frontdesk behind a balancer, on three PostgreSQL servers under Patroni with etcd,
// through two PgBouncers, all of it in namespaces of one machine.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Options say what is run.
type Options struct {
	// Folder is where everything is kept, and Caddy the program.
	Folder, Caddy string
	// Nodes is how many there are.
	Nodes int
	// Failsafe has Patroni keep a primary that reaches all others when etcd has no quorum.
	Failsafe bool
	// Etcd3 has Patroni speak version 3 of etcd's API. Patroni 3.0.2, which Debian 12 has, writes itself down as the primary
	// there without looking who is (dcs/etcd3.py, _update_leader): one that was stopped and goes on takes the lock from
	// the new primary, and what that has acknowledged is gone. By version 2 it compares.
	Etcd3 bool
	// Resets leaves it to Linux's default what becomes of connections that wait while a Caddy is reloaded: they are reset.
	Resets bool
	// SQLite is one node on a database of its own.
	SQLite bool
}

// Cluster is what runs.
type Cluster struct {
	Machines                 []*Machine
	Etcd, Databases, Poolers []*Machine
	Nodes                    []*Machine
	Balancer                 *Machine
	Bouncers, Frontdesks     []*Program
	options                  Options
	folder, logs             string
	postgres                 string   // the folder of its programs
	etcd                     []string // the addresses of its members
	client                   http.Client
}

// Missing are the programs of others that have to be installed.
func Missing(sqlite bool) (missing []string) {
	programs := map[string]string{"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux"}
	if !sqlite {
		programs["patroni"], programs["etcd"], programs["haproxy"], programs["pgbouncer"] = "patroni", "etcd-server", "haproxy", "pgbouncer"
		if _, err := postgresBin(); err != nil {
			missing = append(missing, "postgresql")
		}
	}
	for program, of := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, of)
		}
	}
	return missing
}

// Start runs a cluster and returns when all of it is well.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{options: options, folder: filepath.Join(options.Folder, "machines"), logs: filepath.Join(options.Folder, "logs")}
	for _, folder := range []string{options.Folder, c.folder, c.logs} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	if !options.SQLite {
		var err error
		if c.postgres, err = postgresBin(); err != nil {
			return nil, err
		}
		for _, start := range []func() error{c.startEtcd, func() error { return c.startDatabases(ctx) }, c.startPoolers} {
			if err := start(); err != nil {
				return nil, err
			}
		}
	}
	if err := c.startNodes(ctx, options.Nodes); err != nil {
		return nil, err
	}
	if err := c.startBalancer(ctx); err != nil || options.Resets {
		return c, err
	}
	for _, m := range append([]*Machine{c.Balancer}, c.Nodes...) {
		if err := m.migrate(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Unmount takes the machines' disks away from the folder of the options.
func Unmount(folder string) error {
	disks, err := filepath.Glob(filepath.Join(folder, "machines", "*"))
	for _, disk := range disks {
		if is, gone := os.Stat(disk); gone == nil && is.IsDir() {
			err = errors.Join(err, syscall.Unmount(disk, syscall.MNT_DETACH))
		}
	}
	return err
}

// Settings is what Patroni was told.
func (c *Cluster) Settings() string {
	if c.options.SQLite {
		return "one node on SQLite"
	}
	version, _ := exec.Command("patroni", "--version").Output()
	api := 2
	if c.options.Etcd3 {
		api = 3
	}
	return fmt.Sprintf("%s, etcd by its API v%d: ttl %d, loop_wait %d, retry_timeout %d, primary_start_timeout %d, synchronous_mode true, failsafe_mode %v",
		strings.TrimSpace(string(version)), api, lease, look, patience, startTimeout, c.options.Failsafe)
}

// await looks twice a second whether something is there.
func await(ctx context.Context, limit time.Duration, what string, is func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(500 * time.Millisecond):
		}
	}
	return nil
}
