package place

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
)

// lookEvery is how often it is looked whether the file has changed.
const lookEvery = 10 * time.Second

// Networks tell places by a file that may change. They are safe for concurrent use.
type Networks struct {
	logger *zap.Logger
	file   atomic.Pointer[file] // nil while there is none

	mu       sync.Mutex
	settings Settings
	seen     version // of the file that was read, or refused, last
	refused  string  // why; empty if it was not
}

// New returns networks that know no place yet; see [Networks.Use].
func New(logger *zap.Logger) *Networks { return &Networks{logger: logger} }

// Of is where the address is. It reads memory alone.
func (n *Networks) Of(address netip.Addr) Place {
	if f := n.file.Load(); f != nil {
		return f.of(address)
	}
	return Place{}
}

// Use reads the file of the settings. If it cannot be read, the log tells why, and Follow tries again.
func (n *Networks) Use(s Settings) {
	n.mu.Lock()
	s.Language = cmp.Or(s.Language, DefaultLanguage)
	if s != n.settings {
		n.settings, n.seen, n.refused = s, version{}, ""
		n.file.Store(nil)
	}
	n.mu.Unlock()
	n.Look()
}

// Follow looks now and then whether the file has changed, until the context ends.
func (n *Networks) Follow(ctx context.Context) {
	for aside.Sleep(ctx, lookEvery) {
		n.Look()
	}
}

// Look reads the file if it has changed. A file that cannot be read leaves the one before in use.
func (n *Networks) Look() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.settings.File == "" {
		return
	}
	info, err := os.Stat(n.settings.File)
	if err != nil {
		n.refuse(version{}, err)
		return
	}
	now := versionOf(info)
	if now == n.seen {
		return
	}
	f, err := read(n.settings)
	switch {
	case errors.Is(err, errChanging): // to be looked at again
	case err != nil:
		n.refuse(now, err)
	default:
		n.file.Store(f)
		n.seen, n.refused = now, ""
		n.logger.Info("places are told by a file of networks", zap.String("file", n.settings.File), zap.String("type", f.Metadata.DatabaseType), zap.Time("built", f.Metadata.BuildTime()))
	}
}

// refuse notes why the version of the file is not used, and tells it once.
func (n *Networks) refuse(of version, err error) {
	told := n.seen == of && n.refused == err.Error()
	n.seen, n.refused = of, err.Error()
	if told {
		return
	}
	n.logger.Warn("the file of networks cannot be used", zap.String("file", n.settings.File), zap.Bool("former_in_use", n.file.Load() != nil), zap.Error(err))
}

// Check returns what the file of the settings is, in words, or why it cannot be used.
func Check(s Settings) (of string, err error) {
	f, err := read(s)
	if err != nil {
		return "", err
	}
	return f.Metadata.DatabaseType + " of " + f.Metadata.BuildTime().UTC().Format(time.DateOnly), nil
}
