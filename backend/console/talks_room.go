package console

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// talksSubjects are what the room shows.
type talksSubjects struct {
	Chats  *chat.Chats
	Visits *visit.Visits
	Cards  *cards
}

type talksRoom struct {
	*Live
	talksSubjects
	calling     *Once[[]chatSeen] // of the page's sites, that call for the operator
	toldChats   Things[chatSeen]
	toldCalling *shared[callingKey, []chatSeen]
}

// mountTalks adds the room to the console.
func mountTalks(l *Live, subjects talksSubjects) {
	c := &talksRoom{Live: l, talksSubjects: subjects}
	c.calling = AskOnce(func(ctx context.Context, p *frame) ([]chatSeen, error) {
		all, err := c.callingAll(ctx, p.Scope)
		if err != nil {
			return nil, err
		}
		return c.callingFor(ctx, p.Operator, all)
	})
	c.toldCalling = newShared(64, 10*time.Second, l.now, func(ctx context.Context, k callingKey) ([]chatSeen, error) { return c.callingAll(ctx, k.sites) })
	c.toldChats = newThings(l, c.seenChat)
	l.Room(Room{
		Menu: []Entry{{Link: "/chats", Icon: "message-circle", Title: "chats.title", Pages: []string{"chats"}, Badge: "chatting", News: "chats.news",
			Count: func(ctx context.Context, p *frame) (int, error) {
				calling, err := c.calling.Of(ctx, p)
				return len(calling), err
			}}},
		Unknown: map[error]string{chat.ErrUnknown: "fail.noChat"},
	})
	l.SignedIn("GET /chats", c.showChats)
	l.SignedIn("GET /chats/{site}/{conversation}", c.showChat)
	l.SignedIn("GET /chats/{site}/{conversation}/messages", c.showEntries)
	l.SignedIn("GET /chats/{site}/{conversation}/messages/{message}", c.sendMessage)
	l.SignedIn("POST /chats/{site}/{conversation}/messages", c.sayChat)
	l.Upload("POST /chats/{site}/{conversation}/files", chat.MaxFile+1, c.sendChatFile)
	l.SignedIn("GET /chats/{site}/{conversation}/files/{file}", c.showChatFile)
	l.SignedIn("POST /chats/{site}/{conversation}/read", c.readChat)
	l.SignedIn("POST /chats/{site}/{conversation}/typing", c.typeChat)
	l.SignedIn("POST /chats/{site}/{conversation}/work", c.workChat)
	l.View(chatsStream, c.openChats)
	l.Announce(c.announce)
}
