package journal

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

const (
	// window is how many of the latest entries are in memory, for all followers together.
	window = 1000
	// readAtOnce bounds how many entries one query reads.
	readAtOnce = 500
	// gathering is the least time between two reads of the hub. Wakes within that time count as one.
	gathering = 100 * time.Millisecond
	// settling is how often the hub reads without a wake. On PostgreSQL, an entry that waited for an older transaction
	// to end wakes nobody.
	settling = time.Second
	// silence is how long the hub may wait for an answer until its followers count as deaf.
	silence = 3 * time.Second
)

// Follower reads the journal from its own position. All followers of a process share one reader of the database. A
// Follower is used by one goroutine at a time.
type Follower struct {
	hub      *hub
	sites    scope.Sites
	also     []Subject
	position Position
	news     chan struct{}
}

// Subject says what entries of a kind are about.
type Subject struct {
	Kind string
	ID   int64
}

// Follow returns a follower of the entries behind the position: those at the sites, and those about the subjects at any
// site. The caller closes it.
func (j *Journal) Follow(p Position, sites scope.Sites, also ...Subject) *Follower {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.hub == nil {
		ctx, stop := context.WithCancel(context.Background())
		j.hub = &hub{journal: j, news: &Journal{db: j.db, read: j.db.News}, followers: make(map[*Follower]struct{}), stop: stop, ended: make(chan struct{})}
		h := j.hub
		aside.Go(j.db.Logger(), "reading the journal", func() {
			defer close(h.ended)
			aside.Keep(ctx, j.db.Logger(), "reading the journal", h.run)
		})
	}
	f := &Follower{hub: j.hub, sites: sites, also: also, position: p, news: make(chan struct{}, 1)}
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.hub.followers[f] = struct{}{}
	if f.hub.ready { // otherwise the hub tells it later
		f.news <- struct{}{}
	}
	return f
}

func (f *Follower) follows(e Entry) bool {
	return f.sites.Has(e.SiteID) || slices.Contains(f.also, Subject{e.Kind, e.SubjectID})
}

// News receives a value when [Follower.Next] may have something to return.
func (f *Follower) News() <-chan struct{} { return f.news }

// Deaf tells whether the journal has been asked in vain for three seconds: the server of the database does not answer
// this node. Others may hear what happens all the while. SQLite has no others.
func (f *Follower) Deaf() bool {
	asked := f.hub.asked.Load()
	return f.hub.journal.db.Engine() == db.Postgres && asked != nil && time.Since(*asked) > silence
}

// Hearing returns a context that ends with the other one, with its cancel function, and within a second after the
// follower has become deaf: see [Follower.Deaf].
func (f *Follower) Hearing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	aside.Go(f.hub.journal.db.Logger(), "listening whether the journal is read", func() {
		for aside.Sleep(ctx, settling) {
			if f.Deaf() {
				cancel()
			}
		}
	})
	return ctx, cancel
}

// Position returns the position behind everything that Next has returned or skipped.
func (f *Follower) Position() Position { return f.position }

// Next returns at most limit entries behind the follower's position, oldest first, and moves the position on. It
// returns none if there is none yet. It reads the database only if the follower has fallen behind the entries in
// memory.
func (f *Follower) Next(ctx context.Context, limit int) ([]Entry, error) {
	for {
		entries, from, ready := f.hub.behind(f, limit)
		if entries != nil || !ready || !from.Behind(f.position) {
			return entries, nil
		}
		entries, err := f.hub.journal.between(ctx, f.position, from, f, limit)
		if err != nil {
			return nil, err
		}
		if len(entries) == limit {
			f.position = entries[len(entries)-1].Position
			return entries, nil
		}
		f.position = from // there is nothing else up to here
		if len(entries) > 0 {
			return entries, nil
		}
	}
}

// Close ends the follower. The hub ends with its last follower.
func (f *Follower) Close() {
	j, h := f.hub.journal, f.hub
	j.mu.Lock()
	h.mu.Lock()
	delete(h.followers, f)
	last := len(h.followers) == 0
	h.mu.Unlock()
	if last && j.hub == h {
		j.hub = nil
	}
	j.mu.Unlock()
	if last {
		h.stop()
		<-h.ended
	}
}

