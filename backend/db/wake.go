package db

import (
	"strings"
	"sync"
)

// wakes tells readers that a topic has news. A wake carries nothing: who is
// woken reads the database from where it stopped, so a wake too many does no
// harm, and wakes that come while the reader is busy melt into one.
type wakes struct {
	mu          sync.Mutex
	waiting     map[string]map[chan struct{}]struct{}
	overhearing map[*overhearer]struct{}
	announcing  bool // other nodes are to be told
	unannounced map[string]struct{}
}

// Subscribe returns a channel that receives after each commit, on any node,
// that woke the topic, and a function that ends the subscription.
func (d *DB) Subscribe(topic string) (news <-chan struct{}, cancel func()) {
	w := &d.wakes
	waiter := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = make(map[string]map[chan struct{}]struct{})
	}
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
func (d *DB) Overhear(prefix string, hear func(topic string)) (cancel func()) {
	w, o := &d.wakes, &overhearer{prefix, hear}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.overhearing == nil {
		w.overhearing = make(map[*overhearer]struct{})
	}
	w.overhearing[o] = struct{}{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.overhearing, o)
	}
}

// Wake wakes those who wait for the topic, on all nodes, without a transaction.
func (d *DB) Wake(topic string) { d.wakes.committed([]string{topic}) }

func (w *wakes) committed(topics []string) {
	if len(topics) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, topic := range topics {
		w.wakeLocked(topic)
		if w.announcing {
			w.unannounced[topic] = struct{}{}
		}
	}
}

func (w *wakes) wake(topic string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wakeLocked(topic)
}

func (w *wakes) all() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for topic := range w.waiting {
		w.wakeLocked(topic)
	}
}

func (w *wakes) wakeLocked(topic string) {
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

func (w *wakes) takeUnannounced() []string {
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
