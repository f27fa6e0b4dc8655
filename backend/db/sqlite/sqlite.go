// Package sqlite keeps a database of the service in a file: it opens the file, notices when it is lost or broken, copies
// it and puts copies back, and executes what is written. It is asked by package db, which hides it from all others.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Database is an open file. SQLite has one writer at a time: one connection writes, and a few read beside it on the
// write-ahead log.
type Database struct {
	// Read is for queries: its connections refuse to write. Write is for what is not written by [Database.Use].
	Read, Write *sql.DB

	files   *files
	writer  *writer
	keeper  *sql.Conn // holds the log
	flushes bool
}

// Open opens the file at the path, and makes it if there is none. It looks for two seconds at most whether the file is
// well: the error may be [ErrMalformed] or [ErrStrayLog]. Unless it flushes, what is committed may be lost with the machine.
func Open(ctx context.Context, path string, flushes bool) (*Database, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := prepareFile(ctx, path); err != nil {
		return nil, err
	}
	d := &Database{flushes: flushes}
	var err error
	if d.files, err = filesOf(path); err != nil {
		return nil, err
	}
	open := func(by driver.Connector, connections int) *sql.DB {
		pool := sql.OpenDB(by)
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		return pool
	}
	d.Write = open(d.connector(d.writing(path)), 1)
	// One of the readers keeps the log, see keepLog.
	d.Read = open(readers{d.connector(source(path, "rw", "busy_timeout(5000)", "query_only(ON)", "cache_size(-8192)"))}, 1+max(4, runtime.GOMAXPROCS(0)))
	if err := d.useFiles(ctx, path); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// useFiles opens the connections that are there as long as the database.
func (d *Database) useFiles(ctx context.Context, path string) error {
	if err := d.Write.PingContext(ctx); err != nil {
		return err
	}
	if err := d.keepLog(ctx, path); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := examine(ctx, d.Read, "quick_check"); err != nil && ctx.Err() == nil {
		return err
	}
	conn, err := d.connector(d.writing(path)).Connect(context.Background())
	if err != nil {
		return err
	}
	d.writer = &writer{conn: conn, kept: make(map[string]keptStatement)}
	return nil
}

// keepLog opens a connection that stays open as long as the pool, because SQLite
// removes the log with the last one, and notes the files. The database has been
// reached before.
func (d *Database) keepLog(ctx context.Context, path string) error {
	keeper, err := d.Read.Conn(ctx)
	if err != nil {
		return err
	}
	var tables int
	if err := keeper.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master").Scan(&tables); err != nil { // opens the log
		return errors.Join(err, keeper.Close())
	}
	d.keeper = keeper
	files, err := filesOf(path, path+"-wal", path+"-shm")
	if err != nil {
		return err
	}
	if err := d.files.check(); err != nil {
		return err
	}
	d.files = files
	return nil
}

// Use has f use the connection that all groups write by.
func (d *Database) Use(_ context.Context, f func(wire.Conn) error) error {
	d.writer.mu.Lock()
	defer d.writer.mu.Unlock()
	return f(d.writer)
}

// Kept is how many statements are prepared for good.
func (d *Database) Kept() int { return len(d.writer.kept) }

// Check returns [ErrLost] unless the files that were opened are at their places.
func (d *Database) Check() error { return d.files.check() }

// Close closes all connections.
func (d *Database) Close() error {
	if d.writer != nil {
		d.writer.close()
	}
	if d.keeper != nil {
		d.keeper.Close()
	}
	return errors.Join(d.Write.Close(), d.Read.Close())
}

// writing is what a connection that writes is opened by. synchronous(FULL) flushes
// the log at each commit: what is acknowledged survives a power cut. secure_delete(ON) writes
// zeros over what is deleted: a person who is erased is not left in the file.
func (d *Database) writing(path string) string {
	synchronous := "synchronous(FULL)"
	if !d.flushes {
		synchronous = "synchronous(OFF)"
	}
	return source(path, "rw", "busy_timeout(5000)", "journal_mode(WAL)", synchronous, "foreign_keys(ON)",
		"secure_delete(ON)",
		"cache_size(-32768)", "wal_autocheckpoint(4000)") + "&_txlock=immediate"
}

// source opens the file in the mode "rw" or "ro". It never makes one.
func source(path, mode string, pragmas ...string) string {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	query := url.Values{"mode": {mode}, "_pragma": pragmas}
	file.RawQuery = query.Encode()
	return file.String()
}

// CheckPath tells what is wrong with the path, without opening a file.
func CheckPath(path string) error {
	if path == "" {
		return errors.New("the SQLite database needs the path of its file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("the SQLite database %s is a folder: expected a file", path)
	}
	return nil
}
