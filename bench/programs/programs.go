// Package programs measures how fast the public API answers, among few leads and among many.
package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/bench/console"
)

const (
	// tokens are so many that none reaches its limit.
	tokens = 100
	// atOnce is how many calls are on their way while the rate is measured.
	atOnce = 16
)

// calls are what is asked, by what it is.
var calls = []struct{ name, path string }{
	{"50 leads of all sites", "leads?limit=50"},
	{"50 leads, page after page", "leads?limit=50&cursor="},
	{"50 leads of a site", "leads?limit=50&site=demo-shop"},
	{"50 leads with a word", "leads?limit=50&q=lamp"},
	{"50 leads of a month", "leads?limit=50&since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z"},
	{"50 calls", "calls?limit=50"},
	{"a lead", "sites/demo-shop/leads/1"},
	{"a site", "sites/demo-shop"},
}

// program calls the API.
type program struct {
	address string
	secrets []string
	used    atomic.Int64
	client  http.Client
}

// Run asks for lists and things, with ten leads and with the size, on both engines: how long each takes by itself, and how
// many reads there are in a second. An answer of Caddy alone is measured beside.
func Run(ctx context.Context, folder string, tools console.Tools, large console.Size, rounds int, slice time.Duration) error {
	for _, engine := range []string{db.SQLite, db.Postgres} {
		for _, size := range []console.Size{{Sites: 10, Leads: 10}, large} {
			if err := measure(ctx, folder, tools, engine, size, rounds, slice); err != nil {
				return fmt.Errorf("%s, %d leads: %w", engine, size.Leads, err)
			}
		}
	}
	return nil
}

func measure(ctx context.Context, folder string, tools console.Tools, engine string, size console.Size, rounds int, slice time.Duration) error {
	settings := db.Settings{Engine: engine, Source: filepath.Join(folder, fmt.Sprintf("programs%d.db", size.Leads))}
	if engine == db.Postgres {
		postgres, err := dbtest.StartServer("")
		if err != nil {
			return err
		}
		defer postgres.Remove()
		settings.Source = postgres.Source()
	}
	if err := console.Fill(ctx, settings, size.Sites, size.Leads); err != nil {
		return err
	}
	p := &program{client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * atOnce}}}
	if err := p.admit(ctx, settings); err != nil {
		return err
	}
	var err error
	if p.address, err = tools.Address(); err != nil {
		return err
	}
	stop, err := tools.Start(fmt.Sprintf(`{
	admin off
	auto_https off
	persist_config off
	frontdesk {
		database %s %q
	}
}
http://%s {
	handle /bare {
		respond ok
	}
	handle {
		frontdesk_console
	}
}
`, engine, settings.Source, p.address), "http://"+p.address+"/sign-in")
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("\nThe API on %s, %d sites, %d leads\n%-28s %8s %8s %10s\n", engine, size.Sites, size.Leads, "", "median", "95th", "a second")
	for _, call := range append(calls, struct{ name, path string }{"Caddy alone", ""}) {
		took, err := p.alone(ctx, call.path, 40*rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", call.name, err)
		}
		rate, err := p.rate(ctx, call.path, slice)
		if err != nil {
			return fmt.Errorf("%s: %w", call.name, err)
		}
		slices.Sort(took)
		fmt.Printf("%-28s %6.1f ms %5.1f ms %10.0f\n", call.name, ms(took[len(took)/2]), ms(took[len(took)*95/100]), rate)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// admit makes the tokens.
func (p *program) admit(ctx context.Context, settings db.Settings) error {
	d, err := db.Open(ctx, settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	made := token.New(d, time.Now)
	for range tokens {
		_, secret, err := made.Make(ctx, operator.Server(), token.Token{Name: "bench", Scopes: token.Scopes, Sites: scope.All()}, 1)
		if err != nil {
			return err
		}
		p.secrets = append(p.secrets, secret)
	}
	return nil
}

// ask makes a call, and returns the cursor of the next page. The path is empty for Caddy's own answer.
func (p *program) ask(ctx context.Context, path string) (next string, err error) {
	address := "http://" + p.address + "/api/v1/" + path
	if path == "" {
		address = "http://" + p.address + "/bare"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+p.secrets[int(p.used.Add(1))%tokens])
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("answered with %d: %.200s", response.StatusCode, body)
	}
	var said struct{ Next string }
	if err == nil && path != "" {
		err = json.Unmarshal(body, &said)
	}
	return said.Next, err
}

// alone makes calls one after the other. Those of a path that ends with a cursor go on from page to page.
func (p *program) alone(ctx context.Context, path string, times int) (took []time.Duration, err error) {
	next := ""
	for range times {
		begun := time.Now()
		if next, err = p.ask(ctx, following(path, next)); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

func following(path, next string) string {
	if len(path) > 0 && path[len(path)-1] == '=' {
		return path + next
	}
	return path
}

// rate is how many calls are answered in a second while several are on their way.
func (p *program) rate(ctx context.Context, path string, slice time.Duration) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done sync.WaitGroup
	var count atomic.Int64
	begun := time.Now()
	for range atOnce {
		done.Go(func() {
			next := ""
			for time.Since(begun) < slice && ctx.Err() == nil {
				var err error
				if next, err = p.ask(ctx, following(path, next)); err != nil {
					cancel(err)
					return
				}
				count.Add(1)
			}
		})
	}
	done.Wait()
	return float64(count.Load()) / time.Since(begun).Seconds(), context.Cause(ctx)
}
