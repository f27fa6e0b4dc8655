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
	// presenceEvery is how often it is looked whether operators are there, since nobody is woken when a lease runs out
	// or a group's hours end.
	presenceEvery = 2 * time.Second
	// presenceAgain is when it is looked again after a wake: what is known of operators may be a second old.
	presenceAgain = 1100 * time.Millisecond
	// followPause is the pause before the journal is asked again where it stands.
	followPause = time.Second
	// entriesAtOnce bounds how many entries of the journal are taken together.
	entriesAtOnce = 500
)

// What a [Listener] has to look at, as bits.
const (
	Entries  = 1 << iota // the conversation, which has changed
	Presence             // whether an operator is there
	Typing               // an operator is typing
)

// Live tells the open pages of visitors that something has happened for them. One reader of the journal serves all
// listeners of a process, and finds those concerned by their visitor. It sleeps while there is none. It is safe for
// concurrent use.
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

// NewLive returns what tells the visitors' pages. online says whether an operator is there for a site.
func NewLive(d *db.DB, j *journal.Journal, online func(ctx context.Context, siteID int64) (bool, error)) *Live {
	return &Live{db: d, journal: j, online: online, of: make(map[place]*Listener), sites: make(map[int64]*audience)}
}

// Listener hears of what happens for one visitor. It is used by one goroutine at a time.
type Listener struct {
	live     *Live
	place    place
	audience *audience
	before   *Listener // of the same visitor
	what     atomic.Uint32
	news     chan struct{}
}

// Listen returns a listener for the visitor, who is known to see an operator there or not. The caller closes it. ok is
// false when no more are to come.
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

// News receives when there is something to [Listener.Take], and is closed when the listener is to end.
func (l *Listener) News() <-chan struct{} { return l.news }

// Take returns what is to be looked at, as bits, and forgets it.
func (l *Listener) Take() (what uint32) { return l.what.Swap(0) }

// Online reports whether an operator was there when it was looked last.
func (l *Listener) Online() bool { return l.audience.online.Load() }

// tell is called with the lock of the live held.
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

// remove takes the listener out, and tells whether it was there.
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

// Close ends all listeners, and lets none begin.
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

// run tells listeners until ctx ends.
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

// follow begins to follow the journal where it stands, however long that takes; nil when ctx has ended before.
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

// read tells those whom the journal's new entries concern. When the database does not answer, the next news lead here
// again.
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

// tell is called with the lock held.
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

// lookAtPresence tells the listeners of the sites to which operators have come, or from which the last one has gone.
func (l *Live) lookAtPresence(ctx context.Context) {
	l.mu.Lock()
	sites := make(map[int64]*audience, len(l.sites))
	for id, a := range l.sites {
		sites[id] = a
	}
	l.mu.Unlock()
	changed := make(map[int64]bool)
	for id, a := range sites {
		// Where it cannot be known, what was known stands.
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

// heard tells those whom it concerns that somebody is typing.
func (l *Live) heard(topic string) {
	t, ok := parseTyping(topic)
	if !ok || t.By != Operator {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(place{t.SiteID, t.Visitor}, Typing)
}

// Typed says that somebody is typing just now. It is told and not stored.
type Typed struct {
	SiteID, ConversationID int64
	Visitor                visit.ID
	// By is Visitor or Operator.
	By Author
	// OperatorID is who is typing; 0 for the visitor.
	OperatorID int64
}

// typingTopic begins the topics by which typing is told to all nodes.
const typingTopic = "chat.typing "

// Typing tells all nodes that somebody is typing in the conversation. It counts for some seconds, so it is to be told
// again while it goes on.
func (c *Chats) Typing(of Conversation, by Author, operatorID int64) {
	c.db.Wake(typingTopic + strings.Join([]string{
		decimal(of.SiteID), decimal(of.ID), decimal(int64(of.Visitor)), string(by), decimal(operatorID)}, " "))
}

// OnTyping has heard be called when somebody types, on any node, until cancel is called. It must not block.
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
