package live_test

import (
	"github.com/seed-3405227d/frontdesk/backend/chat/chattest"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"

	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hears waits until the listener has to look at this.
func hears(t *testing.T, l *live.Listener, what uint32) {
	t.Helper()
	deadline := time.After(time.Minute)
	for l.Take()&what == 0 {
		select {
		case _, open := <-l.News():
			require.True(t, open, "it has ended")
		case <-deadline:
			require.FailNow(t, "nothing is heard")
		}
	}
}

// What happens on one node is heard on another, by the visitor whom it concerns.
func TestLiveAcrossNodes(t *testing.T) {
	settings := dbtest.Postgres(t)
	here, there := dbtest.Open(t, settings), dbtest.Open(t, settings)
	s := &chattest.Shop{T: t, DB: here}
	s.Clock.Store(time.Now().UnixMilli())
	s.Visits = visittest.Open(t, here, s.Now)
	s.Chats = chat.New(chat.Subjects{DB: here, Visits: s.Visits.Visits, Texts: s.Visits.Texts, Cards: s.Visits.Cards}, s.Now)
	var online atomic.Bool
	pages := live.New(there, s.Chats, journal.New(there), func(context.Context, int64) (bool, error) { return online.Load(), nil })
	defer pages.Close()

	ann, other := s.Visitor(), s.Visitor()
	mine, ok := pages.Listen(chattest.Site, ann.Visitor, false)
	require.True(t, ok)
	hears(t, mine, live.Entries) // it looks where it begins, and those who come later hear nothing of that
	second, ok := pages.Listen(chattest.Site, ann.Visitor, false)
	require.True(t, ok)
	another, ok := pages.Listen(chattest.Site, other.Visitor, false)
	require.True(t, ok)
	of, _ := s.Asks(ann, "Hello")
	hears(t, mine, live.Entries)
	hears(t, second, live.Entries)
	require.Zero(t, another.Take()&live.Entries, "another visitor's")
	second.Close()
	second.Close()
	s.Chats.Typing(of, 0)
	s.Chats.Typing(of, 3)
	hears(t, mine, live.Typing)
	online.Store(true)
	hears(t, mine, live.Presence)
	hears(t, another, live.Presence)
	require.True(t, mine.Online())
	another.Close()

	pages.Close()
	for range 2 {
		if _, open := <-mine.News(); !open {
			break
		}
	}
	_, open := <-mine.News()
	require.False(t, open, "it ends with all of them")
	mine.Close()
	_, ok = pages.Listen(chattest.Site, ann.Visitor, false)
	require.False(t, ok)
}

// Listeners that come and go at once leave nothing behind, and miss nothing.
func TestListenersComeAndGo(t *testing.T) {
	chattest.Each(t, func(t *testing.T, s *chattest.Shop) {
		pages := live.New(s.DB, s.Chats, journal.New(s.DB), func(context.Context, int64) (bool, error) { return false, nil })
		defer pages.Close()
		ann := s.Visitor()
		for range 50 {
			l, ok := pages.Listen(chattest.Site, ann.Visitor, false)
			require.True(t, ok)
			l.Close()
		}
		l, ok := pages.Listen(chattest.Site, ann.Visitor, false)
		require.True(t, ok)
		hears(t, l, live.Entries)
		s.Asks(ann, "Hello")
		hears(t, l, live.Entries)
		l.Close()
	})
}
