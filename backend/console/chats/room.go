// Package chats is the room of conversations with visitors.
package chats

import (
	"context"
	"embed"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Chats    *chat.Chats
	Overview *overview.Overview
	Replies  *reply.Replies
	Ratings  *rating.Ratings
	Cards    *rows.Cards
}

type room struct {
	*live.Live
	Subjects
	due       *frame.Once[[]overview.Due] // of the page's sites, that are due to the operator
	toldChats live.Things[chatSeen]
	toldDue   *live.Shared[dueKey, []overview.Due]
}

// Mount adds the room to the console.
func Mount(l *live.Live, subjects Subjects) {
	c := &room{Live: l, Subjects: subjects}
	c.due = frame.AskOnce(func(ctx context.Context, p *frame.Page) ([]overview.Due, error) {
		all, err := c.Overview.Due(ctx, p.Scope, p.Operator.ID, maxDue)
		if err != nil {
			return nil, err
		}
		return c.dueFor(ctx, p.Operator, all)
	})
	c.toldDue = live.NewShared(64, 10*time.Second, l.Now, func(ctx context.Context, k dueKey) ([]overview.Due, error) {
		return c.Overview.Due(ctx, k.sites, 0, maxDue)
	})
	c.toldChats = live.NewThings(l, c.seenChat)
	l.Room(frame.Room{
		Templates: templates,
		Menu: []frame.MenuEntry{{Link: "/chats", Icon: "message-circle", Title: "chats.title", Pages: []string{"chats", "waits"}, Badge: "chatting", News: "chats.news",
			Count: func(ctx context.Context, p *frame.Page) (int, error) {
				due, err := c.due.Of(ctx, p)
				return len(due), err
			}}},
		Unknown: map[error]string{chat.ErrUnknown: "fail.noChat"},
	})
	l.SignedIn("GET /chats", c.showChats)
	l.Admin("GET /chats/waits", c.With("waits", c.showWaits))
	l.SignedIn("GET /chats/{site}/{conversation}", c.showChat)
	l.SignedIn("GET /chats/{site}/{conversation}/messages", c.showEntries)
	l.SignedIn("GET /chats/{site}/{conversation}/messages/{message}", c.sendMessage)
	l.SignedIn("POST /chats/{site}/{conversation}/messages", c.sayChat)
	l.SaysTooLarge("POST /chats/{site}/{conversation}/messages")
	l.Upload("POST /chats/{site}/{conversation}/files", file.Max+1, c.sendChatFile)
	l.SignedIn("GET /chats/{site}/{conversation}/files/{file}", c.showChatFile)
	l.SignedIn("POST /chats/{site}/{conversation}/read", c.readChat)
	l.SignedIn("POST /chats/{site}/{conversation}/typing", c.typeChat)
	l.SignedIn("POST /chats/{site}/{conversation}/work", c.workChat)
	l.SignedIn("POST /chats/{site}/{conversation}/tags", c.tagChat)
	l.SignedIn("POST /visitors/{site}/{visitor}/chat", c.writeFirst)
	l.Feed(chatsStream, c.openChats)
	l.Announce(c.announce)
}
