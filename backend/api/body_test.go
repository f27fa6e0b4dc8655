package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// A client that sends all of a body before it reads, as most do, reads why it was too large.
func TestTooLargeIsReadByItsSender(t *testing.T) {
	s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), siteOf(variantB))
	address, err := url.Parse(s.url)
	require.NoError(t, err)
	dial := func() net.Conn {
		t.Helper()
		line, err := net.Dial("tcp", address.Host)
		require.NoError(t, err)
		t.Cleanup(func() { line.Close() })
		require.NoError(t, line.SetDeadline(time.Now().Add(time.Minute)))
		return line
	}
	head := "POST /frontdesk/api/add_offline_message/ HTTP/1.1\r\nHost: shop\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	answered := func(line net.Conn) {
		t.Helper()
		answer, err := http.ReadResponse(bufio.NewReader(line), nil)
		require.NoError(t, err)
		said, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		require.Contains(t, string(said), "too_large")
	}
	const size = 6 << 20
	body := bytes.Repeat([]byte("m"), size)

	line := dial()
	fmt.Fprintf(line, "%sContent-Length: %d\r\n\r\n", head, size)
	_, err = line.Write(body)
	require.NoError(t, err)
	answered(line)

	line = dial()
	fmt.Fprintf(line, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n", head, size)
	_, err = line.Write(body)
	require.NoError(t, err)
	_, err = line.Write([]byte("\r\n0\r\n\r\n"))
	require.NoError(t, err)
	answered(line)

	// Who asks first is told before anything is sent, and one that stops sending is not waited for long.
	line = dial()
	fmt.Fprintf(line, "%sContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", head, size)
	answered(line)
	line = dial()
	fmt.Fprintf(line, "%sContent-Length: %d\r\n\r\nm", head, size)
	answered(line)
}
