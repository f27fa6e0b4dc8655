package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// load is what a number of keep-alive clients did to one address.
type load struct {
	requests  int
	bytes     int64
	latencies []time.Duration // sorted
}

func (l load) percentile(p float64) time.Duration {
	return l.latencies[min(len(l.latencies)-1, int(p*float64(len(l.latencies))))]
}

// client makes the bytes of its next request, given the answer to the last.
type client func(last *http.Response) []byte

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
			total.bytes += own.bytes
			total.latencies = append(total.latencies, own.latencies...)
			if failure == nil {
				failure = err
			}
		})
	}
	running.Wait()
	slices.Sort(total.latencies)
	if failure == nil && total.requests == 0 {
		failure = fmt.Errorf("no request was answered")
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
	var last *http.Response
	for ctx.Err() == nil {
		request := c(last)
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return l, err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return l, err
		}
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 512))
			return l, fmt.Errorf("answered %s: %s", response.Status, body)
		}
		n, err := io.Copy(io.Discard, response.Body)
		if err != nil {
			return l, err
		}
		l.requests++
		l.bytes += n
		l.latencies = append(l.latencies, time.Since(began))
		last = response
	}
	return l, nil
}
