package sites

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// repliesPage is the content of the page of a site's canned replies.
type repliesPage struct {
	site.Site
	List   []reply.Reply
	Sent   reply.Reply // that was not accepted, or is to be changed
	Wrong  map[string]string
	Places []int64
}

// replyMistakes says at which field a mistake is shown, and by which words.
var replyMistakes = []struct {
	err         error
	field, text string
}{
	{reply.ErrWord, "word", "reply.wrongWord"}, {reply.ErrText, "text", "reply.wrongText"}, {reply.ErrPlace, "place", "reply.wrongPlace"},
	{reply.ErrMany, "word", "reply.tooMany"},
}

func repliesLink(siteID int64) string { return frame.SiteLink(siteID) + "/replies" }

func (c *room) showReplies(w http.ResponseWriter, r *http.Request) error {
	changed, _ := strconv.ParseInt(r.URL.Query().Get("reply"), 10, 64)
	return c.replies(w, r, http.StatusOK, repliesPage{Sent: reply.Reply{ID: changed}})
}

func (c *room) replies(w http.ResponseWriter, r *http.Request, status int, body repliesPage) error {
	f, named, err := c.SiteAt(r, "replies")
	if err != nil {
		return err
	}
	body.Site, body.Places = named, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if body.List, err = c.Replies.Of(r.Context(), named.ID); err != nil {
		return err
	}
	if status == http.StatusOK { // the one that the address names
		id := body.Sent.ID
		body.Sent = reply.Reply{}
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
	return c.Show(w, status, f)
}

func (c *room) keepReply(w http.ResponseWriter, r *http.Request) error {
	siteID, err := strconv.ParseInt(r.PathValue(frame.SiteField), 10, 64)
	if err != nil {
		return frame.NotFound
	}
	reply := reply.Reply{SiteID: siteID, Word: strings.TrimPrefix(strings.TrimSpace(r.PostFormValue("word")), "/"),
		Text: strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"))}
	reply.ID, _ = strconv.ParseInt(r.PostFormValue("reply"), 10, 64)
	reply.Place, _ = strconv.ParseInt(r.PostFormValue("place"), 10, 64)
	_, err = c.Replies.Keep(r.Context(), reply)
	for _, m := range replyMistakes {
		if errors.Is(err, m.err) {
			return c.replies(w, r, http.StatusUnprocessableEntity, repliesPage{Sent: reply, Wrong: map[string]string{m.field: c.Words(r).Text(m.text)}})
		}
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, repliesLink(siteID), "reply.kept")
}

func (c *room) removeReply(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "reply")
	if err == nil {
		err = c.Replies.Remove(r.Context(), siteID, id)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, repliesLink(siteID), "reply.removed")
}
