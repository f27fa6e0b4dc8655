package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

const (
	// openStreams is how many visitors have the chat open.
	openStreams = 5000
	// streamsSettle is how long a server is left alone before its memory is read.
	streamsSettle = 5 * time.Second
)

// bareStreams, as the first argument, has this program be the handler that streams are compared with, at the address in
// the second.
const bareStreams = "bare-streams"

// streams measures what a visitor's open stream takes of a node's memory, and the time from an operator's coming or going
// to the last of all visitors, beside a bare net/http handler of event streams.
func streams(ctx context.Context, folder, caddy, profile string, rounds int) error {
	fmt.Printf("%d event streams, %d events\n", openStreams, rounds)
	fmt.Printf("%-24s %14s %14s %14s %12s %12s\n", "", "KiB a stream", "first, ms", "last, ms", "lowest", "highest")
	for _, side := range []struct {
		name  string
		start func(context.Context, string, string) (*streamSide, error)
	}{{"bare net/http", startBare}, {"Frontdesk in Caddy", startVisitors}} {
		s, err := side.start(ctx, folder, caddy)
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		err = s.measure(ctx, side.name, profile, rounds)
		s.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return nil
}

// streamSide is a server of event streams.
type streamSide struct {
	*process
	address string
	// path is that of the nth stream.
	path func(n int) string
	// cause has the nth event come: an operator is there after one of an even number.
	cause func(ctx context.Context, n int) error
}

func (s *streamSide) measure(ctx context.Context, name, profile string, rounds int) error {
	time.Sleep(streamsSettle)
	idle, err := s.resident()
	if err != nil {
		return err
	}
	crowd, err := newCrowd(ctx, s)
	if err != nil {
		return err
	}
	defer crowd.close()
	time.Sleep(streamsSettle)
	held, err := s.resident()
	if err != nil {
		return err
	}
	if profile != "" && s.admin != "" {
		if err := s.heap(ctx, profile); err != nil {
			return err
		}
	}
	var firsts, took []float64
	for n := range rounds {
		first, last, err := crowd.event(ctx, s, n)
		if err != nil {
			return err
		}
		firsts, took = append(firsts, float64(first.Microseconds())/1000), append(took, float64(last.Microseconds())/1000)
		time.Sleep(2 * time.Second)
	}
	fmt.Printf("%-24s %14.1f %14.1f %14.1f %12.1f %12.1f\n", name, float64(held-idle)/1024/openStreams, median(firsts), median(took), slices.Min(took), slices.Max(took))
	return nil
}

// heap leaves a profile of the memory in the file.
func (s *streamSide) heap(ctx context.Context, file string) error {
	return download(ctx, "http://"+s.admin+"/debug/pprof/heap?gc=1", file)
}

// crowd are clients with a stream each.
type crowd struct {
	conns []net.Conn

	mu     sync.Mutex
	wanted []byte
	missed int
	first  time.Time
	last   time.Time
	all    chan struct{}
}

func newCrowd(ctx context.Context, s *streamSide) (*crowd, error) {
	c := &crowd{}
	var dialer net.Dialer
	places := make(chan struct{}, 64)
	failed := make(chan error, openStreams)
	var opening sync.WaitGroup
	for n := range openStreams {
		places <- struct{}{}
		opening.Go(func() {
			defer func() { <-places }()
			conn, err := dialer.DialContext(ctx, "tcp", s.address)
			if err != nil {
				failed <- err
				return
			}
			c.mu.Lock()
			c.conns = append(c.conns, conn)
			c.mu.Unlock()
			if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\nX-Forwarded-For: 198.18.%d.%d\r\n\r\n", s.path(n), s.address, n>>8, n&255); err != nil {
				failed <- err
				return
			}
			begun := make(chan error, 1)
			go c.read(conn, begun)
			if err := <-begun; err != nil {
				failed <- err
			}
		})
	}
	opening.Wait()
	select {
	case err := <-failed:
		c.close()
		return nil, err
	default:
		return c, nil
	}
}

// read notes what comes on a stream.
func (c *crowd) read(conn net.Conn, begun chan<- error) {
	piece := make([]byte, 4096)
	first := true
	for {
		n, err := conn.Read(piece)
		now := time.Now()
		if first && err == nil && !bytes.HasPrefix(piece[:n], []byte("HTTP/1.1 200")) {
			err = errors.New("the stream is refused: " + string(piece[:min(n, 200)]))
		}
		if first {
			begun <- err
			first = false
		}
		if err != nil {
			return
		}
		c.mu.Lock()
		if c.wanted != nil && bytes.Contains(piece[:n], c.wanted) {
			if c.missed == openStreams {
				c.first = now
			}
			if c.last = now; c.missed == 1 {
				close(c.all)
			}
			c.missed--
		}
		c.mu.Unlock()
	}
}

