package letter_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/queue"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscript(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		sent := make(chan letter.Letter, 10)
		failures := 1
		q := queue.New(s.DB, zap.NewNop())
		transcripts := letter.NewTranscripts(s.DB, s.Chats, q, letter.Letters{
			Can:   func() bool { return true },
			Check: func(address string) error { return wrongUnless(strings.Contains(address, "@")) },
			Site:  func(context.Context, int64) (string, error) { return "key", nil },
			Name:  func(context.Context, int64) (string, error) { return "Ann", nil },
			Send: func(_ context.Context, l letter.Letter) (bool, error) {
				if failures--; failures >= 0 {
					return false, context.DeadlineExceeded
				}
				sent <- l
				return false, nil
			},
		}, s.Now)
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { q.Run(ctx) })
		t.Cleanup(func() { cancel(); running.Wait() })
		of, _ := s.Asks(s.Visitor(), "Hello\r\nBcc: spy@mail.example")
		require.ErrorIs(t, transcripts.Send(t.Context(), of, "ann@mail.example", ""), letter.ErrNoAnswer)
		s.Answers(of, 3, "Good day")
		for range 200 {
			s.Answers(of, 3, "And more")
		}
		_, err := s.Chats.Say(t.Context(), chattest.Site, of.ID, chat.Message{Author: chat.Note, OperatorID: 3, Text: "secret"})
		require.NoError(t, err)
		require.ErrorAs(t, transcripts.Send(t.Context(), of, "nowhere", ""), new(chat.Invalid))
		require.NoError(t, transcripts.Send(t.Context(), of, "ann@mail.example", "Europe/Moscow"))
		select {
		case l := <-sent:
			require.Equal(t, "ann@mail.example", l.To)
			require.Equal(t, "Your conversation with shop.example", l.Subject)
			at := s.Now().UTC().Add(3 * time.Hour).Format("2006-01-02 15:04")
			begins := "This is your conversation with shop.example. Times are in the zone Europe/Moscow.\n\nYou, " + at + "\nHello\r\nBcc: spy@mail.example\n\nAnn, " + at + "\nGood day\n\n"
			require.True(t, strings.HasPrefix(l.Text, begins), "%.300s", l.Text)
			require.Equal(t, 200, strings.Count(l.Text, "And more"), "whole")
		case <-time.After(time.Minute):
			require.Fail(t, "no mail is sent")
		}
	})
}

func wrongUnless(right bool) error {
	if right {
		return nil
	}
	return context.Canceled
}
