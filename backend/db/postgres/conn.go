package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresSession is a connection of the pool's while a group uses it. The driver keeps
// statements prepared.
type postgresSession struct {
	conn      *pgx.Conn
	queued    []*statement // they go with the next round trip
	beginning *statement
	begun     bool
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

func (s *postgresSession) begin(ctx context.Context) error {
	s.beginning = &statement{query: "BEGIN"}
	return s.queue(ctx, s.beginning)
}

func (s *postgresSession) queue(_ context.Context, statement *statement) error {
	s.queued = append(s.queued, statement)
	return nil
}

func (s *postgresSession) commit(ctx context.Context) error {
	if !s.begun && len(s.queued) == 1 { // nothing was to be done
		return nil
	}
	commit := statement{query: "COMMIT"}
	err := s.run(ctx, &commit)
	var refused *pgconn.PgError
	switch {
	case err == nil && commit.tag == "ROLLBACK": // a write has hidden an error
		return errUnguarded
	case errors.As(err, &refused): // maybe what was queued
		return verdict(ctx, err)
	}
	return err // nobody knows whether it is committed
}

func (s *postgresSession) rollback(ctx context.Context) {
	if !s.begun {
		return
	}
	if _, err := s.conn.Exec(ctx, "ROLLBACK"); err != nil {
		s.conn.Close(ctx) // nobody knows what it is in the middle of
	}
}

func (s *postgresSession) run(ctx context.Context, statements ...*statement) (err error) {
	statements = append(s.queued, statements...)
	s.queued = nil
	defer func() {
		if err != nil && !s.begun {
			s.queued = []*statement{s.beginning} // in case that somebody goes on
		}
	}()
	if len(statements) == 1 {
		one := statements[0]
		return s.take(one,
			func() (pgconn.CommandTag, error) { return s.conn.Exec(ctx, one.query, one.args...) },
			func() (pgx.Rows, error) { return s.conn.Query(ctx, one.query, one.args...) })
	}
	var batch pgx.Batch
	for _, statement := range statements {
		batch.Queue(statement.query, statement.args...)
	}
	results := s.conn.SendBatch(ctx, &batch)
	defer results.Close()
	for _, statement := range statements {
		if err := s.take(statement, results.Exec, results.Query); err != nil {
			return err
		}
	}
	return results.Close()
}

// take takes what the statement has led to, by exec or by query.
func (s *postgresSession) take(of *statement, exec func() (pgconn.CommandTag, error), query func() (pgx.Rows, error)) error {
	if of.read == nil {
		tag, err := exec()
		if err != nil {
			return err
		}
		s.begun = s.begun || of == s.beginning
		of.changed, of.tag = tag.RowsAffected(), tag.String()
		return nil
	}
	rows, err := query()
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := of.read(rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}
