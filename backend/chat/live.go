package chat

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/aside"
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
	// entriesAtOnce limits the journal entries of one reading.
	entriesAtOnce = 500
)

// What a [Listener] should look at, as bits.
const (
	Entries  = 1 << iota // the conversation, which has changed
	Presence             // whether an operator is there
	Typing               // an operator is typing
)

// Live notifies the open pages of visitors. One reader of the journal serves all listeners of a process and finds them
// by visitor. It sleeps while there are none. It is safe for concurrent use.
type Live struct {
	db      *db.DB
	journal *journal.Journal
	online  func(ctx context.Context, siteID int64) (bool, error)

	mu     sync.Mutex
	of     map[place]*Listener // the latest of each visitor, chained
	sites  map[int64]*audience
	count  int
	closed bool
	stop   context.CancelFunc
	ended  chan struct{}
}

// place is a visitor of a site.
type place struct {
	site    int64
	visitor visit.ID
}

// audience are the listeners of a site.
type audience struct {
	count  int
	online atomic.Bool
}

// NewLive returns a Live. online reports whether an operator is online for a site.
func NewLive(d *db.DB, j *journal.Journal, online func(ctx context.Context, siteID int64) (bool, error)) *Live {
	return &Live{db: d, journal: j, online: online, of: make(map[place]*Listener), sites: make(map[int64]*audience)}
}

// Listener receives what happens for one visitor. Only one goroutine may use it at a time.
type Listener struct {
	live     *Live
	place    place
	audience *audience
	before   *Listener // of the same visitor
	what     atomic.Uint32
	news     chan struct{}
}

// Listen returns a listener for the visitor. online is whether the visitor was last told that an operator is online.
// The caller closes the listener. ok is false if no more listeners are accepted.
func (l *Live) Listen(siteID int64, visitor visit.ID, online bool) (listener *Listener, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	a := l.sites[siteID]
	if a == nil {
		a = new(audience)
		a.online.Store(online)
		l.sites[siteID] = a
	}
	at := place{siteID, visitor}
	listener = &Listener{live: l, place: at, audience: a, before: l.of[at], news: make(chan struct{}, 1)}
	l.of[at] = listener
	a.count++
	if l.count++; l.count == 1 {
		var ctx context.Context
		ctx, l.stop = context.WithCancel(context.Background())
		l.ended = make(chan struct{})
		ended := l.ended
		aside.Go(l.db.Logger(), "telling visitors", func() {
			defer close(ended)
			aside.Keep(ctx, l.db.Logger(), "telling visitors", l.run)
		})
	}
	if a.online.Load() != online { // it has changed since it was asked
		listener.tell(Presence)
	}
	return listener, true
}

// News receives a value when there is something to [Listener.Take]. It is closed when the listener should end.
func (l *Listener) News() <-chan struct{} { return l.news }

// Take returns the bits of what should be looked at, and clears them.
func (l *Listener) Take() (what uint32) { return l.what.Swap(0) }

// Online reports whether an operator was online at the last check.
func (l *Listener) Online() bool { return l.audience.online.Load() }

// tell requires the lock of the live.
func (l *Listener) tell(what uint32) {
	l.what.Or(what)
	select {
	case l.news <- struct{}{}:
	default: // it has not taken the previous news yet
	}
}

// Close ends the listener.
func (l *Listener) Close() {
	live := l.live
	live.mu.Lock()
	var ended chan struct{}
	if live.remove(l) && live.count == 0 {
		live.stop()
		ended = live.ended
	}
	live.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// remove removes the listener, and reports whether it was there.
func (l *Live) remove(listener *Listener) bool {
	at := l.of[listener.place]
	switch {
	case at == nil:
		return false
	case at == listener && listener.before == nil:
		delete(l.of, listener.place)
	case at == listener:
		l.of[listener.place] = listener.before
	default:
		for at.before != nil && at.before != listener {
			at = at.before
		}
		if at.before == nil {
			return false
		}
		at.before = listener.before
	}
	l.count--
	if listener.audience.count--; listener.audience.count == 0 {
		delete(l.sites, listener.place.site)
	}
	return true
}

// Close ends all listeners and accepts no more.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for _, listener := range l.of {
		for ; listener != nil; listener = listener.before {
			close(listener.news)
		}
	}
	if l.count > 0 {
		l.stop()
	}
	clear(l.of)
}

