package edge

import (
	"context"
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	regions "github.com/seed-3405227d/frontdesk/edge/region"
	"github.com/seed-3405227d/frontdesk/snippet/page"
	"github.com/seed-3405227d/frontdesk/snippet/survey"
	"github.com/seed-3405227d/frontdesk/snippet/weave/rival"
)

// Bounds on sampling. Looking at a page takes a few milliseconds, and its visitor never waits for it.
const (
	lookEvery    = time.Hour // between two looks at a page
	looksASecond = 3         // for all pages together
	looksAtOnce  = 10
	looksWaiting = 8 // pages of up to 256 KiB that may wait
	lookSlots    = 1 << 13
	learnTimeout = 10 * time.Second
)

// sampling finds out which telephone numbers the sites' pages show, and what their forms say of the fields. It looks at
// samples of the origins' pages, and skips pages that come too fast.
type sampling struct {
	edge    *Edge
	now     func() time.Time
	limiter *rate.Limiter
	queue   chan sample
	seed    maphash.Seed

	mu     sync.Mutex
	over   bool
	looked [lookSlots]look // by hash; two pages in one slot are looked at more often
}

// look says when a page was last looked at.
type look struct {
	page uint64
	at   time.Time
}

// sample is a page as its origin has sent it.
type sample struct {
	effects     *effect.Effects
	site        string // the site's key
	path        string
	host        string
	page        []byte
	contentType string
	whole       bool
}

func newSampling(edge *Edge, now func() time.Time) *sampling {
	return &sampling{
		edge: edge, now: now, seed: maphash.MakeSeed(),
		limiter: rate.NewLimiter(looksASecond, looksAtOnce),
		queue:   make(chan sample, looksWaiting),
	}
}

// sampler returns a function that takes the page of the answer as a sample. It returns nil if the page is not to be
// looked at. The function drops the page if too many samples wait.
func (l *sampling) sampler(b *effect.Effects, r *http.Request, q *effect.Request, purpose page.Purpose, now time.Time) func(page []byte, contentType string, whole bool) {
	path := q.URL.Path
	// A script asks for a part of a page only. A page that needs a password may be private.
	if r.Method != http.MethodGet || purpose.IsFetch() || r.Header.Get("Authorization") != "" || !l.due(q.Key, path, now) {
		return nil
	}
	return func(page []byte, contentType string, whole bool) {
		if len(page) == 0 {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.over {
			return
		}
		select {
		case l.queue <- sample{b, q.Key, path, r.Host, page, contentType, whole}:
		default:
		}
	}
}

// end takes no more samples, and drops those that wait: nothing of a configuration that has been replaced is held.
func (l *sampling) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for len(l.queue) > 0 {
		<-l.queue
	}
}

// due says whether the page is to be looked at now, and notes the look.
func (l *sampling) due(site, path string, now time.Time) bool {
	var h maphash.Hash
	h.SetSeed(l.seed)
	h.WriteString(site)
	h.WriteByte(0)
	h.WriteString(path)
	page := h.Sum64()
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
func (l *sampling) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			l.end()
			return
		case s := <-l.queue:
			var err error
			if l.edge.Guard("learning", func() { err = l.learn(ctx, s) }); err != nil && ctx.Err() == nil {
				l.edge.Logger.Warn("learning what a page shows failed", zap.String("site", s.site), zap.Error(err))
			}
		}
	}
}

func (l *sampling) learn(ctx context.Context, s sample) error {
	desk, done, err := l.edge.Service.Use()
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
	if err := desk.DeclareNumbers(ctx, site, s.effects.Settings.Declared()); err != nil {
		return err
	}
	f, err := s.effects.For(site, true)
	if err != nil {
		return err
	}
	if s.whole && len(f.Captures) > 0 {
		if err := l.edge.posts.Learn(ctx, desk.Forms, site, s.path, capture.ReadMarkup(s.page, s.contentType)); err != nil {
			return err
		}
	}
	var rivals []sighting.Rival
	for _, code := range rival.Find(s.page, *f.Code.Own()) {
		rivals = append(rivals, sighting.Rival{Loader: code.Loader, Account: code.Account})
	}
	if err := desk.Sightings.SeeRivals(ctx, site.ID, s.path, rivals); err != nil {
		return err
	}
	if !s.whole {
		return nil
	}
	found := make(map[string][]inventory.Writing)
	region := f.RegionNow(ctx, desk.Numbers)
	if region == "" {
		region = survey.Region(s.page, s.contentType, regions.OfHost(s.host))
	}
	for _, n := range survey.Page(s.page, s.contentType, region) {
		for _, w := range n.Writings {
			found[n.Digits] = append(found[n.Digits], inventory.Writing{Text: w.Text, Place: string(w.Kind), Count: w.Count})
		}
	}
	return desk.Numbers.Learn(ctx, site.ID, s.path, found)
}
