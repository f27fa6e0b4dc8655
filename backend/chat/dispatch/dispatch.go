// Package dispatch brings waiting conversations to operators: it offers them by the routing of their group, and puts those
// back whose operator is gone. It closes those in which nobody writes any more. One node does it at a time.
package dispatch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/duties"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
)

const (
	// OfferTime is how long an operator has to take an offered conversation.
	OfferTime = 30 * time.Second
	// GoneTime is how long an operator must be disconnected, after the lease has expired, before others get the
	// conversations: after a restart of the server, nobody is connected at first.
	GoneTime = 10 * time.Second
	// IdleTime is how long nobody writes in a conversation before it is closed by itself, and idleBeat how often that is
	// looked for.
	IdleTime, idleBeat = 24 * time.Hour, time.Minute
	// pause and beat are the shortest and the longest time between two checks of the waiting conversations.
	pause, beat = 200 * time.Millisecond, time.Second
	// duty is its name among the duties of nodes.
	duty = "chat.desk"
)

// Dispatcher brings waiting conversations to operators. It offers them by the routing of their group, and returns a
// conversation to the queue if its operator is gone while the visitor waits.
type Dispatcher struct {
	db       *db.DB
	chats    *chat.Chats
	waiters  chat.Waiters
	presence *presence.Presence
	now      func() time.Time
	logger   *zap.Logger
	lookedAt time.Time           // when conversations were last looked for that have ended
	missed   map[int64]time.Time // operators who were not connected at the last look, since when
}

// New returns the dispatcher of the conversations.
func New(d *db.DB, chats *chat.Chats, presence *presence.Presence, now func() time.Time, logger *zap.Logger) *Dispatcher {
	return &Dispatcher{db: d, chats: chats, waiters: chat.WaitersOf(chats), presence: presence, now: now, logger: logger, missed: make(map[int64]time.Time)}
}

// Run works until ctx ends, on one node at a time.
func (d *Dispatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := duties.Do(ctx, d.db, duty, d.attend); err != nil && ctx.Err() == nil {
			d.logger.Warn("conversations are not brought to operators", zap.Error(err))
		}
		aside.Sleep(ctx, beat)
	}
}

func (d *Dispatcher) attend(ctx context.Context) error {
	news, forget := d.db.Subscribe(journal.Topic)
	defer forget()
	beat := time.NewTicker(beat)
	defer beat.Stop()
	for {
		if err := d.Look(ctx); err != nil {
			return err
		}
		if !aside.Sleep(ctx, pause) {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-news:
		case <-beat.C:
		}
	}
}

// Look checks the conversations that wait for an answer once.
func (d *Dispatcher) Look(ctx context.Context) error {
	if now := d.now(); now.Sub(d.lookedAt) >= idleBeat {
		if err := d.waiters.CloseIdle(ctx, now.Add(-IdleTime)); err != nil {
			return err
		}
		d.lookedAt = now
	}
	before := d.missed
	d.missed = make(map[int64]time.Time)
	if err := d.waiters.EachUnanswered(ctx, func(w chat.Waiter) error { return d.keepOrReturn(ctx, w, before) }); err != nil {
		return err
	}
	waiting, err := d.awaited(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	routed, err := d.presence.Routed(ctx)
	if err != nil {
		return err
	}
	for _, g := range routed {
		if !waiting[awaitedGroup{g.SiteID, g.ID}] {
			continue
		}
		if err := d.routeAll(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// routeAll routes the conversations that wait for the group. Those that are offered to all for good stay with all, and so
// do those that are announced, while nobody is there: there may be thousands.
func (d *Dispatcher) routeAll(ctx context.Context, g group.Group) error {
	present, err := d.presence.Present(ctx, g.SiteID, g.ID)
	if err != nil {
		return err
	}
	spans := [][2]int64{{0, chat.ForGood}}
	if len(present) == 0 {
		spans = [][2]int64{{0, 0}, {chat.Announced + 1, chat.ForGood}}
	}
	for _, until := range spans {
		if err := d.waiters.EachWaiting(ctx, g.SiteID, g.ID, until[0], until[1], func(w chat.Waiter) error { return d.route(ctx, w, g.Routing) }); err != nil {
			return err
		}
	}
	return nil
}

// keepOrReturn returns the conversation to the queue if its operator is not connected and was not at earlier checks.
// before are the operators who were missing at the last one.
func (d *Dispatcher) keepOrReturn(ctx context.Context, w chat.Waiter, before map[int64]time.Time) error {
	connected, err := d.presence.Connected(ctx, w.SiteID, w.OperatorID)
	if err != nil || connected {
		return err
	}
	now := d.now()
	since, known := before[w.OperatorID]
	if !known {
		since = now
	}
	d.missed[w.OperatorID] = since
	if now.Sub(since) < GoneTime {
		return nil
	}
	if err := d.chats.Return(ctx, w.SiteID, w.ID, w.OperatorID, 0); !errors.Is(err, chat.ErrTaken) {
		return err
	}
	return nil
}

// route offers the conversation to the next operator when it is time.
func (d *Dispatcher) route(ctx context.Context, w chat.Waiter, routing group.Routing) error {
	present, err := d.presence.Present(ctx, w.SiteID, w.GroupID)
	if err != nil {
		return err
	}
	now := d.now().UnixMilli()
	if w.Offer.Until > now && slices.Contains(present, w.Offer.To) {
		return nil
	}
	if w.Offer.Until <= chat.Announced && len(present) == 0 {
		if w.Offer.Until == chat.Announced { // it becomes an offer to whoever comes
			return nil
		}
		return d.waiters.Offer(ctx, w, chat.Offer{Until: chat.Announced})
	}
	tried, err := d.tried(ctx, w.Key)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(present, func(id int64) bool { return slices.Contains(tried, id) })
	if len(left) == 0 {
		return d.waiters.Offer(ctx, w, chat.Offer{Until: chat.ForGood})
	}
	next, err := d.next(ctx, w.SiteID, left, routing)
	if err != nil {
		return err
	}
	return d.waiters.Offer(ctx, w, chat.Offer{To: next, Until: now + OfferTime.Milliseconds()})
}

// next returns the operator whose turn it is: among the least busy, or among all, the one whose last offer is the
// oldest.
func (d *Dispatcher) next(ctx context.Context, siteID int64, ids []int64, routing group.Routing) (int64, error) {
	loads, err := d.loads(ctx, siteID, ids)
	if err != nil {
		return 0, err
	}
	return slices.MinFunc(ids, func(a, b int64) int {
		x, y := loads[a], loads[b]
		if routing == group.LeastBusy && x.busy != y.busy {
			return cmp.Compare(x.busy, y.busy)
		}
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(a, b))
	}), nil
}
