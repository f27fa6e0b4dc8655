package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	reloadedSites = 1000
	// visitedSites are those of them whose pages are asked for: each has connections of its own to the origin.
	visitedSites = 100
	// fewReloads and manyReloads are after how many reloads is measured.
	fewReloads, manyReloads = 5, 50
)

// reload measures what a Caddy holds after reloads of a configuration of many sites, with clients that ask for pages all
// the time, and beside it the same of a Caddy whose configuration has nothing of Frontdesk.
func reload(ctx context.Context, folder, caddy string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html><head><title>Lamps</title></head><body>8 (495) 123-45-67</body></html>")
	}))
	fmt.Printf("A Caddy of %d sites under requests, and what it holds after reloads: resident, then after a collection, and goroutines\n", reloadedSites)
	for _, side := range []struct{ name, app, console, site string }{
		{"plain Caddy", "", "respond desk", ""},
		{"Frontdesk", "frontdesk {\n database sqlite " + folder + "/reload.db\n }", "frontdesk_console",
			"frontdesk {\n prerender static\n number 74951234567 {\n selector \".tel\"\n static 74957654321 utm_source=news\n }\n }"},
	} {
		if err := reloading(ctx, folder, caddy, side.name, listener.Addr().String(), side.app, side.console, side.site); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return nil
}

func reloading(ctx context.Context, folder, caddy, name, origin, app, console, directives string) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	admin, err := freeAddress()
	if err != nil {
		return err
	}
	var config strings.Builder
	fmt.Fprintf(&config, "{\n admin %s\n persist_config off\n log {\n level ERROR\n }\n %s\n}\nhttp://desk.example:%[3]s, http://%[4]s {\n bind 127.0.0.1\n %[5]s\n}\n",
		admin, app, address[strings.LastIndex(address, ":")+1:], address, console)
	for i := range reloadedSites {
		fmt.Fprintf(&config, "http://site%d.example:%s {\n bind 127.0.0.1\n %s\n reverse_proxy %s\n}\n", i, address[strings.LastIndex(address, ":")+1:], directives, origin)
	}
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "reload.conf"), config.String(), "http://"+admin+"/config/")
	if err != nil {
		return err
	}
	defer p.stop()
	p.admin = admin
	asking, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()
	for client := range 4 {
		clients.Go(func() { visitSites(asking, address, client) })
	}
	report := func(after string) error {
		loaded, err := p.resident()
		if err != nil {
			return err
		}
		heap, goroutines, err := p.held(ctx)
		if err != nil {
			return err
		}
		settled, err := p.resident()
		fmt.Printf("%-12s %-28s %8.0f MB %8.0f MB %8.0f MB of heap %8d goroutines\n", name, after, mega(loaded), mega(settled), mega(heap), goroutines)
		return err
	}
	if !pause(ctx, 5*time.Second) {
		return ctx.Err()
	}
	if err := report("at the start"); err != nil {
		return err
	}
	begun := time.Now()
	for i := range manyReloads {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+admin+"/load", strings.NewReader(config.String()))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "text/caddyfile")
		request.Header.Set("Cache-Control", "must-revalidate")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("reloading: %s: %s", answer.Status, text)
		}
		if i+1 == fewReloads || i+1 == manyReloads {
			if err := report(fmt.Sprintf("after %d reloads in %.0f s", i+1, time.Since(begun).Seconds())); err != nil {
				return err
			}
		}
	}
	if !pause(ctx, 20*time.Second) {
		return ctx.Err()
	}
	return report("20 s later")
}

// visitSites asks for pages of sites, one after another, over connections that stay open.
func visitSites(ctx context.Context, address string, client int) {
	connections := &http.Client{Transport: new(http.Transport)}
	defer connections.CloseIdleConnections()
	for i := client; ctx.Err() == nil; i++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/?utm_source=news", nil)
		if err != nil {
			return
		}
		request.Host = fmt.Sprintf("site%d.example", i%visitedSites)
		request.Header.Set("Accept", "text/html")
		if answer, err := connections.Do(request); err == nil {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		pause(ctx, 2*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

var (
	inUseLine     = regexp.MustCompile(`(?m)^# HeapInuse = (\d+)$`)
	goroutineLine = regexp.MustCompile(`^goroutine profile: total (\d+)`)
)

// held is what the process holds after a collection: bytes of heap in use, and goroutines.
func (p *process) held(ctx context.Context) (heap, goroutines int64, err error) {
	read := func(path string, line *regexp.Regexp) (number int64, err error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.admin+path, nil)
		if err != nil {
			return 0, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return 0, err
		}
		found := line.FindSubmatch(text)
		if found == nil {
			return 0, fmt.Errorf("%s does not say it", path)
		}
		return strconv.ParseInt(string(found[1]), 10, 64)
	}
	for range 2 { // what has a clean-up goes with the second
		if heap, err = read("/debug/pprof/heap?gc=1&debug=1", inUseLine); err != nil {
			return 0, 0, err
		}
	}
	goroutines, err = read("/debug/pprof/goroutine?debug=1", goroutineLine)
	return heap, goroutines, err
}
