package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
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

	// nameTime is how long an operator's name is remembered.
	nameTime = time.Minute
)

// chats are the chat's routes' own.
type chats struct {
	names   sync.Map // of remembered, by operators' ids: there are few
	streams streamCount

	begun  *limits // conversations
	sent   *limits // files
	mailed *limits // transcripts

	mu                           sync.Mutex
	messages, files, transcripts *pace.Limit
}

func newChats() chats {
	return chats{
		begun:       &limits{by: pace.NewByNetwork(newAtOnce, newPause)},
		sent:        &limits{by: pace.NewByNetwork(sentAtOnce, sentPause)},
		mailed:      &limits{by: pace.NewByNetwork(mailedAtOnce, mailedPause)},
		messages:    pace.New(messagesAtOnce, messagePause, visitorsCounted),
		files:       pace.New(filesAtOnce, filePause, visitorsCounted),
		transcripts: pace.New(transcriptsAtOnce, transcriptPause, visitorsCounted),
	}
}

// counted counts something of the visitor's, and refuses it when there is too much.
func (a *API) counted(l *pace.Limit, c *call, visitor visit.ID) error {
	a.chats.mu.Lock()
	defer a.chats.mu.Unlock()
	place, now := l.At(a.Visits.VisitorString(c.site.ID, visitor)), time.Now()
	if wait := place.Wait(now); wait > 0 {
		return tooMany("too much is sent at once", wait)
	}
	place.End(now, true)
	return nil
}

func tooMany(words string, wait time.Duration) *failure {
	f := fail(http.StatusTooManyRequests, "too_many_requests", "%s", words)
	f.retryAfter = int((wait + time.Second - 1) / time.Second)
	return f
}

// chatCaller is the part that the chat's calls begin with.
type chatCaller struct {
	caller
	// Conversation is the one that the page knows as its own; 0 for none.
	Conversation int64 `json:"conversation"`
}

// conversation finds the visitor's conversation, or [chat.ErrUnknown]. A page that means
// another's is refused.
func (a *API) conversation(ctx context.Context, c *call, from page, meant int64) (chat.Conversation, error) {
	of, err := a.Chats.Of(ctx, c.site.ID, from.Visitor)
	if meant != 0 && (errors.Is(err, chat.ErrUnknown) || err == nil && of.ID != meant) {
		return of, fail(http.StatusForbidden, "foreign_ids", "the conversation is not this visitor's")
	}
	return of, err
}

// ownConversation is the page that calls, and the conversation of its visitor.
func (a *API) ownConversation(ctx context.Context, c *call, sent chatCaller) (p page, of chat.Conversation, err error) {
	if p, err = a.from(ctx, c, sent.caller); err == nil {
		of, err = a.conversation(ctx, c, p, sent.Conversation)
	}
	return p, of, err
}

// toldConversation is a conversation as its visitor sees it.
type toldConversation struct {
	ID    int64      `json:"id"`
	State chat.State `json:"state"`
	// Operator is the name of who has it; empty for nobody or no name.
	Operator string `json:"operator"`
	// Read is the number up to which operators have read, and Seen that of the visitor.
	Read int64 `json:"read"`
	Seen int64 `json:"seen"`
	// Banned visitors need not try.
	Banned bool `json:"banned"`
}

// toldMessage is a message as the visitor sees it. At is in milliseconds since 1970.
type toldMessage struct {
	Seq  int64       `json:"seq"`
	From chat.Author `json:"from"`
	// ID is the client's own, of the visitor's messages alone.
	ID       string    `json:"id,omitempty"`
	Operator string    `json:"operator,omitempty"`
	Code     string    `json:"code,omitempty"`
	Text     string    `json:"text"`
	File     *toldFile `json:"file,omitempty"`
	At       int64     `json:"at"`
}

