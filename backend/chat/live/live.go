// Package live tells the open pages of visitors of what happens in their conversations, of somebody typing, and of operators who
// come and go. The streams of browsers ask it.
package live

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/typing"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// presenceEvery is the interval for checking whether operators are online, since nothing wakes the loop when a
	// lease expires or a group's hours end.
	presenceEvery = 2 * time.Second
	// presenceAgain is the time after a wake until the next check: the knowledge about operators may be a second old.
	presenceAgain = 1100 * time.Millisecond
	// followPause is the pause before asking the journal for its position again.
	followPause = time.Second
	// hearingEvery is how often it is looked whether the journal is read.
	hearingEvery = time.Second
	// entriesAtOnce limits the journal entries of one reading.
	entriesAtOnce = 500
)

// What a [Listener] should look at, as bits.
const (
	Entries  = 1 << iota // the conversation, which has changed
	Presence             // whether an operator is there
	Typing               // an operator is typing
	Hearing              // whether this node hears what happens
)

// Pages are the open pages of visitors. One reader of the journal serves all listeners of a process and finds them
// by visitor. It sleeps while there are none. It is safe for concurrent use.
type Pages struct {
	db      *db.DB
	chats   *chat.Chats
	journal *journal.Journal
	online  func(ctx context.Context, siteID int64) (bool, error)
	deaf    atomic.Bool

	mu     sync.Mutex
	of     map[holder]*Listener // the latest of each visitor, chained
	sites  map[int64]*audience
	count  int
	closed bool
	stop   context.CancelFunc
	ended  chan struct{}
}

// holder is a visitor of a site, who may have several pages open.
type holder struct {
	site    int64
	visitor visit.ID
}

// audience are the listeners of a site.
type audience struct {
	count  int
	online atomic.Bool
}

// New returns the pages of the visitors of these conversations. online reports whether an operator is online for a site.
func New(d *db.DB, chats *chat.Chats, j *journal.Journal, online func(ctx context.Context, siteID int64) (bool, error)) *Pages {
	return &Pages{db: d, chats: chats, journal: j, online: online, of: make(map[holder]*Listener), sites: make(map[int64]*audience)}
}

// Listen returns a listener for the visitor. online is whether the visitor was last told that an operator is online.
// The caller closes the listener. ok is false if no more listeners are accepted.
func (p *Pages) Listen(siteID int64, visitor visit.ID, online bool) (listener *Listener, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	a := p.sites[siteID]
	if a == nil {
		a = new(audience)
		a.online.Store(online)
		p.sites[siteID] = a
	}
	at := holder{siteID, visitor}
	listener = &Listener{pages: p, holder: at, audience: a, before: p.of[at], news: make(chan struct{}, 1)}
	p.of[at] = listener
	a.count++
	if p.count++; p.count == 1 {
		var ctx context.Context
		ctx, p.stop = context.WithCancel(context.Background())
		p.ended = make(chan struct{})
		ended := p.ended
		aside.Go(p.db.Logger(), "telling visitors", func() {
			defer close(ended)
			aside.Keep(ctx, p.db.Logger(), "telling visitors", p.run)
		})
	}
	if a.online.Load() != online { // it has changed since it was asked
		listener.tell(Presence)
	}
	if p.deaf.Load() {
		listener.tell(Hearing)
	}
	return listener, true
}

// remove removes the listener, and reports whether it was there.
func (p *Pages) remove(listener *Listener) bool {
	at := p.of[listener.holder]
	switch {
	case at == nil:
		return false
	case at == listener && listener.before == nil:
		delete(p.of, listener.holder)
	case at == listener:
		p.of[listener.holder] = listener.before
	default:
		for at.before != nil && at.before != listener {
			at = at.before
		}
		if at.before == nil {
			return false
		}
		at.before = listener.before
	}
	p.count--
	if listener.audience.count--; listener.audience.count == 0 {
		delete(p.sites, listener.holder.site)
	}
	return true
}

// Close ends all listeners and accepts no more.
func (p *Pages) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, listener := range p.of {
		for ; listener != nil; listener = listener.before {
			close(listener.news)
		}
	}
	if p.count > 0 {
		p.stop()
	}
	clear(p.of)
}

// run notifies listeners until ctx ends.
func (p *Pages) run(ctx context.Context) {
	follower := p.follow(ctx)
	if follower == nil {
		return
	}
	defer follower.Close()
	aside.Go(p.db.Logger(), "listening whether the journal is read", func() { p.listen(ctx, follower) })
	defer p.chats.OnTyping(p.heard)()
	came, forget := p.db.Subscribe(operator.Topic)
	defer forget()
	p.everybody(Entries) // what has come before the journal was followed
	look := time.NewTicker(presenceEvery)
	defer look.Stop()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-follower.News():
			p.read(ctx, follower)
		case <-came:
			p.lookAtPresence(ctx)
			again = time.After(presenceAgain)
		case <-again:
			p.lookAtPresence(ctx)
		case <-look.C:
			p.lookAtPresence(ctx)
		}
	}
}

// follow waits for the journal's position and starts there. It returns nil if ctx ends before.
func (p *Pages) follow(ctx context.Context) *journal.Follower {
	for {
		end, err := p.journal.End(ctx)
		if err == nil {
			return p.journal.Follow(end, scope.All())
		}
		if !aside.Sleep(ctx, followPause) {
			return nil
		}
	}
}

// listen notifies the listeners when the node becomes deaf, and when it hears again.
func (p *Pages) listen(ctx context.Context, follower *journal.Follower) {
	if p.deaf.Swap(false) { // when the one before ended
		p.everybody(Hearing)
	}
	for aside.Sleep(ctx, hearingEvery) {
		if deaf := follower.Deaf(); p.deaf.Swap(deaf) != deaf {
			p.everybody(Hearing)
		}
	}
}

// read notifies the listeners of new journal entries. If the database does not answer, the next wake tries again.
func (p *Pages) read(ctx context.Context, follower *journal.Follower) {
	for {
		entries, err := follower.Next(ctx, entriesAtOnce)
		if err != nil || len(entries) == 0 {
			return
		}
		p.tellOf(entries)
	}
}

func (p *Pages) tellOf(entries []journal.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range entries {
		if e.Kind == chat.Said || e.Kind == chat.Changed {
			p.tell(holder{e.SiteID, visit.ID(e.VisitorID)}, Entries)
		}
	}
}

// tell requires the lock.
func (p *Pages) tell(of holder, what uint32) {
	if p.closed {
		return
	}
	for listener := p.of[of]; listener != nil; listener = listener.before {
		listener.tell(what)
	}
}

func (p *Pages) everybody(what uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for of := range p.of {
		p.tell(of, what)
	}
}

// lookAtPresence notifies the listeners of sites whose first operator has come online or whose last one has left.
func (p *Pages) lookAtPresence(ctx context.Context) {
	p.mu.Lock()
	sites := make(map[int64]*audience, len(p.sites))
	maps.Copy(sites, p.sites)
	p.mu.Unlock()
	changed := make(map[int64]bool)
	for id, a := range sites {
		// If it cannot be found out, the last answer holds.
		if online, err := p.online(ctx, id); err == nil && a.online.Swap(online) != online {
			changed[id] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for of := range p.of {
		if changed[of.site] {
			p.tell(of, Presence)
		}
	}
}

// heard notifies the listeners concerned that somebody is typing.
func (p *Pages) heard(t typing.Typed) {
	if t.OperatorID == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(holder{t.SiteID, t.Visitor}, Typing)
}
