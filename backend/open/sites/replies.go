package sites

import (
	"context"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// NewReply is what is said of a canned reply.
type NewReply struct {
	Word  string `json:"word" minLength:"1" maxLength:"32" doc:"It finds the reply, after a slash: letters, digits, - and _."`
	Place int64  `json:"place,omitempty" minimum:"0" maximum:"9" doc:"The digit that inserts it, pressed with Alt; 0 for none."`
	Text  string `json:"text" minLength:"1" maxLength:"4000"`
}

// Reply is a text that operators of a site write often.
type Reply struct {
	ID int64 `json:"id"`
	NewReply
}

func replyOf(of reply.Reply) Reply { return Reply{of.ID, NewReply{of.Word, of.Place, of.Text}} }

type repliesOutput struct {
	Body struct {
		Replies []Reply `json:"replies" nullable:"false" doc:"In the order of their words."`
	}
}

type replyOutput struct {
	ETag string `header:"ETag"`
	Body Reply
}

func replyAnswer(of reply.Reply) *replyOutput {
	told := replyOf(of)
	return &replyOutput{ETag: frame.Tag(told), Body: told}
}

type newReplyInput struct {
	frame.SiteInput
	Body NewReply
}

type putReplyInput struct {
	frame.ThingInput
	frame.Match
	Body NewReply
}

func (r *room) mountReplies() {
	mistakes := frame.Mistakes{
		reply.ErrUnknown: notFound, reply.ErrChanged: changed, reply.ErrMany: conflict, reply.ErrWord: wrong, reply.ErrText: wrong, reply.ErrPlace: wrong,
	}
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{Method: method, Path: "sites/{site}/replies" + path, ID: id, Subject: "Replies", Opens: opens, Summary: summary, Description: description, Mistakes: mistakes}
	}
	frame.Add(r.Frame, add("GET", "", "listReplies", token.ReadSites, "List canned replies", "The texts that operators of a site write often; at most 200."),
		func(ctx context.Context, in *frame.SiteInput) (*repliesOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			replies, err := r.Replies.Of(ctx, s.ID)
			out := new(repliesOutput)
			out.Body.Replies = make([]Reply, len(replies))
			for i, of := range replies {
				out.Body.Replies[i] = replyOf(of)
			}
			return out, err
		})
	frame.Add(r.Frame, add("GET", "/{id}", "getReply", token.ReadSites, "Get a canned reply", "One of them."),
		func(ctx context.Context, in *frame.ThingInput) (*replyOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			of, err := r.reply(ctx, s.ID, in.ID)
			return replyAnswer(of), err
		})
	frame.Add(r.Frame, add("POST", "", "addReply", token.WriteSites, "Add a canned reply", "Operators find it at once."),
		func(ctx context.Context, in *newReplyInput) (*replyOutput, error) {
			s, err := r.served(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			of, err := r.Replies.Keep(ctx, reply.Reply{SiteID: s.ID, Word: in.Body.Word, Place: in.Body.Place, Text: in.Body.Text})
			return replyAnswer(of), err
		})
	frame.Add(r.Frame, add("PUT", "/{id}", "setReply", token.WriteSites, "Change a canned reply", "The reply is as it is said here afterwards."),
		func(ctx context.Context, in *putReplyInput) (*replyOutput, error) {
			s, err := r.served(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			before, err := r.reply(ctx, s.ID, in.ID)
			if err == nil {
				err = in.Holds(frame.Tag(replyOf(before)))
			}
			if err != nil {
				return nil, err
			}
			of, err := r.Replies.Replace(ctx, before, reply.Reply{SiteID: s.ID, ID: in.ID, Word: in.Body.Word, Place: in.Body.Place, Text: in.Body.Text})
			return replyAnswer(of), err
		})
	frame.Add(r.Frame, add("DELETE", "/{id}", "removeReply", token.WriteSites, "Remove a canned reply", "It is gone for good."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			s, err := r.served(ctx, in.Site)
			if err == nil {
				err = r.Replies.Remove(ctx, s.ID, in.ID)
			}
			return nil, err
		})
}

// reply is the canned reply of the site.
func (r *room) reply(ctx context.Context, siteID, id int64) (reply.Reply, error) {
	replies, err := r.Replies.Of(ctx, siteID)
	at := slices.IndexFunc(replies, func(of reply.Reply) bool { return of.ID == id })
	if err == nil && at < 0 {
		err = reply.ErrUnknown
	}
	if err != nil {
		return reply.Reply{}, err
	}
	return replies[at], nil
}