type toldFile struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// chatAnswer is what is new of a conversation: the answer of v1/chat, and the data of the
// stream's events, in which what has not changed is left out.
type chatAnswer struct {
	Success      bool              `json:"success,omitempty"`
	Online       *bool             `json:"online,omitempty"`
	Stream       string            `json:"stream,omitempty"`
	Conversation *toldConversation `json:"conversation,omitempty"`
	Messages     []toldMessage     `json:"messages,omitempty"`
	// More tells that there are further messages behind these.
	More bool `json:"more,omitempty"`
	// Earlier tells that there are messages before these.
	Earlier bool `json:"earlier,omitempty"`
	Typing  bool `json:"typing,omitempty"`
	// Mail tells that the conversation can be sent by mail once an operator has answered.
	Mail bool `json:"mail,omitempty"`
}

// name is an operator's, for visitors. Who has none, or cannot be asked for, has no name.
func (a *API) name(ctx context.Context, id int64) string {
	if id == 0 {
		return ""
	}
	now := time.Now()
	if known, found := a.chats.names.Load(id); found && now.Sub(known.(remembered).at) < nameTime {
		return known.(remembered).name
	}
	name, err := a.Name(ctx, id)
	if err == nil {
		a.chats.names.Store(id, remembered{name, now})
	}
	return name
}

// remembered is the name of an operator.
type remembered struct {
	name string
	at   time.Time
}

func (a *API) toldConversation(ctx context.Context, of chat.Conversation) toldConversation {
	return toldConversation{ID: of.ID, State: of.State, Operator: a.name(ctx, of.OperatorID), Read: of.ReadByAny(), Seen: of.VisitorRead, Banned: of.Banned}
}

// toldMessage is the message for its visitor.
func (a *API) toldMessage(ctx context.Context, m chat.Message) toldMessage {
	t := toldMessage{Seq: m.Seq, From: m.Author, Code: m.Code, Text: m.Text, At: m.At.UnixMilli()}
	switch m.Author {
	case chat.Visitor:
		t.ID = m.ClientID
	case chat.Operator:
		t.Operator = a.name(ctx, m.OperatorID)
	}
	if m.File != nil {
		t.File = &toldFile{m.File.ID, m.File.Name, m.File.Type, m.File.Size}
	}
	return t
}

// toldMessages are the messages for their visitor. There must be no notes among them.
func (a *API) toldMessages(ctx context.Context, messages []chat.Message) (told []toldMessage) {
	for _, m := range messages {
		told = append(told, a.toldMessage(ctx, m))
	}
	return told
}

