package db

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// postgresGroups is how many groups commit side by side: one is made while another is
// flushed. With more, each is smaller, and the round trips of each are shared by fewer.
const postgresGroups = 2

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
	// silence is how long bytes to the other side may stay unacknowledged, in either
	// direction.
	silence = 10 * time.Second
	// readTimeout bounds a question outside of writes.
	readTimeout = time.Minute
)

// Writers have connections of their own, so that questions that take long do not keep
// them waiting: one for each group, and some for numbers, see [Sequence].
const (
	postgresWriters = postgresGroups + 2
	postgresReaders = 12
)

func openPostgres(source string) (*DB, error) {
	write, err := postgresPool(source, transactTimeout, postgresWriters)
	if err != nil {
		return nil, err
	}
	read, err := postgresPool(source, readTimeout, postgresReaders)
	if err != nil {
		write.Close()
		return nil, err
	}
	patient := func() (*sql.DB, error) { return postgresPool(source, 0, 1) }
	return &DB{read: read, write: write, patient: patient, session: postgresSessions(write), groups: newGroups(postgresGroups, 16)}, nil
}

// postgresPool returns a pool of that many connections, whose statements the server ends
// after the timeout; 0 for none.
func postgresPool(source string, timeout time.Duration, connections int) (*sql.DB, error) {
	config, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	config.DialFunc = (&net.Dialer{Control: boundSilence}).DialContext
	config.RuntimeParams["application_name"] = "frontdesk"
	config.RuntimeParams["synchronous_commit"] = "on" // an acknowledgement means durable
	for name, bound := range map[string]time.Duration{
		"idle_in_transaction_session_timeout": idleTimeout,
		"lock_timeout":                        lockTimeout,
		"statement_timeout":                   timeout,
		"tcp_user_timeout":                    silence,
	} {
		config.RuntimeParams[name] = strconv.FormatInt(bound.Milliseconds(), 10)
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections/2 + 1)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool, nil
}

func checkPostgres(source string) error {
	if _, err := pgx.ParseConfig(source); err != nil {
		return fmt.Errorf("reading the PostgreSQL connection string: %w", err)
	}
	return nil
}

// wakeChannel is the PostgreSQL notification channel between nodes.
const wakeChannel = "frontdesk"

// listen passes on what other nodes announce, connecting again whenever the
// connection is lost. After each connect every reader is woken, because what
// was announced in between is gone.
func (d *DB) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := d.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		d.logger.Warn("listening for other nodes interrupted", zap.Error(err))
		aside.Sleep(ctx, time.Second)
	}
}

func (d *DB) listenOnce(ctx context.Context) error {
	pooled, err := d.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer pooled.Close()
	return pooled.Raw(func(driverConn any) error {
		conn := driverConn.(*stdlib.Conn).Conn()
		defer conn.Close(context.WithoutCancel(ctx)) // it listens: it must not serve others
		if _, err := conn.Exec(ctx, "LISTEN "+wakeChannel); err != nil {
			return err
		}
		d.wakes.all()
		for {
			n, err := conn.WaitForNotification(ctx)
			if err != nil {
				return err
			}
			d.wakes.wake(n.Payload)
		}
	})
}

// announce tells the other nodes which topics have news, at most once every
// announceEvery for all of them together.
func (d *DB) announce(ctx context.Context) {
	const announceEvery = 100 * time.Millisecond
	ticker := time.NewTicker(announceEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, topic := range d.wakes.takeUnannounced() {
			// A lost announcement only delays the readers of other nodes.
			if err := d.notify(ctx, topic); err != nil {
				d.logger.Debug("announcing to other nodes failed", zap.Error(err))
			}
		}
	}
}

func (d *DB) notify(ctx context.Context, topic string) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	_, err := d.read.ExecContext(ctx, "SELECT pg_notify($1, $2)", wakeChannel, topic)
	return err
}
