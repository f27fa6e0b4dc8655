package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// repliesPage is the content of the page of a site's canned replies.
type repliesPage struct {
	site.Site
	List   []chat.Reply
	Sent   chat.Reply // that was not accepted, or is to be changed
	Wrong  map[string]string
	Places []int64
}

// replyMistakes says at which field a mistake is shown, and by which words.
var replyMistakes = []struct {
	err         error
	field, text string
}{
	{chat.ErrReplyWord, "word", "reply.wrongWord"}, {chat.ErrReplyText, "text", "reply.wrongText"}, {chat.ErrReplyPlace, "place", "reply.wrongPlace"},
	{chat.ErrManyReplies, "word", "reply.tooMany"},
}

func repliesLink(siteID int64) string { return siteLink(siteID) + "/replies" }

func (c *Console) showReplies(w http.ResponseWriter, r *http.Request) {
	changed, _ := strconv.ParseInt(r.URL.Query().Get("reply"), 10, 64)
	c.replies(w, r, http.StatusOK, repliesPage{Sent: chat.Reply{ID: changed}})
}

func (c *Console) replies(w http.ResponseWriter, r *http.Request, status int, body repliesPage) {
	f, named, found := c.siteAt(w, r, "replies")
	if !found {
		return
	}
	var err error
	body.Site, body.Places = named, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if body.List, err = c.Chats.Replies(r.Context(), named.ID); err != nil {
		c.failed(w, r, err)
		return
	}
	if status == http.StatusOK { // the one that the address names
		id := body.Sent.ID
		body.Sent = chat.Reply{}
		for _, reply := range body.List {
			if reply.ID == id {
				body.Sent = reply
			}
		}
	}
	for _, text := range body.Wrong {
		f.Problem = text
	}
	f.Here, f.Body = repliesLink(named.ID), body
	c.show(w, r, status, f)
}

func (c *Console) keepReply(w http.ResponseWriter, r *http.Request) {
	siteID, err := strconv.ParseInt(r.PathValue(siteField), 10, 64)
	if err != nil {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	reply := chat.Reply{SiteID: siteID, Word: strings.TrimPrefix(strings.TrimSpace(r.PostFormValue("word")), "/"),
		Text: strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"))}
	reply.ID, _ = strconv.ParseInt(r.PostFormValue("reply"), 10, 64)
	reply.Place, _ = strconv.ParseInt(r.PostFormValue("place"), 10, 64)
	err = c.Chats.KeepReply(r.Context(), reply)
	for _, m := range replyMistakes {
		if errors.Is(err, m.err) {
			c.replies(w, r, http.StatusUnprocessableEntity, repliesPage{Sent: reply, Wrong: map[string]string{m.field: c.wordsFor(r).text(m.text)}})
			return
		}
	}
	c.replyDone(w, r, err, siteID, "reply.kept")
}

func (c *Console) removeReply(w http.ResponseWriter, r *http.Request) {
	siteID, id, _ := twoNumbers(r, siteField, "reply")
	c.replyDone(w, r, c.Chats.RemoveReply(r.Context(), siteID, id), siteID, "reply.removed")
}

func (c *Console) replyDone(w http.ResponseWriter, r *http.Request, err error, siteID int64, notice string) {
	switch {
	case errors.Is(err, chat.ErrReply):
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
	case err != nil:
		c.failed(w, r, err)
	default:
		c.back(w, r, repliesLink(siteID), notice)
	}
}
