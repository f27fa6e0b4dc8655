// Package wire is what package db and its engines have in common: statements, the connection of a transaction that
// executes them, and what an engine's error means. It is asked by db, db/sqlite and db/postgres alone.
package wire

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// Rows are those of a query.
type Rows interface {
	Next() bool
	Scan(fields ...any) error
	Err() error
}

// Statement is one of a transaction. Its first argument is $1.
type Statement struct {
	Query string
	Args  []any
	// Read takes the rows of a query; it is nil for a change.
	Read func(Rows) error
	// Changed is how many rows a change has changed, once it is executed.
	Changed int64
}

// Conn is the connection of a writer. It executes the statements in their order, as far as they succeed, and keeps
// them prepared.
type Conn interface {
	Begin(ctx context.Context) error
	// Queue has the statement executed before those behind it; its error may come with theirs.
	Queue(ctx context.Context, s *Statement) error
	Run(ctx context.Context, statements ...*Statement) error
	// Commit returns ErrUnguarded when the transaction was not committed because of a statement.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context)
}

// ErrUnguarded means that a write failed without a savepoint to go back to.
var ErrUnguarded = errors.New("a write failed without a savepoint")

// Fault is what an engine's error means for others than its statement.
type Fault int

const (
	// None: another statement may succeed.
	None Fault = iota
	// Conflict: the transaction was ended in favour of others, and may be tried again.
	Conflict
	// Outage and what follows: no other write would succeed either.
	Outage
	// Full: the disk is.
	Full
	// ReadOnly: the database is.
	ReadOnly
	// Malformed: the file is no database, or a broken one.
	Malformed
)

// Plain are the arguments as every driver takes them.
func Plain(args []any) ([]any, error) {
	converted := false
	for i, arg := range args {
		if driver.IsValue(arg) {
			continue
		}
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument $%d: %w", i+1, err)
		}
		if !converted {
			args, converted = append([]any(nil), args...), true
		}
		args[i] = value
	}
	return args, nil
}
