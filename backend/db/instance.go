package db

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"sync"
)

// Secret returns the installation's secret of that name: 32 random bytes, made
// when first asked for and the same on every node from then on.
func (d *DB) Secret(ctx context.Context, name string) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	var stored string
	err := d.Write(ctx, 0, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
			name, base64.StdEncoding.EncodeToString(fresh))
		if err != nil {
			return err
		}
		stored, _, err = One(ctx, tx, Only[string], `SELECT value FROM secrets WHERE name = $1`, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the secret %q: %w", name, err)
	}
	return base64.StdEncoding.DecodeString(stored)
}

// Sequence gives out numbers from 1 upwards that no node gives out twice. It
// takes them from the database a block at a time; what is left of a block when
// the process ends is skipped.
type Sequence struct {
	db    *DB
	name  string
	block int64

	mu        sync.Mutex
	next, end int64
}

// Sequence returns the sequence of that name, which reserves block numbers at
// a time.
func (d *DB) Sequence(name string, block int64) *Sequence {
	return &Sequence{db: d, name: name, block: block}
}

// key has all nodes lock the sequences in one order.
func (s *Sequence) key() int64 {
	hash := fnv.New64a()
	hash.Write([]byte(s.name))
	return int64(hash.Sum64())
}

// Next returns the next number. It waits for the database once in a block.
// It must not be called inside a write.
func (s *Sequence) Next(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.end {
		var first int64
		err := s.db.Write(ctx, s.key(), func(ctx context.Context, tx Tx) (err error) {
			first, err = s.Take(ctx, tx, s.block)
			return err
		})
		if err != nil {
			return 0, err
		}
		s.next, s.end = first, first+s.block
	}
	s.next++
	return s.next - 1, nil
}

// Take takes n numbers in a row within a write, and returns the first. They are
// taken when the write is committed. Until then other nodes wait that take some.
func (s *Sequence) Take(ctx context.Context, tx Tx, n int64) (first int64, err error) {
	first, _, err = One(ctx, tx, Only[int64], `INSERT INTO sequences (name, next) VALUES ($1, 1 + $2)
		ON CONFLICT (name) DO UPDATE SET next = sequences.next + $2 RETURNING next - $2`, s.name, n)
	if err != nil {
		return 0, fmt.Errorf("reserving numbers of %q: %w", s.name, err)
	}
	return first, nil
}
