package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/db/wire"
)

// writer is the one connection of a SQLite database that writes. It talks to the
// driver itself: package database/sql would take as long as a short statement does.
type writer struct {
	mu   sync.Mutex
	conn driver.Conn
	kept map[string]keptStatement
	args []driver.NamedValue // of the statement that runs
}

// keptStatement has a "?" for each "$1", since the driver takes long to find arguments by
// their names; order tells which argument each one is.
type keptStatement struct {
	stmt  statement
	order []int
}

// statement is what the driver's statements are.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func (s *writer) Begin(ctx context.Context) error {
	return s.Run(ctx, &wire.Statement{Query: "BEGIN IMMEDIATE"})
}

func (s *writer) Commit(ctx context.Context) error {
	return s.Run(ctx, &wire.Statement{Query: "COMMIT"})
}

// Rollback may have nothing to do: some errors end the transaction.
func (s *writer) Rollback(ctx context.Context) {
	_ = s.Run(ctx, &wire.Statement{Query: "ROLLBACK"})
}

func (s *writer) Queue(ctx context.Context, statement *wire.Statement) error {
	return s.execute(ctx, statement)
}

func (s *writer) Run(ctx context.Context, statements ...*wire.Statement) error {
	for _, statement := range statements {
		if err := s.execute(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *writer) execute(ctx context.Context, of *wire.Statement) error {
	kept, err := s.prepared(of.Query)
	if err != nil {
		return err
	}
	defer func() { clear(s.args) }()
	s.args = s.args[:0]
	for i, n := range kept.order {
		if n > len(of.Args) {
			return fmt.Errorf("argument $%d is missing", n)
		}
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: of.Args[n-1]})
	}
	if of.Read == nil {
		result, err := kept.stmt.ExecContext(ctx, s.args)
		if err != nil {
			return err
		}
		of.Changed, err = result.RowsAffected()
		return err
	}
	found, err := kept.stmt.QueryContext(ctx, s.args)
	if err != nil {
		return err
	}
	err = of.Read(&writerRows{rows: found, values: make([]driver.Value, len(found.Columns()))})
	return errors.Join(err, found.Close())
}

var argument = regexp.MustCompile(`\$([0-9]+)`)

// locking is what a query says of rows that others must not change meanwhile. In SQLite there are no others.
var locking = regexp.MustCompile(` FOR UPDATE( OF \w+)?( SKIP LOCKED)?`)

// limit is a limit that is an argument.
var limit = regexp.MustCompile(` LIMIT \$[0-9]+`)

// steady returns a query that stays prepared. SQLite plans by the value of a limit, and prepares the query anew each time it
// runs, which takes ten times as long as to find a row. It does not plan by a sum.
func steady(query string) string { return limit.ReplaceAllString(query, "${0} + 0") }

func (s *writer) prepared(query string) (keptStatement, error) {
	if kept, known := s.kept[query]; known {
		return kept, nil
	}
	var kept keptStatement
	text := argument.ReplaceAllStringFunc(locking.ReplaceAllString(steady(query), ""), func(name string) string {
		n, _ := strconv.Atoi(name[1:])
		kept.order = append(kept.order, n)
		return "?"
	})
	stmt, err := s.conn.Prepare(text)
	if err != nil {
		return kept, err
	}
	kept.stmt = stmt.(statement)
	s.kept[query] = kept
	return kept, nil
}

func (s *writer) close() {
	for _, kept := range s.kept {
		kept.stmt.Close()
	}
	s.conn.Close()
}

// writerRows are the rows of a query as the driver gives them.
type writerRows struct {
	rows   driver.Rows
	values []driver.Value
	err    error
}

func (r *writerRows) Next() bool {
	r.err = r.rows.Next(r.values)
	return r.err == nil
}

func (r *writerRows) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

func (r *writerRows) Scan(fields ...any) error {
	if len(fields) != len(r.values) {
		return fmt.Errorf("%d columns for %d fields", len(r.values), len(fields))
	}
	for i, field := range fields {
		if err := assign(field, r.values[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign puts a value of the driver's into what the pointer points to.
func assign(pointer any, value driver.Value) error {
	if scanner, own := pointer.(sql.Scanner); own {
		return scanner.Scan(value)
	}
	field := reflect.ValueOf(pointer).Elem()
	if field.Kind() == reflect.Pointer { // a column that may be NULL
		if value == nil {
			field.SetZero()
			return nil
		}
		field.Set(reflect.New(field.Type().Elem()))
		return assign(field.Interface(), value)
	}
	switch v := value.(type) {
	case int64:
		if field.CanInt() && !field.OverflowInt(v) {
			field.SetInt(v)
			return nil
		}
		if field.Kind() == reflect.Bool && (v == 0 || v == 1) { // an expression
			field.SetBool(v == 1)
			return nil
		}
	case bool:
		if field.Kind() == reflect.Bool {
			field.SetBool(v)
			return nil
		}
	case float64:
		if field.CanFloat() {
			field.SetFloat(v)
			return nil
		}
	case []byte:
		if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Uint8 {
			field.SetBytes(v)
			return nil
		}
	case string:
		if field.Kind() == reflect.String {
			field.SetString(v)
			return nil
		}
	}
	return fmt.Errorf("%T does not go into %T", value, pointer)
}
