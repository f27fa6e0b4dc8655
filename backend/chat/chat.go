// Package chat owns the conversations between visitors and operators: the messages, how far each side has read, and
// whose each conversation is. The requests of browsers and the console ask it.
//
// A message is stored before anybody is told. Each entry of a conversation has a number, so whoever lost the connection
// asks, on any node, for everything after the last one seen.
package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/chat/typing"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
)

// The kinds of the journal's entries. Their subject is the conversation. They contain nothing that anybody has written.
const (
	// Said is a new entry of a conversation: {"seq","author","operator_id"}.
	Said = "chat.message"
	// Changed is any other change of a conversation: {"change","operator_id","seq"}, where change is one of the changes
	// below.
	Changed = "chat.state"
)

// The changes in an entry of the kind Changed.
const (
	Began         = "began"          // the first message has come
	Waits         = "waits"          // it waits for an operator, perhaps again
	Claimed       = "claimed"        // operator_id has it
	Ended         = "closed"         // it was closed
	VisitorRead   = "visitor_read"   // the visitor has read up to seq
	OperatorRead  = "operator_read"  // an operator has read up to seq
	BecameALead   = "became_a_lead"  // nobody has answered in time
	BannedChanged = "banned_changed" // the visitor may not write any more, or may again
)

// State is the state of a conversation.
type State string

// The states. A closed conversation waits again as soon as the visitor writes.
const (
	Waiting State = "waiting" // no operator has it
	Open    State = "open"    // an operator has it
	Closed  State = "closed"
)

// Author is who has written an entry.
type Author string

// The authors. Operators write notes for each other.
const (
	Visitor  Author = "visitor"
	Operator Author = "operator"
	Service  Author = "service"
	Note     Author = "note"
)

// Errors of requests. Their texts may be shown to the sender.
var (
	ErrUnknown = errors.New("there is no such conversation")
	ErrTaken   = errors.New("another operator has this conversation")
	ErrBanned  = errors.New("this visitor may not write")
	ErrUnasked = errors.New("the visitor has not answered the first message")
)

// Invalid says why something cannot be stored. The sender has made the mistake.
type Invalid struct {
	// Code is a word for programs: empty, too_long, wrong_type, too_large, too_many.
	Code string
	// Reason is a sentence that never repeats the sender's text.
	Reason string
}

func (i Invalid) Error() string { return i.Reason }

