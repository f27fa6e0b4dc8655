package caddymodule

import (
	"sync"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// maxCodes is how many sites' insertion code a handler keeps at hand. One with
// numbers counts once more for each of them, as it takes 3 KB for their writings.
const maxCodes = 1 << 14

// codes are the insertion codes of a handler's sites by their keys and by the
// numbers that are shown.
type codes struct {
	settings snippet.Settings // without key and numbers
	numbers  *shownNumbers

	mu    sync.RWMutex
	byKey map[codeKey]*snippet.Code
	size  int
}

type codeKey struct {
	site   string
	choice number.Choice
}

func newCodes(settings snippet.Settings, numbers *shownNumbers) *codes {
	return &codes{settings: settings, numbers: numbers, byKey: make(map[codeKey]*snippet.Code)}
}

// of is the code for the site with the numbers that the choice shows.
func (c *codes) of(site string, choice number.Choice) (*snippet.Code, error) {
	key := codeKey{site, choice}
	c.mu.RLock()
	code := c.byKey[key]
	c.mu.RUnlock()
	if code != nil {
		return code, nil
	}
	settings := c.settings
	settings.SiteKey = site
	settings.Numbers = c.numbers.of(choice)
	settings.Everyone = choice == c.numbers.ofEveryone()
	code, err := snippet.New(settings)
	if err != nil {
		return nil, err
	}
	size := 1 + len(settings.Numbers)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += size; c.size > maxCodes {
		clear(c.byKey)
		c.size = size
	}
	c.byKey[key] = code
	return code, nil
}
