package chat_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const site = chattest.Site

func TestAConversation(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann := s.Visitor()
		began, first := s.Asks(ann, "Do you ship to Oslo? <b>\u2028")
		require.Equal(t, int64(1), first.Seq)
		require.Equal(t, chat.Waiting, began.State)
		require.Equal(t, s.Now(), began.WaitingSince)
		s.Clock.Add(1000)
		s.Answers(began, 3, "We do.")
		now := s.Get(began)
		require.Equal(t, chat.Conversation{
			SiteID: site, ID: began.ID, Ref: ann.Ref, URL: ann.URL, State: chat.Open, OperatorID: 3, Seq: 2, VisitorRead: 1, OperatorRead: 2,
			OpenedAt: began.OpenedAt, LastAt: s.Now(), LastFrom: chat.Operator, Language: "en",
		}, now, "who answers has it")

		again, third := s.Asks(ann, "Thanks")
		require.Equal(t, began.ID, again.ID, "a visitor has one conversation")
		require.Equal(t, int64(3), third.Seq)
		require.Equal(t, []string{"1 visitor Do you ship to Oslo? <b>\u2028", "2 operator We do.", "3 visitor Thanks"}, s.Texts(began, 0))
		require.Equal(t, []string{"3 visitor Thanks"}, s.Texts(began, 2))
		require.EqualValues(t, 1, s.Get(began).Unread)

		require.NoError(t, s.Chats.Read(t.Context(), site, began.ID, chat.Operator, 99))
		require.NoError(t, s.Chats.Read(t.Context(), site, began.ID, chat.Operator, 1), "it never goes back")
		require.NoError(t, s.Chats.Read(t.Context(), site, began.ID, chat.Visitor, 2))
		now = s.Get(began)
		require.Equal(t, []int64{3, 3, 0}, []int64{now.OperatorRead, now.VisitorRead, now.Unread})

		require.NoError(t, s.Chats.Close(t.Context(), site, began.ID, 3))
		require.Equal(t, chat.Closed, s.Get(began).State)
		s.Asks(ann, "One more thing")
		now = s.Get(began)
		require.Equal(t, chat.Waiting, now.State, "it goes on")
		require.Zero(t, now.OperatorID)

		found, err := s.Chats.Of(t.Context(), site, ann.Visitor)
		require.NoError(t, err)
		require.Equal(t, now, found)
		for _, err := range []error{
			second(s.Chats.Get(t.Context(), site+1, began.ID)), second(s.Chats.Get(t.Context(), site, began.ID+1)),
			second(s.Chats.Of(t.Context(), site, ann.Visitor+1)), s.Chats.Claim(t.Context(), site, began.ID+1, 3),
			second(s.Chats.Say(t.Context(), site+1, began.ID, chat.Message{Author: chat.Operator, Text: "?"})),
		} {
			require.ErrorIs(t, err, chat.ErrUnknown)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// However often a message comes, and from however many at once, it is one.
func TestAMessageIsStoredOnce(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann := s.Visitor()
		var sending sync.WaitGroup
		for i := range 40 {
			sending.Go(func() {
				_, _, err := s.Chats.SayFrom(t.Context(), ann, chat.Message{Text: "message", ClientID: "id" + strconv.Itoa(i%10)})
				if err != nil {
					t.Error(err)
				}
			})
		}
		sending.Wait()
		now, err := s.Chats.Of(t.Context(), site, ann.Visitor)
		require.NoError(t, err)
		require.EqualValues(t, 10, now.Seq)
		messages, err := s.Chats.Messages(t.Context(), site, now.ID, 0, 100)
		require.NoError(t, err)
		ids := make(map[string]bool)
		for i, m := range messages {
			require.EqualValues(t, i+1, m.Seq)
			ids[m.ClientID] = true
		}
		require.Len(t, ids, 10)
	})
}

