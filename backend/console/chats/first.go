package chats

import (
	"errors"
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// writeFirst writes to a visitor who is on the site and has not asked, and goes to the conversation.
func (c *room) writeFirst(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "visitor")
	if err != nil {
		return err
	}
	found, err := c.Cards.Visitors.Card(r.Context(), siteID, visit.ID(id))
	if err != nil {
		return err
	}
	here, err := c.Cards.Onsite.Here(r.Context(), siteID, found.Visitor)
	if err != nil {
		return err
	}
	if !here || len(found.Visits) == 0 || len(found.Visits[0].Pages) == 0 {
		return frame.Fail(http.StatusConflict, "chat.firstGone")
	}
	stay := found.Visits[0]
	language, _, _ := strings.Cut(stay.Language, ",")
	o, _ := frame.Current(r)
	of, err := chat.FirstOf(c.Chats).Say(r.Context(), chat.From{
		SiteID: siteID, Ref: visit.Ref{Visitor: found.Visitor, Visit: stay.ID, View: stay.Pages[0].ID}, URL: stay.Pages[0].URL, Language: language,
	}, chat.Message{OperatorID: o.ID, Text: strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")})
	var invalid chat.Invalid
	switch {
	case errors.Is(err, chat.ErrUnasked):
		return frame.Fail(http.StatusConflict, "chat.firstUnanswered")
	case errors.Is(err, chat.ErrBanned):
		return frame.Fail(http.StatusConflict, "chat.firstBanned")
	case errors.Is(err, visit.ErrForeign):
		return frame.Fail(http.StatusConflict, "chat.firstGone")
	case errors.As(err, &invalid):
		return chatFailure(err)
	case err != nil:
		return err
	}
	http.Redirect(w, r, rows.ChatLink(siteID, of.ID), http.StatusSeeOther)
	return nil
}
