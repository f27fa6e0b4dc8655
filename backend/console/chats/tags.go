package chats

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// tagOf is the tag by which the address narrows the list; empty for any, and for what is no tag.
func tagOf(query url.Values) string {
	typed := strings.TrimSpace(query.Get("tag"))
	if !utf8.ValidString(typed) || strings.Contains(typed, "\x00") {
		return ""
	}
	return typed
}

// HasTag tells whether the tag by which the list is narrowed is among those that are offered.
func (p chatsPage) HasTag() bool { return p.Tag == "" || slices.Contains(p.Tags, p.Tag) }

// tagChat gives the conversation the tags that were typed, and shows it.
func (c *room) tagChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("tags"); !r.PostForm.Has("tags") {
		return frame.ErrForm
	}
	tags, err := tag.Read(r.PostFormValue("tags"))
	if err != nil {
		return frame.Fail(http.StatusUnprocessableEntity, "chat.wrongTags")
	}
	o, _ := frame.Current(r)
	if err := chat.SetTags(r.Context(), c.Chats, conversation.Key(), o.ID, tags); err != nil {
		return err
	}
	return c.Back(w, r, r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')], "")
}
