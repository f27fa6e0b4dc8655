// Package load is what visitors, sites, operators and a telephone platform ask of a cluster, at rates that do not fall
// when answers are slow. What comes of it goes into a book.
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// Target is what the load is put on.
type Target struct {
	// Address is where site and console answer, by their hosts.
	Address       string
	Site, Console string
	// Token opens the API, and Secret signs calls.
	Token, Secret string
	// Logins are those of the operators, in the order of their numbers from 1 on, who share the password.
	Logins   []string
	Password string
	// Printed is how the site's number is printed on its pages; Numbers are those that are called.
	Printed string
	Numbers []string
}

// Rates are how many a second there are of each; so many of the streams.
type Rates struct {
	Pages, Leads, Sales, Forms, Calls, Talks, Settings float64
	Listeners                                          int
}

// Usual is a load for a machine of two cores on which the whole cluster runs.
var Usual = Rates{Pages: 4, Leads: 4, Sales: 1, Forms: 2, Calls: 1, Talks: 0.5, Settings: 0.2, Listeners: 5}

// Times are so many times the rates, from as many streams.
func (r Rates) Times(n float64) Rates {
	return Rates{Pages: n * r.Pages, Leads: n * r.Leads, Sales: n * r.Sales, Forms: n * r.Forms, Calls: n * r.Calls, Talks: n * r.Talks, Settings: r.Settings, Listeners: r.Listeners}
}

const (
	// most is how many requests may wait at once: those beyond are not begun, and counted.
	most    = 4000
	browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)

// Load is put on a target.
type Load struct {
	Book *book.Book
	// Unsent is how many were not begun, because too many waited.
	Unsent atomic.Int64

	asker
	run     string // tells the ids of this load from others'
	next    atomic.Int64
	waiting atomic.Int64
	there   atomic.Int64 // operators who are
	unsure  sync.Map     // of conversations and operators
	talks   sync.Map     // the conversations that operators are after
	going   sync.WaitGroup

	mu      sync.Mutex
	views   []visitor // the latest, from which leads are sent
	excused []window
}

// window is a time in which nodes break what is with them.
type window struct{ from, to time.Time }

// New returns a load on the target that writes into the book.
func New(target Target, b *book.Book) (*Load, error) {
	keys, err := signature.Parse(target.Secret)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	transport := &http.Transport{
		MaxIdleConnsPerHost: 256,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", target.Address)
		},
	}
	fresh := transport.Clone()
	fresh.DisableKeepAlives = true
	return &Load{Book: b, run: fmt.Sprintf("%x", time.Now().UnixNano()), asker: asker{
		Target: target, keys: keys, client: http.Client{Transport: transport, Timeout: wait}, streams: http.Client{Transport: transport}, once: http.Client{Transport: fresh, Timeout: wait},
	}}, nil
}

// Run goes on until the context ends. What is on its way then is let come to its end, within wait.
func (l *Load) Run(ctx context.Context, rates Rates) {
	each := func(rate float64, do func(context.Context)) { l.going.Go(func() { l.every(ctx, rate, do) }) }
	l.going.Go(func() { l.watch(ctx) })
	each(rates.Pages, l.visit)
	each(rates.Leads, func(ctx context.Context) { l.lead(ctx, book.Lead) })
	each(rates.Sales, func(ctx context.Context) { l.lead(ctx, book.Sale) })
	each(rates.Forms, l.form)
	each(rates.Calls, l.call)
	each(rates.Talks, l.talk)
	if rates.Settings > 0 {
		l.going.Go(func() { l.set(ctx, time.Duration(float64(time.Second)/rates.Settings)) })
	}
	for n := range rates.Listeners {
		l.going.Go(func() { l.listen(ctx, fmt.Sprintf("visitor%d", n+1)) })
	}
	for _, login := range l.Logins {
		l.going.Go(func() { l.attend(ctx, login) })
	}
	if rates.Listeners > 0 {
		for n := range 2 {
			l.going.Go(func() { l.follow(ctx, fmt.Sprintf("program%d", n+1)) })
		}
	}
	l.going.Wait()
}

// watch notes when the machine gives this program no processor for more than a second: nobody else gets one then.
func (l *Load) watch(ctx context.Context) {
	for at := time.Now(); sleep(ctx, 100*time.Millisecond); at = time.Now() {
		if time.Since(at) > time.Second {
			l.Book.Add(book.Entry{Kind: book.Stalled, Since: at})
		}
	}
}

// every does something at the rate, at moments that chance gives, however long it takes.
func (l *Load) every(ctx context.Context, rate float64, do func(context.Context)) {
	if rate == 0 {
		return
	}
	due := time.Now()
	for {
		due = due.Add(time.Duration(rand.ExpFloat64() / rate * float64(time.Second)))
		if !sleep(ctx, time.Until(due)) {
			return
		}
		if l.waiting.Add(1) > most {
			l.waiting.Add(-1)
			l.Unsent.Add(1)
			continue
		}
		l.going.Go(func() {
			defer l.waiting.Add(-1)
			do(ctx)
		})
	}
}

// id is one that nothing else has.
func (l *Load) id() string { return fmt.Sprintf("%s-%d", l.run, l.next.Add(1)) }

// sleep returns whether the time has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Excuse excuses what was with a node from now on until the time has passed.
func (l *Load) Excuse(for_ time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.excused = append(l.excused, window{time.Now(), time.Now().Add(for_)})
}

// isExcused tells whether a node may have broken what began then and has ended now.
func (l *Load) isExcused(began time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.excused {
		if began.Before(w.to) && time.Now().After(w.from) {
			return true
		}
	}
	return false
}
