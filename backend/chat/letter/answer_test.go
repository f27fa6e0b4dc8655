package letter_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// desk is a shop whose operators' answers are mailed.
type desk struct {
	*chattest.Shop
	answers *letter.Answers
	letters chan letter.Letter
	here    atomic.Bool
	looked  chan struct{} // somebody has looked whether the visitor is on the site
	ahead   atomic.Int64  // how far the letters' time is ahead of that of the conversations
}

func eachDesk(t *testing.T, test func(t *testing.T, s *desk)) {
	chattest.Each(t, func(t *testing.T, shop *chattest.Shop) {
		s := &desk{Shop: shop, letters: make(chan letter.Letter, 10), looked: make(chan struct{}, 100)}
		s.ahead.Store(int64(time.Hour))
		q := queue.New(s.DB, zap.NewNop())
		s.answers = letter.NewAnswers(letter.Subjects{
			DB: s.DB, Chats: s.Chats, Cards: s.Visits.Cards, Keys: s.Visits.Keys,
			Here: func(context.Context, int64, visit.ID) (bool, error) {
				s.looked <- struct{}{}
				return s.here.Load(), nil
			},
			After: func(context.Context, int64) (time.Duration, error) { return time.Millisecond, nil },
			Service: func(context.Context, int64, string) (string, error) {
				return "https://shop.example/frontdesk/", nil
			},
			Letters: letter.Letters{
				Can:   func() bool { return true },
				Check: mail.CheckMailbox,
				Site:  func(context.Context, int64) (string, error) { return "key", nil },
				Name:  func(context.Context, int64) (string, error) { return "Ann", nil },
				Send: func(_ context.Context, l letter.Letter) (bool, error) {
					s.letters <- l
					if l.To == "gone@mail.example" {
						return true, context.DeadlineExceeded
					}
					return false, nil
				},
			},
		}, q, func() time.Time { return s.Now().Add(time.Duration(s.ahead.Load())) })
		s.Chats = chat.New(chat.Subjects{DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards, Answered: s.answers.Answered}, s.Now)
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { q.Run(ctx) })
		t.Cleanup(func() { cancel(); running.Wait() })
		test(t, s)
	})
}

// gives has the visitor leave an address.
func (s *desk) gives(from chat.From, email string) {
	s.T.Helper()
	s.Clock.Add(1)
	require.NoError(s.T, s.Visits.AddInfo(s.T.Context(), chattest.Site, from.Ref, visit.Info{Email: email}))
}

// receives is the next letter.
func (s *desk) receives() letter.Letter {
	s.T.Helper()
	select {
	case l := <-s.letters:
		return l
	case <-time.After(time.Minute):
		require.Fail(s.T, "no letter has come")
	}
	return letter.Letter{}
}

// looksAgain waits until somebody who knows all that was said looks whether the visitor is on the site: the second from now on.
// The first may have read the conversation before.
func (s *desk) looksAgain() {
	s.T.Helper()
	for len(s.looked) > 0 {
		<-s.looked
	}
	for range 2 {
		select {
		case <-s.looked:
		case <-time.After(time.Minute):
			require.Fail(s.T, "nobody looks")
		}
	}
}

