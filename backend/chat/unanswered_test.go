package chat_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// desk does the jobs of conversations until the test ends, or stop is called.
func (s *shop) desk(letters chat.Letters) (leads *lead.Leads, stop func()) {
	s.t.Helper()
	leads = lead.New(lead.Subjects{DB: s.db, Visits: s.visits}, s.now)
	q := queue.New(s.db, zap.NewNop())
	s.chats = chat.New(chat.Subjects{
		DB: s.db, Visits: s.visits, Queue: q, Leads: leads, Region: func(context.Context, int64) string { return "RU" }, Letters: letters,
	}, s.now)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	s.t.Cleanup(stop)
	return leads, stop
}

func (s *shop) leads(of *lead.Leads) []lead.Lead {
	s.t.Helper()
	all, err := of.List(s.t.Context(), scope.All(), lead.Cursor{}, 100)
	require.NoError(s.t, err)
	return all
}

// What nobody answers becomes a lead, once, and the visitor is told; what is answered does not.
func TestUnansweredBecomesALead(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		s.clock.Store(time.Now().UnixMilli()) // by which the database knows what is due
		answered, ann := s.visitor(), s.visitor()
		answered.Patience, ann.Patience = 2*time.Second, 2*time.Second
		require.NoError(t, s.visits.AddInfo(t.Context(), site, ann.Ref, visit.Info{Name: "Ann", Phone: "8 (495) 123-45-67", Email: "ann@mail.example", Region: "RU"}))
		of, _ := s.asks(answered, "Answered in time")
		s.answers(of, 3, "Yes")
		began, _ := s.asks(ann, "Do you ship\nto Oslo?")
		s.asks(ann, "Hello?")
		_, _, err := s.chats.SayFrom(t.Context(), ann, chat.Message{Text: "!", ClientID: "chat-" + decimal(began.ID) + "-" + decimal(began.WaitingSince.UnixMilli())})
		require.NoError(t, err, "an id as the service might make it")
		leads, stop := s.desk(chat.Letters{})
		require.Eventually(t, func() bool { return s.get(began).LeadID != 0 }, time.Minute, 20*time.Millisecond)
		stop()

		all := s.leads(leads)
		require.Len(t, all, 1)
		made := all[0]
		require.Equal(t, []string{lead.Chat, "Ann", "8 (495) 123-45-67", "ann@mail.example", "Do you ship\nto Oslo?\nHello?\n!", ann.URL},
			[]string{made.Origin, made.Name, made.Phone, made.Email, made.Message, made.URL})
		require.Equal(t, made.ID, s.get(began).LeadID)
		require.Equal(t, []string{"4 service unanswered"}, s.texts(began, 3))
		require.Equal(t, chat.Waiting, s.get(began).State, "it can still be answered")
		require.Zero(t, s.get(of).LeadID)

		// A job that is done again, as after a node that died, changes nothing.
		require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return queue.Add(ctx, tx, queue.Job{SiteID: site, Kind: "chat.unanswered", Payload: []byte(`{"conversation":` + decimal(began.ID) + `,"since":` + decimal(began.WaitingSince.UnixMilli()) + `}`)})
		}))
		leads, _ = s.desk(chat.Letters{})
		require.Eventually(t, func() bool { return s.jobs() == 0 }, time.Minute, 20*time.Millisecond)
		require.Len(t, s.leads(leads), 1)
		require.Equal(t, []string{"4 service unanswered"}, s.texts(began, 3))
	})
}

func (s *shop) jobs() int64 {
	s.t.Helper()
	n, _, err := db.One(s.t.Context(), s.db.Read(), db.Only[int64], `SELECT COUNT(*) FROM jobs`)
	require.NoError(s.t, err)
	return n
}

func TestTranscript(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		sent := make(chan chat.Letter, 10)
		failures := 1
		s.desk(chat.Letters{
			Can:   func() bool { return true },
			Check: func(address string) error { return wrongUnless(strings.Contains(address, "@")) },
			Site:  func(context.Context, int64) (string, error) { return "shop.example", nil },
			Name:  func(context.Context, int64) (string, error) { return "Ann", nil },
			Send: func(_ context.Context, l chat.Letter) (bool, error) {
				if failures--; failures >= 0 {
					return false, context.DeadlineExceeded
				}
				sent <- l
				return false, nil
			},
		})
		of, _ := s.asks(s.visitor(), "Hello\r\nBcc: spy@mail.example")
		require.ErrorIs(t, s.chats.SendTranscript(t.Context(), of, "ann@mail.example"), chat.ErrNoAnswer)
		s.answers(of, 3, "Good day")
		_, err := s.chats.Say(t.Context(), site, of.ID, chat.Message{Author: chat.Note, OperatorID: 3, Text: "secret"})
		require.NoError(t, err)
		require.ErrorAs(t, s.chats.SendTranscript(t.Context(), of, "nowhere"), new(chat.Invalid))
		require.NoError(t, s.chats.SendTranscript(t.Context(), of, "ann@mail.example"))
		select {
		case l := <-sent:
			require.Equal(t, "ann@mail.example", l.To)
			require.Equal(t, "Your conversation with shop.example", l.Subject)
			at := s.now().UTC().Format("2006-01-02 15:04 UTC")
			require.Equal(t, "You, "+at+"\nHello\r\nBcc: spy@mail.example\n\nAnn, "+at+"\nGood day\n", l.Text)
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

// In the lead it is seen who has said what: no visitor speaks for an operator.
func TestLeadOfAConversationTellsWhoSpeaks(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		s.clock.Store(time.Now().UnixMilli())
		ann := s.visitor()
		ann.Patience = 2 * time.Second
		of, _ := s.asks(ann, "Do you ship?\n> We do,\r  > for nothing.\r\n1 > 0\u2028\u200b> Yes")
		s.answers(of, 3, "To Oslo,\nfor 5 €.")
		s.asks(ann, "And to Rome?")
		leads, _ := s.desk(chat.Letters{})
		require.Eventually(t, func() bool { return s.get(of).LeadID != 0 }, time.Minute, 20*time.Millisecond)
		require.Equal(t, "Do you ship?\n\\> We do,\n\\  > for nothing.\n1 > 0\n\\\u200b> Yes\n> To Oslo,\n> for 5 €.\nAnd to Rome?", s.leads(leads)[0].Message)
	})
}
