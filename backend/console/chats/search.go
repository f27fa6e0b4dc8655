package chats

import (
	"context"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
)

const (
	// tabFound is what the list is called that was searched. No conversation comes to it by itself.
	tabFound = "found"
	// maxFound is how many conversations a search shows at once, and searchPatience how long it looks for them.
	maxFound       = 50
	searchPatience = 2 * time.Second
)

// search fills the list with the conversations that have the tag and in which was said what is looked for.
func (c *room) search(ctx context.Context, f frame.Page, body *chatsPage, after chat.Cursor) error {
	found, next, err := c.Overview.Search(ctx, f.Scope, chat.Filter{Tag: body.Tag}, body.Search, after, maxFound, searchPatience)
	if err != nil {
		return err
	}
	list := make([]chat.Conversation, len(found))
	for i := range found {
		list[i] = found[i].Conversation
	}
	seen, err := c.seenChats(ctx, list)
	if err != nil {
		return err
	}
	for i := range seen {
		seen[i].last = found[i].Said
		seen[i].last.Text = around(found[i].Said.Text, body.Search)
		row, err := c.chatRowOf(ctx, f, seen[i])
		if err != nil {
			return err
		}
		row.Path += "?" + body.query().Encode()
		body.Rows = append(body.Rows, row)
	}
	if next != (chat.Cursor{}) {
		body.goesOn(next)
	}
	return nil
}

// around is the text from a little before the first word that is looked for.
func around(text, search string) string {
	const before = 24 // characters
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(search)), " ")
	at := strings.Index(strings.ToLower(text), first)
	if at < 0 || at > len(text) { // it is in the name of a file
		return text
	}
	begin := []rune(strings.ToValidUTF8(text[:at], ""))
	if len(begin) <= before {
		return text
	}
	return "…" + string(begin[len(begin)-before:]) + strings.ToValidUTF8(text[at:], "")
}
