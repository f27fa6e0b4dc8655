package db

import (
	"context"
	"database/sql"
	"sync"
)

// statements are the prepared statements of the writers.
//
// A statement that is asked for the first time is asked for inside a
// transaction, which on SQLite holds the only connection; so it is prepared
// for good after that transaction has ended.
type statements struct {
	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
	wanted   []string
}

// known is the statement of the query, or nil, in which case it is known the
// next time.
func (s *statements) known(query string) *sql.Stmt {
	s.mu.RLock()
	stmt := s.prepared[query]
	s.mu.RUnlock()
	if stmt == nil {
		s.mu.Lock()
		s.wanted = append(s.wanted, query)
		s.mu.Unlock()
	}
	return stmt
}

func (s *statements) prepare(ctx context.Context, pool *sql.DB) {
	s.mu.RLock()
	idle := len(s.wanted) == 0
	s.mu.RUnlock()
	if idle {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prepared == nil {
		s.prepared = make(map[string]*sql.Stmt)
	}
	for _, query := range s.wanted {
		if s.prepared[query] != nil {
			continue
		}
		// One that cannot be prepared fails where it is used.
		if stmt, err := pool.PrepareContext(ctx, query); err == nil {
			s.prepared[query] = stmt
		}
	}
	s.wanted = nil
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.prepared {
		stmt.Close()
	}
	s.prepared = nil
}
