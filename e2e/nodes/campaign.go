package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/cluster"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/fault"
	"github.com/seed-3405227d/frontdesk/e2e/nodes/load"
)

// recovery is how long it may take until leads are acknowledged again when a fault has ended.
const recovery = 3 * time.Minute

// trial is a cluster under load, and the book of it.
type trial struct {
	*cluster.Cluster
	book           *book.Book
	load           *load.Load
	driver, source string
	known          map[book.Violation]bool // those that have been told
}

// begin runs a cluster and puts the load on it until end is called.
func (o *options) begin(ctx context.Context, rates load.Rates) (t *trial, end func(), err error) {
	began := time.Now()
	nodes := 3
	if o.sqlite {
		nodes = 1
	}
	t = &trial{driver: "pgx", known: make(map[book.Violation]bool)}
	if t.Cluster, err = cluster.Start(ctx, cluster.Options{Folder: o.folder, Caddy: o.program, Nodes: nodes, Failsafe: o.failsafe, Etcd3: o.etcd3, Resets: o.resets, SQLite: o.sqlite}); err != nil {
		return nil, nil, err
	}
	if t.source = t.Direct(); o.sqlite {
		t.driver, t.source = "sqlite", "file:"+filepath.Join(t.Nodes[0].Disk, "frontdesk.db")+"?mode=ro"
	}
	closeSite, err := load.ServeSite(cluster.Origin, cluster.Written)
	if err != nil {
		return nil, nil, err
	}
	if t.book, err = book.Open(filepath.Join(o.folder, "book")); err != nil {
		return nil, nil, err
	}
	token, err := t.Token(ctx)
	if err != nil {
		return nil, nil, err
	}
	target := load.Target{Address: t.Balancer.Address + ":80", Site: cluster.Site, Console: cluster.Console, Token: token, Secret: cluster.Secret, Printed: cluster.Written}
	if rates.Talks > 0 {
		target.Logins, target.Password = cluster.Logins(), cluster.Password
	}
	for i := range cluster.Numbers {
		target.Numbers = append(target.Numbers, cluster.Number(i))
	}
	if o.sqlite {
		target.Address = t.Nodes[0].Address + ":80" // a balancer would wait for a node that is well
	}
	if t.load, err = load.New(target, t.book); err != nil {
		return nil, nil, err
	}
	fmt.Printf("%s\nall of it runs after %.0f seconds; seed %d; the book and the logs are in %s\n", t.Settings(), time.Since(began).Seconds(), o.seed, o.folder)
	loading, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { t.load.Run(loading, rates) })
	return t, func() {
		stop()
		running.Wait()
		closeSite()
	}, nil
}

// campaign puts the faults to a cluster, one after the other.
func (o *options) campaign(ctx context.Context) error {
	t, end, err := o.begin(ctx, load.Usual)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(o.seed, 1))
	var faults []fault.Fault
	for _, f := range fault.All(t.Cluster, o.stop, r) {
		if o.only.MatchString(f.Name) {
			faults = append(faults, f)
		}
	}
	if len(faults) == 0 {
		return errors.New("no fault is called so")
	}
	fmt.Printf("%-26s %9s %9s %9s %7s %7s %7s %7s %7s %8s %9s\n", "fault", "lasted", "no acks", "Patroni's", "deaf", "pages", "leads", "forms", "broken", "stalled", "violated")
	time.Sleep(10 * time.Second) // streams are opened
	var order []int
	for n := range o.faults {
		if n%len(faults) == 0 {
			order = r.Perm(len(faults))
		}
		if err := t.suffer(ctx, faults[order[n%len(faults)]]); err != nil {
			return err
		}
		time.Sleep(time.Duration(r.Int64N(int64(5 * time.Second))))
	}
	end()
	return t.conclude(ctx)
}

