package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// MakeLead creates a lead from the conversation, unless there is one already, which it returns. by is the operator, who
// is noted. A conversation that was closed and begins again may become another lead.
func (c *Chats) MakeLead(ctx context.Context, siteID, id, by int64) (leadID int64, err error) {
	of, err := c.Get(ctx, siteID, id)
	if err != nil || of.LeadID != 0 {
		return of.LeadID, err
	}
	made, err := c.leadOf(ctx, of, fmt.Sprint("seq-", of.Seq), c.region(ctx, siteID))
	if err != nil {
		return 0, err
	}
	note := Message{Author: Note, OperatorID: by, Code: CodeLead}
	if err := note.Check(); err != nil {
		return 0, err
	}
	err = c.write(ctx, siteID, id, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		if leadID = now.LeadID; leadID != 0 { // somebody was faster
			return nil
		}
		now.LeadID, leadID = made.ID, made.ID
		_, err := c.say(ctx, tx, now, note)
		return err
	})
	return leadID, err
}

// leadOf returns the lead of the conversation, which it adds unless there is one of the name already.
func (c *Chats) leadOf(ctx context.Context, of Conversation, name, region string) (lead.Lead, error) {
	messages, err := c.Told(ctx, of.SiteID, of.ID, 0, MaxMessages)
	if of.Seq > MaxMessages && err == nil {
		messages, err = c.ToldBefore(ctx, of.SiteID, of.ID, 0, MaxMessages)
	}
	if err != nil {
		return lead.Lead{}, err
	}
	s := submission.Submission{
		SiteID: of.SiteID, Ref: of.Ref, Origin: lead.Chat, URL: of.URL, Region: region, GroupID: of.GroupID,
		CallID: fmt.Sprintf("chat-%d-%s", of.ID, name), Message: transcriptOf(messages), Tags: of.Tags(),
	}
	card, err := c.cards.Card(ctx, of.SiteID, of.Visitor)
	if err != nil && !errors.Is(err, visit.ErrUnknown) {
		return lead.Lead{}, err
	}
	s.Name = card.Name
	if len(card.Emails) > 0 {
		s.Email = card.Emails[0].Written
	}
	if len(card.Phones) > 0 {
		s.Phone = card.Phones[0].Written
	}
	made, _, err := c.leads.Add(ctx, s)
	return made, err
}

// continueLead adds the visitor's lines to the lead that the conversation has become, and returns whether there is one
// that they belong to: while nobody has answered it, and after that in the same visit.
func continueLead(ctx context.Context, tx db.Tx, leads *lead.Leads, now Conversation, lines string) (bool, error) {
	if now.LeadID == 0 || leads == nil {
		return false, nil
	}
	return leads.Continue(ctx, tx, lead.Key{SiteID: now.SiteID, ID: now.LeadID}, now.Visit, now.WaitingSince, lines)
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
