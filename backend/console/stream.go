package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// maxLate bounds how long a client may take to read what it was sent.
	maxLate = 10 * time.Second
	// calm is the least time between two looks at the database for one stream.
	calm = time.Second
	// ageing is how often the list of visitors is looked at without news, since
	// visitors leave without a word.
	ageing = 20 * time.Second
	// entriesAtOnce bounds how many entries of the journal are read together.
	entriesAtOnce = 500
)

// view is what one kind of page has to hear of.
type view interface {
	// news returns the events for what the journal says, and refresh those for
	// what is true now. Both may be empty.
	news(ctx context.Context, entries []journal.Entry) ([]byte, error)
	refresh(ctx context.Context) ([]byte, error)
}

// stream keeps an open page up to date over server-sent events. It ends with
// the operator's session and with the console, and gives way when the operator
// opens too many others. While it is open the operator is present.
//
// Every event's id is a position in the journal, at which a client that lost
// the stream goes on.
func (c *Console) stream(w http.ResponseWriter, r *http.Request) {
	o, _ := current(r)
	siteID, err := strconv.ParseInt(r.URL.Query().Get("site"), 10, 64)
	if err != nil {
		siteID = 0
	}
	position, err := startOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	shown := c.viewOf(r, c.wordsFor(r), siteID)
	if shown == nil {
		http.NotFound(w, r)
		return
	}
	running, yield, leave, ok := c.streams.enter(o.ID)
	if !ok {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many open pages", http.StatusServiceUnavailable)
		return
	}
	defer leave()

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(running, cancel)()
	lease, err := c.Operators.Arrive(ctx, o.ID)
	if err != nil {
		c.logger.Error("operator's presence is not stored", zap.Error(err))
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer func() {
		// The request is over, and the lease is to end all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), maxLate)
		defer cancel()
		if err := lease.Fade(ctx); err != nil {
			c.logger.Warn("operator's presence ends only with its lease", zap.Error(err))
		}
	}()
	s := &streaming{console: c, request: r, view: shown, lease: lease, position: position, yield: yield,
		out: w, control: http.NewResponseController(w)}
	if err := s.run(ctx); err != nil && ctx.Err() == nil {
		c.logger.Debug("stream of the console ended", zap.Error(err))
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

// streaming is one open stream.
type streaming struct {
	console  *Console
	request  *http.Request
	view     view
	lease    *operator.Lease
	position journal.Position
	yield    <-chan struct{}
	out      http.ResponseWriter
	control  *http.ResponseController
}

func (s *streaming) run(ctx context.Context) error {
	d := s.console.DB
	happened, forget := d.Subscribe(journal.Topic)
	defer forget()
	moved, forget := d.Subscribe(visit.LiveTopic)
	defer forget()
	staff, forget := d.Subscribe(operator.Topic)
	defer forget()
	heartbeat := time.NewTicker(operator.Heartbeat)
	defer heartbeat.Stop()
	aged := time.NewTicker(ageing)
	defer aged.Stop()

	s.out.Header().Set("Content-Type", "text/event-stream")
	s.out.Header().Set("X-Accel-Buffering", "no")
	if err := s.send([]byte(": hello\n\n")); err != nil {
		return err
	}
	// Whatever happened while the page was on its way is told first.
	read, look := true, true
	for {
		if read {
			if err := s.read(ctx); err != nil {
				return err
			}
		}
		if look {
			if err := s.look(ctx); err != nil {
				return err
			}
		}
		read, look = false, false
		select { // news that come in the meantime wait as one
		case <-ctx.Done():
			return ctx.Err()
		case <-s.yield:
			return s.giveWay()
		case <-time.After(calm):
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.yield:
			return s.giveWay()
		case <-happened:
			read = true
		case <-moved:
			look = true
		case <-aged.C:
			look = true
			read = true // what waited for an older transaction to end wakes nobody
		case <-staff:
			if err := s.check(); err != nil {
				return err
			}
		case <-heartbeat.C:
			if err := s.beat(ctx); err != nil {
				return err
			}
		}
	}
}

// read tells what the journal has got behind the stream's position.
func (s *streaming) read(ctx context.Context) error {
	for {
		entries, err := s.console.Journal.After(ctx, s.position, entriesAtOnce)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		html, err := s.view.news(ctx, entries)
		if err != nil {
			return err
		}
		s.position = entries[len(entries)-1].Position
		if err := s.tell(html); err != nil {
			return err
		}
		if len(entries) < entriesAtOnce {
			return nil
		}
	}
}

func (s *streaming) look(ctx context.Context) error {
	html, err := s.view.refresh(ctx)
	if err != nil {
		return err
	}
	return s.tell(html)
}

// beat keeps the operator present, and the connection from being taken for
// dead.
func (s *streaming) beat(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.lease.Renew(ctx); err != nil {
		return err
	}
	return s.send([]byte(": here\n\n"))
}

// giveWay tells the page that it is no longer kept up to date, so that it does
// not come back by itself and drive out another.
func (s *streaming) giveWay() error {
	return s.send([]byte("event: yielded\ndata: yielded\n\n"))
}

// check ends the stream when the session has ended. Its context is a new one: that of
// the request carries the session as it was when the stream began.
func (s *streaming) check() error {
	ctx, cancel := context.WithTimeout(context.Background(), maxLate)
	defer cancel()
	err := s.console.still(ctx, s.request)
	if errors.Is(err, errSignedOut) {
		if err := s.lease.End(ctx); err != nil {
			return err
		}
		if err := s.send([]byte("event: ended\ndata: ended\n\n")); err != nil {
			return err
		}
	}
	return err
}

// tell sends an event whose data is HTML for the page.
func (s *streaming) tell(html []byte) error {
	if len(html) == 0 {
		return nil
	}
	return s.send(event(s.position, html))
}

// event is a server-sent event in its wire form. What visitors wrote is part of
// the data, line breaks of all kinds included: each line is marked as data.
func event(position journal.Position, html []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s\n", position)
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(html))
	for line := range strings.Lines(lines) {
		b.WriteString("data: ")
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func (s *streaming) send(text []byte) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(maxLate)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.out.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}
