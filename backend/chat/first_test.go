package chat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// An operator writes once to a visitor who has not asked, and again in the next visit.
func TestOperatorWritesFirst(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		first := chat.FirstOf(s.Chats)
		says := func(to chat.From, text string) error {
			_, err := first.Say(t.Context(), to, chat.Message{OperatorID: 3, Text: text})
			return err
		}
		ann := s.Visitor()
		stranger := ann
		stranger.Ref = visit.Ref{Visitor: 1, Visit: 2, View: 3}
		require.ErrorIs(t, says(stranger, "Hello"), visit.ErrForeign)
		require.ErrorAs(t, says(ann, " "), new(chat.Invalid))
		require.NoError(t, says(ann, "Can I help you?"))
		of, err := s.Chats.Of(t.Context(), site, ann.Visitor)
		require.NoError(t, err)
		require.Equal(t, []any{chat.Open, int64(3), ann.Visit, ann.URL}, []any{of.State, of.OperatorID, of.Unasked, of.URL})
		require.ErrorIs(t, says(ann, "Hello?"), chat.ErrUnasked)
		_, err = s.Chats.Say(t.Context(), site, of.ID, chat.Message{Author: chat.Operator, OperatorID: 4, Text: "Hello?"})
		require.ErrorIs(t, err, chat.ErrUnasked, "by whomever and from wherever")
		_, err = s.Chats.Say(t.Context(), site, of.ID, chat.Message{Author: chat.Note, OperatorID: 4, Text: "Shy"})
		require.NoError(t, err, "a note disturbs nobody")

		s.Asks(ann, "Yes")
		require.Zero(t, s.Get(of).Unasked)
		s.Answers(of, 3, "How?")
		require.NoError(t, says(ann, "Like this?"), "both have written")
		require.NoError(t, s.Chats.Close(t.Context(), site, of.ID, 3))
		require.NoError(t, says(ann, "One more thing"))
		require.ErrorIs(t, says(ann, "And another"), chat.ErrUnasked)
		s.Clock.Add(time.Hour.Milliseconds())
		s.Returns(&ann)
		require.NoError(t, says(ann, "Welcome back"))
		require.Equal(t, ann.Visit, s.Get(of).Unasked)

		// What nobody has asked for, and nobody reads, ends by itself.
		require.NoError(t, chat.WaitersOf(s.Chats).CloseIdle(t.Context(), s.Now().Add(time.Hour)))
		require.Equal(t, chat.Closed, s.Get(of).State)
		require.NoError(t, s.Chats.Ban(t.Context(), site, of.ID, 3, true))
		s.Clock.Add(time.Hour.Milliseconds())
		s.Returns(&ann)
		require.ErrorIs(t, says(ann, "Hello"), chat.ErrBanned)
	})
}