// rests waits until no job looks after the conversations.
func (s *desk) rests() {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		jobs, _, err := db.One(s.T.Context(), s.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM jobs WHERE kind = 'chat.answer'`)
		return err == nil && jobs == 0
	}, time.Minute, 10*time.Millisecond)
	require.Empty(s.T, s.letters)
}

// holds waits until the letter is held back for the reason.
func (s *desk) holds(reason string) {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		said, _, err := db.One(s.T.Context(), s.DB.Read(), db.Only[string], `SELECT reason FROM jobs WHERE kind = 'chat.answer'`)
		return err == nil && strings.Contains(said, reason)
	}, time.Minute, 10*time.Millisecond)
}

func TestAnswersReachThoseWhoHaveLeft(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *desk) {
		from := s.Visitor()
		from.Language = "ru"
		of, _ := s.Asks(from, "Hello\r\nBcc: spy@mail.example")
		s.Answers(of, 3, "Nobody knows where to send this")
		s.rests()
		s.gives(from, "Ada@Mail.example")
		s.here.Store(true)
		s.Answers(of, 3, "We do <b>indeed</b>.")
		s.Answers(of, 3, "https://evil.example/")
		s.looksAgain()
		require.Empty(t, s.letters, "the visitor is there and sees it")
		s.here.Store(false)
		l := s.receives()
		require.Equal(t, []string{"Ada@mail.example", "ru", "Ответ с сайта shop.example"}, []string{l.To, l.Language, l.Subject})
		require.Contains(t, l.Text, "Ann:\nNobody knows where to send this\n\nAnn:\nWe do <b>indeed</b>.\n\nAnn:\nhttps://evil.example/\n\n", "all that has not been read, and once")
		require.NotContains(t, l.Text, "Bcc", "nobody sends their own words to others")
		require.Contains(t, l.Text, "\n"+l.Link+"\n")
		require.Contains(t, l.Text, "\n"+l.Stop+"\n")
		for opens, link := range map[string]string{letter.OpensBack: l.Link, letter.OpensStop: l.Stop} {
			address, err := url.Parse(link)
			require.NoError(t, err)
			require.Equal(t, "https://shop.example/frontdesk/v1/chat/"+opens, strings.TrimSuffix(link, "?"+address.RawQuery))
			id, valid := s.Visits.Keys.ParseConversationToken(chattest.Site, address.Query().Get("t"), opens)
			require.True(t, valid)
			require.Equal(t, of.ID, id)
		}
		s.rests()
		require.Equal(t, "5 note Ada@mail.examplemailed", s.Texts(of, 4)[0], "operators are told")

		s.Answers(of, 3, "Second")
		require.NotContains(t, s.receives().Text, "indeed")
		s.rests()
		s.here.Store(true)
		read := s.Answers(of, 3, "The visitor has come back")
		s.holds("on the site")
		require.NoError(t, s.Chats.Read(t.Context(), of.SiteID, of.ID, chat.Visitor, read.Seq))
		s.rests()
		s.here.Store(false)
		s.rests()
	})
}

// Three letters go out on a day, and the rest on the next.
func TestAnswersAreMailedSomeTimesADay(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *desk) {
		from := s.Visitor()
		of, _ := s.Asks(from, "Hello")
		s.gives(from, "ada@mail.example")
		for _, text := range []string{"1", "2", "3"} {
			s.Answers(of, 3, text)
			s.receives()
			s.rests()
		}
		s.Answers(of, 3, "4")
		s.Answers(of, 3, "5")
		s.holds("enough")
		require.Empty(t, s.letters)
		s.ahead.Add(int64(24 * time.Hour))
		require.NoError(t, s.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE jobs SET due_at = 1 WHERE kind = 'chat.answer'`) // it is the next day
			return err
		}))
		require.Contains(t, s.receives().Text, "Ann:\n4\n\nAnn:\n5\n")
	})
}

// One click, and an address gets no more letters of the site, whoever gives it.
func TestNoMoreLetters(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *desk) {
		from := s.Visitor()
		of, _ := s.Asks(from, "Hello")
		require.ErrorIs(t, s.answers.Stop(t.Context(), of.SiteID, of.ID), chat.ErrUnknown)
		s.gives(from, "ada@mail.example")
		s.Answers(of, 3, "1")
		s.receives()
		s.rests()
		require.NoError(t, s.answers.Stop(t.Context(), of.SiteID, of.ID))
		require.NoError(t, s.answers.Stop(t.Context(), of.SiteID, of.ID), "again")
		s.Answers(of, 3, "2")
		s.rests()
		other := s.Visitor()
		of, _ = s.Asks(other, "Hello")
		s.gives(other, "Ada@MAIL.example")
		s.Answers(of, 3, "3")
		s.rests()

		// What no mail server will ever take is tried once, and operators are told of nothing.
		s.gives(other, "gone@mail.example")
		s.Answers(of, 3, "4")
		s.receives()
		s.rests()
		require.NotContains(t, strings.Join(s.Texts(of, 0), "\n"), "mailed")
	})
}
