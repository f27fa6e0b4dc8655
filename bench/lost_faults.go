package main

import (
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// fault is something that goes wrong, until end.
type fault struct {
	name       string
	begin, end func() error
}

func nothing() error { return nil }

// fullDisk leaves no room on the disk.
func fullDisk(disk string) fault {
	ballast := filepath.Join(disk, "ballast")
	return fault{"disk full", func() error {
		var room syscall.Statfs_t
		if err := syscall.Statfs(disk, &room); err != nil {
			return err
		}
		f, err := os.Create(ballast)
		if err != nil {
			return err
		}
		defer f.Close()
		if n := int64(room.Bavail)*room.Bsize - 1<<20; n > 0 {
			err = syscall.Fallocate(int(f.Fd()), 0, 0, n)
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekEnd)
		}
		for block := make([]byte, 4096); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		return nil
	}, func() error { return os.Remove(ballast) }}
}

// both are two faults at once.
func both(a, b fault) fault {
	return fault{a.name + ", " + b.name, func() error { return errors.Join(a.begin(), b.begin()) }, func() error { return errors.Join(a.end(), b.end()) }}
}

// every does something again and again until the function that it returns is called.
func every(pause time.Duration, do func() error) (end func() error) {
	over, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			if err := do(); err != nil {
				ended <- err
				return
			}
			select {
			case <-over:
				ended <- nil
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() error {
		close(over)
		return <-ended
	}
}

func sqliteFaults(disk, file string) []fault {
	var d *sql.DB
	var tx *sql.Tx
	lock := func() (err error) {
		if d == nil {
			if d, err = sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(60000)"); err != nil {
				return err
			}
		}
		tx, err = d.Begin()
		return err
	}
	locked := fault{"database locked", lock, func() error { return tx.Rollback() }}
	var end func() error
	slow := fault{"database slow", func() error {
		end = every(50*time.Millisecond, func() error {
			if err := lock(); err != nil {
				return err
			}
			time.Sleep(400 * time.Millisecond)
			return tx.Rollback()
		})
		return nil
	}, func() error { return end() }}
	full := fullDisk(disk)
	return []fault{{"nothing", nothing, nothing}, full, locked, slow, both(locked, full)}
}

func postgresFaults(disk string, s *dbtest.Server) []fault {
	administer := func(statements ...string) error {
		d, err := sql.Open("pgx", s.Source())
		if err != nil {
			return err
		}
		defer d.Close()
		for _, statement := range statements {
			if _, err := d.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	}
	stopped := fault{"database stopped", func() error { s.Stop(); return nil }, s.Start}
	var end func() error
	cut := fault{"connections cut", func() error {
		end = every(200*time.Millisecond, func() error {
			return administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
		})
		return nil
	}, func() error { return end() }}
	readOnly := fault{"database read-only", func() error {
		return administer("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	}, func() error {
		return administer("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
	}}
	paused := fault{"database paused", s.Pause, s.Resume}
	return []fault{{"nothing", nothing, nothing}, stopped, paused, cut, readOnly, both(stopped, fullDisk(disk))}
}
