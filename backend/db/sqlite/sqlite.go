package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
)

// SQLite has one writer at a time: one connection writes, and a few read
// beside it on the write-ahead log.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := prepareFile(ctx, path); err != nil {
		return nil, err
	}
	d := &DB{groups: newGroups(1, 1)}
	var err error
	if d.files, err = filesOf(path); err != nil {
		return nil, err
	}
	open := func(source string, connections int) *sql.DB {
		pool := sql.OpenDB(d.connector(source))
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		return pool
	}
	d.write = open(sqliteWriter(path), 1)
	// One of the readers keeps the log, see keepLog.
	d.read = open(sqliteSource(path, "rw", "busy_timeout(5000)", "query_only(ON)", "cache_size(-8192)"), 1+max(4, runtime.GOMAXPROCS(0)))
	return d, nil
}

// useFiles opens the connections that are there as long as the database.
func (d *DB) useFiles(ctx context.Context, path string) error {
	if err := d.keepLog(ctx, path); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := d.examine(ctx, "quick_check"); err != nil && ctx.Err() == nil {
		return err
	}
	return d.openWriter(path)
}

// keepLog opens a connection that stays open as long as the pool, because SQLite
// removes the log with the last one, and notes the files. The database has been
// reached before.
func (d *DB) keepLog(ctx context.Context, path string) error {
	keeper, err := d.read.Conn(ctx)
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

// openWriter opens the connection that all writes go by. The pool beside it is for
// migrations.
func (d *DB) openWriter(path string) error {
	conn, err := d.connector(sqliteWriter(path)).Connect(context.Background())
	if err != nil {
		return err
	}
	d.writer = &sqliteSession{conn: conn, kept: make(map[string]keptStatement)}
	d.session = d.writer.use
	return nil
}

// sqliteWriter is what a connection that writes is opened by. synchronous(FULL) flushes
// the log at each commit: what is acknowledged survives a power cut. secure_delete(ON) writes
// zeros over what is deleted: a person who is erased is not left in the file.
func sqliteWriter(path string) string {
	return sqliteSource(path, "rw", "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"secure_delete(ON)",
		"cache_size(-32768)", "wal_autocheckpoint(4000)") + "&_txlock=immediate"
}

// sqliteSource opens the file in the mode "rw" or "ro". It never makes one.
func sqliteSource(path, mode string, pragmas ...string) string {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	query := url.Values{"mode": {mode}, "_pragma": pragmas}
	source.RawQuery = query.Encode()
	return source.String()
}

func checkSQLite(path string) error {
	if path == "" {
		return errors.New("the SQLite database needs the path of its file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("the SQLite database %s is a folder: expected a file", path)
	}
	return nil
}
