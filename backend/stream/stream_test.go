package stream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is long enough for a machine that has much to do.
const patience = 4 * time.Second

// eachProtocol answers a request by HTTP/1.1 and by HTTP/2.
func eachProtocol(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, answer *http.Response)) {
	for major, name := range map[int]string{1: "HTTP/1.1", 2: "HTTP/2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(handler)
			server.EnableHTTP2 = major == 2
			server.StartTLS()
			t.Cleanup(server.Close)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			t.Cleanup(cancel)
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			require.NoError(t, err)
			answer, err := server.Client().Do(r)
			require.NoError(t, err)
			t.Cleanup(func() { answer.Body.Close() })
			require.Equal(t, major, answer.ProtoMajor)
			test(t, answer)
		})
	}
}

// An answer may be silent for longer than its client may take to read, in its middle and before its end.
func TestSilence(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, _ *http.Request) {
		a := Over(w)
		a.patience = patience
		defer a.End()
		for _, word := range []string{"one ", "two "} {
			if a.Send([]byte(word), []byte(word)) != nil {
				return
			}
			time.Sleep(a.patience + 500*time.Millisecond)
		}
	}, func(t *testing.T, answer *http.Response) {
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, "one one two two ", string(text))
	})
}

// A client that does not read is not waited for.
func TestClientThatDoesNotRead(t *testing.T) {
	failed := make(chan error, 2)
	eachProtocol(t, func(w http.ResponseWriter, _ *http.Request) {
		a := Over(w)
		a.patience = patience
		defer a.End()
		if a.Send([]byte("one ")) == nil {
			failed <- a.Send(make([]byte, 32<<20))
		}
	}, func(t *testing.T, _ *http.Response) {
		select {
		case err := <-failed:
			require.Error(t, err)
		case <-t.Context().Done():
		case <-time.After(time.Minute):
			require.Fail(t, "it waits")
		}
	})
}
