package relay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gone is a connection that passes nothing on once its way has died.
type gone struct {
	net.Conn
	died *atomic.Bool
}

func (g gone) Write(p []byte) (int, error) {
	if g.died.Load() {
		return len(p), nil
	}
	return g.Conn.Write(p)
}

// With HTTP/2 all visitors share a connection. One that has died without a word is missed, and another takes its place.
func TestConnectionThatDies(t *testing.T) {
	inner := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	inner.EnableHTTP2 = true
	inner.StartTLS()
	t.Cleanup(inner.Close)
	way, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { way.Close() })
	died := new(atomic.Bool)
	go func() {
		for first := true; ; first = false {
			visitor, err := way.Accept()
			if err != nil {
				return
			}
			service, err := net.Dial("tcp", inner.Listener.Addr().String())
			if err != nil {
				return
			}
			t.Cleanup(func() { visitor.Close(); service.Close() })
			ends := new(atomic.Bool)
			if first {
				ends = died
			}
			go io.Copy(gone{visitor, ends}, service)
			go io.Copy(gone{service, ends}, visitor)
		}
	}()

	transport := relaying().Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com"}
	transport.TLSClientConfig.RootCAs.AddCert(inner.Certificate())
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	answers := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+way.Addr().String(), nil)
		require.NoError(t, err)
		response, err := client.Do(r)
		if err != nil {
			return false
		}
		response.Body.Close()
		require.Equal(t, 2, response.ProtoMajor)
		return true
	}
	require.True(t, answers())
	died.Store(true)
	require.False(t, answers())
	require.Eventually(t, answers, time.Minute, 10*time.Millisecond)
}
