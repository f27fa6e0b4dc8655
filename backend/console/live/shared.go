package live

import (
	"context"
	"fmt"
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

// Shared finds things for all open streams together: what many of them ask for
// at once is looked for once, and is not looked for again for a while.
type Shared[K comparable, V any] struct {
	find   func(context.Context, K) (V, error)
	lasts  time.Duration
	now    func() time.Time
	found  *lru.Cache[K, finding[V]]
	flight singleflight.Group
}

type finding[V any] struct {
	value V
	at    time.Time
}

// NewShared returns a shared that keeps a number of findings, each for as long as
// it lasts.
func NewShared[K comparable, V any](number int, lasts time.Duration, now func() time.Time, find func(context.Context, K) (V, error)) *Shared[K, V] {
	found, err := lru.New[K, finding[V]](number)
	if err != nil { // the number is not positive
		panic(err)
	}
	return &Shared[K, V]{find: find, lasts: lasts, now: now, found: found}
}

func (s *Shared[K, V]) Get(ctx context.Context, key K) (value V, err error) {
	if known, found := s.found.Get(key); found && s.now().Sub(known.at) < s.lasts {
		return known.value, nil
	}
	result := s.flight.DoChan(fmt.Sprintf("%v", key), func() (any, error) {
		// It goes on when the one who asked first has gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
		defer cancel()
		value, err := s.find(ctx, key)
		if err == nil {
			s.found.Add(key, finding[V]{value, s.now()})
		}
		return value, err
	})
	select {
	case <-ctx.Done():
		return value, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return value, r.Err
		}
		return r.Val.(V), nil
	}
}

// subjectKey names a lead, a call, a callback or a conversation, as it is since the place in
// the journal.
type subjectKey struct {
	Site, ID int64
	At       journal.Position
}

// Things are the things of one kind of which entries of the journal tell, for all open streams together.
type Things[T any] struct {
	known *Shared[subjectKey, T]
	live  *Live
}

// NewThings returns the things that get reads.
func NewThings[T any](l *Live, get func(ctx context.Context, site, id int64) (T, error)) Things[T] {
	return Things[T]{NewShared(1000, 10*time.Second, l.Now, func(ctx context.Context, k subjectKey) (T, error) { return get(ctx, k.Site, k.ID) }), l}
}

// Get is the thing of which the entry tells.
func (t Things[T]) Get(ctx context.Context, e journal.Entry) (T, error) {
	return t.known.Get(ctx, subjectKey{e.SiteID, e.SubjectID, e.Position})
}

// Told are the things of which the entries of the kind tell, each once, the newest first, but for those that are gone by
// now. Those of no site are for the admins of all sites.
func (t Things[T]) Told(ctx context.Context, to *Listener, entries []journal.Entry, kind string) (list []T, err error) {
	seen := make(map[int64]bool)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Kind != kind || seen[e.SubjectID] || e.SiteID == 0 && !frame.IsChief(to.Operator) {
			continue
		}
		seen[e.SubjectID] = true
		thing, err := t.Get(ctx, e)
		if t.live.IsUnknown(err) { // it has been erased, or is of another site by now
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, thing)
	}
	return list, nil
}

// listFeed is a list in which whatever the journal tells of comes to the top.
type listFeed[T, R any] struct {
	*Listener
	things Things[T]
	kind   string // of the entries
	row    func(frame.Page, T) R
	event  string // the template of the rows
}

// ListFeed is the feed of a list, in which each thing of which entries of the kind tell comes to the top, as a row that
// the template of the event shows.
func ListFeed[T, R any](things Things[T], kind, event string, row func(frame.Page, T) R) Opening {
	return func(_ *http.Request, to *Listener) (Feed, Watch) {
		return &listFeed[T, R]{to, things, kind, row, event}, nil
	}
}

// News tells of the things.
func (v *listFeed[T, R]) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	things, err := v.things.Told(ctx, v.Listener, entries, v.kind)
	if err != nil || len(things) == 0 {
		return nil, err
	}
	p, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	return RenderRows(v.live, v.Words, v.event, frame.Rows(p, things, v.row), Whatever)
}

// Whatever is for templates that are given the rows alone.
func Whatever[R any](rows []R) any { return rows }
