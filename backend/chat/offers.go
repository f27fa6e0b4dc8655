package chat

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-3405227d/frontdesk/backend/db"
)

// Until when an offer lasts, beside a time: Announced stands for an offer to all while nobody is online, and ForGood for
// the end of an offer to all.
const (
	Announced = 1
	ForGood   = math.MaxInt64
)

// waitersAtOnce is how many conversations are read at once.
const waitersAtOnce = 500

// Waiter is a conversation whose visitor waits for an answer, and to whom it is offered.
type Waiter struct {
	Key
	GroupID int64
	// OperatorID is who has the conversation; 0 while it waits for somebody.
	OperatorID int64
	// OfferedTo is an operator, or 0, and Until when that offer ends, in milliseconds since 1970; 0 before the first.
	OfferedTo, Until int64

	last int64
}

// Waiters are the conversations whose visitors wait for an answer. Who brings these to operators asks them.
type Waiters struct{ chats *Chats }

// WaitersOf returns those of the conversations.
func WaitersOf(chats *Chats) Waiters { return Waiters{chats} }

// EachUnanswered calls do for the conversations that an operator has and whose visitors wait for an answer, those with
// the oldest last message first.
func (s Waiters) EachUnanswered(ctx context.Context, do func(Waiter) error) error {
	return s.each(ctx, `c.state = 'open' AND c.waiting_since > 0`, do)
}

// EachWaiting calls do for the conversations that wait for an operator of the group, and that are not offered to all
// of it for good, those with the oldest last message first.
func (s Waiters) EachWaiting(ctx context.Context, siteID, groupID int64, do func(Waiter) error) error {
	return s.each(ctx, `c.state = 'waiting' AND COALESCE(o.until, 0) < $4 AND c.site_id = $5 AND c.group_id = $6`, do, int64(ForGood), siteID, groupID)
}

// each goes through them in parts. The condition's arguments start at $4. What has been erased since is passed over.
func (s Waiters) each(ctx context.Context, condition string, do func(Waiter) error, args ...any) error {
	for last, id, more := int64(-1), int64(0), true; more; {
		rows, err := db.List(ctx, s.chats.db.Read(), func(w *Waiter) []any {
			return []any{&w.SiteID, &w.ID, &w.GroupID, &w.OperatorID, &w.last, &w.OfferedTo, &w.Until}
		}, `SELECT c.site_id, c.id, c.group_id, c.operator_id, c.last_at, COALESCE(o.operator_id, 0), COALESCE(o.until, 0)
			FROM conversations c LEFT JOIN chat_offers o ON o.site_id = c.site_id AND o.conversation_id = c.id
			WHERE (c.last_at, c.id) > ($1, $2) AND `+condition+` ORDER BY c.last_at, c.id LIMIT $3`, append([]any{last, id, waitersAtOnce}, args...)...)
		if err != nil {
			return fmt.Errorf("looking for those who wait: %w", err)
		}
		for _, w := range rows {
			last, id = w.last, w.ID
			if err := do(w); err != nil && !errors.Is(err, ErrUnknown) {
				return err
			}
		}
		more = len(rows) == waitersAtOnce
	}
	return nil
}

// Offer offers the conversation to the operator, or to all of its group for 0, until the time in milliseconds since 1970,
// [Announced] or [ForGood]. One that does not wait for the group any more stays as it is.
func (s Waiters) Offer(ctx context.Context, w Waiter, to, until int64) error {
	return s.chats.write(ctx, w.SiteID, w.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State != Waiting || now.GroupID != w.GroupID {
			return nil
		}
		if to != 0 {
			_, err := tx.Exec(ctx, `INSERT INTO chat_turns (site_id, operator_id, at) VALUES ($1, $2, $3)
				ON CONFLICT (site_id, operator_id) DO UPDATE SET at = EXCLUDED.at`, w.SiteID, to, s.chats.now().UnixMilli())
			if err != nil {
				return fmt.Errorf("offering a conversation: %w", err)
			}
			if err := try(ctx, tx, w.Key, to); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `INSERT INTO chat_offers (site_id, conversation_id, operator_id, until) VALUES ($1, $2, $3, $4)
			ON CONFLICT (site_id, conversation_id) DO UPDATE SET operator_id = EXCLUDED.operator_id, until = EXCLUDED.until`, w.SiteID, w.ID, to, until)
		if err != nil {
			return fmt.Errorf("offering a conversation: %w", err)
		}
		return s.chats.tell(ctx, tx, *now, Offered, to, 0)
	})
}

// try notes that the operator was asked.
func try(ctx context.Context, tx db.Tx, of Key, operatorID int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO chat_tried (site_id, conversation_id, operator_id) VALUES ($1, $2, $3)
		ON CONFLICT (site_id, conversation_id, operator_id) DO NOTHING`, of.SiteID, of.ID, operatorID)
	if err != nil {
		return fmt.Errorf("noting who was asked: %w", err)
	}
	return nil
}

// withdraw removes the offer of the locked conversation, and who was asked.
func withdraw(ctx context.Context, tx db.Tx, of Key) error {
	for _, table := range []string{"chat_offers", "chat_tried"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE site_id = $1 AND conversation_id = $2`, of.SiteID, of.ID); err != nil {
			return fmt.Errorf("withdrawing an offer: %w", err)
		}
	}
	return nil
}

// Forget removes what was offered of conversations that no longer wait. If they wait again, they are offered again.
func (s Waiters) Forget(ctx context.Context) error {
	for _, table := range []string{"chat_offers", "chat_tried"} {
		ended := `FROM ` + table + ` WHERE NOT EXISTS (SELECT 1 FROM conversations c
			WHERE c.site_id = ` + table + `.site_id AND c.id = ` + table + `.conversation_id AND c.state = 'waiting')`
		some, _, err := db.One(ctx, s.chats.db.Read(), db.Only[bool], `SELECT EXISTS (SELECT 1 `+ended+`)`)
		if err == nil && some {
			err = s.chats.db.Write(ctx, 0, func(ctx context.Context, tx db.Tx) error {
				_, err := tx.Exec(ctx, `DELETE `+ended)
				return err
			})
		}
		if err != nil {
			return fmt.Errorf("forgetting offers: %w", err)
		}
	}
	return nil
}
