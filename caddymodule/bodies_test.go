package caddymodule

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// Bodies take memory as they come, and of all together no more than there is room for. Whoever takes all that a network
// may have keeps out its longer bodies alone, and no form from its site.
func TestBodiesHaveRoom(t *testing.T) {
	var received string
	origin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received = string(body)
	}))
	defer origin.Close()
	s := run(t, `
		{
			metrics
			servers {
				trusted_proxies static 127.0.0.1/32 ::1/128
				trusted_proxies_strict
			}
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /send/*
			}
			reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
		}
		http://localhost:$PORT2 {
			frontdesk_console
		}`).Ready()
	const call = "http://localhost:$PORT/frontdesk/api/add_offline_message/"
	const formType = "application/x-www-form-urlencoded"
	long := "text=" + strings.Repeat("a", 300<<10)
	post := func(address, from, body string) answer {
		t.Helper()
		got, err := s.Do(http.MethodPost, address, body, "Content-Type", formType, "X-Forwarded-For", from)
		require.NoError(t, err)
		return got
	}

	// What is announced takes nothing, and what has come is given back.
	announce := func(body string) net.Conn {
		t.Helper()
		line, err := net.Dial("tcp", s.Text("localhost:$PORT"))
		require.NoError(t, err)
		t.Cleanup(func() { line.Close() })
		require.NoError(t, line.SetDeadline(time.Now().Add(time.Minute)))
		_, err = fmt.Fprintf(line, "POST /frontdesk/api/add_offline_message/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nX-Forwarded-For: 198.51.100.1\r\nContent-Length: 1048576\r\n\r\n%s", formType, body)
		require.NoError(t, err)
		return line
	}
	held := func() int { return int(s.Metric("frontdesk_received_bytes")) }
	for range 20 {
		announce("")
	}
	half := announce(long)
	require.Eventually(t, func() bool { return held() == len(long)-4<<10 }, wait, tick)
	require.NoError(t, half.Close())
	require.Eventually(t, func() bool { return held() == 0 }, wait, tick)

	// A network has all that one may have.
	neighbour := activeService(t).intake.Share("198.51.100.7:80")
	require.True(t, neighbour.Take(intake.Whole/8))
	refused := announce(long)
	response, err := http.ReadResponse(bufio.NewReader(refused), nil)
	require.NoError(t, err)
	said, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, "5", response.Header.Get("Retry-After"))
	require.Contains(t, string(said), `"code":"busy"`)
	require.NotContains(t, post(call, "198.51.100.1", "text=short").Content, "busy")
	require.NotContains(t, post(call, "203.0.113.1", long).Content, "busy", "it is of another network")
	require.InDelta(t, 1, s.Metric("frontdesk_received_refused_total"), 0)

	// A form passes whole, and its beginning is kept.
	form := "phone=%2B74951234567&" + long
	require.Equal(t, http.StatusOK, post("http://localhost:$PORT/send/200", "198.51.100.1", form).StatusCode)
	require.Equal(t, form, received)
	desk, done, err := Use()
	require.NoError(t, err)
	defer done()
	var kept []lead.Lead
	require.Eventually(t, func() bool { // on a busy machine a form waits on the disk first
		kept, err = desk.Leads.List(t.Context(), scope.All(), lead.Cursor{}, 2)
		return err == nil && len(kept) == 1
	}, wait, tick)
	require.Equal(t, "+74951234567", kept[0].Phone)
	require.Less(t, len(kept[0].Message), intake.Free)

	// The console says so.
	const door = "http://localhost:$PORT2/sign-in"
	full := post(door, "198.51.100.1", "login=anna&password="+strings.Repeat("a", 30<<10))
	require.Equal(t, http.StatusServiceUnavailable, full.StatusCode)
	require.Equal(t, "5", full.Header.Get("Retry-After"))
	require.Contains(t, full.Content, "Wait a few seconds")
	require.NotEqual(t, http.StatusServiceUnavailable, post(door, "198.51.100.1", "login=anna&password=wrong").StatusCode)
	neighbour.Close()
	require.NotEqual(t, http.StatusServiceUnavailable, post(door, "198.51.100.1", "login=anna&password="+strings.Repeat("a", 30<<10)).StatusCode)
	require.Eventually(t, func() bool { return held() == 0 }, wait, tick)
}
