// Package partition keeps tables of PostgreSQL in partitions by the days that are in the numbers of their rows: see
// [db.DaySequence]. On SQLite it does nothing.
//
// Partitions are made and taken away beside the tables' readers and writers. None of these waits for that.
package partition

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Tables are tables that are partitioned alike. They are safe for concurrent use.
type Tables struct {
	db    *db.DB
	names []string
	days  atomic.Int64            // of a partition that is made
	known atomic.Pointer[[]known] // in their order
	turn  chan struct{}           // held while partitions are made
}

// known are partitions of which it is known that each table has one. names are nil if these are not the usual ones.
type known struct {
	Range
	names []string
}

// New returns the tables of the names, which the schema says to be partitioned by ranges of one column.
func New(d *db.DB, names ...string) *Tables {
	t := &Tables{db: d, names: names, turn: make(chan struct{}, 1)}
	t.Forget()
	t.days.Store(maxDays)
	return t
}

// Keep has the partitions that are made from now on suit rows that are kept for that long: see [Days].
func (t *Tables) Keep(kept time.Duration) { t.days.Store(Days(kept)) }

// Forget forgets which partitions there are. They are read again when they are needed.
func (t *Tables) Forget() { t.known.Store(&[]known{}) }

// Names returns the names of the tables' partitions for the number, in the order of [New]. It returns nil if none is known;
// the tables themselves have all rows. A statement by the partition's name needs no plan for all partitions.
func (t *Tables) Names(number int64) []string {
	k, _ := t.find(number)
	return k.names
}

// Ready says whether rows of the number can be stored, as far as is known.
func (t *Tables) Ready(number int64) bool {
	if t.db.Engine() != db.Postgres {
		return true
	}
	_, found := t.find(number)
	return found
}

func (t *Tables) find(number int64) (k known, found bool) {
	for _, k := range slices.Backward(*t.known.Load()) { // most are of the latest
		if k.Has(number) {
			return k, true
		}
	}
	return known{}, false
}

// part is a partition of a table.
type part struct {
	table, name string
	Range
	pending bool // it is being taken out
}

// read returns the partitions of the tables, by their ranges. Ends that are open are the least and the largest numbers.
func (t *Tables) read(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (parts []part, err error) {
	const bound = `CAST(substring(pg_get_expr(c.relpartbound, c.oid) FROM '%s \(''?(-?[0-9]+)''?\)') AS BIGINT)`
	rows, err := from.QueryContext(ctx, fmt.Sprintf(`SELECT p.relname, c.relname, COALESCE(`+bound+`, %d), COALESCE(`+bound+`, %d), i.inhdetachpending
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
		WHERE p.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND p.relname IN ('%s')`,
		"FROM", math.MinInt64, "TO", math.MaxInt64, strings.Join(t.names, "', '")))
	if err != nil {
		return nil, fmt.Errorf("reading partitions: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.table, &p.name, &p.From, &p.To, &p.pending); err != nil {
			return nil, fmt.Errorf("reading partitions: %w", err)
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.From, b.From) })
	return parts, rows.Err()
}

// Ranges returns the ranges of the first table's partitions in their order, without those that are being taken out, and
// without those that somebody else has made by another name.
func (t *Tables) Ranges(ctx context.Context) (ranges []Range, err error) {
	if t.db.Engine() != db.Postgres {
		return nil, nil
	}
	parts, err := t.read(ctx, t.db.Read().DB)
	for _, p := range parts {
		if p.table == t.names[0] && !p.pending && p.name == p.Name(p.table) {
			ranges = append(ranges, p.Range)
		}
	}
	return ranges, err
}

// The locks under which partitions are made, and taken away.
const (
	coverLock = 0x70617274_00000001
	dropLock  = 0x70617274_00000002
)

// coverTime bounds the making of partitions.
const coverTime = 10 * time.Second

