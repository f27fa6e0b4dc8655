// Package replica knows the replicas of a PostgreSQL server: which of them may be asked what is allowed to be some seconds
// old, and which are lost or too far behind. It is asked by package db alone.
package replica

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Limit is by how much a replica that is asked may be behind the primary, as it was when it was last looked at.
	Limit = 5 * time.Second
	// Patience is how long a server may take to connect, or to say where it is. Who takes longer is lost.
	Patience = 2 * time.Second
	// lookEvery is how often each server is asked where it is.
	lookEvery = time.Second
)

// Replicas are the replicas of one primary. They are safe for concurrent use.
type Replicas struct {
	primary *sql.DB
	refused func(error) bool
	all     []*Replica
	turn    atomic.Uint32
	looked  chan struct{} // closed when the primary has been looked at
	once    sync.Once

	mu   sync.Mutex
	past []moment // of the primary, the latest last
}

// moment is where a server was in the log of its cluster.
type moment struct {
	place
	at time.Time
}

// place is a position in the log of a database: in bytes, behind which nothing has been written, or replayed.
type place struct {
	cluster, database string
	replica           bool
	bytes             int64
}

// New returns no replicas yet. primary is the pool that tells where the primary is; [Replicas.Close] closes it. refused
// says whether an error is that of a server which has heard a statement and answered.
func New(primary *sql.DB, refused func(error) bool) *Replicas {
	return &Replicas{primary: primary, refused: refused, looked: make(chan struct{})}
}

// Add adds a replica, before any is asked. It is lost until it has been looked at, by a connection of its own: questions that
// take long are no reason to lose it.
func (s *Replicas) Add(name string, pool, look *sql.DB) {
	s.all = append(s.all, &Replica{name: name, pool: pool, looking: look, of: s, trouble: &Trouble{Name: name, Err: errUnseen}})
}

// Looks are what has to run, each for as long as the replicas may be asked.
func (s *Replicas) Looks() (looks []func(context.Context)) {
	looks = append(looks, func(ctx context.Context) {
		repeat(ctx, func(ctx context.Context) {
			s.lookAtPrimary(ctx)
			s.once.Do(func() { close(s.looked) })
		})
	})
	for _, r := range s.all {
		looks = append(looks, func(ctx context.Context) {
			select {
			case <-s.looked: // else the first look at a replica compares it with nothing
				repeat(ctx, r.look)
			case <-ctx.Done():
			}
		})
	}
	return looks
}

// repeat runs f at once and then regularly.
func repeat(ctx context.Context, f func(context.Context)) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, Patience)
		f(within)
		cancel()
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// Next is the replica whose turn it is among those that may be asked; nil when none may. It does not wait.
func (s *Replicas) Next() *Replica {
	turn := s.turn.Add(1)
	for i := range s.all {
		if r := s.all[(int(turn)+i)%len(s.all)]; r.fit() {
			return r
		}
	}
	return nil
}

// Troubles are why some of the replicas are not asked, that of the longest first.
func (s *Replicas) Troubles() (troubles []Trouble) {
	for _, r := range s.all {
		r.mu.Lock()
		if r.trouble != nil {
			troubles = append(troubles, *r.trouble)
		}
		r.mu.Unlock()
	}
	slices.SortStableFunc(troubles, func(a, b Trouble) int { return a.Since.Compare(b.Since) })
	return troubles
}

// Close closes all connections, also that to the primary. Nobody may look or ask any more.
func (s *Replicas) Close() {
	s.primary.Close()
	for _, r := range s.all {
		r.lose(errClosed)
		r.pool.Close()
		r.looking.Close()
	}
}

// placeOf asks a server where it is. Its functions may be called by everybody.
func placeOf(ctx context.Context, server *sql.DB) (p place, err error) {
	err = server.QueryRowContext(ctx, `SELECT system_identifier::text, (SELECT oid::text FROM pg_database WHERE datname = current_database()), pg_is_in_recovery(),
		COALESCE(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn, 0)::bigint FROM pg_control_system()`).
		Scan(&p.cluster, &p.database, &p.replica, &p.bytes)
	return p, err
}

// lookAtPrimary notes where the primary is. What had been written before that moment is in front of that place.
func (s *Replicas) lookAtPrimary(ctx context.Context) {
	asked := time.Now()
	p, err := placeOf(ctx, s.primary)
	if err != nil || p.replica {
		return // replicas that nothing is compared with are behind after a while
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.past); n > 0 && (s.past[n-1].cluster != p.cluster || s.past[n-1].database != p.database || s.past[n-1].bytes > p.bytes) {
		s.past = nil // another server has become the primary
	}
	s.past = append(s.past, moment{p, asked})
	for len(s.past) > 1 && asked.Sub(s.past[0].at) > 2*Limit {
		s.past = s.past[1:]
	}
}

// behind returns why a server that is there may not be asked; nil if it may: then it has all that had been written before
// the time [Limit] ago. bytes are those that it lacks, with errBehind.
func (s *Replicas) behind(p place) (bytes int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.past) == 0 {
		return 0, errPrimary
	}
	latest := s.past[len(s.past)-1]
	switch {
	case p.cluster != latest.cluster || p.database != latest.database:
		return 0, errStranger
	case !p.replica:
		return 0, errNoReplica
	case time.Since(latest.at) > Limit:
		return 0, errPrimary
	}
	for _, m := range slices.Backward(s.past) {
		if m.bytes <= p.bytes && time.Since(m.at) <= Limit {
			return 0, nil
		}
	}
	return latest.bytes - p.bytes, ErrBehind
}
