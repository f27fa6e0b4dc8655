package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/db"
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
	// deskPause and deskBeat are the shortest and the longest time between two checks of the waiting conversations.
	deskPause, deskBeat = 200 * time.Millisecond, time.Second
	// forGood is the end of an offer to all. announced stands for an offer to all while nobody is online: it becomes an
	// offer to whoever comes.
	forGood, announced = math.MaxInt64, 1
	// deskAtOnce is how many conversations are read at once.
	deskAtOnce = 500
	// deskDuty is its name among the duties of nodes.
	deskDuty = "chat.desk"
)

// Desk brings waiting conversations to operators. It offers them by the routing of their group, and returns a
// conversation to the queue if its operator is gone while the visitor waits.
type Desk struct {
	chats    *Chats
	presence *presence.Presence
	logger   *zap.Logger
	missed   map[int64]time.Time // operators who were not connected at the last look, since when
}

// NewDesk returns the desk of the conversations.
func NewDesk(chats *Chats, presence *presence.Presence, logger *zap.Logger) *Desk {
	return &Desk{chats: chats, presence: presence, logger: logger, missed: make(map[int64]time.Time)}
}

// Run works until ctx ends, on one node at a time.
func (d *Desk) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := d.chats.db.Duty(ctx, deskDuty, d.attend); err != nil && ctx.Err() == nil {
			d.logger.Warn("conversations are not brought to operators", zap.Error(err))
		}
		aside.Sleep(ctx, deskBeat)
	}
}

