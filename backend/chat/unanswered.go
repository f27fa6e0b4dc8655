package chat

import (
	"cmp"
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
	// UnansweredWhere says that nobody has answered, and asks where the visitor can be answered: no contact is known.
	UnansweredWhere = "unanswered_where"
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
	of, err := c.Get(ctx, j.SiteID, w.Conversation)
	if err == nil && !of.WaitingSince.IsZero() && of.WaitingSince.UnixMilli() == w.Since {
		err = c.unanswered(ctx, of, w, c.region(ctx, j.SiteID))
	}
	if errors.Is(err, ErrUnknown) { // it has been erased
		return nil
	}
	return err
}

// unanswered creates a lead from the conversation, which still waits, unless an operator attends to it. It may run
// twice: the lead and the message are stored once.
func (c *Chats) unanswered(ctx context.Context, of Conversation, w wait, region string) error {
	siteID := of.SiteID
	if attended, err := c.attended(ctx, of); err != nil || attended {
		return cmp.Or(err, errAttended)
	}
	made, err := c.leadOf(ctx, of, fmt.Sprint(w.Since), region)
	if err != nil {
		return err
	}
	code := Unanswered
	if made.Email == "" && made.Phone == "" {
		code = UnansweredWhere
	}
	return c.write(ctx, siteID, of.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.WaitingSince.IsZero() || now.WaitingSince.UnixMilli() != w.Since || now.LeadID == made.ID {
			return nil
		}
		now.LeadID = made.ID
		told := Message{Author: Service, Code: code, ClientID: fmt.Sprintf(".chat-%d-%d", of.ID, w.Since)} // no visitor's id has a dot
		if _, err := c.say(ctx, tx, now, told); err != nil {
			return err
		}
		return c.tell(ctx, tx, *now, BecameALead, 0, now.Seq)
	})
}

const (
	// attending is the time after an operator's last message for which the operator attends to the conversation.
	attending = 30 * time.Minute
	// attendedAgain is the least pause until it is asked again whether an operator still attends to a conversation.
	attendedAgain = 15 * time.Second
)

// errAttended has the job look again.
var errAttended = queue.After(attendedAgain, errors.New("an operator attends to the conversation"))

// attended reports whether an operator attends to the conversation, which waits for an answer: is typing in it, or has
// it, is there, and has said something in it not long ago. A visitor's last words need no answer, and whoever answers
// the visitor knows that.
func (c *Chats) attended(ctx context.Context, of Conversation) (bool, error) {
	if c.typists.Type(of.SiteID, of.ID) {
		return true, nil
	}
	if of.State != Open || c.there == nil {
		return false, nil
	}
	if there, err := c.there(ctx, of.SiteID, of.OperatorID); err != nil || !there {
		return false, err
	}
	_, attends, err := db.One(ctx, c.db.Read(), db.Only[int64], `SELECT seq FROM messages WHERE site_id = $1 AND conversation_id = $2
		AND author = 'operator' AND operator_id = $3 AND at > $4 ORDER BY seq DESC LIMIT 1`, of.SiteID, of.ID, of.OperatorID, c.now().Add(-attending).UnixMilli())
	if err != nil {
		return false, fmt.Errorf("looking for an operator's message: %w", err)
	}
	return attends, nil
}