// chat serves v1/chat: what there is of the visitor's conversation behind the number, or the
// latest of it, and the address of its stream.
func (a *API) chat(ctx context.Context, c *call) (any, error) {
	var sent struct {
		chatCaller
		// After is the number of the last message that the page has; null for none.
		After *int64 `json:"after"`
		// Before asks for what was before that message.
		Before int64 `json:"before"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	p, err := a.from(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	online := a.online(ctx, c)
	answer := chatAnswer{Success: true, Online: &online, Stream: a.token(c, p.Ref, OpensLine, lineTime), Mail: a.Chats.Mails()}
	of, err := a.conversation(ctx, c, p, sent.Conversation)
	if errors.Is(err, chat.ErrUnknown) {
		return answer, nil
	}
	if err != nil {
		return nil, err
	}
	told := a.toldConversation(ctx, of)
	answer.Conversation = &told
	var messages []chat.Message
	if sent.After != nil {
		messages, err = a.Chats.Told(ctx, c.site.ID, of.ID, max(0, *sent.After), historyAtOnce)
		answer.More = len(messages) == historyAtOnce
	} else {
		messages, err = a.Chats.ToldBefore(ctx, c.site.ID, of.ID, max(0, sent.Before), historyAtOnce)
		answer.Earlier = len(messages) == historyAtOnce
	}
	if err != nil {
		return nil, err
	}
	answer.Messages = a.toldMessages(ctx, messages)
	return answer, nil
}

// saidAnswer tells a page how its message stands.
type saidAnswer struct {
	Success      bool             `json:"success"`
	Conversation toldConversation `json:"conversation"`
	Message      toldMessage      `json:"message"`
}

// chatSay serves v1/chat/say: the visitor writes. The call's id is the message's.
func (a *API) chatSay(ctx context.Context, c *call) (any, error) {
	var sent struct {
		chatCaller
		Request *struct {
			Text string `json:"text"`
			// Invitation is the id of that which is answered.
			Invitation string `json:"invitation"`
			Language   string `json:"language"`
			GroupID    int64  `json:"group_id"`
		} `json:"request"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	if sent.Request == nil {
		return nil, malformed("missing", "request is missing")
	}
	m := chat.Message{Author: chat.Visitor, ClientID: sent.ID, Text: sent.Request.Text}
	if err := m.Check(); err != nil { // before a view is stored with it
		return nil, err
	}
	p, err := a.page(ctx, c, sent.caller)
	if err != nil {
		return nil, err
	}
	from := chat.From{SiteID: c.site.ID, Ref: p.Ref, URL: p.uri, Language: sent.Request.Language, GroupID: sent.Request.GroupID,
		Invitation: c.site.Widget.invitation(sent.Request.Language, sent.Request.Invitation), Patience: c.site.Widget.patience()}
	return a.say(ctx, c, p, sent.Conversation, from, m)
}

// say stores the visitor's message within the limits. A conversation is for the group that the page
// has named, or for another where that one cannot answer now.
func (a *API) say(ctx context.Context, c *call, p page, meant int64, from chat.From, m chat.Message) (any, error) {
	if err := a.mayWrite(ctx, c, p, meant); err != nil {
		return nil, err
	}
	if !a.hasRoom(ctx, c, p.Visitor, m.Size()) {
		if m.File != nil {
			return nil, malformed("too_many", "no more files are kept today")
		}
		m.Shorten()
	}
	var err error
	if from.GroupID, err = a.Presence.Answering(ctx, c.site.ID, from.GroupID); err != nil {
		return nil, err
	}
	of, stored, err := a.Chats.SayFrom(ctx, from, m)
	if err != nil {
		return nil, err
	}
	return saidAnswer{true, a.toldConversation(ctx, of), a.toldMessage(ctx, stored)}, nil
}

// mayWrite refuses a visitor who writes too much, and the first message of one whose address
// has begun too many conversations.
func (a *API) mayWrite(ctx context.Context, c *call, p page, meant int64) error {
	if err := a.counted(a.chats.messages, c, p.Visitor); err != nil {
		return err
	}
	_, err := a.conversation(ctx, c, p, meant)
	if errors.Is(err, chat.ErrUnknown) {
		return within(a.chats.begun, c.r, "too many conversations were begun from this address")
	}
	return err
}

// chatRead serves v1/chat/read: the visitor has read up to a message.
func (a *API) chatRead(ctx context.Context, c *call) (any, error) {
	var sent struct {
		chatCaller
		Seq int64 `json:"seq"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	_, of, err := a.ownConversation(ctx, c, sent.chatCaller)
	if err != nil {
		return nil, err
	}
	return succeeded{true}, a.Chats.Read(ctx, c.site.ID, of.ID, chat.Visitor, sent.Seq)
}

// chatTyping serves v1/chat/typing: the visitor is writing.
func (a *API) chatTyping(ctx context.Context, c *call) (any, error) {
	var sent chatCaller
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	_, of, err := a.ownConversation(ctx, c, sent)
	if err != nil {
		return nil, err
	}
	if !of.Banned {
		a.Chats.Typing(of, chat.Visitor, 0)
	}
	return succeeded{true}, nil
}

// chatTranscript serves v1/chat/transcript: the visitor wants the conversation by mail.
func (a *API) chatTranscript(ctx context.Context, c *call) (any, error) {
	var sent struct {
		chatCaller
		Email string `json:"email"`
	}
	if err := c.decode(&sent, maxScriptBody); err != nil {
		return nil, err
	}
	p, of, err := a.ownConversation(ctx, c, sent.chatCaller)
	if err != nil {
		return nil, err
	}
	if err := a.counted(a.chats.transcripts, c, p.Visitor); err != nil {
		return nil, err
	}
	if err := within(a.chats.mailed, c.r, "too many conversations were mailed from this address"); err != nil {
		return nil, err
	}
	return succeeded{true}, a.Chats.SendTranscript(ctx, of, sent.Email)
}
