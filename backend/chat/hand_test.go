package chat_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestConversationsThatNeedSomebody(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		due := func(sites scope.Sites, operator int64) (found []overview.Due) {
			found, err := overview.New(s.DB, s.Chats).Due(t.Context(), sites, operator, 100)
			require.NoError(t, err)
			slices.SortFunc(found, func(a, b overview.Due) int { return cmp.Compare(a.OperatorID, b.OperatorID) })
			return found
		}
		waits := overview.Due{SiteID: site, State: chat.Waiting}
		first, _ := s.Asks(s.Visitor(), "Hello")
		require.Equal(t, []overview.Due{waits}, due(scope.Of(site), 3))
		require.Empty(t, due(scope.Of(site+1), 3), "of another site")
		offer := chat.Offer{To: 4, Until: s.Now().UnixMilli() + 1000}
		require.NoError(t, chat.WaitersOf(s.Chats).Offer(t.Context(), chat.Waiter{Key: first.Key()}, offer))
		waits.Offer = offer
		require.Equal(t, []overview.Due{waits}, due(scope.All(), 3))

		from := s.Visitor()
		second, _ := s.Asks(from, "Hello, too")
		s.Answers(second, 3, "Good day")
		require.Equal(t, []overview.Due{waits}, due(scope.All(), 3), "what is answered needs nobody")
		s.Asks(from, "And to Oslo?")
		unread := overview.Due{SiteID: site, State: chat.Open, OperatorID: 3, Unread: true}
		require.Equal(t, []overview.Due{waits, unread}, due(scope.All(), 3))
		require.Equal(t, []overview.Due{waits, unread}, due(scope.All(), 0))
		require.Equal(t, []overview.Due{waits}, due(scope.All(), 5), "another operator's")
		require.NoError(t, s.Chats.Read(t.Context(), site, second.ID, chat.Operator, 99))
		require.NoError(t, s.Chats.Close(t.Context(), site, first.ID, 4))
		require.Empty(t, due(scope.All(), 3))
	})
}

func TestHandOver(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		c, _ := s.Asks(s.Visitor(), "Hello")
		require.NoError(t, s.Chats.Claim(t.Context(), site, c.ID, 3))
		require.ErrorIs(t, s.Chats.HandOver(t.Context(), site, c.ID, 4, chat.Target{OperatorID: 4}), chat.ErrTaken)
		require.ErrorIs(t, s.Chats.Return(t.Context(), site, c.ID, 4, 4), chat.ErrTaken)
		require.ErrorIs(t, s.Chats.HandOver(t.Context(), site+1, c.ID, 3, chat.Target{OperatorID: 4}), chat.ErrUnknown)
		require.NoError(t, s.Chats.HandOver(t.Context(), site, c.ID, 3, chat.Target{OperatorID: 4, Label: "Boris"}))
		require.EqualValues(t, 4, s.Get(c).OperatorID)
		require.NoError(t, s.Chats.HandOver(t.Context(), site, c.ID, 4, chat.Target{GroupID: 9, Label: "Sales"}))
		now := s.Get(c)
		require.Equal(t, chat.Waiting, now.State)
		require.EqualValues(t, 9, now.GroupID)
		require.Equal(t, []string{"2 note Boris" + chat.CodeHanded, "3 note Sales" + chat.CodeHanded}, s.Texts(c, 1))
		require.NoError(t, s.Chats.Claim(t.Context(), site, c.ID, 5))
		require.ErrorIs(t, s.Chats.Return(t.Context(), site, c.ID, 4, 0), chat.ErrTaken)
		require.EqualValues(t, 5, s.Get(c).OperatorID, "another has it by now")
		require.NoError(t, s.Chats.Return(t.Context(), site, c.ID, 5, 5))
		require.Equal(t, chat.Waiting, s.Get(c).State)
	})
}

func TestBannedVisitorsDoNotWrite(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		from := s.Visitor()
		c, _ := s.Asks(from, "Buy pills")
		require.NoError(t, s.Chats.Ban(t.Context(), site, c.ID, 3, true))
		require.Equal(t, chat.Closed, s.Get(c).State)
		require.True(t, s.Get(c).WaitingSince.IsZero())
		_, _, err := s.Chats.SayFrom(t.Context(), from, chat.Message{Text: "Pills"})
		require.ErrorIs(t, err, chat.ErrBanned)
		require.NoError(t, s.Chats.Ban(t.Context(), site, c.ID, 3, false))
		s.Asks(from, "Sorry")
		require.Equal(t, chat.Waiting, s.Get(c).State)
	})
}

// Of many who claim a conversation at once, one gets it.
func TestOneOfManyClaims(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		c, _ := s.Asks(s.Visitor(), "Hello")
		var wait sync.WaitGroup
		got := make([]bool, 16)
		for i := range got {
			wait.Go(func() { got[i] = s.Chats.Claim(t.Context(), site, c.ID, int64(i+1)) == nil })
		}
		wait.Wait()
		won := slices.Index(got, true)
		require.GreaterOrEqual(t, won, 0)
		require.Equal(t, -1, slices.Index(got[won+1:], true))
		require.EqualValues(t, won+1, s.Get(c).OperatorID)
	})
}

// An id stands for a message of its author's. Another's does not come back by it.
func TestIDsOfOthers(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		from := s.Visitor()
		c, _ := s.Asks(from, "Hello")
		note := chat.Message{Author: chat.Note, OperatorID: 3, ClientID: "an-id-of-somebody", Text: "secret"}
		stored, err := s.Chats.Say(t.Context(), site, c.ID, note)
		require.NoError(t, err)
		again, err := s.Chats.Say(t.Context(), site, c.ID, note)
		require.NoError(t, err)
		require.Equal(t, stored.Seq, again.Seq)
		_, got, err := s.Chats.SayFrom(t.Context(), from, chat.Message{ClientID: note.ClientID, Text: "What did you note?"})
		require.ErrorAs(t, err, new(chat.Invalid))
		require.Empty(t, got.Text)
		note.OperatorID = 4
		_, err = s.Chats.Say(t.Context(), site, c.ID, note)
		require.ErrorAs(t, err, new(chat.Invalid))
		for _, id := range []string{"with\x00nul-and-more", "\xff\xfe-not-text-at-all"} {
			_, err = s.Chats.Say(t.Context(), site, c.ID, chat.Message{Author: chat.Operator, OperatorID: 3, ClientID: id, Text: "x"})
			require.ErrorAs(t, err, new(chat.Invalid))
		}
		require.EqualValues(t, 2, s.Get(c).Seq)
	})
}
