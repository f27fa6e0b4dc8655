package topic

import (
	"context"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// Nodes are all that use the database.
type Nodes interface {
	// Listen calls begun when it begins to hear the nodes, and heard with each topic that one announces, until it is
	// interrupted.
	Listen(ctx context.Context, begun func(), heard func(topic string)) error
	Announce(ctx context.Context, topic string) error
}

// askEvery is how often readers are woken while nobody listens, and the pause before it is tried again.
const askEvery = time.Second

// Listen passes on what other nodes announce, connecting again whenever the
// connection is lost. Until then every reader is woken each second, and once
// more after each connect, because what was announced in between is gone.
func Listen(ctx context.Context, t *Topics, nodes Nodes, logger *zap.Logger) {
	var listens atomic.Bool
	aside.Go(logger, "asking while nobody listens", func() {
		for aside.Sleep(ctx, askEvery) {
			if !listens.Load() {
				t.all()
			}
		}
	})
	begun := func() {
		listens.Store(true)
		t.all()
	}
	for ctx.Err() == nil {
		err := nodes.Listen(ctx, begun, t.wake)
		if listens.Store(false); ctx.Err() != nil {
			return
		}
		logger.Warn("listening for other nodes interrupted", zap.Error(err))
		aside.Sleep(ctx, askEvery)
	}
}

// Announce tells the other nodes which topics have news, at most once every
// announceEvery for all of them together.
func Announce(ctx context.Context, t *Topics, nodes Nodes, logger *zap.Logger) {
	const announceEvery = 100 * time.Millisecond
	ticker := time.NewTicker(announceEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, topic := range t.takeUnannounced() {
			// A lost announcement only delays the readers of other nodes.
			if err := nodes.Announce(ctx, topic); err != nil {
				logger.Debug("announcing to other nodes failed", zap.Error(err))
			}
		}
	}
}
