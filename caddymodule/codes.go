package caddymodule

import (
	"sync"

	"github.com/seed-3405227d/frontdesk/snippet"
)

// maxCodes is how many sites' insertion code a handler keeps at hand.
const maxCodes = 1 << 14

// codes are the insertion codes of a handler's sites by their keys.
type codes struct {
	settings snippet.Settings // without key

	mu    sync.RWMutex
	byKey map[string]*snippet.Code
}

func newCodes(settings snippet.Settings) *codes {
	return &codes{settings: settings, byKey: make(map[string]*snippet.Code)}
}

// of is the code for the site.
func (c *codes) of(site string) (*snippet.Code, error) {
	c.mu.RLock()
	code := c.byKey[site]
	c.mu.RUnlock()
	if code != nil {
		return code, nil
	}
	settings := c.settings
	settings.SiteKey = site
	code, err := snippet.New(settings)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byKey) == maxCodes {
		clear(c.byKey)
	}
	c.byKey[site] = code
	return code, nil
}
