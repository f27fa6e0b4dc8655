// Package conversation answers what the chat on a site's pages asks: what has been said, and what its visitor says, reads
// and sends. It keeps open streams to those who listen.
package conversation

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/view"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
)

const (
	// lineTime is how long the address of a stream holds, and linkTime that of a file.
	lineTime, linkTime = 10 * time.Minute, 2 * time.Minute
	// OpensLine is what the token of an answer of v1/chat opens: the stream, and the sending of files.
	OpensLine = "line"
	// historyAtOnce is how many messages a page is told at once.
	historyAtOnce = 50

	// messagesAtOnce is how many messages a visitor may write at once, and messagePause the
	// pause before each further one; the same of files and transcripts.
	messagesAtOnce, messagePause       = 20, 3 * time.Second
	filesAtOnce, filePause             = 10, time.Minute
	transcriptsAtOnce, transcriptPause = 3, time.Hour
	// sentAtOnce is how many files one address may send at once, and sentPause the pause before each
	// further one. A new visitor is soon made.
	sentAtOnce, sentPause = 40, 30 * time.Second
	// mailedAtOnce and mailedPause are the same of transcripts, which may go to any address.
	mailedAtOnce, mailedPause = 10, 10 * time.Minute
	// visitorsCounted is how many visitors these limits remember.
	visitorsCounted = 1 << 15
	// newAtOnce is how many conversations may begin from one address at once, and newPause the
	// pause before each further one. Whole offices share an address.
	newAtOnce, newPause = 30, time.Minute

	// knownTime is how long it is remembered who an operator is.
	knownTime = time.Minute
)

// Subjects are what the routes need.
type Subjects struct {
	Keys        *key.Keys
	Visits      *visit.Visits
	Views       *view.Views
	Chats       *chat.Chats
	Live        *live.Pages
	Transcripts *letter.Transcripts
	Answers     *letter.Answers
	Ratings     *rating.Ratings
	// Online tells whether an operator is there.
	Online func(context.Context, gate.Site) bool
	// Opens is when hours of the site begin next; zero when that is not known.
	Opens func(ctx context.Context, siteID int64) (time.Time, error)
	// Answering is the group of the site that answers now; 0 for none.
	Answering func(ctx context.Context, siteID, wanted int64) (groupID int64, err error)
	// Who is what visitors may know of an operator; zero for nothing.
	Who func(ctx context.Context, operatorID int64) (Who, error)
	// Face is the one of the name, of an operator of the site, or [face.ErrUnknown].
	Face func(ctx context.Context, siteID int64, name string) ([]byte, error)
}

// Conversations serves the routes. It is safe for concurrent use.
type Conversations struct {
	Subjects
	logger  *zap.Logger
	known   sync.Map // of remembered, by operators' ids: there are few
	streams streamCount

	begun, sent, mailed *gate.Limits // conversations, files and transcripts of a client

	mu                           sync.Mutex
	messages, files, transcripts *pace.Limit // of a visitor
}

// New returns the routes of conversations.
func New(subjects Subjects, logger *zap.Logger) *Conversations {
	return &Conversations{
		Subjects: subjects, logger: logger,
		begun:       gate.NewLimits(newAtOnce, newPause),
		sent:        gate.NewLimits(sentAtOnce, sentPause),
		mailed:      gate.NewLimits(mailedAtOnce, mailedPause),
		messages:    pace.New(messagesAtOnce, messagePause, visitorsCounted),
		files:       pace.New(filesAtOnce, filePause, visitorsCounted),
		transcripts: pace.New(transcriptsAtOnce, transcriptPause, visitorsCounted),
	}
}

// Routes are those of conversations.
func (c *Conversations) Routes() []gate.Route {
	return []gate.Route{
		{Path: "v1/chat", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.latest, Consent: true},
		{Path: "v1/chat/say", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.say, Consent: true},
		{Path: "v1/chat/read", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.read, Consent: true},
		{Path: "v1/chat/typing", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.typing, Consent: true},
		{Path: "v1/chat/transcript", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.transcript, Consent: true},
		{Path: "v1/chat/rate", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.rate, Consent: true},
		{Path: "v1/chat/link", Methods: gate.Post, Opens: gate.OfBrowser, Serve: c.link, Consent: true},
		{Path: "v1/chat/send", Methods: gate.Post, Opens: gate.OfAddress, Serve: c.sendFile, Consent: true},
		{Path: "v1/chat/file", Methods: gate.Get, Opens: gate.OfAddress, Serve: c.file},
		{Path: "v1/chat/face/{face}", Methods: gate.Get, Opens: gate.Open, Serve: c.face},
		{Path: letter.BackPath, Methods: gate.Get, Opens: gate.OfAddress, Stream: c.back},
		{Path: letter.StopPath, Methods: gate.GetOrPost, Opens: gate.OfAddress, Stream: c.stop},
		{Path: "v1/chat/stream", Methods: gate.Get, Opens: gate.OfAddress, Stream: c.stream},
	}
}

