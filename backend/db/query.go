package db

import (
	"context"
	"database/sql"
)

// Queries is what can be asked: [DB.Read], or the transaction of a write. The first
// argument of a query is $1.
type Queries interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// List returns the rows of the query. fields are where the columns of a row go.
func List[T any](ctx context.Context, from Queries, fields func(*T) []any, query string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var row T
		if err := rows.Scan(fields(&row)...); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// One returns the first row of the query; found is false when there is none.
func One[T any](ctx context.Context, from Queries, fields func(*T) []any, query string, args ...any) (row T, found bool, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return row, false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return row, false, rows.Err()
	}
	if err := rows.Scan(fields(&row)...); err != nil {
		return row, false, err
	}
	return row, true, rows.Close()
}

// Only are the fields of rows of one column.
func Only[T any](row *T) []any { return []any{row} }

// QueryContext asks within the transaction, see [Tx.Exec]; for [List] and [One].
func (tx Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := tx.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// Exec executes a statement within the transaction, with $1 for its first argument,
// and returns how many rows it changed. It is parsed once for the life of the
// database and kept for good, so its text must be one of a few: see [Parts] and
// [Padded] for statements of many rows.
func (tx Tx) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	stmt, err := tx.prepared(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (tx Tx) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := tx.fresh[query]; stmt != nil {
		return stmt, nil
	}
	if stmt := tx.db.stmts.known(query); stmt != nil {
		return tx.sql.StmtContext(ctx, stmt), nil
	}
	stmt, err := tx.sql.PrepareContext(ctx, query)
	if err == nil {
		tx.fresh[query] = stmt
	}
	return stmt, err
}
