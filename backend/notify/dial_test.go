package notify_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/seed-3405227d/frontdesk/backend/notify"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var reached atomic.Bool
		private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
		defer private.Close()
		r := w.receiver(func(_ int, w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, private.URL, http.StatusTemporaryRedirect)
		})
		w.endpoint(notify.Endpoint{Address: r.URL})
		w.run()
		w.lead()
		d := w.until(func(d notify.Delivery) bool { return d.Attempts > 0 })
		require.Equal(t, []any{notify.State("waiting"), 307, "redirect"}, []any{d.State, d.Status, d.Reason})
		require.False(t, reached.Load())
	})
}

// names answers look-ups of names: the n-th one, counted from 1, with the address. The zero
// address says that there is no such name.
func names(t testing.TB, answer func(n int) netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	go func() {
		buffer := make([]byte, 1500)
		looks := make(map[dnsmessage.Type]int)
		for {
			size, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if !assert.NoError(t, m.Unpack(buffer[:size])) {
				return
			}
			question := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			looks[question.Type]++
			at := answer(looks[question.Type])
			if !at.IsValid() {
				m.RCode = dnsmessage.RCodeNameError
			}
			header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
			switch {
			case question.Type == dnsmessage.TypeA && at.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: at.As4()}})
			case question.Type == dnsmessage.TypeAAAA && !at.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: at.As16()}})
			}
			packed, err := m.Pack()
			if !assert.NoError(t, err) {
				return
			}
			if _, err := server.WriteTo(packed, from); err != nil {
				return
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// What a name leads to counts when it is dialled, each time. The log does not tell what that was,
// or whether there is such a name.
func TestNameThatLeadsElsewhereLater(t *testing.T) {
	for name, elsewhere := range map[string]string{"IPv4": "127.0.0.2", "IPv4 in IPv6": "::ffff:127.0.0.2", "metadata": "169.254.169.254", "any": "0.0.0.0", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				r := w.receiver(nil)
				r.Config.SetKeepAlivesEnabled(false) // so that each message looks the name up
				_, port, err := net.SplitHostPort(r.Listener.Addr().String())
				require.NoError(t, err)
				var reached atomic.Int64
				private, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", port))
				require.NoError(t, err)
				defer private.Close()
				go func() {
					for {
						c, err := private.Accept()
						if err != nil {
							return
						}
						reached.Add(1)
						c.Close()
					}
				}()
				var looks atomic.Int64
				w.Resolve(names(t, func(n int) netip.Addr {
					looks.Store(int64(n))
					if n == 1 {
						return netip.MustParseAddr("127.0.0.1")
					}
					at, _ := netip.ParseAddr(elsewhere)
					return at
				}))
				w.endpoint(notify.Endpoint{Address: "https://example.com:" + port})
				w.run()
				w.lead()
				w.until(state("delivered"))
				w.lead()
				require.Eventually(t, func() bool { return len(w.log()) == 2 && w.log()[1].Attempts > 0 }, time.Minute, 10*time.Millisecond)
				d := w.log()[1]
				require.Equal(t, []any{notify.State("waiting"), "connect", "", 0}, []any{d.State, d.Reason, d.Detail, d.Status})
				require.Greater(t, looks.Load(), int64(1))
				require.Zero(t, reached.Load())
				require.Len(t, r.list(), 1)
			})
		})
	}
}

// Without TLS a webhook goes to what the configuration allows, and nowhere else.
func TestPlainHTTPStaysInside(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var reached atomic.Int64
		plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		defer plain.Close()
		w.endpoint(notify.Endpoint{Address: plain.URL})
		w.run()
		w.lead()
		w.until(state("delivered"))
		w.settings.Store(&notify.Settings{}) // and a reload takes it back
		plain.CloseClientConnections()
		w.lead()
		require.Eventually(t, func() bool { return len(w.log()) == 2 && w.log()[1].Attempts > 0 }, time.Minute, 10*time.Millisecond)
		require.Equal(t, "connect", w.log()[1].Reason)
		require.EqualValues(t, 1, reached.Load())
	})
}
