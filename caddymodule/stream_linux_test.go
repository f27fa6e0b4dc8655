package caddymodule

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
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
	s := run(t, caddyfile).Ready()
	desk, done, err := Use()
	require.NoError(t, err)
	token, needed, err := desk.Operators.SetupToken(t.Context())
	done()
	require.NoError(t, err)
	require.True(t, needed)
	client := s.SignedIn(token)

	stream := s.Stream(client, "visitors")
	require.True(t, hasSilence(t, 20*time.Second), "it ends soon after its network does")
	require.NoError(t, s.Load(caddyfile))
	_, err = stream.ReadString(0) // up to its end
	require.ErrorIs(t, err, io.EOF)

	stream = s.Stream(client, "visitors")
	_, err = stream.ReadString('\n')
	require.NoError(t, err)
}

// TestStreamsOfVisitorsEndWithTheirConfiguration opens a visitor's stream, replaces the configuration, and opens it
// anew on the next one.
func TestStreamsOfVisitorsEndWithTheirConfiguration(t *testing.T) {
	caddyfile := option + `
		http://localhost:$PORT2 {
			frontdesk shop
			reverse_proxy $ORIGIN
		}`
	s := run(t, caddyfile).Ready()
	desk, done, err := Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	token := desk.Keys.Token(shop.ID, visit.Ref{Visitor: 1, Visit: 1, View: 1}, conversation.OpensLine, time.Minute)
	open := func() *bufio.Reader {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Text("http://localhost:$PORT2/frontdesk/v1/chat/stream?t=")+token, nil)
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
	require.True(t, hasSilence(t, time.Minute), "it ends soon after its network does")
	require.NoError(t, s.Load(caddyfile))
	_, err = io.ReadAll(stream) // up to its end
	require.NoError(t, err)
	open()
}

// hasSilence tells whether this process, which is the server too, has a connection with the bound.
func hasSilence(t *testing.T, most time.Duration) bool {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, file := range files {
		number, err := strconv.Atoi(file.Name())
		require.NoError(t, err)
		if is, err := unix.GetsockoptInt(number, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT); err == nil && is == int(most.Milliseconds()) {
			return true
		}
	}
	return false
}