// run notifies listeners until ctx ends.
func (l *Live) run(ctx context.Context) {
	follower := l.follow(ctx)
	if follower == nil {
		return
	}
	defer follower.Close()
	defer l.db.Overhear(typingTopic, l.heard)()
	came, forget := l.db.Subscribe(operator.Topic)
	defer forget()
	l.everybody(Entries) // what has come before the journal was followed
	look := time.NewTicker(presenceEvery)
	defer look.Stop()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-follower.News():
			l.read(ctx, follower)
		case <-came:
			l.lookAtPresence(ctx)
			again = time.After(presenceAgain)
		case <-again:
			l.lookAtPresence(ctx)
		case <-look.C:
			l.lookAtPresence(ctx)
		}
	}
}

// follow waits for the journal's position and starts there. It returns nil if ctx ends before.
func (l *Live) follow(ctx context.Context) *journal.Follower {
	for {
		end, err := l.journal.End(ctx)
		if err == nil {
			return l.journal.Follow(end, scope.All())
		}
		if !aside.Sleep(ctx, followPause) {
			return nil
		}
	}
}

// read notifies the listeners of new journal entries. If the database does not answer, the next wake tries again.
func (l *Live) read(ctx context.Context, follower *journal.Follower) {
	for {
		entries, err := follower.Next(ctx, entriesAtOnce)
		if err != nil || len(entries) == 0 {
			return
		}
		l.tellOf(entries)
	}
}

func (l *Live) tellOf(entries []journal.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		if e.Kind == Said || e.Kind == Changed {
			l.tell(place{e.SiteID, visit.ID(e.VisitorID)}, Entries)
		}
	}
}

// tell requires the lock.
func (l *Live) tell(of place, what uint32) {
	if l.closed {
		return
	}
	for listener := l.of[of]; listener != nil; listener = listener.before {
		listener.tell(what)
	}
}

func (l *Live) everybody(what uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for of := range l.of {
		l.tell(of, what)
	}
}

// lookAtPresence notifies the listeners of sites whose first operator has come online or whose last one has left.
func (l *Live) lookAtPresence(ctx context.Context) {
	l.mu.Lock()
	sites := make(map[int64]*audience, len(l.sites))
	for id, a := range l.sites {
		sites[id] = a
	}
	l.mu.Unlock()
	changed := make(map[int64]bool)
	for id, a := range sites {
		// If it cannot be found out, the last answer holds.
		if online, err := l.online(ctx, id); err == nil && a.online.Swap(online) != online {
			changed[id] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for of := range l.of {
		if changed[of.site] {
			l.tell(of, Presence)
		}
	}
}

// heard notifies the listeners concerned that somebody is typing.
func (l *Live) heard(topic string) {
	t, ok := parseTyping(topic)
	if !ok || t.By != Operator {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(place{t.SiteID, t.Visitor}, Typing)
}

// Typed says that somebody is typing now. It is sent to the nodes and not stored.
type Typed struct {
	SiteID, ConversationID int64
	Visitor                visit.ID
	// By is Visitor or Operator.
	By Author
	// OperatorID is the operator who is typing; 0 for the visitor.
	OperatorID int64
}

// typingTopic is the beginning of the topics for typing.
const typingTopic = "chat.typing "

// Typing tells all nodes that somebody is typing in the conversation. It holds for some seconds and has to be repeated.
func (c *Chats) Typing(of Conversation, by Author, operatorID int64) {
	c.db.Wake(typingTopic + strings.Join([]string{
		decimal(of.SiteID), decimal(of.ID), decimal(int64(of.Visitor)), string(by), decimal(operatorID)}, " "))
}

// OnTyping calls heard when somebody types, on any node, until cancel is called. heard must not block.
func (c *Chats) OnTyping(heard func(Typed)) (cancel func()) {
	return c.db.Overhear(typingTopic, func(topic string) {
		if t, ok := parseTyping(topic); ok {
			heard(t)
		}
	})
}

func parseTyping(topic string) (t Typed, ok bool) {
	fields := strings.Split(strings.TrimPrefix(topic, typingTopic), " ")
	if len(fields) != 5 {
		return Typed{}, false
	}
	var numbers [4]int64
	for i, field := range []string{fields[0], fields[1], fields[2], fields[4]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Typed{}, false
		}
		numbers[i] = n
	}
	by := Author(fields[3])
	return Typed{numbers[0], numbers[1], visit.ID(numbers[2]), by, numbers[3]}, by == Visitor || by == Operator
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
