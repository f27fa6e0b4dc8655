package chat

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

const (
	// MaxText limits the characters of a message.
	MaxText = 4000
	// maxClientID is the size in bytes of a client's id.
	maxClientID = 64
	// maxAddress and maxLanguage are the sizes in bytes to which these are cut.
	maxAddress, maxLanguage = 2048, 16
)

// Check removes characters that no database stores, and returns an [Invalid] for a wrong message.
func (m *Message) Check() error {
	m.Text = strings.ToValidUTF8(strings.ReplaceAll(m.Text, "\x00", ""), "\ufffd")
	switch {
	case len(m.Text) > MaxText && utf8.RuneCountInString(m.Text) > MaxText:
		return invalid("too_long", "a message has at most %d characters", MaxText)
	case strings.TrimSpace(m.Text) == "" && m.Code == "" && m.File == nil:
		return invalid("empty", "a message needs a text or a file")
	case len(m.ClientID) > maxClientID:
		return invalid("too_long", "the id of a message has at most %d bytes", maxClientID)
	case !utf8.ValidString(m.ClientID) || strings.ContainsRune(m.ClientID, 0):
		return invalid("wrong_type", "the id of a message cannot be stored")
	}
	if m.ClientID == "" {
		m.ClientID = rand.Text()
	}
	if m.File == nil {
		return nil
	}
	err := m.File.Check()
	if wrong, is := errors.AsType[file.Wrong](err); is {
		return Invalid(wrong)
	}
	return err
}

// Size returns the bytes of the text and the file.
func (m *Message) Size() int {
	size := len(m.Text)
	if m.File != nil {
		size += len(m.File.Content)
	}
	return size
}

// Shorten cuts the text to a line, and says so at its end.
func (m *Message) Shorten() { m.Text = quota.Shortened(m.Text) }

// prepare checks the message, and draws its random values outside of a write.
func (c *Chats) prepare(ctx context.Context, m *Message) (err error) {
	if err := m.Check(); err != nil || m.File == nil {
		return err
	}
	kept := *m.File
	kept.ID, err = c.fileIDs.Next(ctx)
	m.File = &kept
	return err
}

// Say stores the message, and returns it as it is stored once that is durable. One whose ClientID its author has used
// in the conversation is not stored again: the stored one is returned.
//
// The first operator who says something in a conversation that nobody has gets it. The error is [ErrUnknown],
// [ErrBanned] for a visitor's, or an [Invalid]; nothing is stored then.
func (c *Chats) Say(ctx context.Context, siteID, conversation int64, m Message) (stored Message, err error) {
	if err := c.prepare(ctx, &m); err != nil {
		return Message{}, err
	}
	var before int64
	err = c.write(ctx, siteID, conversation, func(ctx context.Context, tx db.Tx, now *Conversation) error {
		before = now.Seq
		stored, err = c.say(ctx, tx, now, m)
		return err
	})
	if err != nil {
		return Message{}, err
	}
	if stored.Seq > before && c.said != nil {
		c.said(m.Author, false)
	}
	return stored, nil
}

// From is the visitor who writes, and from where.
type From struct {
	SiteID int64
	// Ref is the page view, already found to be the visitor's.
	visit.Ref
	URL string
	// Language is the language of the visitor's texts, such as "ru".
	Language string
	// GroupID is the group of operators for the conversation; 0 for none.
	GroupID int64
	// Invitation is the text that the visitor was invited by and answers; empty for none. It comes before the message
	// when it begins the conversation.
	Invitation string
	// Patience is the default time that a visitor waits for an answer. Then the conversation becomes a lead, and the
	// visitor is told.
	Patience time.Duration
}