// suffer has the fault begin and end, waits until everything is well again, and checks the book.
func (t *trial) suffer(ctx context.Context, f fault.Fault) error {
	if err := t.AwaitStandbys(ctx); err != nil {
		return fmt.Errorf("before %q: %w", f.Name, err)
	}
	before, err := t.Promoted(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if f.Breaks > 0 {
		t.load.Excuse(f.Breaks)
	}
	end, err := f.Begin(ctx)
	if err != nil {
		return fmt.Errorf("beginning %q: %w", f.Name, err)
	}
	if f.Breaks > 0 {
		t.load.Excuse(f.Breaks) // a process with much memory takes a while to end
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(f.Lasts):
	}
	if err := end(ctx); err != nil {
		return fmt.Errorf("ending %q: %w", f.Name, err)
	}
	ended := time.Now()
	if f.Reloads {
		t.book.Add(book.Entry{Kind: book.Reloaded, Since: began})
	}
	again, err := t.acknowledged(ctx, ended)
	if err != nil {
		return fmt.Errorf("after %q: %w", f.Name, err)
	}
	settled, err := t.settle(ctx, again)
	if err != nil {
		return fmt.Errorf("after %q: %w", f.Name, err)
	}
	t.book.Add(book.Entry{Kind: book.Fault, Value: f.Name, Since: began, Until: ended, At: settled})
	entries, err := t.book.Entries()
	if err != nil {
		return err
	}
	violated, err := t.check(ctx)
	if err != nil {
		return err
	}
	patroni := "-"
	if after, err := t.Promoted(ctx); err == nil && after.After(before) {
		patroni = fmt.Sprintf("%.1f", after.Sub(began).Seconds())
	}
	s := sum(entries, began, again.Add(book.Back))
	fmt.Printf("%-26s %9.1f %9.1f %9s %7.1f %7d %7d %7d %7d %8.1f %9d\n", f.Name, ended.Sub(began).Seconds(), s.silent.Seconds(), patroni, s.deaf.Seconds(), s.pages, s.leads, s.forms, s.broken, s.stalled.Seconds(), len(violated))
	for _, v := range violated {
		fmt.Printf("\t%s: %s\n", v.Kind, v.What)
	}
	return nil
}

// conclude checks the book a last time, and says how much was in it.
func (t *trial) conclude(ctx context.Context) error {
	if err := t.AwaitNodes(ctx); err != nil {
		return err
	}
	time.Sleep(11 * time.Second) // forms that were answered last are stored
	violated, err := t.check(ctx)
	if err != nil {
		return err
	}
	panicked, err := t.Panics()
	if err != nil {
		return err
	}
	for _, line := range panicked {
		v := book.Violation{Kind: book.Panicked, What: line}
		violated, t.known[v] = append(violated, v), true
	}
	for _, v := range violated {
		fmt.Printf("\t%s: %s\n", v.Kind, v.What)
	}
	entries, err := t.book.Entries()
	if err != nil {
		return err
	}
	acknowledged, sent, dropped := make(map[book.Kind]int), make(map[book.Kind]int), 0
	for _, e := range entries {
		if book.IsDropped(entries, e) {
			dropped++
		}
		if e.Kind != book.Setting || !e.Acknowledged { // a setting is written down before it is tried, too
			sent[e.Kind]++
		}
		if e.Acknowledged {
			acknowledged[e.Kind]++
		}
	}
	fmt.Print("acknowledged:")
	for _, kind := range []book.Kind{book.Page, book.Lead, book.Sale, book.Form, book.Message, book.Answer, book.Call, book.Setting} {
		fmt.Printf(" %d of %d %ss;", acknowledged[kind], sent[kind], kind)
	}
	fmt.Printf(" %d numbers shown, %d conversations claimed, %d answers heard by streams; %d requests not begun, %d dropped by Go's server at a reload\n", sent[book.Shown], sent[book.Claimed], sent[book.Heard], t.load.Unsent.Load(), dropped)
	if len(t.known) > 0 {
		return fmt.Errorf("%d violations", len(t.known))
	}
	fmt.Println("nothing was violated")
	return nil
}

// summary is what happened in some time.
type summary struct {
	silent                      time.Duration // the longest time without an acknowledged lead
	deaf                        time.Duration // the longest time in which a stream brought nothing
	stalled                     time.Duration // how long the machine stood still
	pages, leads, forms, broken int
}

func sum(entries []book.Entry, from, to time.Time) (s summary) {
	last := from
	heard := make(map[string]time.Time) // the last time, by the stream
	for _, e := range entries {
		if e.Kind == book.Opened {
			heard[e.Of] = later(from, e.At)
		}
		if e.At.Before(from) || e.At.After(to) {
			continue
		}
		switch {
		case e.Kind == book.Heard:
			s.deaf, heard[e.Of] = max(s.deaf, e.At.Sub(heard[e.Of])), e.At
		case e.Kind == book.Stalled:
			s.stalled += e.At.Sub(e.Since)
		case e.Kind != book.Page && e.Kind != book.Form && e.Kind != book.Lead:
		case !e.Acknowledged:
			s.broken++
		case e.Kind == book.Page:
			s.pages++
		case e.Kind == book.Form:
			s.forms++
		default:
			s.leads++
			s.silent, last = max(s.silent, e.At.Sub(last)), e.At
		}
	}
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
