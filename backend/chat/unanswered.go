package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

// Patience is the default time that a visitor waits for an answer. Then the conversation becomes a lead, and the
// visitor is told.
const Patience = 2 * time.Minute

// The codes of service messages.
const (
	// Unanswered says that nobody has answered, and that the message is not lost.
	Unanswered = "unanswered"
)

// unansweredKind is the kind of the jobs for unanswered conversations.
const unansweredKind = "chat.unanswered"

// wait is the data of such a job: the conversation at the time when it began to wait.
type wait struct {
	Conversation int64 `json:"conversation"`
	Since        int64 `json:"since"`
}

// watch adds a job for the time when the visitor has waited so long.
func watch(ctx context.Context, tx db.Tx, of Conversation, patience time.Duration) error {
	payload, err := json.Marshal(wait{of.ID, of.WaitingSince.UnixMilli()})
	if err != nil {
		return err
	}
	return queue.Add(ctx, tx, queue.Job{SiteID: of.SiteID, Kind: unansweredKind, VisitorID: int64(of.Visitor), Payload: payload,
		Due: of.WaitingSince.Add(patience)})
}

// lookAfter runs a job for an unanswered conversation.
func (c *Chats) lookAfter(ctx context.Context, j queue.Job) error {
	var w wait
	if err := json.Unmarshal(j.Payload, &w); err != nil {
		return queue.Never(err)
	}
	err := c.unanswered(ctx, j.SiteID, w, c.region(ctx, j.SiteID))
	if errors.Is(err, ErrUnknown) { // it has been erased
		return nil
	}
	return err
}

// unanswered creates a lead from the conversation if it still waits. It may run twice: the lead and the message are
// stored once.
func (c *Chats) unanswered(ctx context.Context, siteID int64, w wait, region string) error {
	of, err := c.Get(ctx, siteID, w.Conversation)
	if err != nil {
		return err
	}
	if of.WaitingSince.IsZero() || of.WaitingSince.UnixMilli() != w.Since {
		return nil
	}
	made, err := c.leadOf(ctx, of, fmt.Sprint(w.Since), region)
	if err != nil {
		return err
	}
	return c.write(ctx, siteID, of.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.WaitingSince.IsZero() || now.WaitingSince.UnixMilli() != w.Since || now.LeadID == made.ID {
			return nil
		}
		now.LeadID = made.ID
		told := Message{Author: Service, Code: Unanswered, ClientID: fmt.Sprintf(".chat-%d-%d", of.ID, w.Since)} // no visitor's id has a dot
		if _, err := c.say(ctx, tx, now, told); err != nil {
			return err
		}
		return c.tell(ctx, tx, *now, BecameALead, 0, now.Seq)
	})
}
