package conversation

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/stream"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxVisitorStreams bounds the streams of visitors that a node holds, and networkStreams
	// those of one client's network.
	maxVisitorStreams, networkStreams = 20_000, 200
	// catchUpTime bounds one look into the database.
	catchUpTime = 4 * time.Second
)

// streamCount counts open streams.
type streamCount struct {
	mu  sync.Mutex
	all int
	of  map[netip.Addr]int
}

// enter counts a stream of the client, or returns false when there are too many.
func (s *streamCount) enter(client netip.Addr, limited bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxVisitorStreams || limited && s.of[client] >= networkStreams {
		return false
	}
	if s.of == nil {
		s.of = make(map[netip.Addr]int)
	}
	s.all++
	s.of[client]++
	return true
}

func (s *streamCount) leave(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[client]--; s.of[client] == 0 {
		delete(s.of, client)
	}
}

// narrow is the network that one client has whole.
func narrow(client netip.Addr) netip.Addr {
	if client.Is6() {
		if prefix, err := client.Prefix(64); err == nil {
			return prefix.Addr()
		}
	}
	return client
}

// stream serves v1/chat/stream?t=TOKEN&a=SEQ: what happens in the visitor's conversation
// behind the message, as server-sent events, until the client leaves. The id of an event with
// messages is the number of the last one.
func (c *Conversations) stream(r *gate.Request) error {
	v, err := c.Views.Bearer(r, OpensLine)
	if err != nil {
		return err
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("a")
	}
	after, err := strconv.ParseInt(last, 10, 64)
	if last != "" && (err != nil || after < 0) {
		return gate.Malformed("wrong_type", "a must be the number of a message")
	}
	if of, err := c.throughLetter(r.Context(), r); err == nil {
		v.Visitor = of.Visitor
	}
	client, limited := gate.ClientOf(r.Request)
	client = narrow(client)
	if !c.streams.enter(client, limited) {
		return gate.TooMany("too many streams are open", 10*time.Second)
	}
	depart, ok := r.Site.Enter()
	if !ok {
		c.streams.leave(client)
		return gate.NewFailure(http.StatusForbidden, gate.LimitReached, "this site has too many streams open")
	}
	listener, ok := c.Live.Listen(r.Site.ID, v.Visitor, c.Online(r.Context(), r.Site))
	if !ok {
		depart()
		c.streams.leave(client)
		return gate.TooMany("the service is closing", time.Second)
	}
	s := &visitorStream{of: c, depart: depart, site: r.Site.ID, visitor: v.Visitor, client: client, after: after, listener: listener, ending: r.Site.Ending}
	header := r.W.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	if conn := takeOver(r); conn != nil {
		aside.Go(c.logger, "a visitor's stream", func() { s.run(nil, conn) })
		return nil
	}
	s.run(r.Context().Done(), answered{stream.Over(r.W)})
	return nil
}

// visitorStream is an open stream. What is in it is held for each of thousands.
type visitorStream struct {
	of       *Conversations
	site     int64
	visitor  visit.ID
	client   netip.Addr
	after    int64 // the number of the last message that was sent
	told     toldConversation
	listener *live.Listener
	ending   <-chan struct{} // of the configuration
	more     bool            // there are messages behind those that were sent
	depart   func()          // tells that the site has a stream less
}

// outlet is where a stream's events go.
type outlet interface {
	// send sends an event whole, or returns an error when the client does not take it.
	send(event []byte) error
	// gone tells whether the client is known to have left.
	gone() bool
	close()
}

// run sends events until the client, the configuration or the service ends it. It ends in
// silence: the client comes back and asks from where it is.
func (s *visitorStream) run(left <-chan struct{}, out outlet) {
	defer s.of.streams.leave(s.client)
	defer s.depart()
	defer s.listener.Close()
	defer out.close()
	began := time.Now()
	b := beats{brisk, began, began}
	look := time.NewTimer(b.at.every)
	defer look.Stop()
	if first := s.event(live.Entries | live.Presence); first == nil || out.send(slices.Concat(first, b.at.beat)) != nil {
		return
	}
	for {
		if s.more {
			s.listener.Again(live.Entries)
		}
		var event []byte
		select {
		case <-left:
			return
		case <-s.ending:
			return
		case now := <-look.C:
			if out.gone() {
				return
			}
			beat, again := b.due(now)
			look.Reset(again)
			event = beat
		case _, more := <-s.listener.News():
			if !more {
				return
			}
			what := s.listener.Take()
			if event = s.event(what); event == nil {
				return // what has happened could not be read: the client asks again
			}
			if what&live.Entries != 0 {
				b.talked = time.Now()
			}
		}
		if len(event) > 0 {
			if out.send(event) != nil {
				return
			}
			b.sent = time.Now()
		}
	}
}

// event is what has happened as an event. It is nil when that cannot be read.
func (s *visitorStream) event(what uint32) []byte {
	switch {
	case what&live.Hearing != 0:
		others := s.event(what &^ live.Hearing)
		if others == nil {
			return nil
		}
		hearing := inTimeEvent
		if s.listener.Deaf() {
			hearing = lateEvent
		}
		return slices.Concat(hearing, others)
	case what&live.Entries != 0:
	case what&live.Presence != 0 && s.listener.Online():
		return cameEvent
	case what&live.Presence != 0:
		return goneEvent
	case what&live.Typing != 0:
		return typingEvent
	default:
		return noEvent
	}
	// Reading and writing JSON need a deep stack, which would stay with the stream.
	composed := make(chan []byte, 1)
	aside.Go(s.of.logger, "composing an event", func() {
		defer close(composed) // then the stream ends
		composed <- s.compose(what)
	})
	return <-composed
}

// compose reads what is new in the conversation, or the next of it if that is much.
func (s *visitorStream) compose(what uint32) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), catchUpTime)
	defer cancel()
	var news answer
	if online := s.listener.Online(); what&live.Presence != 0 {
		news.Online = &online
	}
	news.Typing = what&live.Typing != 0
	var err error
	if s.more, err = s.catchUp(ctx, &news); err != nil {
		return nil
	}
	if news.Online == nil && !news.Typing && news.Conversation == nil && len(news.Messages) == 0 {
		return noEvent // those were notes
	}
	return eventsOf(news)
}

// catchUp adds what is new to the answer, and tells whether there is more.
func (s *visitorStream) catchUp(ctx context.Context, news *answer) (more bool, err error) {
	of, err := s.of.Chats.Of(ctx, s.site, s.visitor)
	if errors.Is(err, chat.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if told := s.of.toldConversation(ctx, of); told != s.told {
		s.told, news.Conversation = told, &told
	}
	if s.after >= of.Seq {
		return false, nil
	}
	messages, err := s.of.Chats.Told(ctx, s.site, of.ID, s.after, historyAtOnce)
	if err != nil || len(messages) == 0 {
		return false, err
	}
	s.after = messages[len(messages)-1].Seq
	news.Messages = s.of.toldMessages(ctx, messages)
	return len(messages) == historyAtOnce, nil
}
