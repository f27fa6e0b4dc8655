package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// Pooler is a PgBouncer in transaction mode in front of servers.
type Pooler struct {
	// Address is its host and port.
	Address string

	folder string
	cmd    *exec.Cmd
	ended  chan error // it has ended
	output bytes.Buffer
}

// StartPooler runs PgBouncer in front of the server. End it with Remove.
func StartPooler(address string) (*Pooler, error) {
	folder, err := os.MkdirTemp("", "frontdesk-pgbouncer-")
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	host, behind, _ := net.SplitHostPort(address)
	p := &Pooler{Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), folder: folder}
	settings := fmt.Sprintf("[databases]\n* = host=%s port=%s user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"+
		"auth_type = any\nadmin_users = postgres\npool_mode = transaction\nmax_client_conn = 1000\ndefault_pool_size = 8\n", host, behind, port)
	if err := errors.Join(os.Chmod(folder, 0o755), os.WriteFile(filepath.Join(folder, "pgbouncer.ini"), []byte(settings), 0o644), p.Start()); err != nil {
		p.Remove()
		return nil, err
	}
	return p, nil
}

// OwnPooler is in front of the server until the test ends.
func OwnPooler(t testing.TB, s *Server) *Pooler {
	t.Helper()
	p, err := StartPooler(s.Address)
	require.NoError(t, err)
	t.Cleanup(p.Remove)
	return p
}

// Source names a database of the server, through the pooler.
func (p *Pooler) Source(database string) string { return sourceOf(p.Address, database) }

func sourceOf(address, database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("postgres"), Host: address, Path: database, RawQuery: "sslmode=disable"}).String()
}

// Start runs the pooler and returns when it answers.
func (p *Pooler) Start() error {
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil { // where Debian has it, off the PATH
			return fmt.Errorf("PgBouncer is not installed (Debian: apt-get install pgbouncer): %w", err)
		}
	}
	p.cmd = exec.Command(path, filepath.Join(p.folder, "pgbouncer.ini"))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Credential: servant()}
	p.cmd.Dir = p.folder
	p.output.Reset()
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return fmt.Errorf("starting PgBouncer: %w", err)
	}
	p.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(p.cmd, p.ended)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := sql.Open("pgx", p.Source("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close()
	for conn.PingContext(ctx) != nil {
		if ctx.Err() != nil {
			p.Stop()
			return fmt.Errorf("PgBouncer did not come up: %s", p.output.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// settle waits until no query is being cancelled. PgBouncer 1.18 to 1.20 end when a server closes the connection of one
// (https://github.com/pgbouncer/pgbouncer/pull/927), as it does when its database is dropped.
func (p *Pooler) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.Source("pgbouncer")+"&default_query_exec_mode=simple_protocol")
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	for {
		rows, _ := conn.Query(ctx, "SHOW POOLS")
		pools, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			return err
		}
		busy := slices.ContainsFunc(pools, func(pool map[string]any) bool {
			return fmt.Sprintf("%v %v %v", pool["sv_active_cancel"], pool["sv_being_canceled"], pool["cl_waiting_cancel_req"]) != "0 0 0"
		})
		if !busy {
			return nil
		}
		if !aside.Sleep(ctx, 10*time.Millisecond) {
			return fmt.Errorf("PgBouncer still cancels: %v", pools)
		}
	}
}

// Stop kills the pooler. Start runs it again at its address.
func (p *Pooler) Stop() {
	if p.cmd == nil {
		return
	}
	select {
	case err := <-p.ended:
		fmt.Fprintf(os.Stderr, "PgBouncer has ended by itself: %v: %s\n", err, p.output.String())
	default:
		p.cmd.Process.Kill()
		<-p.ended
	}
	p.cmd = nil
}

// Remove ends the pooler.
func (p *Pooler) Remove() {
	p.Stop()
	os.RemoveAll(p.folder)
}
