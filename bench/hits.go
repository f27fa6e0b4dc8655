package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver by which the test server is awaited

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// hits counts the page views that the whole program acknowledges as durable,
// over HTTP, from 32 keep-alive clients of which each sends every fourth view
// as a new visitor. The pooler is PgBouncer in front of PostgreSQL, whose own time is not told.
//
// With profile, the name of a file without its end, each run leaves a CPU profile of the
// server in profile.DATABASE.
func hits(ctx context.Context, folder, caddy, profile string, duration time.Duration) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	pooler, err := dbtest.StartPooler(postgres.Address)
	if err != nil {
		return err
	}
	defer pooler.Remove()
	fmt.Printf("Hits acknowledged as durable, %v on each, 32 keep-alive clients, on the cores that the clients use too\n", duration)
	fmt.Printf("%-10s %10s %10s %10s %10s %14s %14s\n", "database", "hits/s", "median", "p99", "slowest", "µs of CPU", "and PostgreSQL")
	spent := func() (time.Duration, error) { return cpuOf(postgres.PID()) } // by PostgreSQL
	for _, database := range []string{
		"sqlite " + filepath.Join(folder, "hits.db"),
		`postgres "` + postgres.Source() + `"`,
		`postgres "` + pooler.Source("postgres") + `" {` + "\n\t\t\tdirect \"" + postgres.Source() + "\"\n\t\t}",
	} {
		if err := hitsOn(ctx, folder, caddy, database, profile, spent, duration); err != nil {
			return fmt.Errorf("%s: %w", database, err)
		}
	}
	return nil
}

func hitsOn(ctx context.Context, folder, caddy, database, profile string, spent func() (time.Duration, error), duration time.Duration) error {
	p, address, err := startOnDatabase(ctx, folder, caddy, database)
	if err != nil {
		return err
	}
	defer p.stop()

	clients := make([]client, 32)
	for i := range clients {
		clients[i] = newVisitorEvery(4, i, address)
	}
	if _, err := drive(ctx, address, clients, duration/4); err != nil { // warm up
		return err
	}
	before, err := p.cpu()
	if err != nil {
		return err
	}
	beside, err := spent()
	if err != nil {
		return err
	}
	engine, _, _ := strings.Cut(database, " ")
	if strings.Contains(database, "direct") {
		engine = "pooler"
	}
	profiled := make(chan error, 1)
	if profile == "" {
		profiled <- nil
	} else {
		go func() { profiled <- p.profile(ctx, profile+"."+engine, duration-time.Second) }()
	}
	began := time.Now()
	l, err := drive(ctx, address, clients, duration)
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, err := p.cpu()
	if err != nil {
		return err
	}
	besideAfter, err := spent()
	if err != nil {
		return err
	}
	if err := <-profiled; err != nil {
		return err
	}
	forEach := func(spent time.Duration) float64 { return float64(spent.Microseconds()) / float64(l.requests) }
	fmt.Printf("%-10s %10.0f %10v %10v %10v %14.1f %14.1f\n", engine, float64(l.requests)/took.Seconds(),
		l.percentile(0.5).Round(10*time.Microsecond), l.percentile(0.99).Round(10*time.Microsecond), l.percentile(1).Round(10*time.Microsecond),
		forEach(after-before), forEach(besideAfter-beside))
	return nil
}

// startOnDatabase runs a Caddy that takes the addresses of clients from a header.
func startOnDatabase(ctx context.Context, folder, caddy, database string) (*process, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	admin, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	config := strings.NewReplacer("admin off", "admin "+admin, "ADDRESS", address, "ORIGIN", address).
		Replace(caddyConfig("frontdesk {\n\t\tdatabase "+database+"\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}", "frontdesk shop"))
	file := filepath.Join(folder, "database.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return nil, "", err
	}
	probe, err := http.NewRequest(http.MethodPost, "http://"+address+"/frontdesk/v1/hit", strings.NewReader(hitBody(0)))
	if err != nil {
		return nil, "", err
	}
	probe.Header.Set("Content-Type", "application/json")
	p, err := start(ctx, probe, caddy, "run", "--config", file, "--adapter", "caddyfile")
	if err != nil {
		return nil, "", err
	}
	p.admin = admin
	return p, address, nil
}

// newVisitorEvery is a visitor after the other: each has an address of its own,
// looks at n pages, and keeps the cookie that it is given.
func newVisitorEvery(n, number int, address string) client {
	var cookie, from string
	sent := 0
	return func(last *answer) []byte {
		if last != nil && last.cookie != "" {
			cookie = "Cookie: " + last.cookie + "\r\n"
		}
		if sent%n == 0 {
			visitor := sent / n
			cookie, from = "", fmt.Sprintf("10.%d.%d.%d", number, visitor>>8&255, visitor&255)
		}
		sent++
		body := hitBody(sent)
		return fmt.Appendf(nil, "POST /frontdesk/v1/hit HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r\nAccept-Language: en\r\nContent-Type: application/json\r\nX-Forwarded-For: %s\r\n%sContent-Length: %d\r\n\r\n%s",
			address, from, cookie, len(body), body)
	}
}

func hitBody(page int) string {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	body, _ := json.Marshal(map[string]string{
		"site_key": "shop", "view": base64.RawURLEncoding.EncodeToString(nonce),
		"url":      fmt.Sprintf("https://shop.example/lamps/%d?utm_source=news", page%50),
		"referrer": "https://search.example/?q=lamps", "title": "A lamp for reading", "kind": "load",
	})
	return string(body)
}
