package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// settle waits until everything is well since the time, for as long as streams have to come back. Patroni may change the
// primary by itself meanwhile, when etcd is there again: then it is well since that.
func (t *trial) settle(ctx context.Context, since time.Time) (time.Time, error) {
	for range 5 {
		before, failed := t.Promoted(ctx)
		if err := errors.Join(t.AwaitStandbys(ctx), t.AwaitNodes(ctx)); err != nil {
			return since, err
		}
		time.Sleep(time.Until(since.Add(book.Back + time.Second)))
		again, err := t.acknowledged(ctx, time.Now()) // it may be on its way
		if err != nil {
			return since, err
		}
		after, gone := t.Promoted(ctx)
		if failed == nil && gone == nil && before.Equal(after) {
			return since, nil
		}
		fmt.Println("\tPatroni has changed the primary once more")
		since = again
	}
	return since, errors.New("the primary changes again and again")
}

// acknowledged waits for the first lead that was acknowledged after a moment.
func (t *trial) acknowledged(ctx context.Context, after time.Time) (time.Time, error) {
	for deadline := time.Now().Add(recovery); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		entries, err := t.book.Entries()
		if err != nil {
			return after, err
		}
		for i := len(entries) - 1; i >= 0 && entries[i].At.After(after.Add(-time.Minute)); i-- {
			if entries[i].Kind == book.Lead && entries[i].Acknowledged && entries[i].At.After(after) {
				return entries[i].At, nil
			}
		}
	}
	return after, errors.Join(fmt.Errorf("no lead is acknowledged within %v", recovery), ctx.Err())
}

// check returns what is violated that was not before.
func (t *trial) check(ctx context.Context) (violated []book.Violation, err error) {
	read := func() (*book.Stored, error) {
		if err := t.AwaitNodes(ctx); err != nil { // what waits on a disk is not lost
			return nil, err
		}
		return book.Read(ctx, t.driver, t.source)
	}
	stored, err := read()
	for began := time.Now(); err != nil && time.Since(began) < recovery && ctx.Err() == nil; stored, err = read() {
		time.Sleep(time.Second) // a primary may step down when etcd is there again
	}
	if err != nil {
		return nil, err
	}
	entries, err := t.book.Entries() // with what was tried before it was read
	if err != nil {
		return nil, err
	}
	for _, v := range book.Check(entries, stored) {
		if !t.known[v] {
			t.known[v] = true
			violated = append(violated, v)
		}
	}
	return violated, nil
}
