package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// conn is a connection of the pool's while a group uses it. The driver keeps
// statements prepared.
type conn struct {
	conn      *pgx.Conn
	queued    []*wire.Statement // they go with the next round trip
	beginning []*wire.Statement // of which the first begins the transaction
	bounds    string            // what sets the transaction's bounds, if its connection does not have them
	begun     bool
	tag       string // what the server says that the last change was
}

// Use has f use a connection for a transaction.
func (d *Database) Use(ctx context.Context, f func(wire.Conn) error) error {
	pooled, err := d.Write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer pooled.Close()
	return pooled.Raw(func(driverConn any) error {
		return f(&conn{conn: driverConn.(*stdlib.Conn).Conn(), bounds: d.bounds})
	})
}

func (s *conn) Begin(context.Context) error {
	s.beginning = []*wire.Statement{{Query: "BEGIN"}}
	if s.bounds != "" {
		s.beginning = append(s.beginning, &wire.Statement{Query: s.bounds})
	}
	s.queued = append(s.queued, s.beginning...)
	return nil
}

func (s *conn) Queue(_ context.Context, statement *wire.Statement) error {
	s.queued = append(s.queued, statement)
	return nil
}

func (s *conn) Commit(ctx context.Context) error {
	if !s.begun && len(s.queued) == len(s.beginning) { // nothing was to be done
		return nil
	}
	commit := wire.Statement{Query: "COMMIT"}
	err := s.Run(ctx, &commit)
	var refused *pgconn.PgError
	switch {
	case err == nil && s.tag == "ROLLBACK": // a write has hidden an error
		return wire.ErrUnguarded
	case errors.As(err, &refused) && ctx.Err() == nil && FaultOf(err) == wire.None: // maybe what was queued
		return wire.ErrUnguarded
	}
	return err // nobody knows whether it is committed
}

func (s *conn) Rollback(ctx context.Context) {
	if !s.begun {
		return
	}
	if _, err := s.conn.Exec(ctx, "ROLLBACK"); err != nil {
		s.conn.Close(ctx) // nobody knows what it is in the middle of
	}
}

func (s *conn) Run(ctx context.Context, statements ...*wire.Statement) (err error) {
	statements = append(s.queued, statements...)
	s.queued = nil
	defer func() {
		if err != nil && !s.begun {
			s.queued = slices.Clone(s.beginning) // in case that somebody goes on
		}
	}()
	if len(statements) == 1 {
		one := statements[0]
		return s.take(one,
			func() (pgconn.CommandTag, error) { return s.conn.Exec(ctx, one.Query, one.Args...) },
			func() (pgx.Rows, error) { return s.conn.Query(ctx, one.Query, one.Args...) })
	}
	var batch pgx.Batch
	for _, statement := range statements {
		batch.Queue(statement.Query, statement.Args...)
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
func (s *conn) take(of *wire.Statement, exec func() (pgconn.CommandTag, error), query func() (pgx.Rows, error)) error {
	if of.Read == nil {
		tag, err := exec()
		if err != nil {
			return err
		}
		s.begun = s.begun || len(s.beginning) > 0 && of == s.beginning[0]
		of.Changed, s.tag = tag.RowsAffected(), tag.String()
		return nil
	}
	rows, err := query()
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := of.Read(rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}
