package conversation

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
)

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
	ID       string `json:"id,omitempty"`
	Operator string `json:"operator,omitempty"`
	// Face is the name by which v1/chat/face gives the operator's.
	Face string    `json:"face,omitempty"`
	Code string    `json:"code,omitempty"`
	Text string    `json:"text"`
	File *toldFile `json:"file,omitempty"`
	At   int64     `json:"at"`
}

type toldFile struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
	// Picture says that a browser may show it.
	Picture bool `json:"picture,omitempty"`
}

// answer is what is new of a conversation: the answer of v1/chat, and the data of the
// stream's events, in which what has not changed is left out.
type answer struct {
	Success bool  `json:"success,omitempty"`
	Online  *bool `json:"online,omitempty"`
	// Opens is when somebody will be there, in milliseconds since 1970, where nobody is and that is known.
	Opens        int64             `json:"opens,omitempty"`
	Stream       string            `json:"stream,omitempty"`
	Conversation *toldConversation `json:"conversation,omitempty"`
	Messages     []toldMessage     `json:"messages,omitempty"`
	// More tells that there are further messages behind these.
	More bool `json:"more,omitempty"`
	// Earlier tells that there are messages before these.
	Earlier bool `json:"earlier,omitempty"`
	Typing  bool `json:"typing,omitempty"`
	// Rating is what the visitor has said of the conversation, which is closed.
	Rating *toldRating `json:"rating,omitempty"`
	// Mail tells that the conversation can be sent by mail once an operator has answered.
	Mail bool `json:"mail,omitempty"`
}

// who is the operator, for visitors. Who cannot be asked for has no name and no face.
func (c *Conversations) who(ctx context.Context, id int64) Who {
	if id == 0 {
		return Who{}
	}
	now := time.Now()
	if known, found := c.known.Load(id); found && now.Sub(known.(remembered).at) < knownTime {
		return known.(remembered).who
	}
	who, err := c.Who(ctx, id)
	if err == nil {
		c.known.Store(id, remembered{who, now})
	}
	return who
}

// Who is what visitors may know of an operator. The parts are empty where there are none.
type Who struct {
	Name string
	Face string // the name of the operator's face
}

type remembered struct {
	who Who
	at  time.Time
}

func (c *Conversations) toldConversation(ctx context.Context, of chat.Conversation) toldConversation {
	return toldConversation{ID: of.ID, State: of.State, Operator: c.who(ctx, of.OperatorID).Name, Read: of.ReadByAny(), Seen: of.VisitorRead, Banned: of.Banned}
}

// toldMessage is the message for its visitor.
func (c *Conversations) toldMessage(ctx context.Context, m chat.Message) toldMessage {
	t := toldMessage{Seq: m.Seq, From: m.Author, Code: m.Code, Text: m.Text, At: m.At.UnixMilli()}
	switch m.Author {
	case chat.Visitor:
		t.ID = m.ClientID
	case chat.Operator:
		who := c.who(ctx, m.OperatorID)
		t.Operator, t.Face = who.Name, who.Face
	}
	if m.File != nil {
		t.File = &toldFile{m.File.ID, m.File.Name, m.File.Type, m.File.Size, m.File.IsShown()}
	}
	return t
}

// toldMessages are the messages for their visitor. There must be no notes among them.
func (c *Conversations) toldMessages(ctx context.Context, messages []chat.Message) (told []toldMessage) {
	for _, m := range messages {
		told = append(told, c.toldMessage(ctx, m))
	}
	return told
}
