package live

import (
	"context"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// Shared finds things for all open streams together: what many of them ask for
// at once is looked for once, and is not looked for again for a while.
type Shared[K comparable, V any] struct {
	find   func(context.Context, K) (V, error)
	lasts  time.Duration
	now    func() time.Time
	found  *lru.Cache[K, finding[V]]
	flight singleflight.Group
}

type finding[V any] struct {
	value V
	at    time.Time
}

// NewShared returns a shared that keeps a number of findings, each for as long as
// it lasts.
func NewShared[K comparable, V any](number int, lasts time.Duration, now func() time.Time, find func(context.Context, K) (V, error)) *Shared[K, V] {
	found, err := lru.New[K, finding[V]](number)
	if err != nil { // the number is not positive
		panic(err)
	}
	return &Shared[K, V]{find: find, lasts: lasts, now: now, found: found}
}

func (s *Shared[K, V]) Get(ctx context.Context, key K) (value V, err error) {
	if known, found := s.found.Get(key); found && s.now().Sub(known.at) < s.lasts {
		return known.value, nil
	}
	result := s.flight.DoChan(fmt.Sprintf("%v", key), func() (any, error) {
		// It goes on when the one who asked first has gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLate)
		defer cancel()
		value, err := s.find(ctx, key)
		if err == nil {
			s.found.Add(key, finding[V]{value, s.now()})
		}
		return value, err
	})
	select {
	case <-ctx.Done():
		return value, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return value, r.Err
		}
		return r.Val.(V), nil
	}
}
