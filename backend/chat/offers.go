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

// Offer is to whom a waiting conversation is offered: an operator, or all of its group for 0. Until is when that ends, in
// milliseconds since 1970, [Announced] or [ForGood]; 0 for no offer.
type Offer struct{ To, Until int64 }

// waitersAtOnce is how many conversations are read at once.
const waitersAtOnce = 500

// Waiter is a conversation whose visitor waits for an answer.
type Waiter struct {
	Key
	GroupID int64
	// OperatorID is who has the conversation; 0 while it waits for somebody.
	OperatorID int64
	Offer      Offer

	last int64
}

// Waiters are the conversations whose visitors wait for an answer. Who brings these to operators asks them.
type Waiters struct{ chats *Chats }

// WaitersOf returns those of the conversations.
func WaitersOf(chats *Chats) Waiters { return Waiters{chats} }

// EachUnanswered calls do for the conversations that an operator has and whose visitors wait for an answer, those with
// the oldest last message first.
func (s Waiters) EachUnanswered(ctx context.Context, do func(Waiter) error) error {
	return s.each(ctx, `last_at`, `state = 'open' AND waiting_since > 0`, do)
}

// EachWaiting calls do for the conversations that wait for an operator of the group, and whose offers end at one of the
// times, those with the oldest last message first. [ForGood] is not among the times.
func (s Waiters) EachWaiting(ctx context.Context, siteID, groupID, from, upto int64, do func(Waiter) error) error {
	return s.each(ctx, unsorted, ofGroup, do, siteID, groupID, from, upto)
}

// ofGroup needs the index of those that wait for a group, which has the number. SQLite prefers an index of all of the
// site's conversations if that is in the order of last_at. So they are sorted by something else that is the same.
const (
	ofGroup  = `state = 'waiting' AND offered_until < 9223372036854775807 AND site_id = $4 AND group_id = $5 AND offered_until BETWEEN $6 AND $7`
	unsorted = `last_at + 0`
)

const waiterColumns = `SELECT site_id, id, group_id, operator_id, last_at, offered_to, offered_until FROM conversations`

// each goes through them in parts, by when their last messages were. The condition's arguments start at $4. What has been
// erased since is passed over.
func (s Waiters) each(ctx context.Context, when, condition string, do func(Waiter) error, args ...any) error {
	for last, id, more := int64(-1), int64(0), true; more; {
		rows, err := db.List(ctx, s.chats.db.Read(), func(w *Waiter) []any {
			return []any{&w.SiteID, &w.ID, &w.GroupID, &w.OperatorID, &w.last, &w.Offer.To, &w.Offer.Until}
		}, waiterColumns+` WHERE (`+when+`, id) > ($1, $2) AND `+condition+` ORDER BY `+when+`, id LIMIT $3`, append([]any{last, id, waitersAtOnce}, args...)...)
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

// Offer makes the offer of the conversation. One that does not wait for the group any more, or has another offer by now,
// stays as it is.
func (s Waiters) Offer(ctx context.Context, w Waiter, to Offer) error {
	return s.chats.write(ctx, w.SiteID, w.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.State != Waiting || now.GroupID != w.GroupID || now.Offer != w.Offer {
			return nil
		}
		if to.To != 0 {
			_, err := tx.Exec(ctx, `INSERT INTO chat_turns (site_id, operator_id, at) VALUES ($1, $2, $3)
				ON CONFLICT (site_id, operator_id) DO UPDATE SET at = EXCLUDED.at`, w.SiteID, to.To, s.chats.now().UnixMilli())
			if err != nil {
				return fmt.Errorf("offering a conversation: %w", err)
			}
		}
		if err := try(ctx, tx, w.Key, to.To); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE conversations SET offered_to = $1, offered_until = $2 WHERE site_id = $3 AND id = $4`, to.To, to.Until, w.SiteID, w.ID)
		if err != nil {
			return fmt.Errorf("offering a conversation: %w", err)
		}
		return s.chats.tell(ctx, tx, *now, Offered, to.To, 0)
	})
}

// try notes that the operator was asked, unless it is nobody.
func try(ctx context.Context, tx db.Tx, of Key, operatorID int64) error {
	if operatorID == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO chat_tried (site_id, conversation_id, operator_id) VALUES ($1, $2, $3)
		ON CONFLICT (site_id, conversation_id, operator_id) DO NOTHING`, of.SiteID, of.ID, operatorID)
	if err != nil {
		return fmt.Errorf("noting who was asked: %w", err)
	}
	return nil
}

// offerOfState ends the offer of a conversation whose state becomes $1, and was another.
const offerOfState = `offered_to = CASE WHEN state = $1 THEN offered_to ELSE 0 END, offered_until = CASE WHEN state = $1 THEN offered_until ELSE 0 END`

// askAnew has nobody be asked yet for the locked conversation, which waits anew.
func askAnew(ctx context.Context, tx db.Tx, of Key) error {
	if _, err := tx.Exec(ctx, `DELETE FROM chat_tried WHERE site_id = $1 AND conversation_id = $2`, of.SiteID, of.ID); err != nil {
		return fmt.Errorf("forgetting who was asked: %w", err)
	}
	return nil
}
