package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// load is what a number of keep-alive clients did to one address.
type load struct {
	requests  int
	latencies []time.Duration // sorted
}

func (l load) percentile(p float64) time.Duration {
	return l.latencies[min(len(l.latencies)-1, int(p*float64(len(l.latencies))))]
}

// client makes the bytes of its next request, given the answer to the last; nil
// at first.
type client func(last *answer) []byte

// answer is what a client reads of an answer. It is read by hand, so that the
// clients take as little as can be of the processors that they share with the
// servers.
type answer struct {
	status  string
	cookie  string // name=value
	length  int64  // of the body; -1 if it is chunked
	message []byte // the beginning of the body, of an answer other than 200
}

// drive has the clients send one request after the other for as long as told.
// An answer other than 200 ends the run with an error.
func drive(ctx context.Context, address string, clients []client, duration time.Duration) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	var mu sync.Mutex
	var total load
	var failure error
	var running sync.WaitGroup
	for _, c := range clients {
		running.Go(func() {
			own, err := c.run(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			total.requests += own.requests
			total.latencies = append(total.latencies, own.latencies...)
			if failure == nil {
				failure = err
			}
		})
	}
	running.Wait()
	slices.Sort(total.latencies)
	if failure == nil && total.requests == 0 {
		failure = errors.New("no request was answered")
	}
	return total, failure
}

func (c client) run(ctx context.Context, address string) (load, error) {
	var l load
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return l, err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 64<<10)
	var last *answer
	for ctx.Err() == nil {
		request := c(last)
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return l, err
		}
		if last, err = read(reader); err != nil {
			return l, err
		}
		if last.status != "200" {
			return l, fmt.Errorf("answered %s: %s", last.status, last.message)
		}
		l.requests++
		l.latencies = append(l.latencies, time.Since(began))
	}
	return l, nil
}

func read(reader *bufio.Reader) (*answer, error) {
	line, err := reader.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	fields := bytes.Fields(line)
	if len(fields) < 2 {
		return nil, fmt.Errorf("no status line: %q", line)
	}
	a := &answer{status: string(fields[1]), length: -1}
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		name, value, header := strings.Cut(string(bytes.TrimSpace(line)), ": ")
		if !header {
			break
		}
		switch strings.ToLower(name) {
		case "content-length":
			if a.length, err = strconv.ParseInt(value, 10, 64); err != nil {
				return nil, err
			}
		case "set-cookie":
			a.cookie, _, _ = strings.Cut(value, ";")
		}
	}
	var body io.Reader = io.LimitReader(reader, a.length)
	if a.length < 0 {
		body = httputil.NewChunkedReader(reader)
	}
	if a.status != "200" {
		a.message, _ = io.ReadAll(io.LimitReader(body, 512))
		return a, nil
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return nil, err
	}
	if a.length < 0 {
		_, err = reader.Discard(len("\r\n"))
	}
	return a, err
}
