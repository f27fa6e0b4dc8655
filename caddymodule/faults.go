package caddymodule

import (
	"sync"

	"go.uber.org/zap"
)

// seenFaults are the places at which a panic of our own has been logged.
type seenFaults struct {
	mu     sync.Mutex
	places map[string]bool
}

// first says whether this is the first at the place.
func (s *seenFaults) first(place string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places[place] {
		return false
	}
	if s.places == nil {
		s.places = make(map[string]bool)
	}
	s.places[place] = true
	return true
}

// fault counts a panic of our own that has been recovered. The first at each place, of which there are
// few, is logged with its stack.
func (a *App) fault(place string, cause any, stack []byte) {
	faults.WithLabelValues(place).Inc()
	if a.service.faults.first(place) {
		a.logger.Error("recovered from a panic, further ones at this place are only counted",
			zap.String("place", place), zap.Any("cause", cause), zap.ByteString("stack", stack))
	}
}
