package chats

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/typing"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// brisk is the least time between two events of a stream of conversations.
const brisk = 50 * time.Millisecond

// chatsEvent is what every page is told of conversations.
type chatsEvent struct {
	Count         int // that are due to the operator
	Waiting, Mine int // of those
	News          []chatRow
	Latest        *chatRow // announced on pages of other things
}

// chatsStream is the name of the view of conversations.
const chatsStream = "chats"

// announce tells pages of other things what conversations are due to the operator.
func (c *room) announce(ctx context.Context, to *live.Listener, entries []journal.Entry) ([][]byte, error) {
	if to.Feed == chatsStream { // which tells more
		return nil, nil
	}
	rows, fresh, err := c.chatRows(ctx, to, entries)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return c.tellDue(ctx, to, entries[len(entries)-1].Position, fresh, true)
}

// tellDue renders how many conversations are due to the operator, and the news of those
// that do.
func (c *room) tellDue(ctx context.Context, to *live.Listener, at journal.Position, news []chatRow, announced bool) ([][]byte, error) {
	all, err := c.toldDue.Get(ctx, dueKey{to.Counted, at})
	if err != nil {
		return nil, err
	}
	due, err := c.dueFor(ctx, to.Operator, all)
	if err != nil {
		return nil, err
	}
	event := chatsEvent{Count: len(due)}
	event.Waiting, event.Mine = countDue(due)
	if len(news) == 0 {
		return c.Render(to.Words, "chats-event", event)
	}
	return live.RenderRows(c.Live, to.Words, "chats-event", news, func(some []chatRow) any {
		event.News = some
		if announced {
			event.Latest = &some[0]
		}
		return event
	})
}

// chatsFeed is the page of conversations, one of which may be open.
type chatsFeed struct {
	*live.Listener
	room    *room
	watch   *onsite.Watch // nil when none is open
	open    chat.Key      // zero for none
	visitor visit.ID
	seq     int64 // of the last entry that was sent
	views   int   // of the visitor's pages, as they were sent
	here    bool
	told    bool
	typing  chan struct{}
}

// openChats is the view of the request's stream; nil when its conversation is not the
// operator's.
func (c *room) openChats(r *http.Request, to *live.Listener) (live.Feed, live.Watch) {
	v := &chatsFeed{Listener: to, room: c, typing: make(chan struct{}, 1)}
	query := r.URL.Query()
	if !query.Has("conversation") {
		return v, nil
	}
	siteID, errSite := strconv.ParseInt(query.Get("at"), 10, 64)
	id, errID := strconv.ParseInt(query.Get("conversation"), 10, 64)
	seq, errSeq := strconv.ParseInt(query.Get("seq"), 10, 64)
	if errSite != nil || errID != nil || errSeq != nil || siteID <= 0 || !to.Operator.Sites.Has(siteID) {
		return nil, nil
	}
	conversation, err := c.Chats.Get(r.Context(), siteID, id)
	if err != nil {
		return nil, nil
	}
	v.open, v.visitor, v.seq = conversation.Key(), conversation.Visitor, seq
	v.watch = c.Cards.Onsite.WatchVisitor(siteID, conversation.Visitor)
	return v, v.watch
}

// Pause is less than for other pages: people write to each other here.
func (v *chatsFeed) Pause() time.Duration { return brisk }

// News tells of conversations, and of the one that is open.
func (v *chatsFeed) News(ctx context.Context, entries []journal.Entry) ([][]byte, error) {
	rows, fresh, err := v.room.chatRows(ctx, v.Listener, entries)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	data, err := v.room.tellDue(ctx, v.Listener, entries[len(entries)-1].Position, fresh, false)
	if err != nil {
		return nil, err
	}
	told, err := live.RenderRows(v.room.Live, v.Words, "chat-rows-event", rows, live.Whatever)
	if err != nil {
		return nil, err
	}
	data = append(data, told...)
	for _, row := range rows {
		if row.Conversation.Key() == v.open {
			told, err := v.conversation(ctx, row)
			return append(data, told...), err
		}
	}
	return data, nil
}

// chatEvent is what has become of the open conversation.
type chatEvent struct {
	Row     chatRow
	Entries []remark
}

func (v *chatsFeed) conversation(ctx context.Context, row chatRow) ([][]byte, error) {
	f, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	list, err := v.room.Chats.Messages(ctx, v.open.SiteID, v.open.ID, v.seq, chat.MaxMessages)
	if err == nil && len(list) == chat.MaxMessages { // the page asks for what is missing
		list, err = v.room.Chats.Before(ctx, v.open.SiteID, v.open.ID, 0, entriesShown)
	}
	if err != nil {
		return nil, err
	}
	var data [][]byte
	for _, m := range list { // each fits into an event
		one, err := v.room.Render(v.Words, "chat-event", chatEvent{row, []remark{remarkOf(f, m)}})
		if err != nil {
			return nil, err
		}
		data, v.seq = append(data, one...), m.Seq
	}
	if len(list) == 0 { // it may have been read
		if data, err = v.room.Render(v.Words, "chat-event", chatEvent{Row: row}); err != nil {
			return nil, err
		}
	}
	working, err := v.room.chatWorking(ctx, f, row)
	if err != nil {
		return nil, err
	}
	told, err := v.room.Render(v.Words, "chat-working-event", working)
	return append(data, told...), err
}

// Refresh says what the visitor of the open conversation looks at, and by which way.
func (v *chatsFeed) Refresh(ctx context.Context) ([][]byte, error) {
	scene := v.watch.Scene()
	if v.told && v.views == scene.Views && v.here == scene.Here {
		return nil, nil
	}
	f, err := v.Page(ctx)
	if err != nil {
		return nil, err
	}
	var open openChat
	if err := v.room.chatCard(ctx, f, v.open.SiteID, v.visitor, &open); err != nil {
		return nil, err
	}
	v.told, v.views, v.here = true, scene.Views, scene.Here
	return v.room.Render(v.Words, "chat-now-event", open)
}

// Hear has typing be told while the stream is open.
func (v *chatsFeed) Hear() (heard <-chan struct{}, forget func()) {
	return v.typing, v.room.Chats.OnTyping(func(t typing.Typed) {
		if t.OperatorID == 0 && t.SiteID == v.open.SiteID && t.ConversationID == v.open.ID {
			select {
			case v.typing <- struct{}{}:
			default:
			}
		}
	})
}

// Overheard is what the page is told of it.
func (v *chatsFeed) Overheard() ([][]byte, error) {
	return v.room.Render(v.Words, "chat-typing-event", nil)
}

// typeChat tells the visitor that the operator is typing.
func (c *room) typeChat(w http.ResponseWriter, r *http.Request) error {
	conversation, err := c.chatAt(r)
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	c.Chats.Typing(conversation, o.ID)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
