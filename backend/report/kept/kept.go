// Package kept gives answers again for a while that were dear to make.
package kept

import (
	"sync"
	"time"
)

// An answer that took as long as dear is given again for twenty times as long, longest at most.
const (
	dear    = 200 * time.Millisecond
	longest = 2 * time.Minute
	most    = 16 // answers
)

// Answers are those that were dear, by what tells their questions apart. They are safe for concurrent use.
type Answers[A any] struct {
	mu  sync.Mutex
	all map[string]answer[A]
}

type answer[A any] struct {
	is    A
	until time.Time
}

// Of is the answer to the question, if it is kept.
func (k *Answers[A]) Of(question string) (is A, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a, found := k.all[question]
	return a.is, found && time.Now().Before(a.until)
}

// Keep keeps the answer to the question if it took long enough to make.
func (k *Answers[A]) Keep(question string, is A, took time.Duration) {
	if took < dear {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = make(map[string]answer[A])
	}
	delete(k.all, question)
	now, next := time.Now(), "" // the one that ends next
	for question, a := range k.all {
		if now.After(a.until) {
			delete(k.all, question)
		} else if next == "" || a.until.Before(k.all[next].until) {
			next = question
		}
	}
	if len(k.all) >= most {
		delete(k.all, next)
	}
	k.all[question] = answer[A]{is, now.Add(min(20*took, longest))}
}