// counted counts something of the visitor's, and refuses it when there is too much.
func (c *Conversations) counted(l *pace.Limit, r *gate.Request, visitor visit.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	tally, now := l.Of(c.Keys.VisitorString(r.Site.ID, visitor)), time.Now()
	if wait := tally.Wait(now); wait > 0 {
		return gate.TooMany("too much is sent at once", wait)
	}
	tally.End(now, true)
	return nil
}

// sender is the part that the chat's requests begin with.
type sender struct {
	view.From
	// Conversation is the one that the page knows as its own; 0 for none.
	Conversation int64 `json:"conversation"`
}

// conversation finds the conversation that is open to the browser: that of a letter's link, or else the visitor's own; or
// [chat.ErrUnknown]. A page that means another's is refused.
func (c *Conversations) conversation(ctx context.Context, r *gate.Request, from view.View, meant int64) (chat.Conversation, error) {
	of, err := c.throughLetter(ctx, r)
	if errors.Is(err, chat.ErrUnknown) {
		of, err = c.Chats.Of(ctx, r.Site.ID, from.Visitor)
	}
	if meant != 0 && (errors.Is(err, chat.ErrUnknown) || err == nil && of.ID != meant) {
		return of, gate.NewFailure(http.StatusForbidden, "foreign_ids", "the conversation is not this visitor's")
	}
	return of, err
}

// ownConversation is the view that the request comes from, and the conversation of its visitor.
func (c *Conversations) ownConversation(ctx context.Context, r *gate.Request, sent sender) (v view.View, of chat.Conversation, err error) {
	if v, err = c.Views.Find(ctx, r, sent.From); err == nil {
		of, err = c.conversation(ctx, r, v, sent.Conversation)
	}
	return v, of, err
}

// latest serves v1/chat: what there is of the visitor's conversation behind the number, or the
// latest of it, and the address of its stream.
func (c *Conversations) latest(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		// After is the number of the last message that the page has; null for none.
		After *int64 `json:"after"`
		// Before asks for what was before that message.
		Before int64 `json:"before"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	v, err := c.Views.Find(ctx, r, sent.From)
	if err != nil {
		return nil, err
	}
	online := c.Online(ctx, r.Site)
	answer := answer{Success: true, Online: &online, Stream: c.Views.Token(r, v.Ref, OpensLine, lineTime), Mail: c.Transcripts.Possible()}
	if !online {
		if opens, err := c.Opens(ctx, r.Site.ID); err == nil && !opens.IsZero() {
			answer.Opens = opens.UnixMilli()
		}
	}
	of, err := c.conversation(ctx, r, v, sent.Conversation)
	if errors.Is(err, chat.ErrUnknown) {
		return answer, nil
	}
	if err != nil {
		return nil, err
	}
	told := c.toldConversation(ctx, of)
	answer.Conversation = &told
	if answer.Rating, err = c.rated(ctx, r, of); err != nil {
		return nil, err
	}
	var messages []chat.Message
	if sent.After != nil {
		messages, err = c.Chats.Told(ctx, r.Site.ID, of.ID, max(0, *sent.After), historyAtOnce)
		answer.More = len(messages) == historyAtOnce
	} else {
		messages, err = c.Chats.ToldBefore(ctx, r.Site.ID, of.ID, max(0, sent.Before), historyAtOnce)
		answer.Earlier = len(messages) == historyAtOnce
	}
	if err != nil {
		return nil, err
	}
	answer.Messages = c.toldMessages(ctx, messages)
	return answer, nil
}

// read serves v1/chat/read: the visitor has read up to a message.
func (c *Conversations) read(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		Seq int64 `json:"seq"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	_, of, err := c.ownConversation(ctx, r, sent.sender)
	if err != nil {
		return nil, err
	}
	return gate.Succeeded{Success: true}, c.Chats.Read(ctx, r.Site.ID, of.ID, chat.Visitor, sent.Seq)
}

// typing serves v1/chat/typing: the visitor is writing.
func (c *Conversations) typing(ctx context.Context, r *gate.Request) (any, error) {
	var sent sender
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	_, of, err := c.ownConversation(ctx, r, sent)
	if err != nil {
		return nil, err
	}
	if !of.Banned {
		c.Chats.Typing(of, 0)
	}
	return gate.Succeeded{Success: true}, nil
}

// transcript serves v1/chat/transcript: the visitor wants the conversation by mail.
func (c *Conversations) transcript(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		Email string `json:"email"`
		// Zone is the visitor's time zone, such as "Europe/Moscow".
		Zone string `json:"zone"`
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	v, of, err := c.ownConversation(ctx, r, sent.sender)
	if err != nil {
		return nil, err
	}
	if err := c.counted(c.transcripts, r, v.Visitor); err != nil {
		return nil, err
	}
	if err := c.mailed.Within(r.Request, "too many conversations were mailed from this address"); err != nil {
		return nil, err
	}
	return gate.Succeeded{Success: true}, c.Transcripts.Send(ctx, of, sent.Email, sent.Zone)
}
