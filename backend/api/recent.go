package api

import (
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// recentViews remembers the page views of browsers that came without a
// visitor's cookie, by the ids that the script made for them. When such a page
// is left before its view was answered, the view comes again with each call
// that is under way, and the browser has no cookie yet by which the visits
// could know that it is the same visitor.
//
// It remembers those of two periods, as limits does. A view that comes again
// later, or on another node, makes another visitor: no call is lost by it.
type recentViews struct {
	flight singleflight.Group

	mu              sync.Mutex
	began           time.Time
	recent, earlier map[string]visit.Hit
}

const (
	// viewPeriod is longer than the script goes on repeating a call.
	viewPeriod = 2 * time.Minute
	viewCount  = 1 << 14
)

// once stores a view that is new, and returns the hit of one that is not. Of
// those that come at the same moment, one is stored and the others wait for it.
func (v *recentViews) once(siteID int64, nonce string, store func() (visit.Hit, error)) (hit visit.Hit, repeated bool, err error) {
	key := strconv.FormatInt(siteID, 10) + " " + nonce
	repeated = true
	stored, err, _ := v.flight.Do(key, func() (any, error) {
		if known, ok := v.find(key); ok {
			return known, nil
		}
		fresh, err := store()
		if err == nil {
			v.add(key, fresh)
			repeated = false
		}
		return fresh, err
	})
	if err != nil {
		return visit.Hit{}, false, err
	}
	hit = stored.(visit.Hit)
	if repeated {
		hit.NewVisitor, hit.NewSession = false, false
	}
	return hit, repeated, nil
}

func (v *recentViews) find(key string) (visit.Hit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	hit, ok := v.recent[key]
	if !ok {
		hit, ok = v.earlier[key]
	}
	return hit, ok
}

func (v *recentViews) add(key string, hit visit.Hit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := time.Now(); v.recent == nil || now.Sub(v.began) > viewPeriod || len(v.recent) >= viewCount {
		v.earlier, v.recent, v.began = v.recent, make(map[string]visit.Hit), now
	}
	v.recent[key] = hit
}
