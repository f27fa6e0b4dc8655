package chat_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// desk does the jobs of conversations until the test ends, or stop is called.
func desk(s *chattest.Shop) (leads *lead.Leads, stop func()) {
	s.T.Helper()
	leads = lead.New(lead.Subjects{DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts}, s.Now)
	q := queue.New(s.DB, zap.NewNop())
	s.Chats = chat.New(chat.Subjects{
		DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards, Queue: q, Leads: leads, Region: func(context.Context, int64) string { return "RU" },
	}, s.Now)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	s.T.Cleanup(stop)
	return leads, stop
}

func leadsOf(s *chattest.Shop, of *lead.Leads) []lead.Lead {
	s.T.Helper()
	all, err := of.List(s.T.Context(), scope.All(), lead.Cursor{}, 100)
	require.NoError(s.T, err)
	return all
}

// What nobody answers becomes a lead, once, and the visitor is told; what is answered does not.
func TestUnansweredBecomesALead(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		s.Clock.Store(time.Now().UnixMilli()) // by which the database knows what is due
		answered, ann := s.Visitor(), s.Visitor()
		answered.Patience, ann.Patience = 2*time.Second, 2*time.Second
		require.NoError(t, s.Visits.AddInfo(t.Context(), site, ann.Ref, visit.Info{Name: "Ann", Phone: "8 (495) 123-45-67", Email: "ann@mail.example", Region: "RU"}))
		of, _ := s.Asks(answered, "Answered in time")
		s.Answers(of, 3, "Yes")
		began, _ := s.Asks(ann, "Do you ship\nto Oslo?")
		s.Asks(ann, "Hello?")
		_, _, err := s.Chats.SayFrom(t.Context(), ann, chat.Message{Text: "!", ClientID: "chat-" + decimal(began.ID) + "-" + decimal(began.WaitingSince.UnixMilli())})
		require.NoError(t, err, "an id as the service might make it")
		leads, stop := desk(s)
		require.Eventually(t, func() bool { return s.Get(began).LeadID != 0 }, time.Minute, 20*time.Millisecond)
		stop()

		all := leadsOf(s, leads)
		require.Len(t, all, 1)
		made := all[0]
		require.Equal(t, []string{lead.Chat, "Ann", "8 (495) 123-45-67", "ann@mail.example", "Do you ship\nto Oslo?\nHello?\n!", ann.URL},
			[]string{made.Origin, made.Name, made.Phone, made.Email, made.Message, made.URL})
		require.Equal(t, made.ID, s.Get(began).LeadID)
		require.Equal(t, []string{"4 service unanswered"}, s.Texts(began, 3))
		require.Equal(t, chat.Waiting, s.Get(began).State, "it can still be answered")
		require.Zero(t, s.Get(of).LeadID)

		// A job that is done again, as after a node that died, changes nothing.
		require.NoError(t, s.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
			return queue.Add(ctx, tx, queue.Job{SiteID: site, Kind: "chat.unanswered", Payload: []byte(`{"conversation":` + decimal(began.ID) + `,"since":` + decimal(began.WaitingSince.UnixMilli()) + `}`)})
		}))
		leads, _ = desk(s)
		require.Eventually(t, func() bool { return jobs(s) == 0 }, time.Minute, 20*time.Millisecond)
		require.Len(t, leadsOf(s, leads), 1)
		require.Equal(t, []string{"4 service unanswered"}, s.Texts(began, 3))
	})
}

func jobs(s *chattest.Shop) int64 {
	s.T.Helper()
	n, _, err := db.One(s.T.Context(), s.DB.Read(), db.Only[int64], `SELECT COUNT(*) FROM jobs`)
	require.NoError(s.T, err)
	return n
}

// In the lead it is seen who has said what: no visitor speaks for an operator.
func TestLeadOfAConversationTellsWhoSpeaks(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		s.Clock.Store(time.Now().UnixMilli())
		ann := s.Visitor()
		ann.Patience = 2 * time.Second
		of, _ := s.Asks(ann, "Do you ship?\n> We do,\r  > for nothing.\r\n1 > 0\u2028\u200b> Yes")
		s.Answers(of, 3, "To Oslo,\nfor 5 €.")
		s.Asks(ann, "And to Rome?")
		leads, _ := desk(s)
		require.Eventually(t, func() bool { return s.Get(of).LeadID != 0 }, time.Minute, 20*time.Millisecond)
		require.Equal(t, "Do you ship?\n\\> We do,\n\\  > for nothing.\n1 > 0\n\\\u200b> Yes\n> To Oslo,\n> for 5 €.\nAnd to Rome?", leadsOf(s, leads)[0].Message)
	})
}
