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
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// here is an operator who is there.
const here = 5

// desk does the jobs of conversations, once before has been done, until the test ends, or stop is called.
func desk(s *chattest.Shop, before ...func()) (leads *lead.Leads, stop func()) {
	s.T.Helper()
	leads = lead.New(lead.Subjects{DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts}, s.Now)
	q := queue.New(s.DB, zap.NewNop())
	s.Chats = chat.New(chat.Subjects{
		DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards, Queue: q, Leads: leads, Region: func(context.Context, int64) string { return "RU" },
		There: func(_ context.Context, _, operatorID int64) (bool, error) { return operatorID == here, nil },
	}, s.Now)
	for _, f := range before {
		f()
	}
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

// Whoever has the answers of an operator who is there is not told that everybody is busy, and what the visitor says last is no
// lead. Whoever asks an operator who has said nothing yet, or is gone, is.
func TestAttendedConversationsAreNoLeads(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		s.Clock.Store(time.Now().UnixMilli())
		begins := func(operator int64, texts ...string) (of chat.Conversation) {
			from := s.Visitor()
			from.Patience = time.Second
			of, _ = s.Asks(from, "Do you ship to Oslo?")
			for _, text := range texts {
				s.Answers(of, operator, text)
			}
			require.NoError(t, s.Chats.Claim(t.Context(), site, of.ID, operator))
			s.Clock.Add(1)
			s.Asks(from, "Thank you, bye")
			return of
		}
		attended := begins(here, "Yes")
		typing := s.Visitor()
		typing.Patience = time.Second
		written, _ := s.Asks(typing, "How much is it?")
		silent, gone := begins(here), begins(3, "Yes")
		leads, stop := desk(s, func() { s.Chats.Typing(written, here) })
		require.Eventually(t, func() bool { return s.Get(silent).LeadID != 0 && s.Get(gone).LeadID != 0 }, time.Minute, 20*time.Millisecond)
		tries := `SELECT COUNT(*) FROM jobs WHERE attempts > 0`
		require.Eventually(t, func() bool {
			n, _, err := db.One(t.Context(), s.DB.Read(), db.Only[int64], tries)
			require.NoError(t, err)
			return n == 2 // it is looked again later
		}, time.Minute, 20*time.Millisecond)
		stop()
		require.Len(t, leadsOf(s, leads), 2)
		require.Zero(t, s.Get(attended).LeadID)
		require.Zero(t, s.Get(written).LeadID)
		require.Equal(t, []string{"3 visitor Thank you, bye"}, s.Texts(attended, 2))
	})
}

// What a visitor writes when the conversation has become a lead is on that lead, and makes no second one.
func TestLinesAfterALeadBelongToIt(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		s.Clock.Store(time.Now().UnixMilli())
		ann := s.Visitor()
		ann.Patience = time.Second
		of, _ := s.Asks(ann, "Do you ship to Oslo?")
		leads, _ := desk(s)
		require.Eventually(t, func() bool { return s.Get(of).LeadID != 0 && jobs(s) == 0 }, time.Minute, 20*time.Millisecond)
		require.Equal(t, []string{"2 service unanswered_where"}, s.Texts(of, 1), "no contact is known")
		s.Asks(ann, "> Hello?")
		again := chat.Message{Text: "My number is 8 (495) 123-45-67", ClientID: "again"}
		for range 2 {
			_, _, err := s.Chats.SayFrom(t.Context(), ann, again)
			require.NoError(t, err)
		}
		s.Answers(of, 3, "Yes")
		s.Asks(ann, "When?")
		require.Zero(t, jobs(s), "nobody waits for another lead")
		all := leadsOf(s, leads)
		require.Len(t, all, 1)
		const message = "Do you ship to Oslo?\n\\> Hello?\nMy number is 8 (495) 123-45-67\nWhen?"
		require.Equal(t, message, all[0].Message)
		found, err := inbox.New(s.DB, leads, s.Now).List(t.Context(), inbox.Filter{Sites: scope.All(), Search: "4951234567"}, lead.Cursor{}, 10)
		require.NoError(t, err)
		require.Len(t, found.Leads, 1)

		s.Answers(of, 3, "Tomorrow")
		s.Clock.Add(time.Hour.Milliseconds())
		s.Returns(&ann)
		s.Asks(ann, "And to Rome?")
		require.EqualValues(t, 1, jobs(s), "another visit, another question")
		s.Asks(ann, "Hello?")
		require.Equal(t, message, leadsOf(s, leads)[0].Message)
	})
}

// However much is written after a lead, its message stays short.
func TestLinesAfterALeadAreBounded(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		ann := s.Visitor()
		of, _ := s.Asks(ann, "Do you ship to Oslo?")
		leads := lead.New(lead.Subjects{DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts}, s.Now)
		s.Chats = chat.New(chat.Subjects{DB: s.DB, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards, Leads: leads, Region: func(context.Context, int64) string { return "RU" }}, s.Now)
		_, err := s.Chats.MakeLead(t.Context(), site, of.ID, 3)
		require.NoError(t, err)
		for range 6 {
			s.Asks(ann, strings.Repeat("a", chat.MaxText))
		}
		require.Len(t, leadsOf(s, leads)[0].Message, 20+2*(1+chat.MaxText))
	})
}
