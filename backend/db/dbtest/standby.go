package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Standby serves a copy of the running server's cluster that follows it, and returns when the server waits with each commit
// until the copy has it, too. End it with Remove.
func (s *Server) Standby() (*Server, error) {
	copied, err := s.Replica()
	if err != nil {
		return nil, err
	}
	if err := s.Administer("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"); err != nil {
		copied.Remove()
		return nil, err
	}
	return copied, nil
}

// Replica serves a copy of the running server's cluster that follows it. The server does not wait for it. End it with
// Remove.
func (s *Server) Replica() (*Server, error) {
	folder, err := os.MkdirTemp("", "frontdesk-postgres-")
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	copied := &Server{Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), folder: folder, settings: s.settings}
	if err := s.copyTo(copied); err != nil {
		copied.Remove()
		return nil, err
	}
	return copied, nil
}

func (s *Server) copyTo(copied *Server) error {
	if owner := servant(); owner != nil {
		if err := os.Chown(copied.folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	host, port, _ := net.SplitHostPort(s.Address)
	backup, err := program("pg_basebackup", "--host", host, "--port", port, "--username", "postgres", "--pgdata", filepath.Join(copied.folder, "data"),
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	if err != nil {
		return err
	}
	backup.Dir = copied.folder
	if output, err := backup.CombinedOutput(); err != nil {
		return fmt.Errorf("running pg_basebackup: %w: %s", err, output)
	}
	return copied.Start()
}

// Follows waits until a standby has all that the server has written.
func (s *Server) Follows(ctx context.Context, primary *Server) error {
	var written, replayed int64
	for {
		if err := primary.ask(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::bigint", &written); err != nil {
			return err
		}
		if err := s.ask(ctx, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint", &replayed); err != nil {
			return err
		}
		if replayed >= written {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *Server) ask(ctx context.Context, query string, into *int64) error {
	conn, err := sql.Open("pgx", s.Source())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.QueryRowContext(ctx, query).Scan(into)
}

// Promote makes a standby the primary.
func (s *Server) Promote() error { return s.Administer("SELECT pg_promote()") }

// Administer runs the statements, one after the other.
func (s *Server) Administer(statements ...string) error {
	conn, err := sql.Open("pgx", s.Source())
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range statements {
		if _, err := conn.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// Kill ends the server as a machine does that loses its power.
func (s *Server) Kill() error {
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	s.cmd.Wait()
	s.cmd = nil
	return nil
}