// hub reads new entries of the journal, once for all followers. It lives as long as there are followers.
//
// The hub keeps the latest entries in memory, and each follower has a position among them. A slow follower costs nobody
// anything: the entries move on, and the follower reads the database up to where they begin.
type hub struct {
	journal *Journal
	news    *Journal // what only this one reads by
	stop    context.CancelFunc
	ended   chan struct{}
	asked   atomic.Pointer[time.Time] // since when the journal is asked in vain; nil when it is not

	mu        sync.Mutex
	followers map[*Follower]struct{}
	ready     bool
	from      Position // recent has all entries behind this position, up to end
	end       Position
	recent    []Entry
}

func (h *hub) run(ctx context.Context) {
	happened, forget := h.journal.db.Subscribe(Topic)
	defer forget()
	settled := time.NewTicker(settling)
	defer settled.Stop()
	for {
		// If the database does not answer, the next turn asks it again.
		for more := true; more; {
			more = h.read(ctx)
		}
		if !aside.Sleep(ctx, gathering) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-happened:
		case <-settled.C:
		}
	}
}

// asks notes that the journal is asked now, and hears that it has answered.
func (h *hub) asks() {
	now := time.Now()
	h.asked.CompareAndSwap(nil, &now)
}

func (h *hub) hears() { h.asked.Store(nil) }

// read reads new entries, and says whether there may be more.
func (h *hub) read(ctx context.Context) bool {
	h.asks()
	if !h.ready { // only this goroutine sets ready
		latest, err := h.news.latest(ctx, readAtOnce)
		if err != nil {
			return false
		}
		h.hears()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ready = true
		if len(latest) == readAtOnce { // there are older ones
			h.from = latest[0].Position
			latest = latest[1:]
		}
		h.take(latest)
		return false
	}
	entries, err := h.news.After(ctx, h.end, readAtOnce)
	if err != nil {
		return false
	}
	h.hears()
	if len(entries) == 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.take(entries)
	return len(entries) == readAtOnce
}

// take adds the entries and wakes the followers. The caller holds the lock.
func (h *hub) take(entries []Entry) {
	h.recent = append(h.recent, entries...)
	if over := len(h.recent) - window; over > 0 {
		h.from = h.recent[over-1].Position
		h.recent = slices.Clone(h.recent[over:])
	}
	h.end = h.from
	if n := len(h.recent); n > 0 {
		h.end = h.recent[n-1].Position
	}
	for f := range h.followers {
		select {
		case f.news <- struct{}{}:
		default: // it has not received the previous value yet
		}
	}
}

// behind returns the entries in memory for the follower, and moves the follower's position on. If the follower is
// further back, from is the position up to which it must read the database.
func (h *hub) behind(f *Follower, limit int) (entries []Entry, from Position, ready bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ready || h.from.Behind(f.position) {
		return nil, h.from, h.ready
	}
	first := sort.Search(len(h.recent), func(i int) bool { return h.recent[i].Behind(f.position) })
	for _, e := range h.recent[first:] {
		if len(entries) == limit {
			return entries, h.from, true
		}
		if f.follows(e) {
			entries = append(entries, e)
		}
		f.position = e.Position
	}
	return entries, h.from, true
}

// latest returns the latest entries, oldest first.
func (j *Journal) latest(ctx context.Context, limit int) ([]Entry, error) {
	entries, err := j.list(ctx, columns+` WHERE seq > 0`+j.settled()+` ORDER BY tx DESC, seq DESC LIMIT $1`, limit)
	slices.Reverse(entries)
	return entries, err
}

// between returns the follower's entries between two positions. The hub has already read all up to the second.
func (j *Journal) between(ctx context.Context, p, to Position, f *Follower, limit int) ([]Entry, error) {
	followed := f.sites.SQL("site_id")
	args := []any{p.Tx, p.Seq, to.Tx, to.Seq, limit}
	for _, s := range f.also {
		followed += fmt.Sprintf(` OR kind = $%d AND subject_id = $%d`, len(args)+1, len(args)+2)
		args = append(args, s.Kind, s.ID)
	}
	by := ""
	if len(f.also) == 0 {
		by = j.by(f.sites)
	}
	return j.list(ctx, columns+by+` WHERE `+j.place(">", "$1", "$2")+` AND `+j.place("<=", "$3", "$4")+` AND (`+followed+`) ORDER BY tx, seq LIMIT $5`, args...)
}
