// Package topic tells readers that there is news of a topic, in this process and, by the database's server, on other
// nodes. It is a part of package db, whose callers subscribe and wake.
package topic

import (
	"strings"
	"sync"
)

// Topics tell readers that a topic has news. A wake carries nothing: who is
// woken reads the database from where it stopped, so a wake too many does no
// harm, and wakes that come while the reader is busy melt into one.
type Topics struct {
	mu          sync.Mutex
	waiting     map[string]map[chan struct{}]struct{}
	overhearing map[*overhearer]struct{}
	unannounced map[string]struct{} // to other nodes; nil where there are none
}

// New returns topics of this node alone, or with others of all of them: see [Listen] and [Announce].
func New(others bool) *Topics {
	t := &Topics{waiting: make(map[string]map[chan struct{}]struct{}), overhearing: make(map[*overhearer]struct{})}
	if others {
		t.unannounced = make(map[string]struct{})
	}
	return t
}

// Subscribe returns a channel that receives after each commit, on any node,
// that woke the topic, and a function that ends the subscription.
func (w *Topics) Subscribe(topic string) (news <-chan struct{}, cancel func()) {
	waiter := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[topic] == nil {
		w.waiting[topic] = make(map[chan struct{}]struct{})
	}
	w.waiting[topic][waiter] = struct{}{}
	return waiter, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting[topic], waiter)
		if len(w.waiting[topic]) == 0 {
			delete(w.waiting, topic)
		}
	}
}

// overhearer hears all topics that begin alike.
type overhearer struct {
	prefix string
	hear   func(topic string)
}

// Overhear has hear be called with each topic that begins with the prefix and is woken on
// any node, until cancel is called. On PostgreSQL it may be called twice for one wake. It is
// for what is told and never stored: a wake can be lost. hear must not block, nor wake.
func (w *Topics) Overhear(prefix string, hear func(topic string)) (cancel func()) {
	o := &overhearer{prefix, hear}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overhearing[o] = struct{}{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.overhearing, o)
	}
}

// Wake wakes those who wait for one of the topics, on all nodes, without a transaction.
func (w *Topics) Wake(topics ...string) {
	if len(topics) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, topic := range topics {
		w.wakeLocked(topic)
		if w.unannounced != nil {
			w.unannounced[topic] = struct{}{}
		}
	}
}

func (w *Topics) wake(topic string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wakeLocked(topic)
}

func (w *Topics) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for topic := range w.waiting {
		w.wakeLocked(topic)
	}
}

func (w *Topics) wakeLocked(topic string) {
	for waiter := range w.waiting[topic] {
		select {
		case waiter <- struct{}{}:
		default: // it has not taken the previous wake yet
		}
	}
	for o := range w.overhearing {
		if strings.HasPrefix(topic, o.prefix) {
			o.hear(topic)
		}
	}
}

func (w *Topics) takeUnannounced() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.unannounced) == 0 {
		return nil
	}
	topics := make([]string, 0, len(w.unannounced))
	for topic := range w.unannounced {
		topics = append(topics, topic)
	}
	clear(w.unannounced)
	return topics
}
