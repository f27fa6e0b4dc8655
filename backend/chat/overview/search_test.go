package overview_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// TestSearchInLongAndShortConversations has one with more messages than are read at once, among short ones.
func TestSearchInLongAndShortConversations(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		search := func(typed string, limit int) (found []string) {
			matches, _, err := overview.New(s.DB, s.Chats).Search(t.Context(), scope.All(), chat.Filter{}, typed, chat.Cursor{}, limit, time.Minute)
			require.NoError(t, err)
			for _, m := range matches {
				require.Equal(t, m.Conversation.Key(), m.Said.Key)
				found = append(found, m.Said.Text)
			}
			return found
		}
		says := func(from chat.From, text string) chat.Conversation {
			s.Clock.Add(1000)
			c, _ := s.Asks(from, text)
			return c
		}
		says(s.Visitor(), "A green lamp, please")
		long := says(s.Visitor(), "Many LAMPS, please")
		for n := range 520 {
			s.Answers(long, 3, fmt.Sprint("Here is one more: ", n))
		}
		twice := s.Visitor()
		says(twice, "One lamp, please")
		says(twice, "Two lamps, please")
		says(s.Visitor(), "A chair")

		require.Equal(t, []string{"Two lamps, please", "Many LAMPS, please", "A green lamp, please"}, search("PLEASE lamp", 10))
		require.Equal(t, []string{"Two lamps, please", "Many LAMPS, please"}, search("lamp", 2))
		require.Equal(t, []string{"A chair"}, search("chair", 10))
		require.Empty(t, search("table", 10))
		require.Empty(t, search("chair lamp", 10), "in two conversations")
	})
}
