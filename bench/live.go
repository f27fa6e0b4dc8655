package main

import (
	"context"
	"database/sql"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

const (
	// streamsEach is how many consoles each account has open: as many as it keeps.
	streamsEach = 20
	// liveClients report liveHits page views a second, all together.
	liveClients, liveHits = 8, 200
	livePassword          = "correct horse battery"
)

// live counts what open consoles cost PostgreSQL: its transactions and the
// server's CPU time, with none, one, a hundred and a thousand lists of visitors
// open, while page views come in. Each query outside of a write is a transaction.
func live(ctx context.Context, folder, caddy string, duration time.Duration) error {
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	source := postgres.Source()
	if err := addOperators(ctx, db.Settings{Engine: db.Postgres, Source: source}, 1000/streamsEach, operator.Agent); err != nil {
		return fmt.Errorf("adding operators: %w", err)
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	console, err := freeAddress()
	if err != nil {
		return err
	}
	config := strings.NewReplacer("ADDRESS", address, "ORIGIN", address).
		Replace(caddyConfig("frontdesk {\n\t\tdatabase postgres \""+source+"\"\n\t}\n\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n\t}", "frontdesk shop")) +
		"http://" + console + " {\n\tfrontdesk_console\n}\n"
	p, err := startCaddy(ctx, caddy, filepath.Join(folder, "live.conf"), config, "http://"+console+"/sign-in")
	if err != nil {
		return err
	}
	defer p.stop()
	statistics, err := sql.Open("pgx", source)
	if err != nil {
		return err
	}
	defer statistics.Close()

	fmt.Printf("Open consoles, %d page views a second, %v each\n", liveHits, duration)
	fmt.Printf("%8s %16s %14s %10s %16s\n", "consoles", "transactions/s", "rows read/s", "events/s", "server's CPU")
	o := &openConsoles{base: "http://" + console}
	defer o.close()
	for _, consoles := range []int{0, 1, 100, 1000} {
		if err := o.grow(ctx, consoles); err != nil {
			return fmt.Errorf("opening %d consoles: %w", consoles, err)
		}
		if err := o.measure(ctx, p, statistics, address, duration); err != nil {
			return fmt.Errorf("%d consoles: %w", consoles, err)
		}
	}
	return nil
}

// addOperators makes a database with operators: agent0, agent1 and so on.
func addOperators(ctx context.Context, settings db.Settings, number int, role operator.Role) error {
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	operators := operator.New(d, time.Now)
	for n := range number {
		if err := operators.Add(ctx, fmt.Sprint("agent", n), livePassword, role); err != nil {
			return err
		}
	}
	return nil
}

// openConsoles are lists of visitors, kept up to date.
type openConsoles struct {
	base   string
	open   []context.CancelFunc
	ended  atomic.Int64
	events atomic.Int64
	jar    []*http.Client // one for each account
}

// grow opens consoles until there are so many.
func (o *openConsoles) grow(ctx context.Context, number int) error {
	opening, ctx2 := errgroup.WithContext(ctx)
	opening.SetLimit(16)
	for len(o.jar)*streamsEach < number {
		client, err := o.signIn(ctx2, fmt.Sprint("agent", len(o.jar)))
		if err != nil {
			return err
		}
		o.jar = append(o.jar, client)
	}
	var mu sync.Mutex
	for n := len(o.open); n < number; n++ {
		opening.Go(func() error {
			stop, err := o.follow(ctx, o.jar[n/streamsEach])
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				o.open = append(o.open, stop)
			}
			return err
		})
	}
	return opening.Wait()
}

func (o *openConsoles) close() {
	for _, stop := range o.open {
		stop()
	}
}

func (o *openConsoles) signIn(ctx context.Context, login string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form := url.Values{"login": {login}, "password": {livePassword}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		return nil, fmt.Errorf("signing in: status %d", response.StatusCode)
	}
	return client, nil
}

var streamOf = regexp.MustCompile(`hx-sse:connect="([^"]+)"`)

// stream opens a page, and returns its stream.
func (o *openConsoles) stream(ctx context.Context, client *http.Client, path string) (events io.ReadCloser, err error) {
	body, err := o.get(ctx, client, path)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	page, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	found := streamOf.FindSubmatch(page)
	if found == nil {
		return nil, fmt.Errorf("%s has no stream", path)
	}
	return o.get(ctx, client, html.UnescapeString(string(found[1])))
}

// follow opens the list of visitors and its stream.
func (o *openConsoles) follow(ctx context.Context, client *http.Client) (stop context.CancelFunc, err error) {
	ctx, stop = context.WithCancel(ctx)
	events, err := o.stream(ctx, client, "/visitors")
	if err != nil {
		stop()
		return nil, err
	}
	go func() {
		defer events.Close()
		piece := make([]byte, 64<<10)
		for {
			n, err := events.Read(piece)
			o.events.Add(int64(strings.Count(string(piece[:n]), "id: ")))
			if err != nil {
				o.ended.Add(1)
				return
			}
		}
	}()
	return stop, nil
}

func (o *openConsoles) get(ctx context.Context, client *http.Client, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%s: status %d", path, response.StatusCode)
	}
	return response.Body, nil
}

// measure prints what the consoles that are open cost.
func (o *openConsoles) measure(ctx context.Context, p *process, statistics *sql.DB, address string, duration time.Duration) error {
	clients := make([]client, liveClients)
	for i := range clients {
		clients[i] = paced(newVisitorEvery(4, i, address), liveHits/liveClients)
	}
	if _, err := drive(ctx, address, clients, duration/4); err != nil { // until all is calm
		return err
	}
	before, rowsBefore, err := transactions(ctx, statistics)
	if err != nil {
		return err
	}
	cpuBefore, err := p.cpu()
	if err != nil {
		return err
	}
	events, began := o.events.Load(), time.Now()
	l, err := drive(ctx, address, clients, duration)
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	cpu, err := p.cpu()
	if err != nil {
		return err
	}
	after, rows, err := transactions(ctx, statistics)
	if err != nil {
		return err
	}
	fmt.Printf("%8d %16.0f %14.0f %10.0f %15.0f%%\n", len(o.open), float64(after-before)/seconds, float64(rows-rowsBefore)/seconds,
		float64(o.events.Load()-events)/seconds, 100*(cpu-cpuBefore).Seconds()/seconds)
	if ended := o.ended.Load(); ended > 0 {
		fmt.Printf("  %d consoles lost their stream\n", ended)
	}
	if rate := float64(l.requests) / seconds; rate < 0.8*liveHits {
		fmt.Printf("  only %.0f page views a second were acknowledged\n", rate)
	}
	return nil
}

// paced lets the client make so many requests a second.
func paced(c client, rate int) client {
	var due time.Time
	return func(last *answer) []byte {
		if due.IsZero() {
			due = time.Now()
		}
		time.Sleep(time.Until(due))
		due = due.Add(time.Second / time.Duration(rate))
		return c(last)
	}
}

// transactions are those of the database up to now, and the rows that its queries
// have read.
func transactions(ctx context.Context, statistics *sql.DB) (number, rows int64, err error) {
	time.Sleep(2 * time.Second) // the server's processes report once a second
	err = statistics.QueryRowContext(ctx, `SELECT xact_commit + xact_rollback, tup_returned + tup_fetched FROM pg_stat_database WHERE datname = 'postgres'`).Scan(&number, &rows)
	return number, rows, err
}
