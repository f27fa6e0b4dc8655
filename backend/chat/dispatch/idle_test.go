package dispatch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/dispatch"
)

// A conversation closes by itself when its visitor has read the answer and nobody writes for long, and no other does.
func TestConversationsCloseByThemselves(t *testing.T) {
	eachDesk(t, func(t *testing.T, d *desk) {
		begun := func(texts ...string) chat.Conversation {
			c, _ := d.Asks(d.Visitor(), "Hello")
			for _, text := range texts {
				d.Answers(c, 3, text)
			}
			return c
		}
		read, unread, waits := begun("Good day"), begun("Good day"), begun()
		require.NoError(t, d.Chats.Read(t.Context(), read.SiteID, read.ID, chat.Visitor, 2))
		goesOn := begun("Good day")
		require.NoError(t, d.Chats.Read(t.Context(), goesOn.SiteID, goesOn.ID, chat.Visitor, 2))
		d.Clock.Add((dispatch.IdleTime - time.Minute).Milliseconds())
		d.Answers(goesOn, 3, "Anything else?")
		require.NoError(t, d.Chats.Read(t.Context(), goesOn.SiteID, goesOn.ID, chat.Visitor, 3))
		d.look()
		require.Equal(t, chat.Open, d.Get(read).State, "the day is not over")
		d.Clock.Add((2 * time.Minute).Milliseconds())
		d.look()
		require.Equal(t, []chat.State{chat.Closed, chat.Open, chat.Waiting, chat.Open},
			[]chat.State{d.Get(read).State, d.Get(unread).State, d.Get(waits).State, d.Get(goesOn).State})
		require.Equal(t, []string{"3 note idle"}, d.Texts(read, 2), "operators see why")
		now, err := d.Chats.Say(t.Context(), read.SiteID, read.ID, chat.Message{Author: chat.Visitor, Text: "One more thing"})
		require.NoError(t, err)
		require.EqualValues(t, 4, now.Seq)
		require.Equal(t, chat.Waiting, d.Get(read).State, "it goes on")
	})
}
