package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// What Patroni is told of time, in seconds. These are the least that it accepts, but for the pause between its looks.
const (
	lease        = 20 // ttl: who has not renewed it is no primary any more
	look         = 2  // loop_wait
	patience     = 3  // retry_timeout
	startTimeout = 5  // primary_start_timeout: how long a primary that has crashed may take to come back
)

// Database is what the nodes' database is called.
const Database = "frontdesk"

// databaseDisk is the disk of a database, in bytes. 512 MB are PostgreSQL's log, for a standby that comes back: its slot is gone.
const databaseDisk = 1536 << 20

func (c *Cluster) startDatabases(ctx context.Context) error {
	for i := range 3 {
		m, err := c.machine(fmt.Sprintf("pg%d", i+1), 11+i, databaseDisk)
		if err != nil {
			return err
		}
		c.Databases = append(c.Databases, m)
		if err := c.clock(m); err != nil {
			return err
		}
		file := filepath.Join(c.folder, m.Name+".yml")
		if err := os.WriteFile(file, []byte(c.patroni(m)), 0o644); err != nil {
			return err
		}
		if _, err := m.add("patroni", "postgres", []string{"HOME=" + m.Disk}, "patroni", file); err != nil {
			return err
		}
		if i == 0 { // it makes the cluster, and the others copy it
			if _, err := c.AwaitPrimary(ctx); err != nil {
				return err
			}
		}
	}
	if err := c.Administer(ctx, "CREATE DATABASE "+Database); err != nil {
		return err
	}
	return c.AwaitStandbys(ctx)
}

func (c *Cluster) patroni(m *Machine) string {
	etcd := "etcd"
	if c.options.Etcd3 {
		etcd = "etcd3"
	}
	return strings.NewReplacer(
		"ETCD", etcd, "NAME", m.Name, "ADDRESS", m.Address, "DISK", m.Disk, "BIN", c.programs(m), "HOSTS", strings.Join(c.etcd, ","), "NETWORK", network+"0/24",
		"LEASE", fmt.Sprint(lease), "LOOK", fmt.Sprint(look), "PATIENCE", fmt.Sprint(patience), "START", fmt.Sprint(startTimeout), "FAILSAFE", fmt.Sprint(c.options.Failsafe),
	).Replace(`scope: desk
name: NAME
restapi:
  listen: ADDRESS:8008
  connect_address: ADDRESS:8008
ETCD:
  hosts: HOSTS
bootstrap:
  dcs:
    ttl: LEASE
    loop_wait: LOOK
    retry_timeout: PATIENCE
    primary_start_timeout: START
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    failsafe_mode: FAILSAFE
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        shared_buffers: 64MB
        wal_log_hints: "on"
        wal_keep_size: 512MB
        min_wal_size: 32MB
        max_wal_size: 128MB
        max_slot_wal_keep_size: 512MB
        idle_in_transaction_session_timeout: 30s
        log_line_prefix: "%m [%p] "
  initdb:
  - encoding: UTF8
  - locale: C
  - data-checksums
postgresql:
  listen: ADDRESS:5432
  connect_address: ADDRESS:5432
  data_dir: DISK/data
  bin_dir: BIN
  pgpass: DISK/pgpass
  pg_hba:
  - host all all NETWORK trust
  - host replication all NETWORK trust
  - local all all trust
  authentication:
    superuser: {username: postgres}
    replication: {username: postgres}
  parameters:
    unix_socket_directories: DISK
  basebackup:
  - checkpoint: fast
  remove_data_directory_on_diverged_timelines: true
  remove_data_directory_on_rewind_failure: true
`)
}

// Role is what Patroni says of a database.
type Role struct {
	Role     string `json:"role"` // "master" for the primary
	State    string `json:"state"`
	Timeline int    `json:"timeline"`
	// Synchronous is set where the primary waits for this standby.
	Synchronous bool `json:"sync_standby"`
	Replication []struct {
		Name  string `json:"application_name"`
		State string `json:"state"`
		Sync  string `json:"sync_state"`
	} `json:"replication"`
}

