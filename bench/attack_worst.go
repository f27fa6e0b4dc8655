package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

const (
	// worstFrom is the address of an attacker, and of the telephone platform behind the same proxy.
	worstFrom = "10.252.0.1"
	// worstSize is the size in bytes of the largest text that fits into a lead.
	worstSize = 1<<20 - 4<<10
	// silent connections announce a body and send nothing of it; stopped ones send half.
	silent, stopped = 500, 1500
	// announcedEvery is how long it takes to open the next of these: all that they send at once would stop any server.
	announcedEvery = 5 * time.Millisecond
	// patience is how long an attacker waits for anything, and before a connection that was ended is opened anew.
	patience = 10 * time.Second
)

// worst is what one address does to make as much work as it can.
type worst struct {
	name string
	// begins is how long it takes until all is under way, if that is long.
	begins time.Duration
	// run attacks from the address until ctx ends.
	run func(ctx context.Context, v *victim, from string)
}

// worsts are what has been seen to stop a server.
var worsts = []worst{
	{name: "1 MB of unseen signs", run: func(ctx context.Context, v *victim, from string) {
		v.leads(ctx, from, 1, strings.Repeat("\u007f", worstSize/2)+strings.Repeat("\u00ad", worstSize/4))
	}},
	{name: "long names in JSON", run: func(ctx context.Context, v *victim, from string) { v.forms(ctx, from) }},
	{name: "1 MB of words, by four", run: func(ctx context.Context, v *victim, from string) { v.leads(ctx, from, 4, words(worstSize)) }},
	{name: "announced, not sent", begins: (silent + stopped) * announcedEvery, run: func(ctx context.Context, v *victim, from string) { v.announce(ctx, from) }},
	{name: "forged calls", run: func(ctx context.Context, v *victim, from string) { v.forge(ctx, from) }},
}

// words are as many different ones as there can be in so many bytes.
func words(size int) string {
	var b strings.Builder
	for i := uint32(1); b.Len() < size; i++ {
		b.WriteString(strconv.FormatUint(uint64(i*2654435761), 36) + " ")
	}
	return b.String()
}

// victim is the server that is attacked.
type victim struct {
	*process
	shop, desk string // addresses
	release    func() // gives back what confines it
	platform   signature.Keys
	serial     atomic.Int64

	// sent counts what the attackers were answered, and refused what of it was no success.
	sent, refused atomic.Int64
	// wronged counts right telephone events that were refused, of all told.
	told, wronged atomic.Int64
}

// attackers runs so many attackers at once, each making attackRate calls a second at most, all together.
func (v *victim) attackers(ctx context.Context, number int, attack func(ctx context.Context) error) {
	ticker := time.NewTicker(time.Second / attackRate)
	defer ticker.Stop()
	var all sync.WaitGroup
	for range number {
		all.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				attack(ctx) // what fails is the server's defence
			}
		})
	}
	all.Wait()
}

// honest are the clients of one kind.
type honest struct {
	what    string
	clients []client
}