// SayFrom is [Chats.Say] for a visitor, whose conversation begins with the first message. The error is
// [visit.ErrForeign] when the page view is not known.
func (c *Chats) SayFrom(ctx context.Context, from From, m Message) (now Conversation, stored Message, err error) {
	m.Author, m.OperatorID = Visitor, 0
	if err := c.prepare(ctx, &m); err != nil {
		return Conversation{}, Message{}, err
	}
	var invitation *Message
	if from.Invitation != "" {
		invitation = &Message{Author: Service, Text: from.Invitation}
		if err := invitation.Check(); err != nil {
			return Conversation{}, Message{}, err
		}
	}
	from.URL, from.Language = clip.Text(from.URL, maxAddress), clip.Text(from.Language, maxLanguage)
	id, err := c.ids.Next(ctx)
	if err != nil {
		return Conversation{}, Message{}, err
	}
	lines, continued, begun, before := transcriptOf([]Message{m}), false, false, int64(0)
	err = c.db.Write(ctx, int64(from.Visitor), func(ctx context.Context, tx db.Tx) (err error) {
		continued = false // it may be the second time
		if err := c.visits.PresentTx(ctx, tx, from.SiteID, from.Ref); err != nil {
			return err
		}
		if now, err = c.begin(ctx, tx, from, id, invitation); err != nil {
			return err
		}
		calm := now.WaitingSince.IsZero()
		before, begun = now.Seq, now.VisitorRead == 0 || now.State == Closed
		if stored, err = c.say(ctx, tx, &now, m); err != nil || now.Seq == before {
			return err
		}
		if continued, err = continueLead(ctx, tx, c.leads, now, lines); err != nil || continued || !calm {
			return err
		}
		return watch(ctx, tx, now, cmp.Or(from.Patience, Patience))
	})
	if err != nil {
		return Conversation{}, Message{}, err
	}
	if stored.Seq > before && c.said != nil {
		c.said(Visitor, begun)
	}
	if continued {
		_ = c.leads.Index(ctx) // else the next one does it
	}
	return now, stored, nil
}

// begin returns the visitor's conversation, which is locked and told of the page. A new one begins with the invitation,
// if that is not nil.
func (c *Chats) begin(ctx context.Context, tx db.Tx, from From, id int64, invitation *Message) (Conversation, error) {
	at := c.now().UnixMilli()
	created, err := tx.Exec(ctx, `INSERT INTO conversations (site_id, id, visitor_id, visit_id, view_id, group_id, state, operator_id, seq, visitor_read,
			operator_read, opened_at, waiting_since, last_at, last_from, banned, url, language, lead_id)
		VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, 0, 0, 0, $7, 0, $7, 'visitor', FALSE, $8, $9, 0) ON CONFLICT (site_id, visitor_id) DO NOTHING`,
		from.SiteID, id, int64(from.Visitor), int64(from.Visit), int64(from.View), from.GroupID, at, from.URL, from.Language)
	if err != nil {
		return Conversation{}, fmt.Errorf("beginning a conversation: %w", err)
	}
	now, _, err := lock(ctx, tx, `site_id = $1 AND visitor_id = $2`, from.SiteID, int64(from.Visitor))
	if err != nil {
		return now, err
	}
	if now.Banned {
		return now, ErrBanned
	}
	if created > 0 {
		if err := c.tell(ctx, tx, now, Began, 0, 0); err != nil || invitation == nil {
			return now, err
		}
		_, err := c.say(ctx, tx, &now, *invitation)
		return now, err
	}
	now.Ref, now.URL, now.Language = from.Ref, from.URL, from.Language
	if now.State == Closed {
		now.GroupID = from.GroupID
	}
	_, err = tx.Exec(ctx, `UPDATE conversations SET visit_id = $1, view_id = $2, url = $3, language = $4, group_id = $5 WHERE site_id = $6 AND id = $7`,
		int64(now.Visit), int64(now.View), now.URL, now.Language, now.GroupID, now.SiteID, now.ID)
	if err != nil {
		return now, fmt.Errorf("noting where a visitor writes: %w", err)
	}
	return now, nil
}

