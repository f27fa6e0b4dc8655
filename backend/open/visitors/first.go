package visitors

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

type firstInput struct {
	frame.ThingInput
	Body struct {
		OperatorID int64  `json:"operator_id" minimum:"1" doc:"The operator in whose name it is written."`
		Text       string `json:"text" minLength:"1" maxLength:"4000"`
	}
}

type firstOutput struct {
	Body struct {
		ChatID int64 `json:"chat_id" doc:"The number of the conversation, which the operator has now."`
	}
}

var (
	errGone     = errors.New("the visitor is not on the site")
	errOperator = errors.New("there is no such operator who answers visitors of the site")
)

func (r *room) mountFirst() {
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/visitors/{id}/chat", ID: "writeFirst", Subject: "Chats", Opens: token.WriteChats, Summary: "Write first",
		Description: "An operator writes to a visitor who is on the site and has not asked: once in a visit, until the visitor answers.",
		Mistakes: frame.Mistakes{
			visit.ErrUnknown: http.StatusNotFound, errGone: http.StatusConflict, visit.ErrForeign: http.StatusConflict, chat.ErrUnasked: http.StatusConflict, chat.ErrBanned: http.StatusConflict,
		},
	}, r.writeFirst)
}

func (r *room) writeFirst(ctx context.Context, in *firstInput) (*firstOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	known, err := r.Cards.Card(ctx, s.ID, visit.ID(in.ID))
	if err != nil {
		return nil, err
	}
	o, err := r.Operators.Get(ctx, in.Body.OperatorID)
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Disabled || !o.SeesPersons() || !o.Sites.Has(s.ID)) {
		err = frame.Wrong("body.operator_id", errOperator, in.Body.OperatorID)
	}
	if err != nil {
		return nil, err
	}
	isHere, err := r.Onsite.Here(ctx, s.ID, known.Visitor)
	if err == nil && (!isHere || len(known.Visits) == 0 || len(known.Visits[0].Pages) == 0) {
		err = errGone
	}
	if err != nil {
		return nil, err
	}
	stay := known.Visits[0]
	language, _, _ := strings.Cut(stay.Language, ",")
	of, err := chat.FirstOf(r.Chats).Say(ctx, chat.From{
		SiteID: s.ID, Ref: visit.Ref{Visitor: known.Visitor, Visit: stay.ID, View: stay.Pages[0].ID}, URL: stay.Pages[0].URL, Language: language,
	}, chat.Message{OperatorID: o.ID, Text: in.Body.Text})
	if invalid, is := errors.AsType[chat.Invalid](err); is {
		return nil, frame.Wrong("body.text", invalid, nil)
	}
	out := new(firstOutput)
	out.Body.ChatID = of.ID
	return out, err
}
