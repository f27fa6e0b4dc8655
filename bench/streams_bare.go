package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
)

// bareStreams, as the first argument, has this program be the handler that streams are compared with, at the address in
// the second.
const bareStreams = "bare-streams"

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
