package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit"
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
	messages, err := c.Told(ctx, siteID, of.ID, 0, MaxMessages)
	if of.Seq > MaxMessages && err == nil {
		messages, err = c.ToldBefore(ctx, siteID, of.ID, 0, MaxMessages)
	}
	if err != nil {
		return err
	}
	s := submission.Submission{
		SiteID: siteID, Ref: of.Ref, Origin: lead.Chat, URL: of.URL, Region: region, GroupID: of.GroupID,
		CallID: fmt.Sprintf("chat-%d-%d", of.ID, w.Since), Message: transcriptOf(messages),
	}
	card, err := c.visits.Card(ctx, siteID, of.Visitor)
	if err != nil && !errors.Is(err, visit.ErrUnknown) {
		return err
	}
	s.Name = card.Name
	if len(card.Emails) > 0 {
		s.Email = card.Emails[0].Written
	}
	if len(card.Phones) > 0 {
		s.Phone = card.Phones[0].Written
	}
	made, _, err := c.leads.Add(ctx, s)
	if err != nil {
		return err
	}
	return c.write(ctx, siteID, of.ID, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if now.WaitingSince.IsZero() || now.WaitingSince.UnixMilli() != w.Since || now.LeadID == made.ID {
			return nil
		}
		now.LeadID = made.ID
		told := Message{Author: Service, Code: Unanswered, ClientID: "." + s.CallID} // no visitor's id has a dot
		if _, err := c.say(ctx, tx, now, told); err != nil {
			return err
		}
		return c.tell(ctx, tx, *now, BecameALead, 0, now.Seq)
	})
}

// transcriptOf returns the messages of visitor and operators for the inbox. Each line of an operator begins with "> ".
// A visitor's line that begins this way gets a backslash, so that no visitor speaks for an operator.
func transcriptOf(messages []Message) string {
	var lines []string
	for _, m := range messages {
		if m.Author != Visitor && m.Author != Operator {
			continue
		}
		text := m.Text
		if m.File != nil {
			text += "[" + m.File.Name + "]"
		}
		for line := range strings.SplitSeq(lineBreaks.Replace(text), "\n") {
			switch {
			case m.Author == Operator:
				line = "> " + line
			case strings.HasPrefix(strings.TrimLeftFunc(line, isUnseen), ">"):
				line = `\` + line
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// lineBreaks turns every character that some programs show as a new line into one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// isUnseen reports whether the character is invisible.
func isUnseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Cc) }
