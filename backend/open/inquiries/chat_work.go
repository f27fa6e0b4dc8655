package inquiries

import (
	"context"
	"errors"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

type sayInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64  `json:"operator_id" minimum:"1" doc:"The operator in whose name it is said."`
		Text       string `json:"text" minLength:"1" maxLength:"4000"`
		IsNote     bool   `json:"is_note,omitempty" doc:"It is a note for operators, which the visitor does not see."`
	}
}

type sayOutput struct{ Body Message }

type inNameInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64 `json:"operator_id" minimum:"1" doc:"The operator in whose name it is done."`
	}
}

type handInput struct {
	frame.ThingInput
	Body struct {
		By         int64 `json:"by" minimum:"1" doc:"The operator in whose name it is done."`
		OperatorID int64 `json:"operator_id,omitempty" minimum:"0" doc:"The operator who is to have it."`
		GroupID    int64 `json:"group_id,omitempty" minimum:"0" doc:"Or the group in which it is to wait."`
	}
}

type takeInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64 `json:"operator_id" minimum:"1" doc:"The admin who takes it."`
		From       int64 `json:"from" minimum:"1" doc:"The operator who has it, as the caller has seen it."`
	}
}

type readInput struct {
	frame.ThingInput
	Body struct {
		Seq int64 `json:"seq" minimum:"0" doc:"The number of the last entry that was read."`
	}
}

type banInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64 `json:"operator_id" minimum:"1" doc:"The operator in whose name it is done."`
		IsBanned   bool  `json:"is_banned"`
	}
}

type chatTagsInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64    `json:"operator_id" minimum:"1" doc:"The operator in whose name it is done."`
		Tags       []string `json:"tags" nullable:"false" maxItems:"10" doc:"All of its tags: of at most 30 characters, without commas."`
	}
}

func (r *room) mountChatWork() {
	work := func(method, path, id, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/chats/{id}/" + path, ID: id, Subject: "Chats", Opens: token.WriteChats, Summary: summary, Description: description,
			Mistakes: chatMistakes, Does: path != "messages",
		}
	}
	frame.Add(r.Frame, work("POST", "messages", "say", "Say something", "The visitor reads it as an answer of the operator. An operator who answers a conversation that nobody has gets it."), r.say)
	frame.Add(r.Frame, work("POST", "claim", "claimChat", "Claim a conversation", "The operator has it from then on. One that was closed is opened again."),
		func(ctx context.Context, in *inNameInput) (*chatOutput, error) {
			return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
				return r.Chats.Claim(ctx, siteID, in.ID, o.ID)
			})
		})
	frame.Add(r.Frame, work("POST", "close", "closeChat", "Close a conversation", "It stays closed until the visitor writes again."),
		func(ctx context.Context, in *inNameInput) (*chatOutput, error) {
			return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
				return r.Chats.Close(ctx, siteID, in.ID, o.ID)
			})
		})
	frame.Add(r.Frame, work("POST", "return", "returnChat", "Put a conversation back", "It waits for another operator. Only the operator who has it puts it back."),
		func(ctx context.Context, in *inNameInput) (*chatOutput, error) {
			return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
				return r.Chats.Return(ctx, siteID, in.ID, o.ID, o.ID)
			})
		})
	frame.Add(r.Frame, work("POST", "hand", "handChat", "Hand a conversation over", "Another operator has it then, or it waits in a group."), r.hand)
	frame.Add(r.Frame, work("POST", "take", "takeChat", "Take a conversation over", "An admin takes it from the operator who has it. A note tells both."), r.take)
	frame.Add(r.Frame, work("PUT", "read", "readChat", "Say what was read", "Operators have read it up to the entry of the number. It never goes back."),
		func(ctx context.Context, in *readInput) (*chatOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = r.Chats.Read(ctx, s.ID, in.ID, chat.Operator, in.Body.Seq)
			}
			if err != nil {
				return nil, err
			}
			return r.chat(ctx, in.ThingInput)
		})
	frame.Add(r.Frame, work("PUT", "banned", "banVisitor", "Ban a visitor", "A banned visitor cannot write, and the conversation is closed."),
		func(ctx context.Context, in *banInput) (*chatOutput, error) {
			return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
				return r.Chats.Ban(ctx, siteID, in.ID, o.ID, in.Body.IsBanned)
			})
		})
	frame.Add(r.Frame, work("PUT", "tags", "setChatTags", "Set a conversation's tags", "It has these tags afterwards, and no others."),
		func(ctx context.Context, in *chatTagsInput) (*chatOutput, error) {
			tags, err := tagsOf(in.Body.Tags)
			if err != nil {
				return nil, err
			}
			return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
				return chat.SetTags(ctx, r.Chats, chat.Key{SiteID: siteID, ID: in.ID}, o.ID, tags)
			})
		})
	frame.Add(r.Frame, work("POST", "lead", "makeLeadOfChat", "Make a lead of a conversation", "A conversation that is a lead already stays that lead."),
		func(ctx context.Context, in *inNameInput) (*leadMade, error) {
			out := new(leadMade)
			_, err := r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) (err error) {
				out.Body.LeadID, err = r.Chats.MakeLead(ctx, siteID, in.ID, o.ID)
				return err
			})
			return out, err
		})
}

