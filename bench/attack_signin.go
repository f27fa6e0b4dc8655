package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// guessesMade is how many passwords are guessed at the least, by guessersAtOnce
	// clients, each guess over a connection of its own.
	guessesMade, guessersAtOnce = 10000, 256
	// newcomersEvery is how often the owner comes with a new browser, and
	// newcomersWait how long none of them may have to wait.
	newcomersEvery, newcomersWait = time.Second, time.Minute
)

// signin guesses at one login of the console, from one address and from a
// thousand, while the login's owner signs in from a browser that is known and
// from new ones. Clients have addresses of their own in 127.0.0.0/8, which Linux
// gives to whoever asks. It fails when the owner is locked out.
func signin(ctx context.Context, folder, caddy string, least time.Duration) error {
	fmt.Printf("Guessing at one login, %d times and for %v at the least, %d at once\n", guessesMade, least, guessersAtOnce)
	fmt.Printf("%9s %8s %8s %8s %8s | %-32s | %-32s | %6s\n", "addresses", "seconds", "guesses", "checked", "refused",
		"known browser: median, slowest", "new browsers: median, slowest", "CPU")
	for _, addresses := range []int{1, 1000} {
		s := &siege{addresses: addresses}
		if err := s.run(ctx, folder, caddy, least); err != nil {
			return fmt.Errorf("%d addresses: %w", addresses, err)
		}
	}
	return nil
}

// siege is one run.
type siege struct {
	addresses int
	base      string // of the console

	guesses, checked, refused atomic.Int64
	known, newcomers          []time.Duration // how long each sign-in took, waiting included
}

const siegePassword = "correct horse battery"

func (s *siege) run(ctx context.Context, folder, caddy string, least time.Duration) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	s.base = "http://" + address
	database := filepath.Join(folder, fmt.Sprintf("signin%d.db", s.addresses))
	file := filepath.Join(folder, "signin.conf")
	config := "{\n\tadmin off\n\tfrontdesk {\n\t\tdatabase sqlite " + database + "\n\t}\n}\n" + s.base + " {\n\tbind 127.0.0.1\n\tfrontdesk_console\n}\n"
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return err
	}
	add := exec.CommandContext(ctx, caddy, "frontdesk", "operator", "add", "vera", "--config", file, "--adapter", "caddyfile")
	add.Stdin = strings.NewReader(siegePassword + "\n")
	if output, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("adding the operator: %w: %s", err, output)
	}
	probe, err := http.NewRequest(http.MethodGet, s.base+"/sign-in", nil)
	if err != nil {
		return err
	}
	p, err := start(ctx, probe, caddy, "run", "--config", file, "--adapter", "caddyfile")
	if err != nil {
		return err
	}
	defer p.stop()

	owner, err := s.from("127.255.0.1", true)
	if err != nil {
		return err
	}
	if status, _, err := s.try(ctx, owner, siegePassword); err != nil || status != http.StatusSeeOther {
		return fmt.Errorf("signing in before it begins: status %d: %w", status, err)
	}
	before, err := p.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	guessing, over := context.WithCancel(ctx)
	defer over()
	var all sync.WaitGroup
	for g := range guessersAtOnce {
		all.Go(func() {
			for n := g; guessing.Err() == nil; n += guessersAtOnce {
				s.guess(guessing, n)
			}
		})
	}
	failed := s.signInMeanwhile(ctx, owner, func() bool { return s.guesses.Load() >= guessesMade && time.Since(began) >= least })
	over() // when the owner has come in everywhere
	all.Wait()
	lasted := time.Since(began)
	spent, err := p.cpu()
	if err != nil {
		return err
	}
	slices.Sort(s.known)
	slices.Sort(s.newcomers)
	fmt.Printf("%9d %8.1f %8d %8d %8d | %-32s | %-32s | %5.1fs\n", s.addresses, lasted.Seconds(), s.guesses.Load(), s.checked.Load(), s.refused.Load(),
		summed(s.known), summed(s.newcomers), (spent - before).Seconds())
	return failed
}

func summed(sorted []time.Duration) string {
	if len(sorted) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %v, %v", len(sorted), sorted[len(sorted)/2].Round(time.Millisecond), sorted[len(sorted)-1].Round(time.Millisecond))
}

// guess makes the nth guess. Addresses are as far from each other as they can be.
func (s *siege) guess(ctx context.Context, n int) {
	n %= s.addresses
	client, err := s.from(fmt.Sprintf("127.%d.%d.7", 1+n%250, n/250), false)
	if err != nil {
		return
	}
	status, _, err := s.try(ctx, client, "a wrong guess")
	switch {
	case err != nil: // it is over
	case status == http.StatusUnauthorized:
		s.guesses.Add(1)
		s.checked.Add(1)
	case status == http.StatusTooManyRequests:
		s.guesses.Add(1)
		s.refused.Add(1)
	}
}

// signInMeanwhile signs the owner in, again and again until it is enough.
func (s *siege) signInMeanwhile(ctx context.Context, owner *http.Client, enough func() bool) error {
	var mu sync.Mutex
	var failure error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if failure == nil {
			failure = err
		}
	}
	coming, come := context.WithCancel(ctx)
	defer come()
	var known, newcomers sync.WaitGroup
	known.Go(func() {
		for coming.Err() == nil {
			began := time.Now()
			status, _, err := s.try(ctx, owner, siegePassword)
			if err != nil || status != http.StatusSeeOther {
				fail(fmt.Errorf("a known browser was refused with status %d: %v", status, err))
				return
			}
			s.known = append(s.known, time.Since(began))
			time.Sleep(100 * time.Millisecond)
		}
	})
	for n := 0; ctx.Err() == nil && !enough(); n++ {
		newcomers.Go(func() {
			took, err := s.arrive(ctx, fmt.Sprintf("127.%d.200.%d", 1+n%250, 1+n/250))
			if err == nil && took > newcomersWait {
				err = fmt.Errorf("it took %v", took)
			}
			if err != nil {
				fail(fmt.Errorf("a new browser was locked out: %w", err))
			}
			mu.Lock()
			defer mu.Unlock()
			s.newcomers = append(s.newcomers, took)
		})
		select {
		case <-ctx.Done():
		case <-time.After(newcomersEvery):
		}
	}
	newcomers.Wait()
	come()
	known.Wait()
	return failure
}

// arrive signs the owner in with a new browser behind the address, which comes
// again when it is told to. It returns how long that took.
func (s *siege) arrive(ctx context.Context, address string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	began := time.Now()
	for {
		client, err := s.from(address, false)
		if err != nil {
			return 0, err
		}
		status, wait, err := s.try(ctx, client, siegePassword)
		switch {
		case err != nil:
			return time.Since(began), err
		case status == http.StatusSeeOther:
			return time.Since(began), nil
		case status != http.StatusTooManyRequests:
			return time.Since(began), fmt.Errorf("status %d", status)
		}
		select {
		case <-ctx.Done():
			return time.Since(began), ctx.Err()
		case <-time.After(wait):
		}
	}
}

// from is a client behind the address, with cookies of its own or without.
func (s *siege) from(address string, cookies bool) (*http.Client, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if !cookies {
		return client, nil
	}
	jar, err := cookiejar.New(nil)
	client.Jar = jar
	return client, err
}

// try signs in once. wait is when to come again, of an answer that says so.
func (s *siege) try(ctx context.Context, client *http.Client, password string) (status int, wait time.Duration, err error) {
	form := url.Values{"login": {"vera"}, "password": {password}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := client.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0, 0, err
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return response.StatusCode, time.Duration(seconds) * time.Second, nil
}