// Of many operators who want a conversation one gets it.
func TestClaim(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		began, _ := s.Asks(s.Visitor(), "Hello")
		var claiming sync.WaitGroup
		var got, taken atomic.Int64
		for operator := range int64(10) {
			claiming.Go(func() {
				switch err := s.Chats.Claim(t.Context(), site, began.ID, operator+1); err {
				case nil:
					got.Add(1)
				case chat.ErrTaken:
					taken.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		claiming.Wait()
		require.EqualValues(t, 1, got.Load())
		require.EqualValues(t, 9, taken.Load())
		now := s.Get(began)
		require.Equal(t, chat.Open, now.State)
		require.NoError(t, s.Chats.Claim(t.Context(), site, began.ID, now.OperatorID), "twice is once")
		s.Answers(began, now.OperatorID+1, "Another says something, too.")
		require.Equal(t, now.OperatorID, s.Get(began).OperatorID)
	})
}

func TestWhatIsNoMessage(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann := s.Visitor()
		refused := map[string]chat.Message{
			"empty":      {Text: " \x00\n"},
			"too_long":   {Text: strings.Repeat("ы", chat.MaxText+1)},
			"wrong_type": {File: &file.File{Name: "x.png", Content: []byte("<html><script>alert(1)</script>")}},
			"too_large":  {File: &file.File{Name: "x.txt", Content: []byte(strings.Repeat("a", file.Max+1))}},
		}
		for code, m := range refused {
			_, _, err := s.Chats.SayFrom(t.Context(), ann, m)
			var invalid chat.Invalid
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, code, invalid.Code)
		}
		_, err := s.Chats.Of(t.Context(), site, ann.Visitor)
		require.ErrorIs(t, err, chat.ErrUnknown, "nothing is stored")
		_, whole := s.Asks(ann, strings.Repeat("ы", chat.MaxText))
		require.Len(t, whole.Text, 2*chat.MaxText)
		_, cleaned := s.Asks(ann, "a\x00b\xffc\x1b[0m\u202e")
		require.Equal(t, "ab\ufffdc\x1b[0m\u202e", cleaned.Text)

		for _, from := range []chat.From{
			{SiteID: site, Ref: visit.Ref{Visitor: 1, Visit: 2, View: 3}},
			{SiteID: site + 1, Ref: ann.Ref},
			{SiteID: site, Ref: visit.Ref{Visitor: s.Visitor().Visitor, Visit: ann.Visit, View: ann.View}},
		} {
			_, _, err := s.Chats.SayFrom(t.Context(), from, chat.Message{Text: "?"})
			require.ErrorIs(t, err, visit.ErrForeign)
		}
		all, err := s.Chats.List(t.Context(), scope.All(), chat.Filter{}, chat.Cursor{}, 10)
		require.NoError(t, err)
		require.Len(t, all, 1)
	})
}

func TestFiles(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		picture := []byte("\x89PNG\r\n\x1a\n\x00\x01\x02")
		conversation, m, err := s.Chats.SayFrom(t.Context(), s.Visitor(), chat.Message{File: &file.File{Name: "..\\a/b\u202e\r\ngnp.png", Type: "text/html", Content: picture}})
		require.NoError(t, err)
		require.False(t, m.File.IsShown(), "it has a header alone")
		require.Equal(t, &file.File{ID: m.File.ID, Name: "bgnp.png", Type: "image/png", Size: int64(len(picture))}, m.File)
		messages, err := s.Chats.Messages(t.Context(), site, conversation.ID, 0, 10)
		require.NoError(t, err)
		require.Equal(t, m, messages[0])
		f, err := s.Chats.File(t.Context(), site, conversation.ID, m.File.ID, chat.Visitor)
		require.NoError(t, err)
		require.Equal(t, picture, f.Content)

		note, err := s.Chats.Say(t.Context(), site, conversation.ID, chat.Message{Author: chat.Note, OperatorID: 1, File: &file.File{Name: "note", Content: []byte("secret")}})
		require.NoError(t, err)
		other, _ := s.Asks(s.Visitor(), "Hello")
		for _, err := range []error{
			second(s.Chats.File(t.Context(), site, conversation.ID, note.File.ID, chat.Visitor)),
			second(s.Chats.File(t.Context(), site, other.ID, m.File.ID, chat.Visitor)),
			second(s.Chats.File(t.Context(), site+1, conversation.ID, m.File.ID, chat.Operator)),
		} {
			require.ErrorIs(t, err, chat.ErrUnknown)
		}
		require.NoError(t, second(s.Chats.File(t.Context(), site, conversation.ID, note.File.ID, chat.Operator)))
		for {
			_, err := s.Chats.Say(t.Context(), site, conversation.ID, chat.Message{Author: chat.Operator, OperatorID: 1, File: &file.File{Content: []byte("x")}})
			if err != nil {
				var invalid chat.Invalid
				require.ErrorAs(t, err, &invalid)
				require.Equal(t, "too_many", invalid.Code)
				break
			}
		}
		require.Len(t, s.Texts(conversation, 0), 50)
	})
}