// Cover makes the partitions that rows of the numbers need, from first to last, as far as there are none. made says whether
// it has made some. Others may do so at the same time. When ctx ends, Cover returns, and what it has begun goes on.
func (t *Tables) Cover(ctx context.Context, first, last int64) (made bool, err error) {
	if t.ready(first, last) {
		return false, nil
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if t.ready(first, last) {
		<-t.turn
		return false, nil
	}
	type result struct {
		made bool
		err  error
	}
	done := make(chan result, 1)
	aside.Go(t.db.Logger(), "making partitions", func() {
		defer func() { <-t.turn }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), coverTime)
		defer cancel()
		made, err := t.make(ctx, first, last)
		done <- result{made, err}
	})
	select {
	case r := <-done:
		if r.err != nil {
			return false, fmt.Errorf("making partitions: %w", r.err)
		}
		return r.made, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// ready is Ready for all numbers from first to last.
func (t *Tables) ready(first, last int64) bool {
	if t.db.Engine() != db.Postgres {
		return true
	}
	for at := first; at <= last; {
		k, found := t.find(at)
		if !found {
			return false
		}
		at = k.To
	}
	return true
}

func (t *Tables) make(ctx context.Context, first, last int64) (made bool, err error) {
	direct, err := db.Direct(t.db)
	if err != nil {
		return false, err
	}
	defer direct.Close()
	tx, err := direct.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if _, err = tx.ExecContext(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, coverLock)); err == nil {
		made, err = t.cover(ctx, tx, first, last)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err == nil {
		err = t.remember(ctx, direct)
	}
	return made, err
}

func (t *Tables) cover(ctx context.Context, tx *sql.Tx, first, last int64) (made bool, err error) {
	parts, err := t.read(ctx, tx)
	if err != nil {
		return false, err
	}
	for _, table := range t.names {
		of := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.table != table })
		for at := first; at <= last; {
			r, there := gap(of, at, t.days.Load())
			if at = r.To; there {
				continue
			}
			if err := add(ctx, tx, table, r); err != nil {
				return false, err
			}
			made = true
		}
	}
	return made, nil
}

// gap returns the range that has the number: that of a part, or else one of so many days that is between the parts.
func gap(parts []part, number, days int64) (r Range, there bool) {
	length := days << db.DayBits
	r.From = number - number%length
	r.To = r.From + length
	for _, p := range parts {
		switch {
		case p.Has(number):
			return p.Range, true
		case p.To <= number:
			r.From = max(r.From, p.To)
		default:
			r.To = min(r.To, p.From)
		}
	}
	return r, false
}

// add makes a partition. To make a table and then a partition of it locks out nobody. A table that is there already was
// taken out by hand. Nobody may analyze it while it is empty: PostgreSQL takes a table that it knows to be empty for one that
// is best read whole, and keeps that plan while it fills. Of one that it does not know it assumes ten pages.
func add(ctx context.Context, tx *sql.Tx, table string, r Range) error {
	name := r.Name(table)
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+name+` (LIKE `+table+` INCLUDING ALL)`); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, table, name, r.From, r.To))
	return err
}

// remember reads which partitions there are.
func (t *Tables) remember(ctx context.Context, direct *sql.DB) error {
	parts, err := t.read(ctx, direct)
	if err != nil {
		return err
	}
	var all []known
	for _, p := range parts {
		if p.pending || p.table != t.names[0] {
			continue
		}
		k, usual := known{Range: p.Range}, true
		for _, table := range t.names {
			i := slices.IndexFunc(parts, func(o part) bool { return o.table == table && o.Range == p.Range && !o.pending })
			if i >= 0 {
				k.names = append(k.names, parts[i].name)
				usual = usual && parts[i].name == p.Name(table)
			}
		}
		if len(k.names) < len(t.names) {
			continue
		}
		if !usual {
			k.names = nil
		}
		all = append(all, k)
	}
	t.known.Store(&all)
	return nil
}

// Missing says whether the error of a write is that a partition is missing.
func Missing(err error) bool {
	var refused interface{ SQLState() string }
	if !errors.As(err, &refused) {
		return false
	}
	state := refused.SQLState()
	return state == "42P01" || state == "23514" // no such table, no partition for the row
}
