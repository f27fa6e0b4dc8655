// Package chat keeps the conversations of visitors with operators: what was said, by whom, how far each side has read,
// and who has a conversation.
//
// A message is stored first and told afterwards. Each entry of a conversation has a number, so whoever has lost touch
// asks for what is behind the last one seen, on any node.
package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// The kinds of the journal's entries. Their subject is the conversation; they hold nothing that anybody has written.
const (
	// Said is a new entry of a conversation: {"seq","author","operator_id"}.
	Said = "chat.message"
	// Changed is anything else about a conversation: {"change","operator_id","seq"}, where change is one of the changes
	// below.
	Changed = "chat.state"
)

// What an entry of the kind Changed tells.
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

// State is what a conversation is in.
type State string

// The states. A closed conversation waits again as soon as the visitor writes.
const (
	Waiting State = "waiting" // no operator has it
	Open    State = "open"    // an operator has it
	Closed  State = "closed"
)

// Author is who has written an entry.
type Author string

// The authors. Notes are of operators for operators.
const (
	Visitor  Author = "visitor"
	Operator Author = "operator"
	Service  Author = "service"
	Note     Author = "note"
)

// What can be wrong with a call. Their texts may be shown to the caller.
var (
	ErrUnknown  = errors.New("there is no such conversation")
	ErrTaken    = errors.New("another operator has this conversation")
	ErrBanned   = errors.New("this visitor may not write")
	ErrNoMail   = errors.New("this installation sends no mail")
	ErrNoAnswer = errors.New("there is nothing to send before an operator has answered")
)

// Invalid says why something cannot be stored. It is the sender's mistake.
type Invalid struct {
	// Code is a word for programs: empty, too_long, wrong_type, too_large, too_many.
	Code string
	// Reason is a sentence that never repeats what was sent.
	Reason string
}

func (i Invalid) Error() string { return i.Reason }

func invalid(code, format string, args ...any) Invalid {
	return Invalid{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Conversation is what a visitor of a site and its operators have with each other. There is one for each visitor, which
// goes on when the visitor comes back.
type Conversation struct {
	SiteID, ID int64
	// Ref is the page view from which the visitor wrote last, and URL its address.
	visit.Ref
	URL string
	// GroupID is the group of operators that it is for; 0 for none.
	GroupID int64
	State   State
	// OperatorID is who has it; 0 for nobody.
	OperatorID int64
	// Seq is the number of the last entry, notes included.
	Seq int64
	// VisitorRead and OperatorRead are the numbers up to which each side has read. OperatorRead goes back when the
	// conversation is handed to an operator, and ReadBefore is where it was.
	VisitorRead, OperatorRead, ReadBefore int64
	// OpenedAt is when the first message came, and LastAt when the last one came that both sides see; LastFrom is who
	// wrote that.
	OpenedAt, LastAt time.Time
	LastFrom         Author
	// WaitingSince is when the visitor wrote what no operator has answered; zero when nothing is unanswered.
	WaitingSince time.Time
	// Banned visitors may not write.
	Banned bool
	// Language is that of the visitor's texts, such as "ru".
	Language string
	// LeadID is the lead that was made of it when nobody answered; 0 for none.
	LeadID int64
	// Unread is how many messages of the visitor no operator has read.
	Unread int64
}

// ReadByAny is the number up to which any operator has read. It never goes back.
func (c Conversation) ReadByAny() int64 { return max(c.OperatorRead, c.ReadBefore) }

// Message is an entry of a conversation.
type Message struct {
	SiteID, ConversationID int64
	// Seq is its number: 1, 2, 3 and so on in the conversation. Notes have numbers, too, so visitors may see gaps.
	Seq    int64
	Author Author
	// OperatorID is the account of an operator's message or note; 0 for others.
	OperatorID int64
	// ClientID is made by who writes. Coming again in the same conversation it means the same message. Where it is
	// empty one is made.
	ClientID string
	// Code is the word of a service message that each side puts in its own language; empty where Text says it.
	Code string
	// Text is as the author wrote it.
	Text string
	// File was sent along; nil for none. It has its Content only on its way in.
	File *File
	At   time.Time
}

// Chats keeps the conversations of all sites. It is safe for concurrent use.
type Chats struct {
	db       *db.DB
	visits   *visit.Visits
	now      func() time.Time
	ids      *db.Sequence
	fileIDs  *db.Sequence
	replyIDs *db.Sequence
	leads    *lead.Leads
	region   func(ctx context.Context, siteID int64) string
	letters  Letters
}

// Subjects are what conversations need.
type Subjects struct {
	DB     *db.DB
	Visits *visit.Visits
	// Queue does their jobs: what nobody has answered becomes a lead, and transcripts are sent. Without a queue another
	// process does them.
	Queue *queue.Queue
	// Leads and Region, the country by which a site reads phones, are for the first of these jobs, and Letters for the
	// second.
	Leads   *lead.Leads
	Region  func(ctx context.Context, siteID int64) string
	Letters Letters
}

// New returns the conversations of the database. It is called before [queue.Queue.Run].
func New(s Subjects, now func() time.Time) *Chats {
	c := &Chats{
		db: s.DB, visits: s.Visits, now: now, leads: s.Leads, region: s.Region, letters: s.Letters,
		ids: s.DB.Sequence("conversations", 64), fileIDs: s.DB.Sequence("chat_files", 64), replyIDs: s.DB.Sequence("chat_replies", 1),
	}
	if s.Queue != nil {
		s.Queue.Handle(unansweredKind, queue.Handler{Do: c.lookAfter})
		s.Queue.Handle(transcriptKind, queue.Handler{Do: c.sendTranscript, Next: nextTranscript})
	}
	return c
}

// write runs f in a transaction on the conversation of the visitor, which is locked and as it is now. f is the rest of
// what [db.DB.Write] asks of it.
func (c *Chats) write(ctx context.Context, siteID, id int64, f func(context.Context, db.Tx, *Conversation) error) error {
	known, err := c.Get(ctx, siteID, id)
	if err != nil {
		return err
	}
	return c.db.Write(ctx, c.visits.Key(known.Visitor), func(ctx context.Context, tx db.Tx) error {
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
