package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

const (
	// trailing clients ask for pages that pause about as long as a page waits for
	// its selectors, and end with trailers.
	trailing = 100
	// referring clients ask for pages full of character references.
	referring = 4
)

// endure asks a Caddy for the pages that once ended or hung it, for as long as told, and fails when one
// does not come whole within ten seconds (a minute under the race detector), or when Caddy panics, races or ends.
func endure(ctx context.Context, folder, caddy string, race bool, duration time.Duration) error {
	if race {
		caddy = filepath.Join(folder, "caddy-race")
		build := exec.CommandContext(ctx, "go", "build", "-race", "-o", caddy, "./cmd/caddy")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building with the race detector: %w", err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	body := page.Page{Size: 20 << 10, Numbers: numbersOnPage}.Make()
	go http.Serve(listener, enduring(body))

	address, err := freeAddress()
	if err != nil {
		return err
	}
	n := page.Numbers(1)[0]
	directives := func(places string) string {
		return fmt.Sprintf("frontdesk shop {\nprerender static\nnumber %s {\n%s\nstatic %s utm_source=news\n}\n}\nreverse_proxy %s\n", n.Digits, places, n.Replacement, listener.Addr())
	}
	config := "{\nadmin off\ndefault_bind 127.0.0.1\nauto_https off\npersist_config off\nfrontdesk {\ndatabase sqlite " + folder + "/endure.db\n}\n}\n" +
		"http://" + address + " {\nencode\nhandle /trailers {\n" + directives(`selector ".contact a.tel"`) + "}\nhandle {\n" + directives("") + "}\n}\n"
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "endure.conf"), config, "http://"+address+"/?utm_source=news")
	if err != nil {
		return err
	}
	defer p.stop()
	if err := awaitText(ctx, address, "tel:+"+n.Replacement); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, duration, errEndured)
	defer cancel()
	patience := 10 * time.Second
	if race { // and a machine that is busy with it
		patience = time.Minute
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: trailing + referring}}
	var came [2]atomic.Int64
	var failure error
	var once sync.Once
	var running sync.WaitGroup
	for i := range trailing + referring {
		path, kind := "/trailers", 0
		if i >= trailing {
			path, kind = "/references", 1
		}
		running.Go(func() {
			for ctx.Err() == nil {
				if err := whole(client, "http://"+address+path+"?utm_source=news", n.Replacement); err != nil {
					once.Do(func() { failure = err })
					cancel()
					return
				}
				came[kind].Add(1)
			}
		})
	}
	running.Wait()
	p.stop()
	for _, bad := range []string{"panic", "fatal error", "DATA RACE"} {
		if at := strings.Index(p.output.String(), bad); at >= 0 && failure == nil {
			failure = fmt.Errorf("caddy says: %.2000s", p.output.String()[at:])
		}
	}
	if failure == nil && context.Cause(ctx) != errEndured {
		failure = context.Cause(ctx)
	}
	fmt.Printf("%d pages with trailers and %d with references came whole in %v (race detector: %v)\n", came[0].Load(), came[1].Load(), duration, race)
	return failure
}

var errEndured = fmt.Errorf("the time is over")

// enduring is the origin: it sends the page at once, or bit by bit with a pause and trailers.
func enduring(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/trailers" {
			w.Write(body)
			return
		}
		if rand.IntN(2) == 0 {
			h.Set("Trailer", "X-Sum")
		}
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 6<<10)
			w.Write(rest[:n])
			http.NewResponseController(w).Flush()
			rest = rest[n:]
		}
		time.Sleep(196*time.Millisecond + rand.N(6*time.Millisecond))
		h.Set(http.TrailerPrefix+"X-Other", "2")
		if h.Get("Trailer") != "" {
			h.Set("X-Sum", "1")
		}
	}
}

// whole asks for a page and sees that all of it came, with the number replaced.
func whole(client *http.Client, address, number string) error {
	response, err := client.Get(address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case !strings.Contains(string(body), "tel:+"+number), !strings.Contains(string(body[max(0, len(body)-64):]), "</script>"):
		return fmt.Errorf("%s: the page is not whole, or its number is as printed", address)
	}
	return nil
}
