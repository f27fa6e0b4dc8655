package chats

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
)

// sayChat stores what the operator says, or notes, and answers with the entry. The page sends
// it again with the same client id until it hears that it is stored.
func (c *room) sayChat(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > frame.MaxForm {
		return frame.Refuse(http.StatusRequestEntityTooLarge, "chat.tooLong")
	}
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	return c.say(w, r, conversation, r.PostFormValue("note") == "true", chat.Message{
		ClientID: r.PostFormValue("client"), Text: strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")})
}

// sendChatFile stores a file that the operator sends: the body is its content, and the query
// says the rest.
func (c *room) sendChatFile(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	content, err := intake.ReadAll(io.LimitReader(r.Body, file.Max+1), r.ContentLength)
	if errors.Is(err, intake.ErrFull) {
		return frame.Refuse(http.StatusServiceUnavailable, "fail.busy")
	}
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return frame.Refuse(http.StatusRequestTimeout, "fail.form") // the page, if it is there, sends it again
	}
	if large != nil || len(content) > file.Max {
		return frame.Refuse(http.StatusRequestEntityTooLarge, "chat.wrongFile")
	}
	query := r.URL.Query()
	return c.say(w, r, conversation, query.Get("note") == "true", chat.Message{ClientID: query.Get("client"), File: &file.File{Name: query.Get("name"), Content: content}})
}

func (c *room) say(w http.ResponseWriter, r *http.Request, conversation chat.Conversation, note bool, m chat.Message) error {
	o, _ := frame.Current(r)
	m.Author, m.OperatorID = chat.Operator, o.ID
	if note {
		m.Author = chat.Note
	}
	stored, err := c.Chats.Say(r.Context(), conversation.SiteID, conversation.ID, m)
	if err != nil {
		return chatFailure(err)
	}
	return c.answerEntries(w, r, frame.Within[remark], stored)
}

// readChat notes up to where the operator has read. Who looks into what another has leaves it
// unread for that one.
func (c *room) readChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PostFormValue("seq"), 10, 64)
	if err != nil || seq < 0 {
		return frame.Fail(http.StatusBadRequest, "fail.form")
	}
	if o, _ := frame.Current(r); conversation.State != chat.Open || conversation.OperatorID == o.ID {
		err = c.Chats.Read(r.Context(), conversation.SiteID, conversation.ID, chat.Operator, seq)
	}
	return chatDone(w, err)
}

// workChat does with the conversation what the form says.
func (c *room) workChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	ctx, siteID, id := r.Context(), conversation.SiteID, conversation.ID
	switch r.PostFormValue("do") {
	case "claim":
		err = c.Chats.Claim(ctx, siteID, id, o.ID)
	case "take":
		err = c.takeOver(r, conversation, o)
	case "lead":
		_, err = c.Chats.MakeLead(ctx, siteID, id, o.ID)
	case "close":
		err = c.Chats.Close(ctx, siteID, id, o.ID)
	case "return":
		err = c.Chats.Return(ctx, siteID, id, o.ID, o.ID)
	case "ban":
		err = c.Chats.Ban(ctx, siteID, id, o.ID, true)
	case "unban":
		err = c.Chats.Ban(ctx, siteID, id, o.ID, false)
	case "hand":
		var to chat.Target
		if to, err = c.target(r, siteID); err == nil {
			err = c.Chats.HandOver(ctx, siteID, id, o.ID, to)
		}
	default:
		err = frame.ErrForm
	}
	return chatDone(w, err)
}

// takeOver gives the admin the conversation that a colleague has.
func (c *room) takeOver(r *http.Request, conversation chat.Conversation, admin operator.Operator) error {
	if admin.Role != operator.Admin {
		return frame.Refuse(http.StatusForbidden, "chat.onlyAdmins")
	}
	staff, err := c.Staff(r.Context(), admin.Sites)
	if err != nil {
		return err
	}
	from := chat.Target{OperatorID: conversation.OperatorID, Label: rows.OwnerName(c.Words(r), staff, conversation.OperatorID)}
	return c.Chats.TakeOver(r.Context(), conversation.SiteID, conversation.ID, admin.ID, from)
}

// target is to whom the form hands a conversation of the site: "operator 7" or "group 2".
func (c *room) target(r *http.Request, siteID int64) (to chat.Target, err error) {
	kind, number, _ := strings.Cut(r.PostFormValue("to"), " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id <= 0 {
		return to, frame.ErrForm
	}
	switch kind {
	case "operator":
		o, err := c.Operators.Get(r.Context(), id)
		if err == nil && (o.Disabled || !o.Sites.Has(siteID) || !o.SeesPersons()) {
			err = operator.ErrUnknown
		}
		return chat.Target{OperatorID: id, Label: o.Label()}, err
	case "group":
		g, err := c.Groups.Get(r.Context(), siteID, id)
		return chat.Target{GroupID: id, Label: g.Name}, err
	}
	return to, frame.ErrForm
}

func chatDone(w http.ResponseWriter, err error) error {
	if err != nil {
		return chatFailure(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// chatFailure is the error as the page's script shows it.
func chatFailure(err error) error {
	var invalid chat.Invalid
	switch {
	case errors.Is(err, frame.ErrForm):
		return frame.Refuse(http.StatusBadRequest, "fail.form")
	case errors.Is(err, chat.ErrUnasked):
		return frame.Refuse(http.StatusConflict, "chat.firstUnanswered")
	case errors.Is(err, chat.ErrTaken):
		return frame.Refuse(http.StatusConflict, "chat.taken")
	case errors.Is(err, operator.ErrUnknown), errors.Is(err, group.ErrUnknown):
		return frame.Refuse(http.StatusUnprocessableEntity, "chat.noTarget")
	case errors.As(err, &invalid):
		text := "chat.tooLong"
		switch invalid.Code {
		case "wrong_type", "too_large":
			text = "chat.wrongFile"
		case "too_many":
			text = "chat.manyFiles"
		case "empty":
			text = "chat.empty"
		}
		return frame.Refuse(http.StatusUnprocessableEntity, text)
	}
	return err
}

// showChatFile gives a file of a conversation, as a download: nothing of it runs in the
// console's origin.
func (c *room) showChatFile(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PathValue("file"), 10, 64)
	var file file.File
	if err == nil {
		file, err = c.Chats.File(r.Context(), conversation.SiteID, conversation.ID, id, chat.Operator)
	}
	if errors.Is(err, chat.ErrUnknown) || errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
		return frame.NotFound
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", file.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Content-Length", strconv.Itoa(len(file.Content)))
	w.Write(file.Content)
	return nil
}

// sendMessage answers with the text of a message of a conversation, as a file.
func (c *room) sendMessage(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PathValue("message"), 10, 64)
	if err != nil || seq <= 0 {
		return frame.NotFound
	}
	var found []chat.Message
	if found, err = c.Chats.Messages(r.Context(), conversation.SiteID, conversation.ID, seq-1, 1); err != nil {
		return err
	}
	if len(found) == 0 || found[0].Seq != seq {
		return frame.NotFound
	}
	rows.SendText(w, fmt.Sprintf("message-%d-%d", conversation.ID, seq), func(to io.Writer) { io.WriteString(to, found[0].Text) })
	return nil
}
