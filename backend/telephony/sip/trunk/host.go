package trunk

import (
	"sync"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"
)

// Host is what the trunks of an exchange share.
type Host struct {
	UA     *sipgo.UserAgent
	Logger *zap.Logger
	// Beside runs f in a goroutine. what says in words what f does.
	Beside func(what string, f func())

	mu   sync.Mutex
	legs map[string]*Leg // by Call-ID
}

func (h *Host) add(l *Leg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.legs == nil {
		h.legs = make(map[string]*Leg)
	}
	h.legs[l.CallID] = l
}

func (h *Host) drop(l *Leg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.legs, l.CallID)
}

// Leg returns the leg with the Call-ID, or nil.
func (h *Host) Leg(callID string) *Leg {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.legs[callID]
}

// Legs returns how many legs there are.
func (h *Host) Legs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.legs)
}

// Respond answers a request with a status and headers only.
func (h *Host) Respond(r *sip.Request, tx sip.ServerTransaction, status int, reason string, headers ...sip.Header) {
	res := sip.NewResponseFromRequest(r, status, reason, nil)
	for _, header := range headers {
		res.AppendHeader(header)
	}
	if err := tx.Respond(res); err != nil {
		h.Logger.Debug("a SIP request could not be answered", zap.Int("status", status), zap.Error(err))
	}
}
