package console

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// sayChat stores what the operator says, or notes, and answers with the entry. The page sends
// it again with the same client id until it hears that it is stored.
func (c *Console) sayChat(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > maxForm {
		c.chatRefused(w, r, http.StatusRequestEntityTooLarge, "chat.tooLong")
		return
	}
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	c.say(w, r, conversation, r.PostFormValue("note") == "true", chat.Message{
		ClientID: r.PostFormValue("client"), Text: strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")})
}

// sendChatFile stores a file that the operator sends: the body is its content, and the query
// says the rest.
func (c *Console) sendChatFile(w http.ResponseWriter, r *http.Request) {
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	content, err := intake.ReadAll(io.LimitReader(r.Body, chat.MaxFile+1), r.ContentLength)
	if errors.Is(err, intake.ErrFull) {
		c.chatRefused(w, r, http.StatusServiceUnavailable, "fail.busy")
		return
	}
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return // the client has gone
	}
	if large != nil || len(content) > chat.MaxFile {
		c.chatRefused(w, r, http.StatusRequestEntityTooLarge, "chat.wrongFile")
		return
	}
	query := r.URL.Query()
	c.say(w, r, conversation, query.Get("note") == "true", chat.Message{ClientID: query.Get("client"), File: &chat.File{Name: query.Get("name"), Content: content}})
}

func (c *Console) say(w http.ResponseWriter, r *http.Request, conversation chat.Conversation, note bool, m chat.Message) {
	o, _ := current(r)
	m.Author, m.OperatorID = chat.Operator, o.ID
	if note {
		m.Author = chat.Note
	}
	stored, err := c.Chats.Say(r.Context(), conversation.SiteID, conversation.ID, m)
	if err != nil {
		c.chatFailed(w, r, err)
		return
	}
	c.answerEntries(w, r, within[remark], stored)
}

// readChat notes up to where the operator has read. Who looks into what another has leaves it
// unread for that one.
func (c *Console) readChat(w http.ResponseWriter, r *http.Request) {
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	seq, err := strconv.ParseInt(r.PostFormValue("seq"), 10, 64)
	if err != nil || seq < 0 {
		c.fail(w, r, http.StatusBadRequest, "fail.form")
		return
	}
	if o, _ := current(r); conversation.State != chat.Open || conversation.OperatorID == o.ID {
		err = c.Chats.Read(r.Context(), conversation.SiteID, conversation.ID, chat.Operator, seq)
	}
	c.chatDone(w, r, err)
}

// workChat does with the conversation what the form says.
func (c *Console) workChat(w http.ResponseWriter, r *http.Request) {
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	o, _ := current(r)
	ctx, siteID, id := r.Context(), conversation.SiteID, conversation.ID
	var err error
	switch r.PostFormValue("do") {
	case "claim":
		err = c.Chats.Claim(ctx, siteID, id, o.ID)
	case "close":
		err = c.Chats.Close(ctx, siteID, id, o.ID)
	case "return":
		err = c.Chats.Return(ctx, siteID, id, o.ID)
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
		err = errForm
	}
	c.chatDone(w, r, err)
}

// target is to whom the form hands a conversation of the site: "operator 7" or "group 2".
func (c *Console) target(r *http.Request, siteID int64) (to chat.Target, err error) {
	kind, number, _ := strings.Cut(r.PostFormValue("to"), " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id <= 0 {
		return to, errForm
	}
	switch kind {
	case "operator":
		o, err := c.Operators.Get(r.Context(), id)
		if err == nil && (o.Disabled || !o.Sites.Has(siteID)) {
			err = operator.ErrUnknown
		}
		return chat.Target{OperatorID: id, Label: o.Label()}, err
	case "group":
		g, err := c.Operators.Group(r.Context(), siteID, id)
		return chat.Target{GroupID: id, Label: g.Name}, err
	}
	return to, errForm
}

func (c *Console) chatDone(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		c.chatFailed(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// chatFailed answers the page's script, with a sentence that it shows.
func (c *Console) chatFailed(w http.ResponseWriter, r *http.Request, err error) {
	var invalid chat.Invalid
	switch {
	case errors.Is(err, chat.ErrUnknown):
		c.fail(w, r, http.StatusNotFound, "fail.noChat")
	case errors.Is(err, errForm):
		c.chatRefused(w, r, http.StatusBadRequest, "fail.form")
	case errors.Is(err, chat.ErrTaken):
		c.chatRefused(w, r, http.StatusConflict, "chat.taken")
	case errors.Is(err, operator.ErrUnknown), errors.Is(err, operator.ErrGroup):
		c.chatRefused(w, r, http.StatusUnprocessableEntity, "chat.noTarget")
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
		c.chatRefused(w, r, http.StatusUnprocessableEntity, text)
	default:
		c.failed(w, r, err)
	}
}

func (c *Console) chatRefused(w http.ResponseWriter, r *http.Request, status int, text string) {
	http.Error(w, c.wordsFor(r).text(text), status)
}

// showChatFile gives a file of a conversation, as a download: nothing of it runs in the
// console's origin.
func (c *Console) showChatFile(w http.ResponseWriter, r *http.Request) {
	conversation, ok := c.chatAt(w, r)
	if !ok {
		return
	}
	id, err := strconv.ParseInt(r.PathValue("file"), 10, 64)
	var file chat.File
	if err == nil {
		file, err = c.Chats.File(r.Context(), conversation.SiteID, conversation.ID, id, chat.Operator)
	}
	if err != nil {
		if errors.Is(err, chat.ErrUnknown) || errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
			c.fail(w, r, http.StatusNotFound, "fail.notFound")
			return
		}
		c.failed(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=3600")
	h.Set("Content-Length", strconv.Itoa(len(file.Content)))
	w.Write(file.Content)
}

// isChatFile tells whether the request sends a file, which is larger than forms are.
func isChatFile(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/chats/") && strings.HasSuffix(r.URL.Path, "/files")
}
