package caddymodule

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// TestStreamsEndWithTheirConfiguration opens a live page of the console, replaces
// the configuration, and opens the page anew on the next one, where it goes on.
func TestStreamsEndWithTheirConfiguration(t *testing.T) {
	caddyfile := option + `
		http://localhost:$PORT {
			frontdesk_console
		}
		http://localhost:$PORT2 {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, caddyfile).ready()
	desk, done, err := activeService(s.t).Use()
	require.NoError(t, err)
	token, needed, err := desk.Operators.SetupToken(t.Context())
	done()
	require.NoError(t, err)
	require.True(t, needed)
	client := s.signedIn(token)

	stream := s.stream(client, "visitors")
	require.NoError(t, s.load(caddyfile))
	_, err = stream.ReadString(0) // up to its end
	require.ErrorIs(t, err, io.EOF)

	stream = s.stream(client, "visitors")
	_, err = stream.ReadString('\n')
	require.NoError(t, err)
}

// signedIn is a client of the console on $PORT, with the first account, which it
// makes by the token of the setup link.
func (s *server) signedIn(token string) *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	client := &http.Client{Jar: jar}
	response, err := client.PostForm(s.text("http://localhost:$PORT/setup"), url.Values{
		"token": {token}, "login": {"anna"}, "password": {"correct horse battery"},
	})
	require.NoError(s.t, err)
	response.Body.Close()
	require.Equal(s.t, "/sites", response.Request.URL.Path, "signed in")
	return client
}

// stream opens a live page of the console on $PORT.
func (s *server) stream(client *http.Client, view string) *bufio.Reader {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.text("http://localhost:$PORT/stream/"+view+"?after=0-0"), nil)
	require.NoError(s.t, err)
	request.Header.Set("Accept", "text/event-stream")
	response, err := client.Do(request)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { response.Body.Close() })
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	require.True(s.t, strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"))
	return bufio.NewReader(response.Body)
}

// TestStreamsOfVisitorsEndWithTheirConfiguration opens a visitor's stream, replaces the configuration, and opens it
// anew on the next one.
func TestStreamsOfVisitorsEndWithTheirConfiguration(t *testing.T) {
	caddyfile := option + `
		http://localhost:$PORT2 {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, caddyfile).ready()
	desk, done, err := activeService(s.t).Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	token := desk.Visits.Token(shop.ID, visit.Ref{Visitor: 1, Session: 1, Hit: 1}, api.OpensLine, time.Minute)
	open := func() *bufio.Reader {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.text("http://localhost:$PORT2/frontdesk/v1/chat/stream?t=")+token, nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		require.Equal(t, http.StatusOK, response.StatusCode)
		stream := bufio.NewReader(response.Body)
		event, err := stream.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "data: {\"online\":false}\n", event)
		return stream
	}
	stream := open()
	require.NoError(t, s.load(caddyfile))
	_, err = io.ReadAll(stream) // up to its end
	require.NoError(t, err)
	open()
}
