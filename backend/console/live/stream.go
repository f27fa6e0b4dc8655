package live

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/stream"
)

const (
	// storeTime bounds how long what is stored of a stream or read for it may take.
	storeTime = 10 * time.Second
	// departTime is how long the end of a stream waits for what is stored of it.
	departTime = 2 * time.Second
	// beatEvery is how often a stream says that it is there. A page that has heard nothing for eight seconds opens another.
	beatEvery = 3 * time.Second
	// calm is the least time between two events of one stream.
	calm = time.Second
	// entriesAtOnce bounds how many entries of the journal are told together.
	entriesAtOnce = 500
)

// stream keeps an open page up to date over server-sent events. It ends with
// the operator's session and with the console, when this node hears nothing of
// what happens, and gives way when the operator opens too many others. While it
// is open the operator is present.
//
// Every event's id is a position in the journal, at which a client that lost
// the stream goes on.
func (l *Live) stream(w http.ResponseWriter, r *http.Request) error {
	o, _ := frame.Current(r)
	position, err := startOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil
	}
	if r.Method == http.MethodHead { // it would never end
		w.Header().Set("Content-Type", "text/event-stream")
		return nil
	}
	to := l.listener(r)
	open, known := l.feeds[to.Feed]
	if !known {
		http.NotFound(w, r)
		return nil
	}
	shown, watch := open(r, to)
	if shown == nil {
		http.NotFound(w, r)
		return nil
	}
	if watch != nil {
		defer watch.Close()
	}
	running, yield, leave, ok := l.streams.enter(o.ID)
	if !ok {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many open pages", http.StatusServiceUnavailable)
		return nil
	}
	defer leave()

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(running, cancel)()
	happened := l.Journal.Follow(position, frame.Permitted(r), l.ownOf(o.ID)...)
	defer happened.Close()
	ctx, cancel = happened.Hearing(ctx) // the page comes back to a node that hears
	defer cancel()
	lease, err := l.Presence.Arrive(ctx, o.ID)
	if err != nil {
		l.Logger.Error("operator's presence is not stored", zap.Error(err))
		w.WriteHeader(http.StatusServiceUnavailable)
		return nil
	}
	attendee := l.attendance.enter(r, lease)
	defer l.depart(r, attendee)
	s := &streaming{live: l, to: to, feed: shown, pause: calm, lease: lease, attendee: attendee, happened: happened, watch: watch, yield: yield,
		out: stream.Over(w)}
	defer s.out.End()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if conversations, ok := shown.(ConversationFeed); ok {
		s.conversations, s.pause = conversations, conversations.Pause()
		var forget func()
		s.heard, forget = conversations.Hear()
		defer forget()
	}
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		l.Logger.Debug("stream of the console ended", zap.Error(err))
	}
	return nil
}

// depart ends the operator's presence in the stream, soon after it. It waits for that, but not for long: if the database
// does not answer, the page is to come back to another node meanwhile, and the lease ends by itself.
func (l *Live) depart(r *http.Request, of *attendee) {
	ended := make(chan struct{})
	aside.Go(l.Logger, "leaving a stream", func() {
		defer close(ended)
		l.attendance.leave(of)
		// The request is over, and the lease is to end all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), storeTime)
		defer cancel()
		if err := of.lease.Fade(ctx); err != nil {
			l.Logger.Warn("operator's presence ends only with its lease", zap.Error(err))
		}
	})
	select {
	case <-ended:
	case <-time.After(departTime):
	}
}

// startOf is the position behind which the client wants to hear what happened:
// where it lost the stream, or else where its page was rendered.
func startOf(r *http.Request) (journal.Position, error) {
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("after")
	}
	return journal.ParsePosition(last)
}

// streaming is one open stream. It asks the database for nothing that another
// stream asks for, too.
type streaming struct {
	live          *Live
	to            *Listener
	feed          Feed
	lease         *presence.Lease
	attendee      *attendee
	happened      *journal.Follower
	watch         Watch // nil when the feed has none
	yield         <-chan struct{}
	pause         time.Duration    // between two events
	conversations ConversationFeed // nil for feeds of other things, as is heard
	heard         <-chan struct{}
	sending       sync.Mutex // held while out is written to
	out           *stream.Answer
}

func (s *streaming) run(ctx context.Context) error {
	var moved <-chan struct{}
	if s.watch != nil {
		moved = s.watch.News()
	}
	if err := s.send([]byte(": hello\n\n")); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		defer stop()
		aside.Do(s.live.Logger, "beats of a stream", func() { s.beat(ctx) })
	})
	defer beating.Wait()
	defer stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.yield:
			return s.giveWay()
		case why := <-s.attendee.over:
			return s.end(ctx, why)
		case <-s.happened.News():
			err = s.read(ctx)
		case <-moved:
			err = s.look(ctx)
		case <-s.heard:
			err = s.repeat()
		}
		if err != nil {
			return err
		}
		select { // news that come in the meantime wait as one
		case <-ctx.Done():
			return ctx.Err()
		case <-s.yield:
			return s.giveWay()
		case <-time.After(s.pause):
		}
	}
}

// repeat tells what was overheard. It moves no position.
func (s *streaming) repeat() error {
	data, err := s.conversations.Overheard()
	if err != nil {
		return err
	}
	return s.tellAs(nil, data)
}

// read tells what the journal has got behind the stream's position.
func (s *streaming) read(ctx context.Context) error {
	for {
		entries, err := s.happened.Next(ctx, entriesAtOnce)
		if err != nil || len(entries) == 0 {
			return err
		}
		data, err := s.live.told(ctx, s.to, s.feed, entries)
		if err != nil {
			return err
		}
		if err := s.tell(data); err != nil {
			return err
		}
	}
}

func (s *streaming) look(ctx context.Context) error {
	data, err := s.feed.Refresh(ctx)
	if err != nil {
		return err
	}
	return s.tell(data)
}

// giveWay tells the page that it is no longer kept up to date, so that it does
// not come back by itself and drive out another.
func (s *streaming) giveWay() error {
	return s.send([]byte("event: yielded\ndata: yielded\n\n"))
}

// end ends the stream, and the operator's presence in it when the session has
// ended. A page whose operator sees other sites by now is loaded anew.
func (s *streaming) end(ctx context.Context, why error) error {
	switch {
	case errors.Is(why, errSignedOut):
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
		defer cancel()
		if err := s.lease.End(ctx); err != nil {
			return err
		}
	case !errors.Is(why, errMoved):
		return why
	}
	if err := s.send([]byte("event: ended\ndata: ended\n\n")); err != nil {
		return err
	}
	return why
}
