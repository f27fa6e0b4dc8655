package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver by which the test server is awaited

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/bench/page"
)

const (
	// pooledNumbers is how many numbers the pool of the visitors has, pagesOfVisitor how many pages
	// each of them opens: on a calm machine they do not need all the numbers.
	pooledNumbers  = 1000
	pagesOfVisitor = 8
)

// arrivals measures what a page takes that comes with its visit, beside the same page with prerender off: one client
// opens pages of 10 KB one after another.
func arrivals(ctx context.Context, folder, caddy string, rounds int, slice time.Duration) error {
	listener, err := serveOrigin()
	if err != nil {
		return err
	}
	defer listener.Close()
	origin := listener.Addr().String()
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	fmt.Printf("\nA page of 10 KB that comes with its visit and a number of a pool, %d rounds of %v, 1 keep-alive client, %d pages for each visitor\n", rounds, slice, pagesOfVisitor)
	fmt.Printf("%-10s %-18s %12s %10s %10s %14s\n", "database", "", "µs of CPU", "median", "p99", "PostgreSQL")
	for _, database := range []string{
		"sqlite " + filepath.Join(folder, "arrivals-MODE.db"),
		`postgres "` + postgres.Source() + `"`,
	} {
		if err := arrivalsOn(ctx, folder, caddy, origin, database, postgres, rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", database, err)
		}
	}
	return nil
}

// cost is what pages took.
type cost struct {
	cpu, beside float64 // µs
	times       []time.Duration
	pages       int
}

func arrivalsOn(ctx context.Context, folder, caddy, origin, database string, postgres *dbtest.Server, rounds int, slice time.Duration) error {
	engine, _, _ := strings.Cut(database, " ")
	modes := []string{"off", "dynamic"}
	sides, costs := make(map[string]side), make(map[string]*cost)
	for _, mode := range modes {
		s, err := startArrivals(ctx, folder, caddy, origin, strings.Replace(database, "MODE", mode, 1), mode)
		if err != nil {
			return err
		}
		defer s.process.stop()
		sides[mode], costs[mode] = s, new(cost)
	}
	for range rounds {
		for _, mode := range modes {
			if err := costs[mode].add(ctx, sides[mode], postgres, slice); err != nil {
				return err
			}
		}
	}
	for _, mode := range modes {
		c := costs[mode]
		slices.Sort(c.times)
		l := load{requests: c.pages, latencies: c.times}
		fmt.Printf("%-10s %-18s %12.0f %10v %10v %14.0f\n", engine, "prerender "+mode, c.cpu/float64(c.pages),
			l.percentile(0.5).Round(10*time.Microsecond), l.percentile(0.99).Round(10*time.Microsecond), c.beside/float64(c.pages))
	}
	return nil
}

// startArrivals runs a Caddy that takes the addresses of clients from a header.
func startArrivals(ctx context.Context, folder, caddy, origin, database, mode string) (side, error) {
	address, err := freeAddress()
	if err != nil {
		return side{}, err
	}
	n := page.Numbers(1)[0]
	var pool strings.Builder
	for i := range pooledNumbers {
		fmt.Fprintf(&pool, " 7495200%04d", i)
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", origin).Replace(caddyConfig(
		"frontdesk {\n\t\tdatabase "+database+"\n\t\tpool all"+pool.String()+" {\n\t\t\thold 1m\n\t\t}\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}",
		"frontdesk shop {\n\t\tprerender "+mode+"\n\t\tnumber "+n.Digits+" {\n\t\t\tdynamic all utm_source=news\n\t\t}\n\t}"))
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "arrivals-"+mode+".conf"), config, "http://"+address+pagePath(pageSizes[0].size))
	if err != nil {
		return side{}, err
	}
	s := side{name: mode, address: address, process: p}
	if err := awaitText(ctx, address, ""); err != nil {
		p.stop()
		return side{}, err
	}
	_, err = drive(ctx, address, []client{opening(address)}, time.Second) // warm up
	return s, err
}

func (c *cost) add(ctx context.Context, s side, postgres *dbtest.Server, slice time.Duration) error {
	var before, after [2]time.Duration
	spent := func(into *[2]time.Duration) (err error) {
		if into[0], err = s.process.cpu(); err == nil {
			into[1], err = cpuOf(postgres.PID())
		}
		return err
	}
	if err := spent(&before); err != nil {
		return err
	}
	l, err := drive(ctx, s.address, []client{opening(s.address)}, slice)
	if err != nil {
		return err
	}
	if err := spent(&after); err != nil {
		return err
	}
	c.cpu += float64((after[0] - before[0]).Microseconds())
	c.beside += float64((after[1] - before[1]).Microseconds())
	c.times = append(c.times, l.latencies...)
	c.pages += l.requests
	return nil
}

// opening is a visitor after the other: each has an address of its own, comes from a campaign, looks at some pages,
// and keeps the cookie.
func opening(address string) client {
	var cookie string
	opened := 0
	return func(last *answer) []byte {
		if last != nil && last.cookie != "" {
			cookie = "Cookie: " + last.cookie + "\r\n"
		}
		if opened%pagesOfVisitor == 0 {
			cookie = ""
		}
		visitor := opened / pagesOfVisitor
		opened++
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r\nAccept: text/html\r\nAccept-Language: en\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nX-Forwarded-For: 10.0.%d.%d\r\n%s\r\n",
			pagePath(pageSizes[0].size), address, visitor>>8&255, visitor&255, cookie)
	}
}
