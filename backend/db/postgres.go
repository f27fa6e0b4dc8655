package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/zap"
)

// postgresGroups is how many groups commit side by side: one is made while another is
// flushed. With more, each is smaller, and the round trips of each are shared by fewer.
const postgresGroups = 2

func openPostgres(source string) (*DB, error) {
	config, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	config.RuntimeParams["application_name"] = "frontdesk"
	config.RuntimeParams["synchronous_commit"] = "on" // an acknowledgement means durable
	config.RuntimeParams["lock_timeout"] = "5s"
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(16)
	pool.SetMaxIdleConns(8)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{read: pool, write: pool, session: postgresSessions(pool), groups: newGroups(postgresGroups, 16)}, nil
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
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (d *DB) listenOnce(ctx context.Context) error {
	pooled, err := d.write.Conn(ctx)
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
			if _, err := d.write.ExecContext(ctx, "SELECT pg_notify($1, $2)", wakeChannel, topic); err != nil {
				d.logger.Debug("announcing to other nodes failed", zap.Error(err))
			}
		}
	}
}