func TestList(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		var all []chat.Conversation
		for i := range 5 {
			s.Clock.Add(1000)
			c, _ := s.Asks(s.Visitor(), strconv.Itoa(i))
			all = append(all, c)
		}
		s.Clock.Add(1000)
		s.Answers(all[1], 4, "Yes")
		require.NoError(t, s.Chats.Close(t.Context(), site, all[2].ID, 4))
		list := func(f chat.Filter, after chat.Cursor, limit int) (ids []int64) {
			found, err := s.Chats.List(t.Context(), scope.Of(site), f, after, limit)
			require.NoError(t, err)
			for _, c := range found {
				ids = append(ids, c.ID)
			}
			return ids
		}
		ids := func(at ...int) (ids []int64) {
			for _, i := range at {
				ids = append(ids, all[i].ID)
			}
			return ids
		}
		require.Equal(t, ids(1, 4, 3, 2, 0), list(chat.Filter{}, chat.Cursor{}, 10))
		require.Equal(t, ids(1, 4), list(chat.Filter{}, chat.Cursor{}, 2))
		require.Equal(t, ids(3, 2), list(chat.Filter{}, all[4].Cursor(), 2))
		require.Equal(t, ids(1, 4, 3, 0), list(chat.Filter{Live: true}, chat.Cursor{}, 10))
		require.Equal(t, ids(4, 3, 0), list(chat.Filter{State: chat.Waiting}, chat.Cursor{}, 10))
		require.Equal(t, ids(1), list(chat.Filter{OperatorID: 4}, chat.Cursor{}, 10))
		none, err := s.Chats.List(t.Context(), scope.Of(site+1), chat.Filter{}, chat.Cursor{}, 10)
		require.NoError(t, err)
		require.Empty(t, none)
		before, err := s.Chats.Before(t.Context(), site, all[1].ID, 0, 1)
		require.NoError(t, err)
		require.Equal(t, "Yes", before[0].Text)
	})
}

// The journal tells of all that happens, and of nothing that was written.
func TestTheJournalIsTold(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann := s.Visitor()
		began, _ := s.Asks(ann, "secret")
		s.Answers(began, 3, "secret")
		require.NoError(t, s.Chats.Read(t.Context(), site, began.ID, chat.Visitor, 2))
		require.NoError(t, s.Chats.Close(t.Context(), site, began.ID, 3))
		want := []string{
			`chat.state {"change":"began"}`, `chat.message {"seq":1,"author":"visitor"}`,
			`chat.message {"seq":2,"author":"operator","operator_id":3}`, `chat.state {"change":"claimed","operator_id":3,"seq":2}`,
			`chat.state {"change":"visitor_read","seq":2}`, `chat.state {"change":"closed","operator_id":3,"seq":2}`,
		}
		var told []string
		for _, e := range journaltest.Entries(t, s.DB) {
			if strings.HasPrefix(e.Kind, "chat.") {
				require.Equal(t, []int64{site, began.ID, int64(ann.Visitor)}, []int64{e.SiteID, e.SubjectID, e.VisitorID})
				told = append(told, e.Kind+" "+string(e.Data))
			}
		}
		require.Equal(t, want, told)
	})
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
