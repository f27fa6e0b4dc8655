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

	_ "modernc.org/sqlite" // the "sqlite" driver
)

// SQLite has one writer at a time: one connection writes, and a few read
// beside it on the write-ahead log.
func openSQLite(path string) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// What visitors tell is nobody else's to read; the log beside the file takes
	// over its mode. A file that is there may be in use here, see filesOf.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
	case err != nil:
		return nil, err
	default:
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	write, err := sql.Open("sqlite", sqliteWriter(path))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", sqliteSource(path, "busy_timeout(5000)", "query_only(ON)", "cache_size(-8192)"))
	if err != nil {
		write.Close()
		return nil, err
	}
	readers := 1 + max(4, runtime.GOMAXPROCS(0)) // one keeps the log, see keepLog
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	return &DB{read: read, write: write, groups: newGroups(1, 1)}, nil
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
	d.files, err = filesOf(path)
	return err
}

// openWriter opens the connection that all writes go by. The pool beside it is for
// migrations.
func (d *DB) openWriter(path string) error {
	conn, err := d.write.Driver().Open(sqliteWriter(path))
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
	return sqliteSource(path, "busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"secure_delete(ON)",
		"cache_size(-32768)", "wal_autocheckpoint(4000)") + "&_txlock=immediate"
}

func sqliteSource(path string, pragmas ...string) string {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	query := url.Values{"_pragma": pragmas}
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