// event is how long an event takes to the first and to the last of all.
func (c *crowd) event(ctx context.Context, s *streamSide, n int) (first, last time.Duration, err error) {
	c.mu.Lock()
	c.missed, c.all = openStreams, make(chan struct{})
	all := c.all
	c.wanted = fmt.Appendf(nil, `"online":%t`, n%2 == 0)
	c.mu.Unlock()
	began := time.Now()
	if err := s.cause(ctx, n); err != nil {
		return 0, 0, err
	}
	select {
	case <-all:
	case <-time.After(30 * time.Second):
		c.mu.Lock()
		defer c.mu.Unlock()
		return 0, 0, fmt.Errorf("%d streams have not heard of an event", c.missed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = nil
	return c.first.Sub(began), c.last.Sub(began), nil
}

func (c *crowd) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

// startBare runs the bare handler in a process of its own.
func startBare(ctx context.Context, _, _ string) (*streamSide, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	probe, err := http.NewRequest(http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, probe, self, bareStreams, address)
	if err != nil {
		return nil, err
	}
	return &streamSide{process: p, address: address,
		path: func(int) string { return "/stream" },
		cause: func(ctx context.Context, n int) error {
			return post(ctx, http.DefaultClient, fmt.Sprintf("http://%s/event?online=%t", address, n%2 == 0), nil)
		}}, nil
}

func post(ctx context.Context, client *http.Client, address string, form url.Values) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: status %d", address, response.StatusCode)
	}
	return nil
}

// serveBareStreams is the handler that others are compared with: the least that net/http needs to tell all clients of an
// event.
func serveBareStreams(address string) error {
	var mu sync.Mutex
	clients := make(map[chan []byte]struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /event", func(_ http.ResponseWriter, r *http.Request) {
		event := fmt.Appendf(nil, "data: {\"online\":%s}\n\n", r.URL.Query().Get("online"))
		mu.Lock()
		defer mu.Unlock()
		for client := range clients {
			client <- event
		}
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		control := http.NewResponseController(w)
		control.Flush()
		events := make(chan []byte, 16)
		mu.Lock()
		clients[events] = struct{}{}
		mu.Unlock()
		defer func() { mu.Lock(); delete(clients, events); mu.Unlock() }()
		for {
			select {
			case <-r.Context().Done():
				return
			case event := <-events:
				if _, err := w.Write(event); err != nil || control.Flush() != nil {
					return
				}
			}
		}
	})
	return http.ListenAndServe(address, mux)
}

// startVisitors runs Frontdesk with visitors who have the chat open, and an operator whose console is open.
func startVisitors(ctx context.Context, folder, caddy string) (*streamSide, error) {
	file := filepath.Join(folder, "streams.db")
	tokens, err := prepareVisitors(ctx, file)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	console, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", address).
		Replace(caddyConfig("frontdesk {\n\t\tdatabase sqlite "+file+"\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}", "frontdesk shop")) +
		"http://" + console + " {\n\tfrontdesk_console\n}\n"
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config = strings.Replace(config, "admin off", "admin "+admin, 1)
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "streams.conf"), config, "http://"+console+"/sign-in")
	if err != nil {
		return nil, err
	}
	p.admin = admin
	consoles := &openConsoles{base: "http://" + console}
	client, err := consoles.signIn(ctx, "agent")
	if err == nil {
		_, err = consoles.follow(ctx, client)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	away := func(ctx context.Context, is bool) error {
		return post(ctx, client, "http://"+console+"/account/away", url.Values{"away": {fmt.Sprint(is)}})
	}
	if err := away(ctx, true); err != nil {
		p.stop()
		return nil, err
	}
	return &streamSide{process: p, address: address,
		path:  func(n int) string { return "/frontdesk/v1/chat/stream?a=0&t=" + tokens[n] },
		cause: func(ctx context.Context, n int) error { return away(ctx, n%2 == 1) }}, nil
}

// prepareVisitors makes a database with a site, an operator and visitors, and returns what opens these visitors' streams.
func prepareVisitors(ctx context.Context, file string) (tokens []string, err error) {
	d, err := db.Open(ctx, db.Settings{Engine: db.SQLite, Source: file}, zap.NewNop())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := operator.New(d, time.Now).Add(ctx, "agent", livePassword, operator.Agent); err != nil {
		return nil, err
	}
	shop, err := site.New(d, time.Now, zap.NewNop()).Provision(ctx, "shop")
	if err != nil {
		return nil, err
	}
	visits, err := visit.Open(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	for n := range openStreams {
		id := visit.ID(n + 1)
		tokens = append(tokens, visits.Token(shop.ID, visit.Ref{Visitor: id, Visit: id, View: id}, conversation.OpensLine, time.Hour))
	}
	return tokens, nil
}
