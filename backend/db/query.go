package db

import (
	"context"
	"database/sql"

	"github.com/seed-3405227d/frontdesk/backend/db/postgres"
	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// Queries is what can be asked: [DB.Read], or the transaction of a write. The first
// argument of a query is $1.
type Queries interface {
	// ask may hand rows to read more than once, each time from the first on.
	ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) error
}

// List returns the rows of the query. fields are where the columns of a row go.
func List[T any](ctx context.Context, from Queries, fields func(*T) []any, query string, args ...any) (list []T, err error) {
	err = from.ask(ctx, query, args, func(r wire.Rows) error {
		list = nil
		return eachOf(r, fields, func(row *T) error {
			list = append(list, *row)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Each calls do for each row of the query as it comes, and returns its error. What may ask more than once, such as
// [DB.Lagging], has do called for the first rows again.
func Each[T any](ctx context.Context, from Queries, fields func(*T) []any, do func(*T) error, query string, args ...any) error {
	return from.ask(ctx, query, args, func(r wire.Rows) error { return eachOf(r, fields, do) })
}

func eachOf[T any](r wire.Rows, fields func(*T) []any, do func(*T) error) error {
	for r.Next() {
		var row T
		if err := r.Scan(fields(&row)...); err != nil {
			return err
		}
		if err := do(&row); err != nil {
			return err
		}
	}
	return r.Err()
}

// One returns the first row of the query; found is false when there is none.
func One[T any](ctx context.Context, from Queries, fields func(*T) []any, query string, args ...any) (row T, found bool, err error) {
	err = from.ask(ctx, query, args, func(r wire.Rows) error {
		if found = r.Next(); !found {
			return r.Err()
		}
		return r.Scan(fields(&row)...)
	})
	return row, found && err == nil, err
}

// Only are the fields of rows of one column.
func Only[T any](row *T) []any { return []any{row} }

// Reader is a pool of connections for queries.
type Reader struct {
	*sql.DB
	of *DB
}

func (r Reader) ask(ctx context.Context, query string, args []any, read func(wire.Rows) error) (err error) {
	defer func() {
		if faultOf(err) == wire.Malformed {
			r.of.troubled(err)
		}
	}()
	if r.of.engine == Postgres {
		// The server's own bound is of no use when it is the server that hangs.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, postgres.ReadTimeout)
		defer cancel()
	}
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Close()
}
