package chat_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/trace"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// hears waits until the listener has to look at this.
func hears(t *testing.T, l *chat.Listener, what uint32) {
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
	s := &shop{t: t, db: here}
	s.clock.Store(time.Now().UnixMilli())
	var err error
	s.visits, err = visit.Open(t.Context(), here, s.now)
	require.NoError(t, err)
	s.chats = chat.New(chat.Subjects{DB: here, Visits: s.visits}, s.now)
	var online atomic.Bool
	live := chat.NewLive(there, journal.New(there), func(context.Context, int64) (bool, error) { return online.Load(), nil })
	defer live.Close()

	ann, other := s.visitor(), s.visitor()
	mine, ok := live.Listen(site, ann.Visitor, false)
	require.True(t, ok)
	second, ok := live.Listen(site, ann.Visitor, false)
	require.True(t, ok)
	another, ok := live.Listen(site, other.Visitor, false)
	require.True(t, ok)
	for _, l := range []*chat.Listener{mine, second, another} {
		hears(t, l, chat.Entries) // it looks where it begins
	}
	of, _ := s.asks(ann, "Hello")
	hears(t, mine, chat.Entries)
	hears(t, second, chat.Entries)
	require.Zero(t, another.Take()&chat.Entries, "another visitor's")
	second.Close()
	second.Close()
	s.chats.Typing(of, chat.Visitor, 0)
	s.chats.Typing(of, chat.Operator, 3)
	hears(t, mine, chat.Typing)
	online.Store(true)
	hears(t, mine, chat.Presence)
	hears(t, another, chat.Presence)
	require.True(t, mine.Online())
	another.Close()

	live.Close()
	for range 2 {
		if _, open := <-mine.News(); !open {
			break
		}
	}
	_, open := <-mine.News()
	require.False(t, open, "it ends with all of them")
	mine.Close()
	_, ok = live.Listen(site, ann.Visitor, false)
	require.False(t, ok)
}

// Listeners that come and go at once leave nothing behind, and miss nothing.
func TestListenersComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		live := chat.NewLive(s.db, journal.New(s.db), func(context.Context, int64) (bool, error) { return false, nil })
		defer live.Close()
		ann := s.visitor()
		for range 50 {
			l, ok := live.Listen(site, ann.Visitor, false)
			require.True(t, ok)
			l.Close()
		}
		l, ok := live.Listen(site, ann.Visitor, false)
		require.True(t, ok)
		hears(t, l, chat.Entries)
		s.asks(ann, "Hello")
		hears(t, l, chat.Entries)
		l.Close()
	})
}

// Erasing a person takes the conversation with all that is in it, and leaves others alone.
func TestTraces(t *testing.T) {
	each(t, func(t *testing.T, s *shop) {
		ann, other := s.visitor(), s.visitor()
		began, _, err := s.chats.SayFrom(t.Context(), ann, chat.Message{File: &chat.File{Name: "a.txt", Content: []byte("text")}})
		require.NoError(t, err)
		s.answers(began, 3, "Hello")
		left, _ := s.asks(other, "Hello")
		traces := s.chats.Traces()
		visitor := trace.Mark{Kind: trace.Visitor, SiteID: site, ID: int64(ann.Visitor)}
		marks, err := traces.Find(t.Context(), s.db.Read(), visitor)
		require.NoError(t, err)
		of := trace.Mark{Kind: trace.Conversation, SiteID: site, ID: began.ID}
		require.Contains(t, marks, of)
		rows := map[string]int64{}
		for _, table := range traces.Tables {
			if table.By != trace.Conversation {
				continue
			}
			rows[table.Name], err = table.Count(t.Context(), s.db.Read(), of)
			require.NoError(t, err)
			require.NoError(t, s.db.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) error {
				_, err := table.Erase(ctx, tx, of)
				return err
			}))
		}
		require.Equal(t, map[string]int64{"chat_files": 1, "messages": 2, "conversations": 1}, rows)
		_, err = s.chats.Get(t.Context(), site, began.ID)
		require.ErrorIs(t, err, chat.ErrUnknown)
		require.Equal(t, left.ID, s.get(left).ID)
		require.Equal(t, []string{"1 visitor Hello"}, s.texts(left, 0))
	})
}
