package caddymodule

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/nyaruka/phonenumbers"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/snippet/survey"
)

// How much is looked at of what passes. A page costs a few milliseconds, and never
// its visitor's.
const (
	lookEvery    = time.Hour // at each page
	looksASecond = 3         // at all pages
	looksAtOnce  = 10
	looksWaiting = 8 // pages of up to 256 KiB that are kept until they have been looked at
	lookSlots    = 1 << 13
	learnTimeout = 10 * time.Second
)

// learner finds out which telephone numbers the sites' pages show, from samples of
// what the origins send. Pages that come too fast are not looked at.
type learner struct {
	app     *App
	now     func() time.Time
	limiter *rate.Limiter
	queue   chan sample
	seed    maphash.Seed

	mu     sync.Mutex
	looked [lookSlots]look // by hash: two pages in one slot are looked at more often
}

// look is when a page was looked at.
type look struct {
	page uint64
	at   time.Time
}

// sample is a page as its origin sent it.
type sample struct {
	handler     *Handler
	site        string // its key
	path        string
	page        []byte
	contentType string
}

func newLearner(app *App, now func() time.Time) *learner {
	return &learner{
		app: app, now: now, seed: maphash.MakeSeed(),
		limiter: rate.NewLimiter(looksASecond, looksAtOnce),
		queue:   make(chan sample, looksWaiting),
	}
}

// sampler takes the page that answers the request, or is nil when that is not to be
// looked at. What it takes is dropped when too many wait.
func (l *learner) sampler(h *Handler, site string, r *http.Request) func(page []byte, contentType string) {
	path := addressOfPage(r).Path
	// What a script asks for is a part of a page, and what needs a password may be
	// the visitor's own affair.
	if r.Method != http.MethodGet || isFetched(r.Header, path) || r.Header.Get("Authorization") != "" || !l.due(site, path) {
		return nil
	}
	return func(page []byte, contentType string) {
		if len(page) == 0 {
			return
		}
		select {
		case l.queue <- sample{h, site, path, page, contentType}:
		default:
		}
	}
}

// due tells whether a page is to be looked at now, and notes that it is.
func (l *learner) due(site, path string) bool {
	var h maphash.Hash
	h.SetSeed(l.seed)
	h.WriteString(site)
	h.WriteByte(0)
	h.WriteString(path)
	page, now := h.Sum64(), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := &l.looked[page%lookSlots]
	if slot.page == page && now.Sub(slot.at) < lookEvery || len(l.queue) == cap(l.queue) || !l.limiter.AllowN(now, 1) {
		return false
	}
	*slot = look{page, now}
	return true
}

// run looks at the samples until ctx is done.
func (l *learner) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-l.queue:
			if err := l.learn(ctx, s); err != nil && ctx.Err() == nil {
				l.app.logger.Warn("learning the numbers of a page failed", zap.String("site", s.site), zap.Error(err))
			}
		}
	}
}

func (l *learner) learn(ctx context.Context, s sample) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			l.app.fault("learning", cause, debug.Stack())
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	found := make(map[string][]number.Writing)
	for _, n := range survey.Page(s.page, s.contentType, s.handler.numberRegion()) {
		for _, w := range n.Writings {
			found[n.Digits] = append(found[n.Digits], number.Writing{Text: w.Text, Place: string(w.Kind), Count: w.Count})
		}
	}
	desk, done, err := l.app.service.Use()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, learnTimeout)
	defer cancel()
	site, err := desk.Sites.ByKey(ctx, s.site)
	if err != nil {
		return err
	}
	if desk.Numbers.Declared(s.site) == nil { // a site that the configuration does not name
		desk.Numbers.DeclareSite(s.site, s.handler.declaredNumbers())
	}
	return desk.Numbers.Learn(ctx, site.ID, s.path, found)
}

// numberRegion is the region in which numbers without a country code are read: that
// of the mask, or else of the first number.
func (h *Handler) numberRegion() string {
	if h.region == "" && len(h.Numbers) > 0 {
		return regionOfNumber(h.Numbers[0].Number)
	}
	return h.region
}

// regionOfNumber is the region of a number in international form, or empty.
func regionOfNumber(digits string) string {
	n, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return ""
	}
	return phonenumbers.GetRegionCodeForNumber(n)
}

// declaredNumbers are the handler's numbers as the console shows them.
func (h *Handler) declaredNumbers() []number.Declared {
	var declared []number.Declared
	for _, n := range h.Numbers {
		d := number.Declared{Digits: n.Number}
		for _, static := range n.Static {
			d.Tracking = append(d.Tracking, static.Number)
		}
		declared = append(declared, d)
	}
	return declared
}

// declaredNumbers are the numbers of all sites that the configuration names.
func (a *App) declaredNumbers() map[string][]number.Declared {
	declared := make(map[string][]number.Declared)
	a.eachHandler(func(_ *caddyhttp.Server, hosts []string, handler any) {
		h, ok := handler.(*Handler)
		if !ok || len(h.Numbers) == 0 {
			return
		}
		if h.namesOneSite() {
			declared[h.SiteKey] = append(declared[h.SiteKey], h.declaredNumbers()...)
		} else if h.SiteKey == hostPlaceholder {
			for _, host := range hosts {
				key := strings.ToLower(host)
				declared[key] = append(declared[key], h.declaredNumbers()...)
			}
		}
	})
	return declared
}
