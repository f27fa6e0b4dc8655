package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresSession is a connection of the pool's while a group uses it. The driver keeps
// statements prepared.
type postgresSession struct {
	conn *pgx.Conn
	// opening: the transaction begins in the same round trip as its first statement.
	opening bool
}

func postgresSessions(pool *sql.DB) func(context.Context, func(session) error) error {
	return func(ctx context.Context, f func(session) error) error {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return fmt.Errorf("connecting: %w", err)
		}
		defer conn.Close()
		return conn.Raw(func(driverConn any) error {
			return f(&postgresSession{conn: driverConn.(*stdlib.Conn).Conn()})
		})
	}
}

func (s *postgresSession) begin(context.Context) error {
	s.opening = true
	return nil
}

func (s *postgresSession) commit(ctx context.Context) error {
	if s.opening { // nothing was to be done
		return nil
	}
	tag, err := s.conn.Exec(ctx, "COMMIT")
	if err == nil && tag.String() == "ROLLBACK" { // a write has hidden an error
		return errUnguarded
	}
	return err
}

func (s *postgresSession) rollback(ctx context.Context) {
	if s.opening {
		return
	}
	if _, err := s.conn.Exec(ctx, "ROLLBACK"); err != nil {
		s.conn.Close(ctx) // nobody knows what it is in the middle of
	}
}

func (s *postgresSession) run(ctx context.Context, statements ...*statement) error {
	if len(statements) == 1 && !s.opening {
		one := statements[0]
		return one.take(
			func() (pgconn.CommandTag, error) { return s.conn.Exec(ctx, one.query, one.args...) },
			func() (pgx.Rows, error) { return s.conn.Query(ctx, one.query, one.args...) })
	}
	var batch pgx.Batch
	if s.opening {
		batch.Queue("BEGIN")
	}
	for _, statement := range statements {
		batch.Queue(statement.query, statement.args...)
	}
	results := s.conn.SendBatch(ctx, &batch)
	defer results.Close()
	if s.opening {
		if _, err := results.Exec(); err != nil {
			return err
		}
		s.opening = false
	}
	for _, statement := range statements {
		if err := statement.take(results.Exec, results.Query); err != nil {
			return err
		}
	}
	return results.Close()
}

// take takes what the statement has led to, by exec or by query.
func (s *statement) take(exec func() (pgconn.CommandTag, error), query func() (pgx.Rows, error)) error {
	if s.read == nil {
		tag, err := exec()
		s.changed = tag.RowsAffected()
		return err
	}
	rows, err := query()
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := s.read(rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}
