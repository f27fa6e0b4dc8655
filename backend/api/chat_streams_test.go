package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest/observer"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// listening is an open stream.
type listening struct {
	cancel context.CancelFunc
	events chan string
}

// listen opens the visitor's stream behind the message.
func (s *desk) listen(v visitor, after int64) *listening {
	s.t.Helper()
	token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"v1/chat/stream?t="+token+"&a="+strconv.FormatInt(after, 10), nil)
	require.NoError(s.t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	require.Equal(s.t, "text/event-stream", response.Header.Get("Content-Type"))
	l := &listening{events: make(chan string, 100), cancel: cancel}
	go func() {
		defer close(l.events)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				l.events <- data
			}
		}
	}()
	return l
}

// until is the next event that holds the text.
func (l *listening) until(t *testing.T, text string) string {
	t.Helper()
	event, open := l.next(t, text)
	require.True(t, open, "the stream has ended before %s", text)
	return event
}

// next is the next event that holds the text, unless the stream ends before.
func (l *listening) next(t *testing.T, text string) (event string, open bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case event, open := <-l.events:
			if !open || strings.Contains(event, text) {
				return event, open
			}
		case <-deadline:
			require.Fail(t, "there is no such event", text)
		}
	}
}

// A fault of ours ends a stream, and nothing else.
func TestChatStreamThatPanics(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	s := serve(t, d, siteOf(variantA))
	v, ann := s.visit(), s.agent()
	s.says(v, "Hello")
	token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
	s.answers(v, ann.ID, "Good day")
	s.panics.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"v1/chat/stream?a=0&t="+token, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	require.NoError(t, err, "it ends")
	said := func() []observer.LoggedEntry { return s.logs.FilterMessage("a goroutine panicked").All() }
	require.Eventually(t, func() bool { return len(said()) > 0 }, time.Minute, 10*time.Millisecond, "it is said after the stream has ended")
	failed := said()
	require.Len(t, failed, 1)
	require.Contains(t, failed[0].ContextMap()["stack"], "toldConversation")
	s.panics.Store(false)
	s.listen(v, 0).until(t, `"text":"Good day"`)
}

// A stream that waits says when its node hears nothing, and when it hears again. One that was just reading ends instead, and
// its client comes back.
func TestChatStreamSaysThatItIsLate(t *testing.T) {
	server := dbtest.OwnServer(t)
	d := dbtest.Open(t, db.Settings{Engine: db.Postgres, Source: server.Source()})
	s := serve(t, d, siteOf(variantA))
	v, ann := s.visit(), s.agent()
	s.says(v, "Hello")
	l := s.listen(v, 0)
	late := 0
	for try := 0; late < 3; try++ {
		require.Less(t, try, 10, "streams end instead")
		answer := fmt.Sprintf("Good day, once more: %d.", try)
		s.answers(v, ann.ID, answer)
		l.until(t, answer)
		require.NoError(t, server.Pause())
		_, waited := l.next(t, `"late":true`)
		require.NoError(t, server.Resume())
		if !waited {
			l = s.listen(v, 0)
			continue
		}
		l.until(t, `"late":false`)
		late++
	}
}

func TestChatStream(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		first, second := s.listen(v, 0), s.listen(v, 0)
		first.until(t, `"online":false`)
		second.until(t, `"online":false`)
		lease, err := s.presence.Arrive(t.Context(), ann.ID)
		require.NoError(t, err)
		first.until(t, `"online":true`)
		s.says(v, "Hello")
		for _, tab := range []*listening{first, second} {
			tab.until(t, `"text":"Hello"`)
		}
		s.answers(v, ann.ID, "Good day")
		first.until(t, `"text":"Good day"`)
		s.chats.Typing(s.of(v), ann.ID)
		first.until(t, `"typing":true`)
		require.NoError(t, s.chats.Read(t.Context(), siteID, s.of(v).ID, chat.Operator, 2))
		require.NoError(t, lease.End(t.Context()))
		first.until(t, `"online":false`)

		first.cancel()
		for range 70 { // more than are told at once
			s.answers(v, ann.ID, "missed")
		}
		other := s.visit()
		s.says(other, "Another's")
		third := s.listen(v, 2)
		seen := int64(2)
		for seen < 72 {
			var event struct{ Messages []struct{ Seq int64 } }
			require.NoError(t, json.Unmarshal([]byte(third.until(t, "")), &event))
			for _, m := range event.Messages {
				require.Equal(t, seen+1, m.Seq, "each once, in order")
				seen = m.Seq
			}
		}
		s.chatting.Close()
		for event := range third.events {
			require.NotContains(t, event, "Another's")
		}
	})
}

// With HTTP/2 a stream shares its connection with all else of the page.
func TestChatStreamOverHTTP2(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t))
	s := serve(t, d, siteOf(variantA))
	server := httptest.NewUnstartedServer(s.handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	v := s.visit()
	s.says(v, "Hello")
	token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/frontdesk/v1/chat/stream?a=0&t="+token, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 2, response.ProtoMajor)
	events := bufio.NewReader(response.Body)
	next := func() string {
		line, err := events.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	require.Equal(t, "id: 1\n", next())
	require.Contains(t, next(), `"text":"Hello"`)
	s.answers(v, 3, "Good day")
	for line := ""; !strings.Contains(line, `"text":"Good day"`); line = next() {
		require.NotContains(t, line, "error")
	}
	cancel()
	server.Close() // it waits for the streams to end
}

// An event has at most 16 KB. A message that is longer ends the stream, and the page asks for it.
func TestEventsOfAChatAreBounded(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v, ann := s.visit(), s.agent()
		s.says(v, "Hello")
		for range 12 {
			s.answers(v, ann.ID, strings.Repeat(`"<я`, chat.MaxText/3))
		}
		l := s.listen(v, 1)
		for heard := 0; heard < 12; {
			event := l.until(t, "")
			require.LessOrEqual(t, len(event), 16<<10)
			heard += strings.Count(event, `"seq"`)
		}
		s.answers(v, ann.ID, strings.Repeat("\x01", chat.MaxText))
		deadline := time.After(time.Minute)
		for open := true; open; {
			select {
			case _, open = <-l.events:
			case <-deadline:
				require.Fail(t, "the stream goes on")
			}
		}
		require.Len(t, s.script("chat", object{"credentials": v.credentials(), "after": 13}).body["messages"], 1)
	})
}
