package rating_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/trace"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// A visitor rates a closed conversation, once for each answer, and may change it.
func TestRating(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ratings := rating.New(s.DB, s.Now)
		from := s.Visitor()
		of, _ := s.Asks(from, "Hello")
		told := func() (rating.Rating, int) {
			last, err := ratings.Last(t.Context(), []chat.Conversation{of})
			require.NoError(t, err)
			entries, _, err := db.One(t.Context(), s.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM journal WHERE kind = 'chat.state' AND data LIKE '%rated%'`)
			require.NoError(t, err)
			return last[of.Key()], entries
		}
		require.NoError(t, s.Chats.Close(t.Context(), of.SiteID, of.ID, 3))
		require.ErrorIs(t, ratings.Rate(t.Context(), of, true, ""), rating.ErrEarly, "nobody has answered")
		s.Asks(from, "Hello?")
		s.Answers(of, 3, "Good day")
		require.ErrorIs(t, ratings.Rate(t.Context(), of, true, ""), rating.ErrEarly, "it goes on")
		require.NoError(t, s.Chats.Close(t.Context(), of.SiteID, of.ID, 3))
		require.ErrorAs(t, ratings.Rate(t.Context(), of, true, strings.Repeat("ы", rating.MaxLine+1)), new(chat.Invalid))
		require.NoError(t, ratings.Rate(t.Context(), of, true, ""))
		require.NoError(t, ratings.Rate(t.Context(), of, true, ""))
		r, entries := told()
		require.Equal(t, []any{true, "", int64(3), 1}, []any{r.Good, r.Line, r.OperatorID, entries}, "told once")
		require.NoError(t, ratings.Rate(t.Context(), of, false, " Too slow\x00 "))
		r, entries = told()
		require.Equal(t, []any{false, "Too slow", 2}, []any{r.Good, r.Line, entries})

		s.Asks(from, "Again")
		s.Answers(of, 4, "Yes?")
		require.NoError(t, s.Chats.Close(t.Context(), of.SiteID, of.ID, 4))
		require.NoError(t, ratings.Rate(t.Context(), of, true, "Better"))
		r, _ = told()
		require.Equal(t, []any{true, "Better", int64(4)}, []any{r.Good, r.Line, r.OperatorID}, "the latest counts")
		rows, err := rating.Traces().Tables[0].Count(t.Context(), s.DB.Read(), trace.Mark{Kind: trace.Conversation, SiteID: of.SiteID, ID: of.ID})
		require.NoError(t, err)
		require.Equal(t, int64(2), rows)
	})
}
