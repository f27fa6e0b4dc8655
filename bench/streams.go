package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// openStreams is how many visitors have the chat open.
	openStreams = 5000
	// streamsSettle is how long a server is left alone before its memory is read.
	streamsSettle = 5 * time.Second
	// streamsRest is how long the streams are open without an event while the processor's time is taken.
	streamsRest = 20 * time.Second
)

// streams measures what a visitor's open stream takes of a node's memory, and of its processor while nothing happens, and the
// time from an operator's coming or going to the last of all visitors, beside a bare net/http handler of event streams.
func streams(ctx context.Context, folder, caddy, profile string, rounds int) error {
	fmt.Printf("%d event streams, %d events\n", openStreams, rounds)
	fmt.Printf("%-24s %14s %14s %14s %14s %12s %12s\n", "", "KiB a stream", "CPU, µs a s", "first, ms", "last, ms", "lowest", "highest")
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
	before, err := s.cpu()
	if err != nil {
		return err
	}
	time.Sleep(streamsRest)
	after, err := s.cpu()
	if err != nil {
		return err
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
	fmt.Printf("%-24s %14.1f %14.1f %14.1f %14.1f %12.1f %12.1f\n", name, float64(held-idle)/1024/openStreams, float64((after-before).Microseconds())/streamsRest.Seconds()/openStreams, median(firsts), median(took), slices.Min(took), slices.Max(took))
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
