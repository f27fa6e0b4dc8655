package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// forgetful is a balancer whose streams can be forgotten: nothing comes by them any more, and they do not end, as when the machine
// of their node is lost.
type forgetful struct {
	*httptest.Server
	mu   sync.Mutex
	open context.Context // of those of now
	lose context.CancelFunc
}

func newForgetful(t *testing.T, address string) *forgetful {
	t.Helper()
	to, err := url.Parse(address)
	require.NoError(t, err)
	f := new(forgetful)
	f.open, f.lose = context.WithCancel(t.Context())
	passing := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host }, // the host stays
		ModifyResponse: func(r *http.Response) error {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
				r.Body = &forgotten{r.Body, r.Request.Context(), f.current()}
			}
			return nil
		},
	}
	f.Server = httptest.NewServer(passing)
	t.Cleanup(func() {
		f.Listener.Close() // pages come back at once
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *forgetful) address() string { return "http://localhost:" + port(f.Listener.Addr().String()) }

func (f *forgetful) current() context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// forget forgets the streams that are open.
func (f *forgetful) forget(t *testing.T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose()
	f.open, f.lose = context.WithCancel(t.Context())
}

// forgotten is what comes by a stream until it is forgotten.
type forgotten struct {
	io.ReadCloser
	client, open context.Context
}

func (f *forgotten) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if f.open.Err() != nil {
		<-f.client.Done()
	}
	return n, err
}

// The machine of a node is lost, and nobody ends the streams that it had: the visitor's chat and the operator's console miss its word
// and go on with another.
func TestStreamsOfALostMachine(t *testing.T) {
	t.Parallel()
	_, _, database := postgres(t)
	p := runChat(t, database)
	desk := p.signedIn(t)
	shop, console := newForgetful(t, p.shop), newForgetful(t, p.console)
	b := newTab(t)
	b.opensChat(shop.address())
	b.says("One")
	desk.visit(console.address() + "/chats")
	desk.opensFirst()
	desk.answersWith("Two")
	b.shows("One", "Two")

	shop.forget(t)
	desk.answersWith("Three")
	b.shows("One", "Two", "Three")

	console.forget(t)
	b.says("Four")
	desk.hasTexts(consoleTexts, "One", "Two", "Three", "Four")
	desk.until(`document.documentElement.dataset.stream === "live"`)
}