func invalid(code, format string, args ...any) Invalid {
	return Invalid{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Conversation is the conversation of a visitor with the operators of a site. Each visitor has one, which continues
// when the visitor comes back.
type Conversation struct {
	SiteID, ID int64
	// Ref is the page view from which the visitor last wrote, and URL its address.
	visit.Ref
	URL string
	// GroupID is the group of operators for the conversation; 0 for none.
	GroupID int64
	State   State
	// OperatorID is the operator of the conversation; 0 for nobody.
	OperatorID int64
	// Seq is the number of the last entry, notes included.
	Seq int64
	// VisitorRead and OperatorRead are the numbers up to which each side has read. OperatorRead goes back when another
	// operator gets the conversation; ReadBefore keeps its value.
	VisitorRead, OperatorRead, ReadBefore int64
	// OpenedAt is the time of the first message. LastAt is the time of the last message that both sides see, and
	// LastFrom its author.
	OpenedAt, LastAt time.Time
	LastFrom         Author
	// WaitingSince is the time of the first message without an answer; zero if there is none.
	WaitingSince time.Time
	// Banned visitors may not write.
	Banned bool
	// Language is the language of the visitor's texts, such as "ru".
	Language string
	// LeadID is the lead that was created because nobody answered; 0 for none.
	LeadID int64
	// Unasked is the visit in which an operator has written first, and the visitor has not answered; 0 for none.
	Unasked visit.ID
	// Offer is to whom it is offered while it waits.
	Offer Offer
	// Unread counts the visitor's messages that no operator has read.
	Unread int64

	tags string // as the database has them
}

// ReadByAny is the number up to which any operator has read. It never goes back.
func (c Conversation) ReadByAny() int64 { return max(c.OperatorRead, c.ReadBefore) }

// Key names a conversation.
type Key struct{ SiteID, ID int64 }

// Key returns the key of the conversation.
func (c Conversation) Key() Key { return Key{c.SiteID, c.ID} }

// Message is an entry of a conversation.
type Message struct {
	SiteID, ConversationID int64
	// Seq is its number: 1, 2, 3 and so on in the conversation. Notes have numbers too, so visitors may see gaps.
	Seq    int64
	Author Author
	// OperatorID is the account of an operator's message or note; 0 for others.
	OperatorID int64
	// ClientID is chosen by the author. The same id again in a conversation means the same message. If it is empty, one
	// is created.
	ClientID string
	// Code is the code of a service message, which each side shows in its own language; empty if Text has the words.
	Code string
	// Text is the author's text, unchanged.
	Text string
	// File is the file of the message; nil for none. It has its Content only before it is stored.
	File *file.File
	At   time.Time

	first bool // an operator writes to a visitor who has not asked
}

// Chats keeps the conversations of all sites. It is safe for concurrent use.
type Chats struct {
	db       *db.DB
	visits   *visit.Visits
	texts    *quota.Texts
	cards    *card.Cards
	now      func() time.Time
	ids      *db.Sequence
	fileIDs  *db.Sequence
	leads    *lead.Leads
	region   func(ctx context.Context, siteID int64) string
	there    func(ctx context.Context, siteID, operatorID int64) (bool, error)
	answered func(ctx context.Context, tx db.Tx, of Conversation) error
	said     func(by Author, begins bool)
	typists  *typing.Operators
}

// Subjects are the other rooms that conversations need.
type Subjects struct {
	DB     *db.DB
	Visits *visit.Visits
	Texts  *quota.Texts
	Cards  *card.Cards
	// Queue runs their jobs: an unanswered conversation becomes a lead. Without a queue, another process runs them.
	Queue *queue.Queue
	// Leads and Region, the country by which a site reads phones, are for these jobs.
	Leads  *lead.Leads
	Region func(ctx context.Context, siteID int64) string
	// There reports whether the operator is there for the site; nil for nobody.
	There func(ctx context.Context, siteID, operatorID int64) (bool, error)
	// Answered is told of an operator's message in the transaction that stores it. It may be nil.
	Answered func(ctx context.Context, tx db.Tx, of Conversation) error
	// Said is called for each new message. begins says that a visitor begins the conversation by it, perhaps again. It may be nil.
	Said func(by Author, begins bool)
}

// New returns the conversations of the database. Call it before [queue.Queue.Run].
func New(s Subjects, now func() time.Time) *Chats {
	c := &Chats{
		db: s.DB, visits: s.Visits, texts: s.Texts, cards: s.Cards, now: now, leads: s.Leads, region: s.Region, there: s.There, answered: s.Answered, said: s.Said,
		ids: s.DB.Sequence("conversations", 64), fileIDs: s.DB.Sequence("chat_files", 64),
	}
	if s.Queue != nil {
		c.typists = typing.Remember(s.DB, now)
		s.Queue.Handle(unansweredKind, queue.Handler{Do: c.lookAfter})
	}
	return c
}

// Typing tells all nodes that somebody is typing in the conversation: an operator, or the visitor for 0.
func (c *Chats) Typing(of Conversation, operatorID int64) {
	typing.Tell(c.db, typing.Typed{SiteID: of.SiteID, ConversationID: of.ID, Visitor: of.Visitor, OperatorID: operatorID})
}

// OnTyping calls heard when somebody types in any conversation, on any node, until cancel is called. heard must not block.
func (c *Chats) OnTyping(heard func(typing.Typed)) (cancel func()) { return typing.Hear(c.db, heard) }

// write runs f in a transaction that has locked and read the visitor's conversation. f does the rest of the function
// for [db.DB.Write].
func (c *Chats) write(ctx context.Context, siteID, id int64, f func(context.Context, db.Tx, *Conversation) error) error {
	known, err := c.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	return c.db.Write(ctx, int64(known.Visitor), func(ctx context.Context, tx db.Tx) error {
		now, found, err := lock(ctx, tx, `site_id = $1 AND id = $2`, siteID, id)
		if err != nil {
			return err
		}
		if !found { // it has been erased since
			return ErrUnknown
		}
		return f(ctx, tx, &now)
	})
}
