package link

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/pace"
)

// Wait is the error of who has tried too many tokens of no link, and for how long the network has to wait.
type Wait time.Duration

func (Wait) Error() string { return "too many tokens of no link" }

// guesses counts by network the tokens of which none is a link's.
type guesses struct {
	mu       sync.Mutex
	networks pace.ByNetwork
}

// OpenFor is [Links.Open] for a client. The error may be a [Wait].
func (s *Links) OpenFor(ctx context.Context, client netip.Addr, token string) (l Link, err error) {
	g := &s.guesses
	tallies := g.networks.Of(client)
	g.mu.Lock()
	var wait time.Duration
	for _, tally := range tallies {
		wait = max(wait, tally.Wait(s.now()))
	}
	if wait > 0 {
		g.mu.Unlock()
		return l, Wait(wait)
	}
	for _, tally := range tallies {
		tally.Begin()
	}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, tally := range tallies {
			tally.End(s.now(), errors.Is(err, ErrUnknown))
		}
	}()
	return s.Open(ctx, token)
}
