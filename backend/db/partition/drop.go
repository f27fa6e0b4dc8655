package partition

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Taking takes partitions out of their tables, for as long as [Tables.Take] runs.
type Taking struct {
	*Tables
	Direct *sql.Conn // to the server, for reading what was taken
}

// Taken are partitions that are out of their tables: tables of their own, which nobody else asks any more.
type Taken struct {
	Range
	// Names are those of the tables, in the order of [New].
	Names []string
	// Settled says that an earlier process has settled what stays: see [Taking.Settle].
	Settled bool
}

// Take has do take partitions away. One process of all does so at a time; mine is false if it is another.
func (t *Tables) Take(ctx context.Context, do func(context.Context, *Taking) error) (mine bool, err error) {
	pool, err := db.Direct(t.db)
	if err != nil {
		return false, fmt.Errorf("taking partitions: %w", err)
	}
	defer pool.Close()
	direct, err := pool.Conn(ctx)
	if err != nil {
		return false, fmt.Errorf("taking partitions: %w", err)
	}
	defer direct.Close() // the lock goes with the connection
	if err := direct.QueryRowContext(ctx, fmt.Sprintf(`SELECT pg_try_advisory_lock(%d)`, dropLock)).Scan(&mine); err != nil || !mine {
		return false, err
	}
	return true, do(ctx, &Taking{t, direct})
}

// taken is the comment of a partition that is taken away, from before it is taken out until it is dropped. So it is known
// what to go on with if the process ends. gone is what follows its name once it is out: its range may need another one.
const (
	taken   = "frontdesk: taken out, to be dropped"
	settled = taken + " whole"
	gone    = "_gone"
)

// Left returns the ranges that somebody has begun to take away, and not ended to.
func (t *Tables) Left(ctx context.Context) (left []Range, err error) {
	if t.db.Engine() != db.Postgres {
		return nil, nil
	}
	names, err := db.List(ctx, t.db.Read(), db.Only[string], `SELECT c.relname FROM pg_class c
		JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND d.description LIKE '`+taken+`%' ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("looking for partitions that were taken: %w", err)
	}
	for _, name := range names {
		if days := partitionName.FindStringSubmatch(name); days != nil {
			from, _ := strconv.ParseInt(days[1], 10, 64)
			to, _ := strconv.ParseInt(days[2], 10, 64)
			if r := (Range{from << db.DayBits, to << db.DayBits}); !slices.Contains(left, r) {
				left = append(left, r)
			}
		}
	}
	return left, nil
}

var partitionName = regexp.MustCompile(`_(\d+)_(\d+)(` + gone + `)?$`)

// ErrBusy means that somebody has used a table for so long, such as a backup, that its partition could not be taken out yet.
var ErrBusy = errors.New("somebody else is using the table")

// Out takes the partitions of the range out of their tables, or what is left of them there. Statements that have begun
// before go on with them, and those that come do not wait. The error may be [ErrBusy]; then it is tried again later.
func (t *Taking) Out(ctx context.Context, r Range) (of Taken, err error) {
	parts, err := t.read(ctx, t.Direct)
	if err != nil {
		return of, err
	}
	of = Taken{Range: r, Names: make([]string, len(t.names))}
	for i, table := range t.names {
		of.Names[i] = r.Name(table) + gone
		var out bool
		var comment string
		if err := t.Direct.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL, COALESCE(obj_description(to_regclass($1), 'pg_class'), '')`, of.Names[i]).Scan(&out, &comment); err != nil {
			return of, fmt.Errorf("taking partitions: %w", err)
		}
		of.Settled = of.Settled || comment == settled
		if out { // there may be another partition of the range by now
			continue
		}
		name := r.Name(table)
		steps := []string{`ALTER TABLE IF EXISTS ` + name + ` RENAME TO ` + of.Names[i]}
		if n := slices.IndexFunc(parts, func(p part) bool { return p.name == name }); n >= 0 && parts[n].pending {
			// It waits as a writer, and the journal's readers wait for writers.
			steps = append([]string{`SET lock_timeout = ` + finalTime, `ALTER TABLE ` + table + ` DETACH PARTITION ` + name + ` FINALIZE`, `RESET lock_timeout`}, steps...)
		} else if n >= 0 {
			steps = append([]string{`COMMENT ON TABLE ` + name + ` IS '` + taken + `'`, `ALTER TABLE ` + table + ` DETACH PARTITION ` + name + concurrently}, steps...)
		}
		for _, step := range steps {
			err := t.exec(ctx, step)
			if detach, found := strings.CutSuffix(step, concurrently); found && refusedAs(err, "XX000") { // Citus cannot, and calls that an internal error
				err = t.exec(ctx, detach)
			}
			if err != nil {
				return of, err
			}
		}
	}
	t.Forget()
	return of, nil
}

// finalTime is how long it may take until nobody uses a partition that readers have kept, in milliseconds.
const finalTime = `200`

// concurrently has a partition taken out without locking out its readers and writers.
const concurrently = " CONCURRENTLY"

// exec executes a statement outside of transactions.
func (t *Taking) exec(ctx context.Context, statement string) error {
	_, err := t.Direct.ExecContext(ctx, statement)
	if refusedAs(err, "55P03") {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("taking partitions: %w", err)
	}
	return nil
}

// refusedAs says whether PostgreSQL has refused a statement with the code (its manual, appendix A).
func refusedAs(err error, code string) bool {
	var refused interface{ SQLState() string }
	return errors.As(err, &refused) && refused.SQLState() == code
}

// Settle has move put the rows back that stay, in a transaction, unless that has been done. Whoever finds the partitions
// after that knows that all of them goes.
func (t *Taking) Settle(ctx context.Context, of Taken, move func(*sql.Tx) error) error {
	if of.Settled {
		return nil
	}
	tx, err := t.Direct.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("taking partitions: %w", err)
	}
	defer tx.Rollback()
	if err = move(tx); err == nil {
		_, err = tx.ExecContext(ctx, `COMMENT ON TABLE `+of.Names[0]+` IS '`+settled+`'`)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("keeping rows of taken partitions: %w", err)
	}
	return nil
}

// Drop deletes the partitions that were taken out.
func (t *Taking) Drop(ctx context.Context, of Taken) error {
	return t.exec(ctx, `DROP TABLE `+strings.Join(of.Names, ", ")) // at once, so that each has been taken out by the one who finds another
}