// say stores the message in the locked conversation, and updates the conversation.
func (c *Chats) say(ctx context.Context, tx db.Tx, now *Conversation, m Message) (Message, error) {
	earlier, found, err := db.One(ctx, tx, (*messageRow).fields, messageColumns+` AND m.client_id = $3`, now.SiteID, now.ID, m.ClientID)
	if err != nil {
		return m, fmt.Errorf("looking for a message: %w", err)
	}
	if found && (earlier.Author != m.Author || earlier.OperatorID != m.OperatorID) { // whose words these are not
		return m, invalid("wrong_type", "the id is that of another message")
	}
	if found {
		return earlier.message(), nil
	}
	if err := now.takes(m); err != nil {
		return m, err
	}
	size := m.Size()
	now.Seq++
	m.SiteID, m.ConversationID, m.Seq, m.At = now.SiteID, now.ID, now.Seq, time.UnixMilli(c.now().UnixMilli())
	fileID := int64(0)
	if m.File != nil {
		if m.File, err = storeFile(ctx, tx, m, m.File); err != nil {
			return m, err
		}
		fileID = m.File.ID
	}
	_, err = tx.Exec(ctx, `INSERT INTO messages (site_id, conversation_id, seq, author, operator_id, client_id, code, text, file_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		m.SiteID, m.ConversationID, m.Seq, string(m.Author), m.OperatorID, m.ClientID, m.Code, m.Text, fileID, m.At.UnixMilli())
	if err != nil {
		return m, fmt.Errorf("storing a message: %w", err)
	}
	if m.Author == Visitor {
		c.texts.Count(tx, now.SiteID, now.Visitor, size)
	}
	since := now.WaitingSince
	change := now.moveOn(m)
	waiting := int64(0)
	if !now.WaitingSince.IsZero() {
		waiting = now.WaitingSince.UnixMilli()
	}
	_, err = tx.Exec(ctx, `UPDATE conversations SET state = $1, operator_id = $2, seq = $3, visitor_read = $4, operator_read = $5, waiting_since = $6,
		last_at = $7, last_from = $8, lead_id = $9, unasked = $10, `+offerOfState+` WHERE site_id = $11 AND id = $12`, string(now.State), now.OperatorID, now.Seq, now.VisitorRead,
		now.OperatorRead, waiting, now.LastAt.UnixMilli(), string(now.LastFrom), now.LeadID, int64(now.Unasked), now.SiteID, now.ID)
	if err != nil {
		return m, fmt.Errorf("moving a conversation on: %w", err)
	}
	if change == Waits {
		if err := askAnew(ctx, tx, now.Key()); err != nil {
			return m, err
		}
	}
	if err := noteAnswer(ctx, tx, c.answered, *now, m, since); err != nil {
		return m, err
	}
	data, err := json.Marshal(struct {
		Seq        int64  `json:"seq"`
		Author     Author `json:"author"`
		OperatorID int64  `json:"operator_id,omitempty"`
	}{m.Seq, m.Author, m.OperatorID})
	if err != nil {
		return m, err
	}
	err = journal.Append(ctx, tx, journal.Entry{SiteID: now.SiteID, At: m.At, Kind: Said, SubjectID: now.ID, VisitorID: int64(now.Visitor), Data: data})
	if err == nil && change != "" {
		err = c.tell(ctx, tx, *now, change, now.OperatorID, m.Seq)
	}
	return m, err
}

// tell appends the change of the conversation to the journal.
func (c *Chats) tell(ctx context.Context, tx db.Tx, of Conversation, change string, operatorID, seq int64) error {
	data, err := json.Marshal(struct {
		Change     string `json:"change"`
		OperatorID int64  `json:"operator_id,omitempty"`
		Seq        int64  `json:"seq,omitempty"`
	}{change, operatorID, seq})
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, journal.Entry{SiteID: of.SiteID, At: c.now(), Kind: Changed, SubjectID: of.ID, VisitorID: int64(of.Visitor), Data: data})
}
