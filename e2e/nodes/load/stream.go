package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

const (
	// silence is after how long without a word a stream counts as dead, shortest and longest are the pauses before another
	// attempt, and beside is how often is asked beside a stream that is late. They are those of the browsers' scripts, for
	// conversations in which somebody has just written.
	silence           = 8 * time.Second
	shortest, longest = time.Second, 30 * time.Second
	beside            = 5 * time.Second
	// answersEvery is how often each visitor with a stream is answered.
	answersEvery = 2 * time.Second
)

// listen is a visitor with the chat open, to whom an operator writes again and again.
func (l *Load) listen(ctx context.Context, name string) {
	v := l.newVisitor()
	var conversation int64
	for conversation == 0 {
		if l.look(ctx, v) {
			conversation, _ = l.say(ctx, v)
		}
		if !sleep(ctx, time.Second) {
			return
		}
	}
	l.Book.Add(book.Entry{Kind: book.Opened, Of: name})
	l.going.Go(func() {
		for sleep(ctx, answersEvery/2+rand.N(answersEvery)) {
			l.going.Go(func() { l.answers(ctx, conversation, 1) })
		}
	})
	of := &listener{visitor: v, name: name}
	for failures := 0; ctx.Err() == nil; {
		heard, err := l.line(ctx, of)
		if heard {
			failures = 0
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		pause := min(longest, shortest<<failures)
		failures = min(failures+1, 10)
		if !sleep(ctx, time.Duration(float64(pause)*(0.5+rand.Float64()))) {
			return
		}
	}
}

// news are what is new in a conversation.
type news struct {
	Stream string
	More   bool
	// Late is told by a node that does not hear what happens, or hears again.
	Late     *bool
	Messages []struct {
		Seq  int64
		Text string
	}
}

// listener is a visitor's open chat.
type listener struct {
	*visitor
	name string
	mu   sync.Mutex
	last int64 // the number of the last message
}

// take writes down what has come.
func (l *Load) take(of *listener, n news) {
	of.mu.Lock()
	defer of.mu.Unlock()
	for _, m := range n.Messages {
		if m.Seq > of.last && strings.HasPrefix(m.Text, "answer ") {
			l.Book.Add(book.Entry{Kind: book.Heard, Of: of.name, ID: strings.TrimPrefix(m.Text, "answer ")})
		}
		of.last = max(of.last, m.Seq)
	}
}

func (of *listener) seen() int64 {
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.last
}

// ask asks once for what is new.
func (l *Load) ask(ctx context.Context, of *listener) (n news, err error) {
	a, err := l.send(ctx, request{http.MethodPost, l.Site, "/frontdesk/v1/chat", encode(map[string]any{"credentials": of.credentials, "after": of.seen()}), of.header("Content-Type", "application/json")})
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("status %d", a.status)
	}
	if err == nil {
		err = json.Unmarshal(a.content, &n)
	}
	if err == nil {
		l.take(of, n)
	}
	return n, err
}

// line asks for what is new and opens the stream, until that ends. While the stream's node is late, it asks beside it.
func (l *Load) line(ctx context.Context, of *listener) (heard bool, err error) {
	var n news
	for n.More = true; n.More; {
		if n, err = l.ask(ctx, of); err != nil {
			return false, err
		}
	}
	var late atomic.Bool
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.going.Go(func() {
		for sleep(ctx, beside*8/10+rand.N(beside*4/10)) {
			if late.Load() {
				_, _ = l.ask(ctx, of)
			}
		}
	})
	err = l.stream(ctx, request{http.MethodGet, l.Site, fmt.Sprintf("/frontdesk/v1/chat/stream?t=%s&a=%d", n.Stream, of.seen()), "", of.header("Accept", "text/event-stream")}, func(_, data string) {
		var n news
		if heard = true; json.Unmarshal([]byte(data), &n) != nil {
			return
		}
		if n.Late != nil {
			late.Store(*n.Late)
		}
		l.take(of, n)
	})
	return heard, err
}

// follow is a program that listens to what happens.
func (l *Load) follow(ctx context.Context, name string) {
	l.Book.Add(book.Entry{Kind: book.Opened, Of: name})
	for last := ""; ctx.Err() == nil; sleep(ctx, shortest/2+rand.N(shortest)) {
		header := []string{"Accept", "text/event-stream"}
		if last != "" {
			header = append(header, "Last-Event-ID", last)
		}
		_ = l.stream(ctx, l.api(http.MethodGet, "events?kind=chat", nil, header...), func(id, data string) {
			if id != "" {
				last = id
				l.Book.Add(book.Entry{Kind: book.Heard, Of: name, ID: id})
			}
		})
	}
}

// stream hands over the events until the stream ends, or nothing has come for long.
func (l *asker) stream(ctx context.Context, r request, take func(id, data string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	made, err := r.made(ctx)
	if err != nil {
		return err
	}
	watch := time.AfterFunc(silence, cancel)
	defer watch.Stop()
	response, err := l.streams.Do(made)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	id, data := "", ""
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		watch.Reset(silence)
		switch field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); field {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if data != "" {
				take(id, data)
			}
			id, data = "", ""
		}
	}
}