// inName does something with a conversation in the name of an operator, and answers with the conversation.
func (r *room) inName(ctx context.Context, in frame.ThingInput, operatorID int64, do func(siteID int64, o operator.Operator) error) (*chatOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	if _, err := r.Chats.Get(ctx, s.ID, in.ID); err != nil {
		return nil, err
	}
	o, err := r.colleague(ctx, s.ID, operatorID)
	if err == nil {
		err = do(s.ID, o)
	}
	if err != nil {
		return nil, err
	}
	return r.chat(ctx, in)
}

func (r *room) say(ctx context.Context, in *sayInput) (*sayOutput, error) {
	return r.sayInName(ctx, in.ThingInput, in.Body.OperatorID, in.Body.IsNote, "body.text", chat.Message{Text: in.Body.Text})
}

var errAdmin = errors.New("only an admin takes a conversation over")

func (r *room) take(ctx context.Context, in *takeInput) (*chatOutput, error) {
	return r.inName(ctx, in.ThingInput, in.Body.OperatorID, func(siteID int64, o operator.Operator) error {
		if o.Role != operator.Admin {
			return frame.Wrong("body.operator_id", errAdmin, o.ID)
		}
		from := chat.Target{OperatorID: in.Body.From, Label: strconv.FormatInt(in.Body.From, 10)}
		if had, err := r.Operators.Get(ctx, in.Body.From); err == nil { // else who has it is gone
			from.Label = had.Label()
		}
		return r.Chats.TakeOver(ctx, siteID, in.ID, o.ID, from)
	})
}

var errTarget = errors.New("expected either an operator or a group")

func (r *room) hand(ctx context.Context, in *handInput) (*chatOutput, error) {
	if (in.Body.OperatorID == 0) == (in.Body.GroupID == 0) {
		return nil, frame.Wrong("body", errTarget, nil)
	}
	return r.inName(ctx, in.ThingInput, in.Body.By, func(siteID int64, by operator.Operator) error {
		to := chat.Target{OperatorID: in.Body.OperatorID, GroupID: in.Body.GroupID}
		if to.GroupID != 0 {
			g, err := r.team(ctx, siteID, to.GroupID)
			if err != nil {
				return err
			}
			to.Label = g.Name
		} else {
			o, err := r.colleague(ctx, siteID, to.OperatorID)
			if err != nil {
				return err
			}
			to.Label = o.Label()
		}
		return r.Chats.HandOver(ctx, siteID, in.ID, by.ID, to)
	})
}
