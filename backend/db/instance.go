package db

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/db/sqlite"
)

// Secret returns the installation's secret of that name: 32 random bytes, made
// when first asked for and the same on every node from then on.
func (d *DB) Secret(ctx context.Context, name string) (stored []byte, err error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	err = d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
			name, fresh)
		if err != nil {
			return err
		}
		stored, _, err = One(ctx, tx, Only[[]byte], `SELECT value FROM secrets WHERE name = $1`, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the secret %q: %w", name, err)
	}
	return stored, nil
}

// Sequence gives out numbers from 1 upwards that no node gives out twice. It takes them from the database a block at a
// time; what is left of a block when the process ends is skipped.
type Sequence struct {
	db    *DB
	name  string
	block int64

	turn      chan struct{} // held by who takes a number
	next, end int64
}

// DayBits is how many bits of a number of a [DaySequence] say which of the day's it is; those above are the day.
const DayBits = sqlite.DayBits

// DaySequence is a [DB.Sequence] for numbers that tell the day on which they are drawn: whoever takes one by
// [Sequence.NextFrom] asks for the day's first at least, which is the day, counted from 1970, shifted by [DayBits].
func DaySequence(d *DB, name string, block int64) *Sequence {
	return d.Sequence(sqlite.OfDays+name, block)
}

// Sequence returns the sequence of that name, which reserves block numbers at a time.
func (d *DB) Sequence(name string, block int64) *Sequence {
	return &Sequence{db: d, name: name, block: block, turn: make(chan struct{}, 1)}
}

// Next returns the next number. It waits for the database once in a block. It must not be called inside a write.
func (s *Sequence) Next(ctx context.Context) (int64, error) { return s.NextFrom(ctx, 1) }

// NextFrom is [Sequence.Next] for a number that is not less than least. Those between are skipped, on all nodes.
func (s *Sequence) NextFrom(ctx context.Context, least int64) (int64, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { <-s.turn }()
	if s.next == s.end || s.next < least {
		first, err := s.reserve(ctx, least)
		if err != nil {
			return 0, err
		}
		s.next, s.end = first, first+s.block
	}
	s.next++
	return s.next - 1, nil
}

// reserve takes a block of numbers that are not less than least.
func (s *Sequence) reserve(ctx context.Context, least int64) (first int64, err error) {
	if s.db.engine == Postgres {
		return s.takeBeside(ctx, s.block, least)
	}
	err = s.db.Write(ctx, 0, func(ctx context.Context, tx Tx) (err error) {
		first, err = s.takeFrom(ctx, tx, s.block, least)
		return err
	})
	return first, err
}

// Take takes n numbers in a row within a write, and returns the first. On PostgreSQL they are taken beside the write's
// transaction, and skipped when that fails: nobody who takes numbers waits for it.
func (s *Sequence) Take(ctx context.Context, tx Tx, n int64) (first int64, err error) {
	return s.TakeFrom(ctx, tx, n, 1)
}

// TakeFrom is [Sequence.Take] for numbers that are not less than least. Those between are skipped, on all nodes.
func (s *Sequence) TakeFrom(ctx context.Context, tx Tx, n, least int64) (first int64, err error) {
	if s.db.engine == Postgres {
		return s.takeBeside(ctx, n, least)
	}
	return s.takeFrom(ctx, tx, n, least)
}

// takeBeside takes numbers by a statement that the server commits by itself.
func (s *Sequence) takeBeside(ctx context.Context, n, least int64) (first int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.db.patience())
	defer cancel()
	return s.takeFrom(ctx, Reader{s.db.write, s.db}, n, least)
}

func (s *Sequence) takeFrom(ctx context.Context, where Queries, n, least int64) (first int64, err error) {
	first, _, err = One(ctx, where, Only[int64], `INSERT INTO sequences (name, next) VALUES ($1, CAST($3 AS BIGINT) + $2)
		ON CONFLICT (name) DO UPDATE SET next = CASE WHEN sequences.next > $3 THEN sequences.next ELSE $3 END + $2 RETURNING next - $2`, s.name, n, least)
	if err != nil {
		return 0, fmt.Errorf("reserving numbers of %q: %w", s.name, err)
	}
	return first, nil
}
