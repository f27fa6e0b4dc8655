// Package postgres keeps a database of the service on a PostgreSQL server: its connections with their bounds, what is told
// to other nodes, and what executes the statements that are written. It is asked by package db, which hides it from all
// others.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
	"github.com/seed-3405227d/frontdesk/backend/silence"
)

// Groups is how many groups commit side by side: one is made while another is
// flushed. With more, each is smaller, and the round trips of each are shared by fewer.
const Groups = 2

// A node that stops with a transaction open, or whose cable is cut, holds up the others
// for as long as the server keeps that transaction: its rows stay locked, and readers of
// the journal wait for it. So the server has its own bounds, which each connection sets
// (PostgreSQL, chapter 20, "Client Connection Defaults").
const (
	// idleTimeout is how long a transaction may wait for its node's next statement. It is
	// less than lockTimeout: who waits for a row of a node that has stopped gets it.
	idleTimeout = 3 * time.Second
	// lockTimeout is how long a statement waits for a lock.
	lockTimeout = 5 * time.Second
	// silent is how long bytes to the other side may stay unacknowledged, in either
	// direction. Where there are none, the kernel asks after half of it whether the other side is there.
	silent = 10 * time.Second
	// ReadTimeout bounds a question outside of writes.
	ReadTimeout = time.Minute
)

// Writers have connections of their own, so that questions that take long do not keep
// them waiting: one for each group, and some for numbers, see [Sequence]. One more listens, and one reads what it is about.
const (
	writers = Groups + 2
	readers = 11
	patient = 2 // one has the lock under which the schema is changed
)

// Database is a database of a server.
type Database struct {
	// Read is for queries, and Write for what is written. News is one connection for reading what has happened.
	Read, Write, News *sql.DB

	direct string // the connection string of the server itself
	bounds string // what begins a transaction through a pooler; empty without one
}

// Open connects to the database of the connection string. The server ends statements of writes after the timeout.
//
// If direct is not empty, the connection string is that of a pooler which gives each transaction another connection, such
// as PgBouncer in transaction mode. direct is that of the server itself, for what belongs to a connection: listening to
// other nodes, and the lock under which the schema is changed.
func Open(ctx context.Context, source, direct string, timeout time.Duration) (*Database, error) {
	d := &Database{direct: direct}
	if direct == "" {
		d.direct = source
	} else {
		d.bounds = transactionBounds(timeout)
	}
	var err error
	if d.Write, err = d.connections(source, timeout, writers); err != nil {
		return nil, err
	}
	if d.Read, err = d.connections(source, ReadTimeout, readers); err != nil {
		d.Write.Close()
		return nil, err
	}
	if d.News, err = d.connections(source, ReadTimeout, 1); err != nil {
		return nil, errors.Join(err, d.Write.Close(), d.Read.Close())
	}
	if err := d.Write.PingContext(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Patient opens a connection to the server itself, whose statements may take as long as they need.
func (d *Database) Patient() (*sql.DB, error) { return open(d.direct, bounds(0), patient, false) }

// Unhurried is Patient for reading: a transaction may also wait for its next statement, an hour at most.
func (d *Database) Unhurried() (*sql.DB, error) {
	set := bounds(0)
	set["idle_in_transaction_session_timeout"] = strconv.FormatInt(time.Hour.Milliseconds(), 10)
	return open(d.direct, set, 1, false)
}

// Close closes all connections.
func (d *Database) Close() error { return errors.Join(d.Write.Close(), d.Read.Close(), d.News.Close()) }

// connections returns a pool of that many connections, whose statements the server ends
// after the timeout.
func (d *Database) connections(source string, timeout time.Duration, most int) (*sql.DB, error) {
	if d.bounds != "" {
		return open(source, nil, most, true)
	}
	return open(source, bounds(timeout), most, false)
}

// bounds are what each connection sets, by the names of PostgreSQL's settings.
func bounds(timeout time.Duration) map[string]string {
	set := map[string]string{"synchronous_commit": "on"} // an acknowledgement means durable
	for name, bound := range map[string]time.Duration{
		"idle_in_transaction_session_timeout": idleTimeout,
		"lock_timeout":                        lockTimeout,
		"statement_timeout":                   timeout,
		"tcp_user_timeout":                    silent,
	} {
		set[name] = strconv.FormatInt(bound.Milliseconds(), 10)
	}
	return set
}

// transactionBounds is a statement that sets the same for the transaction in which it is. How long bytes may stay
// unacknowledged is a matter of the pooler's connections.
func transactionBounds(timeout time.Duration) string {
	set := bounds(timeout)
	delete(set, "tcp_user_timeout")
	var calls []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', true)", name, set[name]))
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// open returns a pool of that many connections. Through a pooler no statement is kept prepared: the next one of the
// transaction may come to a connection that does not know it.
func open(source string, set map[string]string, most int, pooled bool) (*sql.DB, error) {
	config, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, err
	}
	return connect(config, set, most, pooled), nil
}

func connect(config *pgx.ConnConfig, set map[string]string, most int, pooled bool) *sql.DB {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	// A connection by which a node only listens sends nothing of itself, so that it would not notice for minutes that the
	// server's machine has gone.
	alive := net.KeepAliveConfig{Enable: true, Idle: silent / 2, Interval: silent / 2, Count: 2}
	config.DialFunc = (&net.Dialer{Control: silence.Dialing(silent), KeepAliveConfig: alive}).DialContext
	config.RuntimeParams["application_name"] = "frontdesk"
	maps.Copy(config.RuntimeParams, set)
	if pooled {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most/2 + 1)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool
}

// CheckSource tells what is wrong with the connection string, without connecting.
func CheckSource(source string) error {
	if _, err := pgx.ParseConfig(source); err != nil {
		return fmt.Errorf("reading the PostgreSQL connection string: %w", err)
	}
	return nil
}

// channel is the notification channel between nodes.
const channel = "frontdesk"

// Listen hands what nodes announce to heard until the connection is lost, or ctx ends. It calls begun when it hears.
func (d *Database) Listen(ctx context.Context, begun func(), heard func(topic string)) error {
	direct, err := open(d.direct, bounds(ReadTimeout), 1, false)
	if err != nil {
		return err
	}
	defer direct.Close()
	pooled, err := direct.Conn(ctx)
	if err != nil {
		return err
	}
	defer pooled.Close()
	return pooled.Raw(func(driverConn any) error {
		conn := driverConn.(*stdlib.Conn).Conn()
		defer conn.Close(context.WithoutCancel(ctx)) // it waits: closing the pool would wait for it
		if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
			return err
		}
		begun()
		for {
			n, err := conn.WaitForNotification(ctx)
			if err != nil {
				return err
			}
			heard(n.Payload)
		}
	})
}

// Announce tells all nodes of the topic.
func (d *Database) Announce(ctx context.Context, topic string) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	_, err := d.Read.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, topic)
	return err
}

// FaultOf is what an error of PostgreSQL means for others (PostgreSQL, appendix A); None for one that is not
// PostgreSQL's.
func FaultOf(err error) wire.Fault {
	var of *pgconn.PgError
	if !errors.As(err, &of) {
		return wire.None
	}
	switch of.Code {
	case "40P01", "40001", "25P03": // a deadlock, a change of another, or this node has let the transaction wait
		return wire.Conflict
	case "53100":
		return wire.Full
	case "25006":
		return wire.ReadOnly
	}
	switch of.Code[:min(2, len(of.Code))] {
	case "53", "57", "58": // insufficient resources, operator intervention, system error
		return wire.Outage
	}
	return wire.None
}