// attackWorst counts honest pages, hits and leads, all at once, alone and beside each of the worst that one address
// does, and what memory the server takes more.
func attackWorst(ctx context.Context, folder, caddy, database, worst string, rounds int, slice time.Duration) error {
	v, err := startVictim(ctx, folder, caddy, database, 0)
	if err != nil {
		return err
	}
	defer v.stop()
	console, err := v.openConsole(ctx)
	if err != nil {
		return err
	}
	defer console.close()
	kinds, err := v.honest(ctx, 8)
	if err != nil {
		return err
	}
	engine, _, _ := strings.Cut(database, " ")
	for _, w := range worsts {
		if !strings.Contains(w.name, worst) {
			continue
		}
		if err := v.compare(ctx, engine, w, kinds, rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// honest are so many clients of each kind.
func (v *victim) honest(ctx context.Context, number int) ([]honest, error) {
	kinds := []honest{{what: "pages"}, {what: "hits"}, {what: "leads"}}
	for i := range number {
		sender, err := newLeadSender(ctx, i, v.shop)
		if err != nil {
			return nil, err
		}
		page := pageRequest(v.shop, pagePath(10<<10))
		kinds[0].clients = append(kinds[0].clients, func(*answer) []byte { return page })
		kinds[1].clients = append(kinds[1].clients, newVisitorEvery(4, i, v.shop))
		kinds[2].clients = append(kinds[2].clients, sender)
	}
	return kinds, nil
}

// compare prints a line of one attack: each ratio is the median of the rounds'.
func (v *victim) compare(ctx context.Context, engine string, w worst, kinds []honest, rounds int, slice time.Duration) error {
	rates := make(map[string][2][]float64)
	var memory [2][]float64
	v.sent.Store(0)
	v.refused.Store(0)
	v.told.Store(0)
	v.wronged.Store(0)
	for round := -1; round < rounds; round++ { // the first warms up
		for _, attacked := range []int{round & 1, 1 - round&1} {
			if err := v.calm(ctx); err != nil {
				return err
			}
			attacking, stop := context.WithCancel(ctx)
			var running sync.WaitGroup
			if err := v.forgetPeak(); err != nil {
				stop()
				return err
			}
			if attacked == 1 {
				running.Go(func() { w.run(attacking, v, worstFrom) })
				pause(ctx, max(slice/3, w.begins)) // until it is under way
			}
			measured, err := v.measure(ctx, kinds, slice)
			peak, peakErr := v.peak()
			stop()
			running.Wait()
			if err := errors.Join(err, peakErr); err != nil {
				return err
			}
			if round < 0 {
				continue
			}
			memory[attacked] = append(memory[attacked], mega(peak))
			for what, rate := range measured {
				both := rates[what]
				both[attacked] = append(both[attacked], rate)
				rates[what] = both
			}
		}
	}
	fmt.Printf("%-10s %-24s", engine, w.name)
	for _, kind := range kinds {
		both := rates[kind.what]
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = both[1][i] / both[0][i]
		}
		slices.Sort(ratios)
		fmt.Printf(" %6.0f %6.0f %5.2f (%.2f to %.2f)", median(both[0]), median(both[1]), median(ratios), ratios[0], ratios[len(ratios)-1])
	}
	fmt.Printf(" %6.0f %6d/%d", median(memory[1])-median(memory[0]), v.refused.Load(), v.sent.Load())
	if told := v.told.Load(); told > 0 {
		fmt.Printf("  %d of %d right calls refused", v.wronged.Load(), told)
	}
	fmt.Println()
	return nil
}

// measure is how many requests a second the clients of each kind had answered, all at once.
func (v *victim) measure(ctx context.Context, kinds []honest, slice time.Duration) (map[string]float64, error) {
	rates, failures := make([]float64, len(kinds)), make([]error, len(kinds))
	var running sync.WaitGroup
	for i, kind := range kinds {
		running.Go(func() {
			began := time.Now()
			l, err := drive(ctx, v.shop, kind.clients, slice)
			if err != nil {
				failures[i] = fmt.Errorf("honest %s: %w", kind.what, err)
			}
			rates[i] = float64(l.requests) / time.Since(began).Seconds()
		})
	}
	running.Wait()
	measured := make(map[string]float64)
	for i, kind := range kinds {
		measured[kind.what] = rates[i]
	}
	return measured, errors.Join(failures...)
}

// calm waits until the server has nothing left to do.
func (v *victim) calm(ctx context.Context) error {
	const look = 200 * time.Millisecond
	for range int(time.Minute / look) {
		before, err := v.cpu()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		after, err := v.cpu()
		if err != nil {
			return err
		}
		if after-before < look/10 {
			return nil
		}
	}
	return errors.New("a minute after an attack the server is still busy with it")
}