func (d *Desk) attend(ctx context.Context) error {
	news, forget := d.chats.db.Subscribe(journal.Topic)
	defer forget()
	beat := time.NewTicker(deskBeat)
	defer beat.Stop()
	for {
		if err := d.Look(ctx); err != nil {
			return err
		}
		if !aside.Sleep(ctx, deskPause) {
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

// unanswered is a conversation that waits for an answer, and its offer.
type unanswered struct {
	Conversation
	last    int64
	offered int64
	until   int64 // milliseconds; 0 while it was not offered to anybody
	tried   string
}

// Look checks the conversations that wait for an answer once.
func (d *Desk) Look(ctx context.Context) error {
	if err := d.forget(ctx); err != nil {
		return fmt.Errorf("forgetting offers: %w", err)
	}
	before := d.missed
	d.missed = make(map[int64]time.Time)
	if err := d.each(ctx, `c.state = 'open' AND c.waiting_since > 0`, func(u unanswered) error { return d.keepOrReturn(ctx, u, before) }); err != nil {
		return err
	}
	routed, err := d.presence.Routed(ctx)
	if err != nil {
		return err
	}
	for _, g := range routed {
		// Conversations offered to all stay with all.
		const waiting = `c.state = 'waiting' AND COALESCE(o.until, 0) < $4 AND c.site_id = $5 AND c.group_id = $6`
		if err := d.each(ctx, waiting, func(u unanswered) error { return d.route(ctx, u, g.Routing) }, int64(forGood), g.SiteID, g.ID); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for all conversations that meet the condition, in parts, those with the oldest last message first. The
// condition's arguments start at $4.
func (d *Desk) each(ctx context.Context, condition string, do func(unanswered) error, args ...any) error {
	for last, id, more := int64(-1), int64(0), true; more; {
		rows, err := db.List(ctx, d.chats.db.Read(), func(u *unanswered) []any {
			return []any{&u.SiteID, &u.ID, &u.GroupID, &u.OperatorID, &u.last, &u.offered, &u.until, &u.tried}
		}, `SELECT c.site_id, c.id, c.group_id, c.operator_id, c.last_at, COALESCE(o.operator_id, 0), COALESCE(o.until, 0), COALESCE(o.tried, '')
			FROM conversations c LEFT JOIN chat_offers o ON o.site_id = c.site_id AND o.conversation_id = c.id
			WHERE (c.last_at, c.id) > ($1, $2) AND `+condition+` ORDER BY c.last_at, c.id LIMIT $3`, append([]any{last, id, deskAtOnce}, args...)...)
		if err != nil {
			return fmt.Errorf("looking for those who wait: %w", err)
		}
		for _, u := range rows {
			last, id = u.last, u.ID
			if err := do(u); err != nil && !errors.Is(err, ErrUnknown) { // erased since
				return err
			}
		}
		more = len(rows) == deskAtOnce
	}
	return nil
}

// forget removes offers of conversations that no longer wait. If they wait again, they are offered again.
func (d *Desk) forget(ctx context.Context) error {
	const ended = `FROM chat_offers WHERE NOT EXISTS (SELECT 1 FROM conversations c
		WHERE c.site_id = chat_offers.site_id AND c.id = chat_offers.conversation_id AND c.state = 'waiting')`
	some, _, err := db.One(ctx, d.chats.db.Read(), db.Only[int64], `SELECT COUNT(*) `+ended)
	if err != nil || some == 0 {
		return err
	}
	return d.chats.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE `+ended)
		return err
	})
}

// keepOrReturn returns the conversation to the queue if its operator is not connected and was not at earlier checks.
// before are the operators who were missing at the last one.
func (d *Desk) keepOrReturn(ctx context.Context, u unanswered, before map[int64]time.Time) error {
	connected, err := d.presence.Connected(ctx, u.SiteID, u.OperatorID)
	if err != nil || connected {
		return err
	}
	now := d.chats.now()
	since, known := before[u.OperatorID]
	if !known {
		since = now
	}
	d.missed[u.OperatorID] = since
	if now.Sub(since) < GoneTime {
		return nil
	}
	return d.chats.ReturnFrom(ctx, u.SiteID, u.ID, u.OperatorID)
}

// route offers the conversation to the next operator when it is time.
func (d *Desk) route(ctx context.Context, u unanswered, routing group.Routing) error {
	present, err := d.presence.Present(ctx, u.SiteID, u.GroupID)
	if err != nil {
		return err
	}
	now := d.chats.now().UnixMilli()
	if u.until > now && slices.Contains(present, u.offered) {
		return nil
	}
	if u.until <= announced && len(present) == 0 {
		if u.until == announced {
			return nil
		}
		return d.offer(ctx, u, 0, announced)
	}
	left := slices.DeleteFunc(present, func(id int64) bool { return strings.Contains(u.tried, mark(id)) })
	if len(left) == 0 {
		return d.offer(ctx, u, 0, forGood)
	}
	next, err := d.next(ctx, u.SiteID, left, routing)
	if err != nil {
		return err
	}
	return d.offer(ctx, u, next, now+OfferTime.Milliseconds())
}

func mark(id int64) string { return "," + strconv.FormatInt(id, 10) + "," }

// next returns the operator whose turn it is: among the least busy, or among all, the one whose last offer is the
// oldest.
func (d *Desk) next(ctx context.Context, siteID int64, ids []int64, routing group.Routing) (int64, error) {
	type load struct{ id, busy, at int64 }
	loads, err := db.List(ctx, d.chats.db.Read(), func(l *load) []any { return []any{&l.id, &l.busy, &l.at} },
		`SELECT t.operator_id, 0, t.at FROM chat_turns t WHERE t.site_id = $1
		UNION ALL SELECT operator_id, COUNT(*), 0 FROM conversations WHERE state <> 'closed' AND operator_id <> 0 GROUP BY operator_id
		UNION ALL SELECT operator_id, COUNT(*), 0 FROM chat_offers WHERE operator_id <> 0 GROUP BY operator_id`, siteID)
	if err != nil {
		return 0, fmt.Errorf("looking for an operator: %w", err)
	}
	sums := make(map[int64]load)
	for _, l := range loads {
		sum := sums[l.id]
		sums[l.id] = load{l.id, sum.busy + l.busy, max(sum.at, l.at)}
	}
	return slices.MinFunc(ids, func(a, b int64) int {
		x, y := sums[a], sums[b]
		if routing == group.LeastBusy && x.busy != y.busy {
			return cmp.Compare(x.busy, y.busy)
		}
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(a, b))
	}), nil
}

// offer offers the conversation, which still waits, to the operator, or to all for 0.
func (d *Desk) offer(ctx context.Context, u unanswered, to, until int64) error {
	c := d.chats
	return c.write(ctx, u.SiteID, u.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State != Waiting || now.GroupID != u.GroupID {
			return nil
		}
		tried := u.tried
		if to != 0 {
			tried += mark(to)
			_, err := tx.Exec(ctx, `INSERT INTO chat_turns (site_id, operator_id, at) VALUES ($1, $2, $3)
				ON CONFLICT (site_id, operator_id) DO UPDATE SET at = EXCLUDED.at`, u.SiteID, to, c.now().UnixMilli())
			if err != nil {
				return fmt.Errorf("offering a conversation: %w", err)
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO chat_offers (site_id, conversation_id, operator_id, until, tried) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (site_id, conversation_id) DO UPDATE SET operator_id = EXCLUDED.operator_id, until = EXCLUDED.until, tried = EXCLUDED.tried`,
			u.SiteID, u.ID, to, until, tried)
		if err != nil {
			return fmt.Errorf("offering a conversation: %w", err)
		}
		return c.tell(ctx, tx, *now, Offered, to, 0)
	})
}

// Offer says to whom a waiting conversation is offered.
type Offer struct {
	OperatorID int64 // 0 for all of its group
}

// Offers returns the offers of the waiting conversations, a few hundred at most. A conversation that the desk has not
// checked has none, and neither has one whose group lets everybody take it.
func (c *Chats) Offers(ctx context.Context, of []Conversation) (map[Key]*Offer, error) {
	var keys []Key
	for i := range of {
		if of[i].State == Waiting {
			keys = append(keys, of[i].Key())
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	type offered struct {
		Key
		Offer
	}
	values, args := db.Values(db.Padded(keys), func(k *Key) []any { return []any{&k.SiteID, &k.ID} })
	list, err := db.List(ctx, c.db.Read(), func(o *offered) []any { return []any{&o.SiteID, &o.ID, &o.OperatorID} }, `WITH wanted(site_id, id) AS (`+values+`)
		SELECT o.site_id, o.conversation_id, o.operator_id FROM wanted w JOIN chat_offers o ON o.site_id = w.site_id AND o.conversation_id = w.id
		WHERE o.until > 0`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading offers: %w", err)
	}
	offers := make(map[Key]*Offer, len(list))
	for i := range list {
		offers[list[i].Key] = &list[i].Offer
	}
	return offers, nil
}
