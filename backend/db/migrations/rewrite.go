package migrations

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// pieceSize is how many rows are rewritten in one transaction.
	pieceSize = 500
	// restTimes is how much longer a rest is than the piece before it took, while nodes serve.
	restTimes = 4
)

// place is how far a rewriting has come.
type place struct {
	pass   int64
	behind []int64 // the last key of the pass; nil at its beginning
}

// rewrite goes through the table once, in the pass, from where it had come to. It rests between two pieces if somebody
// else uses the database.
func (s Schema) rewrite(ctx context.Context, of step, pass int64, resting bool) error {
	at, err := s.placeOf(ctx, of)
	for err == nil && at.pass <= pass {
		began := time.Now()
		at, err = s.piece(ctx, of, at)
		if resting && err == nil {
			err = sleep(ctx, restTimes*time.Since(began))
		}
	}
	if err != nil {
		return fmt.Errorf("rewriting %s: %w", of.table, err)
	}
	return nil
}

// placeOf is where the rewriting is.
func (s Schema) placeOf(ctx context.Context, of step) (at place, err error) {
	var behind string
	err = s.Read.QueryRowContext(ctx, `SELECT pass, behind FROM rewrites WHERE step = $1`, of.version).Scan(&at.pass, &behind)
	if errors.Is(err, sql.ErrNoRows) {
		return at, nil
	}
	if err == nil && behind != "" {
		err = json.Unmarshal([]byte(behind), &at.behind)
	}
	return at, err
}

// piece rewrites what is next, and returns where it ends: at its end, the next pass begins.
func (s Schema) piece(ctx context.Context, of step, at place) (next place, err error) {
	columns := strings.Join(of.key, ", ")
	var args []any
	query := `SELECT ` + columns + ` FROM ` + of.table
	marks := func(first int) string {
		all := make([]string, len(of.key))
		for i := range all {
			all[i] = fmt.Sprintf("$%d", first+i)
		}
		return `(` + strings.Join(all, ", ") + `)`
	}
	if at.behind != nil {
		query += ` WHERE (` + columns + `) > ` + marks(1)
		for _, n := range at.behind {
			args = append(args, n)
		}
	}
	// The last row of the piece, or the last of all.
	query = `SELECT * FROM (` + query + ` ORDER BY ` + columns + fmt.Sprintf(` LIMIT %d) AS piece ORDER BY `, pieceSize) + strings.Join(of.key, " DESC, ") + ` DESC LIMIT 1`
	last := make([]int64, len(of.key))
	into := make([]any, len(last))
	for i := range last {
		into[i] = &last[i]
	}
	next = place{pass: at.pass, behind: last}
	stored := ""
	switch err := s.Read.QueryRowContext(ctx, query, args...).Scan(into...); {
	case errors.Is(err, sql.ErrNoRows):
		next = place{pass: at.pass + 1}
	case err != nil:
		return at, err
	default:
		encoded, err := json.Marshal(last)
		if err != nil {
			return at, err
		}
		stored = string(encoded)
	}
	begin := at.behind
	if begin == nil { // before all keys
		begin = make([]int64, len(last))
		for i := range begin {
			begin[i] = -1 << 62
		}
	}
	bounds := make([]any, 0, 2*len(last))
	for _, n := range append(append([]int64(nil), begin...), last...) {
		bounds = append(bounds, n)
	}
	err = s.Write(ctx, func(ctx context.Context, tx Tx) error {
		if next.behind != nil {
			if _, err := tx.Exec(ctx, of.text, bounds...); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO rewrites (step, pass, behind) VALUES ($1, $2, $3) ON CONFLICT (step) DO UPDATE SET pass = EXCLUDED.pass, behind = EXCLUDED.behind`,
			of.version, next.pass, stored)
		return err
	})
	if err != nil {
		return at, err
	}
	return next, nil
}

// sleep waits, or returns the error of the context that has ended.
func sleep(ctx context.Context, rest time.Duration) error {
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
