// Package chattest makes conversations for the tests of what asks for them.
package chattest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// Shop is a site with its conversations, at a time that stands still unless moved.
type Shop struct {
	T      *testing.T
	DB     *db.DB
	Visits *visittest.Rooms
	Chats  *chat.Chats
	Clock  atomic.Int64 // milliseconds since 1970
}

// Site is the shop's.
const Site = 7

// Now is the time.
func (s *Shop) Now() time.Time { return time.UnixMilli(s.Clock.Load()) }

// Each runs the test on both engines.
func Each(t *testing.T, test func(t *testing.T, s *Shop)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &Shop{T: t, DB: d}
		s.Clock.Store(1_790_000_000_000)
		s.Visits = visittest.Open(t, d, s.Now)
		s.Chats = chat.New(chat.Subjects{DB: d, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards}, s.Now)
		test(t, s)
	})
}

var views atomic.Int64

// Visitor is a new visitor with a page view.
func (s *Shop) Visitor() chat.From {
	s.T.Helper()
	from := chat.From{SiteID: Site, URL: "https://shop.example/lamps", Language: "en"}
	s.Returns(&from)
	return from
}

// Returns has the visitor open a page, which begins a visit if the last one is over.
func (s *Shop) Returns(from *chat.From) {
	s.T.Helper()
	h, err := s.Visits.Arrive(s.T.Context(), Site, from.Visitor, visit.Arrival{
		Nonce: fmt.Sprintf("view%012d", views.Add(1)), URL: from.URL, Kind: "load",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
	})
	require.NoError(s.T, err)
	from.Ref = h.Ref
}

// Asks says something as the visitor.
func (s *Shop) Asks(from chat.From, text string) (chat.Conversation, chat.Message) {
	s.T.Helper()
	conversation, m, err := s.Chats.SayFrom(s.T.Context(), from, chat.Message{Text: text})
	require.NoError(s.T, err)
	return conversation, m
}

// Answers says something as the operator.
func (s *Shop) Answers(of chat.Conversation, operator int64, text string) chat.Message {
	s.T.Helper()
	m, err := s.Chats.Say(s.T.Context(), of.SiteID, of.ID, chat.Message{Author: chat.Operator, OperatorID: operator, Text: text})
	require.NoError(s.T, err)
	return m
}

// Get is the conversation as it is now.
func (s *Shop) Get(of chat.Conversation) chat.Conversation {
	s.T.Helper()
	now, err := s.Chats.Get(s.T.Context(), of.SiteID, of.ID)
	require.NoError(s.T, err)
	return now
}

// Texts are the entries after the number, each on one line.
func (s *Shop) Texts(of chat.Conversation, after int64) (texts []string) {
	s.T.Helper()
	messages, err := s.Chats.Messages(s.T.Context(), of.SiteID, of.ID, after, 1000)
	require.NoError(s.T, err)
	for _, m := range messages {
		texts = append(texts, fmt.Sprintf("%d %s %s%s", m.Seq, m.Author, m.Text, m.Code))
	}
	return texts
}
