package hosting

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How the cold sites are visited: at a rate that is kept, whatever becomes of the requests. A request that waits is
// counted from when it was due.
const (
	coldHits  = 5 * time.Millisecond // between two hits of sites that are drawn
	coldPages = 10 * time.Millisecond
	hotFor    = 8 * time.Second
)

// hot measures what visitors of other sites wait while one site has a rush: so many clients send its hits one after the
// other. The first of the sites of [measurement.oneBlock] has it.
func (m *measurement) hot(ctx context.Context, sites int) error {
	if err := m.addresses(); err != nil {
		return err
	}
	s, err := m.tools.Start(filepath.Join(m.folder, "hosting.conf"), m.blockConfig(0), "http://"+m.admin+"/config/apps/http/servers")
	if err != nil {
		return err
	}
	defer s.Stop()
	if _, err := m.openAll(ctx, sites); err != nil {
		return err
	}
	fmt.Printf("\nVisitors of %d sites at %.0f hits and %.0f pages a second, beside a rush of one more, %v each\n", sites-1, 1/coldHits.Seconds(), 1/coldPages.Seconds(), hotFor)
	fmt.Printf("%-20s | %10s | %-26s | %-26s\n", "", "the rush's", "hits of others, ms", "pages of others, ms")
	fmt.Printf("%-20s | %10s | %8s %8s %8s | %8s %8s %8s\n", "clients of the rush", "hits/s", "median", "99 %", "most", "median", "99 %", "most")
	for _, clients := range []int{0, 32, 500, 2000} {
		if err := m.beside(ctx, sites, clients); err != nil {
			return fmt.Errorf("beside %d clients: %w", clients, err)
		}
	}
	return nil
}

func (m *measurement) beside(ctx context.Context, sites, clients int) error {
	ctx, stop := context.WithTimeout(ctx, hotFor)
	defer stop()
	var rushed atomic.Int64
	var failed atomic.Pointer[error]
	fail := func(err error) {
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			failed.CompareAndSwap(nil, &err)
		}
	}
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for ctx.Err() == nil {
				if err := m.hit(ctx, 0); err != nil {
					fail(err)
					return
				}
				rushed.Add(1)
			}
		})
	}
	other := func() int { return 1 + mathrand.IntN(sites-1) }
	var hits, pages []time.Duration
	running.Go(func() { hits = atRate(ctx, coldHits, fail, func() error { return m.hit(ctx, other()) }) })
	running.Go(func() {
		pages = atRate(ctx, coldPages, fail, func() error {
			_, err := m.open(ctx, other())
			return err
		})
	})
	running.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	if len(hits) == 0 || len(pages) == 0 {
		return errors.New("nothing of the others was answered")
	}
	fmt.Printf("%-20d | %10.0f | %8.1f %8.1f %8.1f | %8.1f %8.1f %8.1f\n", clients, float64(rushed.Load())/hotFor.Seconds(),
		ms(hits[len(hits)/2]), ms(hits[len(hits)*99/100]), ms(hits[len(hits)-1]), ms(pages[len(pages)/2]), ms(pages[len(pages)*99/100]), ms(pages[len(pages)-1]))
	return nil
}

// atRate has a request made each time that so much has passed, and returns how long they took from then, sorted. What has
// not been answered when ctx ends has taken until then.
func atRate(ctx context.Context, every time.Duration, fail func(error), request func() error) (took []time.Duration) {
	var mu sync.Mutex
	var running sync.WaitGroup
	for due := time.Now(); ctx.Err() == nil; due = due.Add(every) {
		time.Sleep(time.Until(due))
		running.Go(func() {
			fail(request())
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(due))
		})
	}
	running.Wait()
	slices.Sort(took)
	return took
}

// hit reports a view of a page of the site by a new visitor.
func (m *measurement) hit(ctx context.Context, n int) error {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	body, err := json.Marshal(map[string]string{"site_key": key(n), "view": base64.RawURLEncoding.EncodeToString(nonce), "url": "http://" + m.host(n) + "/?utm_source=news", "title": "A page", "kind": "load"})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.host(n)+"/frontdesk/v1/hit", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", "http://"+m.host(n))
	request.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36")
	answer, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, math.MaxUint16))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("a hit of %s: %s: %s", m.host(n), answer.Status, said)
	}
	return err
}
