package inquiries

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// Chat is the conversation of a visitor with the operators of a site.
type Chat struct {
	Site         string     `json:"site" doc:"The key of the site."`
	ID           int64      `json:"id" doc:"The conversation's number. No number is used twice."`
	State        string     `json:"state" enum:"waiting,open,closed"`
	GroupID      int64      `json:"group_id" doc:"The group of operators that it is for; 0 for none."`
	OperatorID   int64      `json:"operator_id" doc:"The operator who has it; 0 for nobody."`
	Tags         []string   `json:"tags" nullable:"false"`
	OpenedAt     time.Time  `json:"opened_at"`
	LastAt       time.Time  `json:"last_at" doc:"When something was said last that both sides see."`
	LastFrom     string     `json:"last_from" enum:"visitor,operator,service"`
	WaitingSince *time.Time `json:"waiting_since" doc:"Since when the visitor waits for an answer; null if nothing is unanswered."`
	Unread       int64      `json:"unread" doc:"How many of the visitor's messages no operator has read."`
	Seq          int64      `json:"seq" doc:"The number of the last entry."`
	IsBanned     bool       `json:"is_banned" doc:"The visitor may not write."`
	Language     string     `json:"language" doc:"That of the visitor's texts."`
	LeadID       int64      `json:"lead_id" doc:"The lead that it has become; 0 for none."`
	URL          string     `json:"url" doc:"The address of the page from which the visitor wrote last."`
	VisitorID    string     `json:"visitor_id" doc:"As in the browser interface."`
	VisitID      string     `json:"visit_id"`
}

func chatOf(c chat.Conversation, key string) Chat {
	return Chat{
		Site: key, ID: c.ID, State: string(c.State), GroupID: c.GroupID, OperatorID: c.OperatorID, Tags: some(c.Tags()), OpenedAt: c.OpenedAt.UTC(), LastAt: c.LastAt.UTC(),
		LastFrom: string(c.LastFrom), WaitingSince: moment(c.WaitingSince), Unread: c.Unread, Seq: c.Seq, IsBanned: c.Banned, Language: c.Language, LeadID: c.LeadID,
		URL: c.URL, VisitorID: id(c.Visitor), VisitID: id(c.Visit),
	}
}

// Message is an entry of a conversation.
type Message struct {
	Seq        int64     `json:"seq" doc:"Its number in the conversation."`
	At         time.Time `json:"at"`
	Author     string    `json:"author" enum:"visitor,operator,service,note" doc:"Notes are seen by operators alone."`
	OperatorID int64     `json:"operator_id" doc:"The operator who has written it; 0 for others."`
	Code       string    `json:"code" doc:"What a message of the service says, which each side sees in its own language; empty where the text has the words."`
	Text       string    `json:"text" doc:"As it was written: it may have HTML in it."`
	File       *File     `json:"file" doc:"The file that was sent; null for none."`
}

// File is a file in a conversation.
type File struct {
	_    struct{} `nullable:"true"`
	ID   int64    `json:"id" doc:"Its number."`
	Name string   `json:"name"`
	Type string   `json:"type"`
	Size int64    `json:"size" doc:"In bytes."`
}

func messageOf(m chat.Message) Message {
	told := Message{Seq: m.Seq, At: m.At.UTC(), Author: string(m.Author), OperatorID: m.OperatorID, Code: m.Code, Text: m.Text}
	if m.File != nil {
		told.File = &File{ID: m.File.ID, Name: m.File.Name, Type: m.File.Type, Size: m.File.Size}
	}
	return told
}

type chatsInput struct {
	Site       string `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	State      string `query:"state" enum:"waiting,open,closed"`
	OperatorID int64  `query:"operator_id" minimum:"0" doc:"The operator who has them; 0 for any."`
	Tag        string `query:"tag" maxLength:"200"`
	frame.PageInput
}

type chatsOutput struct {
	Body struct {
		Chats []Chat `json:"chats" nullable:"false" doc:"Those in which something was said last come first."`
		Next  string `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type chatOutput struct{ Body Chat }

type messagesInput struct {
	frame.ThingInput
	After int64 `query:"after" minimum:"0" doc:"The number of the entry behind which the list goes on."`
	Limit int   `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type messagesOutput struct {
	Body struct {
		Messages []Message `json:"messages" nullable:"false" doc:"In their order. There is more when there are as many as asked for."`
	}
}

// chatMistakes are those of who asks for one conversation.
var chatMistakes = frame.Mistakes{chat.ErrUnknown: notFound, chat.ErrTaken: conflict, chat.ErrBanned: conflict, chat.ErrUnasked: conflict, errFull[limit.Disk]: conflict}

func (r *room) mountChats() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "chats", ID: "listChats", Subject: "Chats", Opens: token.ReadChats,
		Summary: "List conversations", Description: "The conversations of the sites that the token opens. One moves to the top when something is said in it, also while a program reads the list.",
	}, r.listChats)
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/chats/{id}", ID: "getChat", Subject: "Chats", Opens: token.ReadChats, Mistakes: chatMistakes,
		Summary: "Get a conversation", Description: "One conversation, without what was said in it.",
	}, func(ctx context.Context, in *frame.ThingInput) (*chatOutput, error) { return r.chat(ctx, *in) })
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/chats/{id}/messages", ID: "listMessages", Subject: "Chats", Opens: token.ReadChats, Mistakes: chatMistakes,
		Summary: "List messages", Description: "What was said in a conversation, with the operators' notes.",
	}, r.listMessages)
}

// chat answers with the conversation.
func (r *room) chat(ctx context.Context, in frame.ThingInput) (*chatOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	c, err := r.Chats.Get(ctx, s.ID, in.ID)
	if err != nil {
		return nil, err
	}
	return &chatOutput{chatOf(c, s.Key)}, nil
}

func (r *room) listChats(ctx context.Context, in *chatsInput) (*chatsOutput, error) {
	sites, err := r.among(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list := frame.ListOf("chats", in.Site, in.State, in.OperatorID, in.Tag)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	at, id := behind.At()
	chats, err := r.Chats.List(ctx, sites, chat.Filter{State: chat.State(in.State), OperatorID: in.OperatorID, Tag: in.Tag}, chat.Cursor{LastAt: at, ID: id}, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(chatsOutput)
	chats, out.Body.Next = frame.Cut(list, chats, in.Limit, func(c chat.Conversation) frame.Place { return frame.PlaceAt(c.Cursor().LastAt, c.ID) })
	out.Body.Chats = make([]Chat, len(chats))
	for i, c := range chats {
		key, err := r.Key(ctx, c.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Chats[i] = chatOf(c, key)
	}
	return out, nil
}

func (r *room) listMessages(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err == nil {
		_, err = r.Chats.Get(ctx, s.ID, in.ID)
	}
	if err != nil {
		return nil, err
	}
	messages, err := r.Chats.Messages(ctx, s.ID, in.ID, in.After, in.Limit)
	out := new(messagesOutput)
	out.Body.Messages = make([]Message, len(messages))
	for i, m := range messages {
		out.Body.Messages[i] = messageOf(m)
	}
	return out, err
}
