package open_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/journal/journaltest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// listener reads a stream of events.
type listener struct {
	*office
	lines *bufio.Scanner
	begin string // the id at which it began
	close context.CancelFunc
}

// listen opens a stream, which has begun when it returns.
func (o *office) listen(query, secret, last string) *listener {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), time.Minute)
	o.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, "GET", o.url+"/api/v1/events?"+query, nil)
	require.NoError(o, err)
	request.Header.Set("Authorization", "Bearer "+secret)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(o, err)
	o.Cleanup(func() { response.Body.Close() })
	require.Equal(o, http.StatusOK, response.StatusCode)
	require.Equal(o, "text/event-stream", response.Header.Get("Content-Type"))
	l := &listener{office: o, lines: bufio.NewScanner(response.Body), close: cancel}
	require.True(o, l.lines.Scan())
	require.Equal(o, ": the stream begins", l.lines.Text())
	require.True(o, l.lines.Scan())
	var found bool
	l.begin, found = strings.CutPrefix(l.lines.Text(), "id: ")
	require.True(o, found)
	return l
}

// next is the next event: its id, its name and its data. They are empty when the stream has ended.
func (l *listener) next() (id, name, data string) {
	for l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch {
		case field == "id":
			id = value
		case field == "event":
			name = value
		case field == "data":
			data = value
		case field == "" && name != "":
			return id, name, data
		}
	}
	return "", "", ""
}

func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		before := o.lead(o.lamps, "Nobody hears of this one")
		journaltest.Entries(t, o.db) // it is before all streams
		secret := o.token(scope.Of(o.lamps.ID), token.ReadEvents, token.ReadLeads)
		broken := o.listen("", secret, "") // before it tells of anything
		broken.close()
		o.lead(o.chairs, "Of another site")
		first := o.lead(o.lamps, "Is the lamp there?")
		heard := o.listen("", secret, broken.begin)
		require.NoError(t, o.Leads.SetState(t.Context(), lead.By{Login: "anna"}, first.Key(), lead.Done))
		require.NoError(t, o.Leads.AddNote(t.Context(), lead.By{Login: "anna"}, before.Key(), "Called."))

		id, name, data := heard.next()
		require.Equal(t, "lead.added", name)
		require.Contains(t, data, `"site":"lamps.example"`)
		require.NotContains(t, data, "Anna", "an event names nobody")
		require.NotContains(t, data, "Is the lamp there?")
		_, name, data = heard.next()
		require.Equal(t, "lead.changed", name)
		require.Contains(t, data, `"said":"done"`)
		_, name, data = heard.next()
		require.Equal(t, "lead.changed", name)
		require.NotContains(t, data, "Called.")
		heard.close()

		// It goes on behind what was read, and leaves out what was not asked for.
		again := o.listen("kind=lead.changed", secret, id)
		_, name, _ = again.next()
		require.Equal(t, "lead.changed", name)
		narrow := o.listen("kind=call,chat", secret, id)
		all := o.listen("after="+id, o.token(scope.All(), token.Scopes...), "")
		_, err := o.Sites.Retire(t.Context(), o.chairs.ID, true, "vera")
		require.NoError(t, err)
		for name != "site.retired" {
			_, name, data = all.next()
			require.NotEmpty(t, name)
		}
		require.Contains(t, data, `"by":"vera"`)

		// Who has lost the token hears nothing more, at once.
		tokens, err := o.Tokens.List(t.Context(), scope.All(), 10)
		require.NoError(t, err)
		for _, of := range tokens {
			require.NoError(t, o.Tokens.Revoke(t.Context(), operator.Server(), of.ID))
		}
		_, name, _ = narrow.next()
		require.Empty(t, name)
		_, name, _ = again.next()
		require.Equal(t, "lead.changed", name, "the other one of before")
		_, name, _ = again.next()
		require.Empty(t, name)
	})
}

// A stream ends when its node hears nothing, so that the program comes back to another one.
func TestAStreamThatHearsNothingEnds(t *testing.T) {
	server := dbtest.OwnServer(t)
	o := serve(t, dbtest.Open(t, db.Settings{Engine: db.Postgres, Source: server.Source()}))
	heard := o.listen("", o.token(scope.All(), token.ReadEvents), "")
	require.NoError(t, server.Pause())
	defer server.Resume()
	_, name, _ := heard.next()
	require.Empty(t, name)
	require.NoError(t, heard.lines.Err(), "it ends before its test does")
}

func TestStreamsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		secret := o.token(scope.All(), token.ReadEvents)
		var streams []*listener
		for range 5 {
			streams = append(streams, o.listen("", secret, ""))
		}
		o.refuses(429, "/api/v1/events", secret, "too many streams")
		streams[0].close()
		require.Eventually(t, func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, "GET", o.url+"/api/v1/events", nil)
			require.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+secret)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return false
			}
			defer response.Body.Close()
			return response.StatusCode == http.StatusOK
		}, time.Minute, 20*time.Millisecond)
		o.refuses(422, "/api/v1/events?after=1", secret, "query.after")
		response, body := o.call("GET", "/api/v1/events", secret, "", "Last-Event-ID", "x")
		require.Equal(t, 422, response.StatusCode, string(body))
	})
}