// RoleOf asks the Patroni of the database.
func (c *Cluster) RoleOf(ctx context.Context, m *Machine) (role Role, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	content, err := c.ask(ctx, http.MethodGet, "http://"+m.Address+":8008/patroni", nil)
	if err != nil {
		return role, err
	}
	return role, json.Unmarshal(content, &role)
}

// ask sends a request to a server of the cluster. The status of Patroni's answer says what its database is, and is no error.
func (c *Cluster) ask(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// Primary is the database that takes writes; nil where there is none.
func (c *Cluster) Primary(ctx context.Context) *Machine {
	for _, m := range c.Databases {
		if role, err := c.RoleOf(ctx, m); err == nil && role.Role == "master" && role.State == "running" {
			return m
		}
	}
	return nil
}

// AwaitPrimary waits for a database that takes writes.
func (c *Cluster) AwaitPrimary(ctx context.Context) (primary *Machine, err error) {
	err = await(ctx, 3*time.Minute, "a primary", func() bool {
		primary = c.Primary(ctx)
		return primary != nil
	})
	return primary, err
}

// Promoted is when a database was last made the primary, by Patroni's history; zero where none was since the first.
func (c *Cluster) Promoted(ctx context.Context) (at time.Time, err error) {
	primary, err := c.AwaitPrimary(ctx)
	if err != nil {
		return at, err
	}
	content, err := c.ask(ctx, http.MethodGet, "http://"+primary.Address+":8008/history", nil)
	if err != nil {
		return at, err
	}
	var history [][]any // timeline, position, reason, time, primary
	if err := json.Unmarshal(content, &history); err != nil {
		return at, err
	}
	if n := len(history); n > 0 && len(history[n-1]) > 3 {
		return time.Parse(time.RFC3339, fmt.Sprint(history[n-1][3]))
	}
	return at, nil
}

// Postmaster is the process of the database's server.
func (c *Cluster) Postmaster(m *Machine) (pid int, err error) {
	content, err := os.ReadFile(filepath.Join(m.Disk, "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	return strconv.Atoi(first)
}

// Administer runs the statements on the primary, in the database that each cluster has.
func (c *Cluster) Administer(ctx context.Context, statements ...string) error {
	primary, err := c.AwaitPrimary(ctx)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, "postgres://postgres@"+primary.Address+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// SwitchOver has Patroni make another database the primary.
func (c *Cluster) SwitchOver(ctx context.Context) error {
	primary, err := c.AwaitPrimary(ctx)
	if err != nil {
		return err
	}
	var refused error // for the moment, when a standby has not answered in time
	err = await(ctx, time.Minute, "a switchover", func() bool {
		if now := c.Primary(ctx); now != nil && now != primary {
			return true
		}
		var said []byte
		if said, refused = c.ask(ctx, http.MethodPost, "http://"+primary.Address+":8008/switchover", fmt.Appendf(nil, `{"leader": %q}`, primary.Name)); refused == nil && !bytes.HasPrefix(said, []byte("Successfully")) {
			refused = fmt.Errorf("switching over: %s", said)
		}
		return refused == nil
	})
	if err != nil {
		return errors.Join(err, refused)
	}
	return nil
}

// Direct names all servers, of which the one that takes writes is meant.
func (c *Cluster) Direct() string {
	return source(c.Databases, 5432)
}

// source is a connection string of the machines, in that order.
func source(machines []*Machine, port int) string {
	var hosts []string
	for _, m := range machines {
		hosts = append(hosts, fmt.Sprintf("%s:%d", m.Address, port))
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/" + Database + "?sslmode=disable&target_session_attrs=read-write"
}

// postgresBin is the folder of PostgreSQL's programs, which Debian keeps off the PATH.
func postgresBin() (string, error) {
	versions, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(versions) == 0 {
		return "", errors.Join(errors.New("PostgreSQL is not installed"), err)
	}
	return slices.Max(versions), nil
}
