package sip

import (
	"context"
	"log/slog"

	"github.com/emiago/sipgo/sip"
	"go.uber.org/zap"
)

// The library has settings for the whole process. Its log of connections is switched off. Messages that are longer than
// a packet still go by UDP, in fragments, as others send them: trunks with UDP rarely accept TCP for longer messages
// (RFC 3261, section 18.1.1).
func init() {
	sip.SetDefaultLogger(slog.New(slog.DiscardHandler))
	sip.UDPMTUSize = maxMessage + 200 // the library leaves 200 free
}

// quiet receives the library's log. The library logs complete messages with numbers in them. So quiet keeps only the
// words, at debug level.
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
