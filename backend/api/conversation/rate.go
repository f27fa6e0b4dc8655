package conversation

import (
	"context"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/chat"
)

// toldRating is what the visitor has said of the conversation.
type toldRating struct {
	Good bool   `json:"good"`
	Line string `json:"line"`
}

// rate serves v1/chat/rate: the visitor says whether the conversation, which is closed, has helped.
func (c *Conversations) rate(ctx context.Context, r *gate.Request) (any, error) {
	var sent struct {
		sender
		toldRating
	}
	if err := r.Decode(&sent, gate.MaxScriptBody); err != nil {
		return nil, err
	}
	v, of, err := c.ownConversation(ctx, r, sent.sender)
	if err != nil {
		return nil, err
	}
	if !r.Site.Widget.AsksForRating() {
		return nil, gate.NewFailure(http.StatusConflict, "no_rating", "this site does not ask for ratings")
	}
	if err := c.counted(c.messages, r, v.Visitor); err != nil {
		return nil, err
	}
	return gate.Succeeded{Success: true}, c.Ratings.Rate(ctx, of, sent.Good, sent.Line)
}

// rated is how the visitor has rated the conversation, if the site asks for it; nil for not yet.
func (c *Conversations) rated(ctx context.Context, r *gate.Request, of chat.Conversation) (*toldRating, error) {
	if of.State != chat.Closed || !r.Site.Widget.AsksForRating() {
		return nil, nil
	}
	all, err := c.Ratings.Last(ctx, []chat.Conversation{of})
	if said, found := all[of.Key()]; found {
		return &toldRating{said.Good, said.Line}, err
	}
	return nil, err
}
