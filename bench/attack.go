package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const (
	// attackRate is how many calls a second the attacker makes: some less than one
	// address may.
	attackRate = 45
	// attackFlush is how long a flush of the disk takes.
	attackFlush = 5 * time.Millisecond
	// attackClients are honest, and as many as those of hits.
	attackClients = 32
)

// attack counts the hits and leads that are acknowledged as durable on a disk with
// slow flushes, of honest clients alone and beside one whose calls are refused.
//
// After that it does so beside each of the worst things that one address can do, on an ordinary disk. If worst is not
// empty, it does only that beside the one whose name has it in it.
func attack(ctx context.Context, folder, caddy, worst string, rounds int, slice time.Duration) error {
	if worst == "" {
		if err := attackRefused(ctx, folder, caddy, rounds, 2*slice); err != nil {
			return err
		}
	}
	postgres, err := dbtest.StartServer("")
	if err != nil {
		return err
	}
	defer postgres.Remove()
	fmt.Printf("\nPages, hits and leads a second, of 8 keep-alive clients each, all at once: alone, beside one address, and the ratio (median, lowest to highest); %d rounds of %v\n", rounds, slice)
	fmt.Printf("%-10s %-24s %-34s %-34s %-34s %6s %s\n", "database", "one address sends", "pages", "hits", "leads", "MB more", "its calls refused")
	for _, database := range []string{
		"sqlite " + filepath.Join(folder, "worst.db"),
		`postgres "` + postgres.Source() + `"`,
	} {
		if err := attackWorst(ctx, folder, caddy, database, worst, rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", database, err)
		}
	}
	return nil
}

// attackRefused is the part of calls that are refused.
func attackRefused(ctx context.Context, folder, caddy string, rounds int, slice time.Duration) error {
	disk, err := mountSlowDisk(ctx, folder)
	if err != nil {
		return err
	}
	defer disk.remove()
	postgres, err := dbtest.StartServer(disk.folder)
	if err != nil {
		return err
	}
	defer postgres.Remove()
	fmt.Printf("Acknowledged as durable on a disk that flushes in %v, alone and beside %d refused calls a second, %d rounds of %v for each in turns\n",
		attackFlush, attackRate, rounds, slice)
	fmt.Printf("%-10s %-6s %10s %10s  %s\n", "database", "what", "alone/s", "beside/s", "ratio (median, lowest to highest)")
	for _, database := range []string{
		"sqlite " + filepath.Join(disk.folder, "attack.db"),
		`postgres "` + postgres.Source() + `"`,
	} {
		if err := attackOn(ctx, folder, caddy, database, rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", database, err)
		}
	}
	return nil
}

func attackOn(ctx context.Context, folder, caddy, database string, rounds int, slice time.Duration) error {
	p, address, err := startOnDatabase(ctx, folder, caddy, database)
	if err != nil {
		return err
	}
	defer p.stop()
	refused, err := newAttacker(ctx, address)
	if err != nil {
		return err
	}
	hitters, senders := make([]client, attackClients), make([]client, attackClients)
	for i := range attackClients {
		hitters[i] = newVisitorEvery(4, i, address)
		if senders[i], err = newLeadSender(ctx, i, address); err != nil {
			return err
		}
	}
	engine, _, _ := strings.Cut(database, " ")
	for _, honest := range []struct {
		what    string
		clients []client
	}{{"hits", hitters}, {"leads", senders}} {
		var alone, beside, ratios []float64
		for round := -1; round < rounds; round++ { // the first warms up
			rates := [2]float64{}
			for _, attacked := range []int{round & 1, 1 - round&1} {
				rate, err := acknowledged(ctx, address, honest.clients, refused, attacked == 1, slice)
				if err != nil {
					return err
				}
				rates[attacked] = rate
			}
			if round >= 0 {
				alone, beside, ratios = append(alone, rates[0]), append(beside, rates[1]), append(ratios, rates[1]/rates[0])
			}
		}
		slices.Sort(ratios)
		fmt.Printf("%-10s %-6s %10.0f %10.0f  %.2f (%.2f to %.2f)\n", engine, honest.what,
			median(alone), median(beside), median(ratios), ratios[0], ratios[len(ratios)-1])
	}
	return nil
}

// acknowledged is how many requests a second the clients had answered.
func acknowledged(ctx context.Context, address string, clients []client, refused *attacker, attacked bool, slice time.Duration) (float64, error) {
	attacking, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var failure error
	if attacked {
		running.Go(func() { failure = refused.run(attacking) })
	}
	began := time.Now()
	l, err := drive(ctx, address, clients, slice)
	took := time.Since(began)
	stop()
	running.Wait()
	return float64(l.requests) / took.Seconds(), errors.Join(err, failure)
}

