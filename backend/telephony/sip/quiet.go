package sip

import (
	"context"
	"log/slog"

	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"
)

// The library has settings for the whole process. What it tells of its connections is not logged. And
// what is longer than a packet is sent by UDP all the same, in fragments, as others do: trunks that are
// reached by UDP seldom take TCP for longer messages (RFC 3261, section 18.1.1).
func init() {
	sip.SetDefaultLogger(slog.New(slog.DiscardHandler))
	sip.UDPMTUSize = maxMessage + 200 // of which it leaves 200 free
}

// quiet takes what the library logs. It logs whole messages, with the numbers in them, so only the
// words are taken, and only for who looks for a fault.
func quiet(logger *zap.Logger) *slog.Logger { return slog.New(quietHandler{logger}) }

type quietHandler struct{ logger *zap.Logger }

// Enabled implements [slog.Handler].
func (h quietHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.logger.Core().Enabled(zap.DebugLevel)
}

// Handle implements [slog.Handler].
func (h quietHandler) Handle(_ context.Context, r slog.Record) error {
	h.logger.Debug("the SIP library has something to tell", zap.String("what", r.Message))
	return nil
}

// WithAttrs implements [slog.Handler].
func (h quietHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements [slog.Handler].
func (h quietHandler) WithGroup(string) slog.Handler { return h }
