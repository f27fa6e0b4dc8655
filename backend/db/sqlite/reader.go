package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// keptQueries is how many texts of queries each reader keeps prepared, and longestKept the most bytes of such a text: a query over
// thousands of sites takes megabytes.
const (
	keptQueries = 64
	longestKept = 8 << 10
)

// readers opens connections of type [reader].
type readers struct{ *connector }

func (r readers) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := r.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, is := opened.(conn)
	if !is {
		return nil, fmt.Errorf("a connection of type %T cannot read", opened)
	}
	kept, _ := simplelru.NewLRU(keptQueries, func(_ string, q *query) { q.drop() }) // the size is positive
	return &reader{conn, kept}, nil
}

// conn is what the driver's connections are.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// reader is a connection that queries are asked by. To prepare one takes longer than to find a row, so it keeps those prepared
// that it was asked last. Package database/sql lets one goroutine use it at a time.
type reader struct {
	conn
	kept *simplelru.LRU[string, *query]
}

// QueryContext implements [driver.QueryerContext].
func (r *reader) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	q, known := r.kept.Get(text)
	twice := known && q.running // as within a transaction
	if twice || len(text) > longestKept {
		return r.conn.QueryContext(ctx, text, args)
	}
	if !known {
		made, err := r.conn.PrepareContext(ctx, steady(text))
		if err != nil {
			return nil, err
		}
		q = &query{stmt: made.(statement)}
		r.kept.Add(text, q)
	}
	found, err := q.stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	q.running = true
	return &queryRows{found, q}, nil
}

// Close implements [driver.Conn].
func (r *reader) Close() error {
	r.kept.Purge()
	return r.conn.Close()
}

// query is a prepared query.
type query struct {
	stmt    statement
	running bool
	dropped bool // and closed when it no longer runs
}

func (q *query) drop() {
	if q.dropped = true; !q.running {
		q.stmt.Close()
	}
}

// queryRows are the rows of a query that runs until they are closed.
type queryRows struct {
	driver.Rows
	of *query
}

func (r *queryRows) Close() error {
	err := r.Rows.Close()
	if r.of.running = false; r.of.dropped {
		r.of.stmt.Close()
	}
	return err
}