// visitorCredentials are those of a new visitor.
func visitorCredentials(ctx context.Context, address string) (map[string]any, error) {
	status, body, err := ask(ctx, address, "hit", "10.254.0.1", json.RawMessage(hitBody(1)))
	if err != nil || status != http.StatusOK {
		return nil, errors.Join(err, fmt.Errorf("reporting a page view: %d %v", status, body))
	}
	credentials := make(map[string]any)
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id", "browser"} {
		credentials[name] = body[name]
	}
	return credentials, nil
}

// ask sends a request of the script from the address.
func ask(ctx context.Context, address, route, from string, content any) (status int, body map[string]any, err error) {
	encoded, err := json.Marshal(content)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/frontdesk/v1/"+route, strings.NewReader(string(encoded)))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", from)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, err
	}
	return response.StatusCode, body, json.Unmarshal(answer, &body)
}

// callID is an id as the script makes it.
func callID(kind string, number, n int) string { return fmt.Sprintf("%s-%03d-%012d", kind, number, n) }

// newLeadSender sends one lead after the other from one page view.
func newLeadSender(ctx context.Context, number int, address string) (client, error) {
	credentials, err := visitorCredentials(ctx, address)
	if err != nil {
		return nil, err
	}
	began := int(time.Now().UnixMilli() % 1_000_000)
	sent := 0
	return func(*answer) []byte {
		sent++
		body, _ := json.Marshal(map[string]any{
			"credentials": credentials, "id": callID("lead", number, began*100_000+sent),
			"request": map[string]any{"name": "A visitor", "phone": "+7 495 123-45-67", "message": fmt.Sprintf("Lamp %d, please.", sent)},
		})
		return fmt.Appendf(nil, "POST /frontdesk/v1/lead HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nContent-Type: application/json\r\nX-Forwarded-For: 10.%d.%d.%d\r\nContent-Length: %d\r\n\r\n%s",
			address, 100+number, sent>>8&255, sent&255, len(body), body)
	}, nil
}

// attacker makes calls that are refused: some need the database for that, and some
// would change something first.
type attacker struct {
	address     string
	credentials map[string]any
	sent        int
}

// newAttacker is a visitor who has as many properties and e-mails as are kept.
func newAttacker(ctx context.Context, address string) (*attacker, error) {
	credentials, err := visitorCredentials(ctx, address)
	if err != nil {
		return nil, err
	}
	a := &attacker{address: address, credentials: credentials}
	for i := range 100 {
		from := fmt.Sprintf("10.253.0.%d", i)
		for route, content := range map[string]map[string]any{
			"property": {"name": fmt.Sprint("property ", i)},
			"visitor":  {"email": fmt.Sprintf("%d@shop.example", i)},
		} {
			if status, body, err := a.ask(ctx, route, from, content); err != nil || status != http.StatusOK && body["code"] != "too_many" {
				return nil, errors.Join(err, fmt.Errorf("preparing refusals: %d %v", status, body))
			}
		}
	}
	return a, nil
}

func (a *attacker) ask(ctx context.Context, route, from string, content map[string]any) (status int, body map[string]any, err error) {
	a.sent++
	content["credentials"], content["browser"], content["id"] = a.credentials, a.credentials["browser"], callID("call", 0, a.sent)
	return ask(ctx, a.address, route, from, content)
}

// run calls until ctx ends, and fails when a call is not refused for what it says.
func (a *attacker) run(ctx context.Context) error {
	ticker := time.NewTicker(time.Second / attackRate)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		route, content := "visitor", map[string]any{} // nothing filled in
		switch a.sent % 4 {
		case 1:
			route, content = "property", map[string]any{"name": "one too many"}
		case 2: // the name is changed before there is no room for the e-mail
			content = map[string]any{"name": fmt.Sprint("name ", a.sent), "email": "one@too.many"}
		case 3: // kept among the refused requests, each another one
			route, content = "lead", map[string]any{"request": map[string]any{"phone": "+7 495 123-45-67", "message": fmt.Sprint("lamp ", a.sent), "sale_cost": 5}}
		}
		status, body, err := a.ask(ctx, route, "10.252.0.1", content)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || status != http.StatusBadRequest {
			return errors.Join(err, fmt.Errorf("expected a refusal: %d %v", status, body))
		}
	}
}
