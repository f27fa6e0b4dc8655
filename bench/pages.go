package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

var pageSizes = []struct {
	name string
	size int
}{{"10 KB", 10 << 10}, {"100 KB", 100 << 10}, {"1 MB", 1 << 20}}

// numbersOnPage is how many numbers each page shows, whether or not they are
// replaced: three, each in a link and as its text.
const numbersOnPage = 6

// pagePath is the address of a page, which all visitors come to from a campaign.
func pagePath(size int) string { return fmt.Sprintf("/page?size=%d&utm_source=news", size) }

// pages compares the CPU time that each proxy spends for a page of the same
// origin on the loopback address. With numbers, one of them replaces numbers too.
// With each, pages of each kind are measured instead, see kinds.
func pages(ctx context.Context, folder, caddy string, numbers, each bool, rounds int, slice time.Duration) error {
	origin, err := serveOrigin()
	if err != nil {
		return err
	}
	defer origin.Close()
	if each {
		return measureKinds(ctx, folder, caddy, origin.Addr().String(), rounds, slice)
	}
	sides, stop, err := startProxies(ctx, folder, caddy, origin.Addr().String(), numbers)
	defer stop()
	if err != nil {
		return err
	}
	fmt.Printf("Proxy's own CPU time for a page, %d rounds of %v for each side in turns, 8 keep-alive clients\n", rounds, slice)
	fmt.Printf("%-8s %-34s %12s %10s  %s\n", "page", "proxy", "µs of CPU", "pages/s", "ratio (median, lowest to highest)")
	for _, p := range pageSizes {
		spent := make(map[string][]float64)
		rate := make(map[string][]float64)
		for range rounds {
			for _, s := range sides {
				cpu, perSecond, err := measure(ctx, s, p.size, slice)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, p.name, err)
				}
				spent[s.name] = append(spent[s.name], cpu)
				rate[s.name] = append(rate[s.name], perSecond)
			}
		}
		for _, s := range sides {
			ratios := make([]float64, rounds)
			for i := range ratios {
				ratios[i] = spent[s.name][i] / spent[s.of][i]
			}
			slices.Sort(ratios)
			fmt.Printf("%-8s %-34s %12.1f %10.0f  %.3f (%.3f to %.3f) of %s\n", p.name, s.name,
				median(spent[s.name]), median(rate[s.name]), median(ratios), ratios[0], ratios[rounds-1], s.of)
		}
	}
	return arrivals(ctx, folder, caddy, rounds, slice)
}

// pageRequest is what a browser sends that asks for a page.
func pageRequest(host, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\nSec-Fetch-Dest: document\r\n\r\n", path, host)
}

func measure(ctx context.Context, s side, size int, slice time.Duration) (microseconds, perSecond float64, err error) {
	return measureRequests(ctx, s, [][]byte{pageRequest(s.address, pagePath(size))}, slice)
}

// measureRequests has each client send the requests in turns.
func measureRequests(ctx context.Context, s side, requests [][]byte, slice time.Duration) (microseconds, perSecond float64, err error) {
	clients := make([]client, 8)
	for i := range clients {
		next := i
		clients[i] = func(*answer) []byte {
			next++
			return requests[next%len(requests)]
		}
	}
	before, err := s.process.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	l, err := drive(ctx, s.address, clients, slice)
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	after, err := s.process.cpu()
	if err != nil {
		return 0, 0, err
	}
	n := float64(l.requests)
	return float64((after - before).Microseconds()) / n, n / took.Seconds(), nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// serveOrigin serves believable pages of any size from memory.
func serveOrigin() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	made := make(map[string][]byte)
	for _, p := range pageSizes {
		made[fmt.Sprint(p.size)] = page.Page{Size: p.size, Numbers: numbersOnPage}.Make()
	}
	kinds := map[string][]byte{
		"cyrillic": page.Page{Size: kindSize, Numbers: numbersOnPage, Cyrillic: true}.Make(),
		"data":     page.Page{Size: kindSize, Numbers: numbersOnPage, Data: true}.Make(),
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		body, other := kinds[query.Get("kind")]
		if !other {
			body = made[query.Get("size")]
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("ETag", `"one"`)
		if query.Get("kind") == "chunks" {
			for piece := range slices.Chunk(body, 1<<10) {
				w.Write(piece)
				w.(http.Flusher).Flush()
			}
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	}))
	return listener, nil
}
