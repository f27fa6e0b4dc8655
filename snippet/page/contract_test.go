package page_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/page"
)

func TestFlushSendsWhatCannotChange(t *testing.T) {
	arrived := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(plainPage)))
		control := http.NewResponseController(w)
		for _, piece := range []string{plainPage[:40], plainPage[40:70], plainPage[70:]} {
			_, _ = io.WriteString(w, piece)
			if err := control.Flush(); err != nil {
				return err
			}
			select {
			case <-arrived:
			case <-r.Context().Done():
				return r.Context().Err()
			}
		}
		return nil
	})
	response, err := http.Get(s.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	require.EqualValues(t, -1, response.ContentLength, "the length cannot be known yet")
	first := make([]byte, 40)
	_, err = io.ReadFull(response.Body, first)
	require.NoError(t, err)
	require.Equal(t, plainPage[:40], string(first))
	close(arrived)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, woven(plainPage, inline), string(first)+string(rest))
	require.NoError(t, <-s.err)
}

func TestNothingIsHeldBackBehindThePlace(t *testing.T) {
	seen := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, plainPage)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-seen:
		case <-r.Context().Done():
		}
		return nil
	})
	response, err := http.Get(s.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	want := woven(plainPage, inline)
	got := make([]byte, len(want))
	_, err = io.ReadFull(response.Body, got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	close(seen)
}

func TestReadFromAFile(t *testing.T) {
	for _, size := range []int{0, 1 << 10, 100 << 10, 3 << 20} {
		body := strings.Replace(plainPage, "<body>", "<body>"+strings.Repeat("a", size), 1)
		name := filepath.Join(t.TempDir(), "a.html")
		require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
		s := serve(t, func(w http.ResponseWriter, r *http.Request) error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			n, err := w.(io.ReaderFrom).ReadFrom(f)
			if n != int64(len(body)) {
				return fmt.Errorf("%d bytes were read", n)
			}
			return err
		})
		response, got := s.get(t, "GET")
		require.NoError(t, <-s.err)
		require.Equal(t, woven(body, inline), got)
		require.EqualValues(t, len(got), response.ContentLength)
	}
}

func TestBigPages(t *testing.T) {
	comment := "<!--" + strings.Repeat("<script> </head> - ", 1<<16) + "-->"
	big := strings.Replace(plainPage, "<title>", comment+"<title>", 1)
	s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(big)))
		for rest := big; rest != ""; {
			n := min(len(rest), 1000)
			_, _ = io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
	}))
	response, body := s.get(t, "GET")
	require.EqualValues(t, -1, response.ContentLength, "the place came too late")
	require.Equal(t, woven(big, inline), body)
}

func TestOldProtocol(t *testing.T) {
	s := serve(t, sends(plainPage))
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, woven(plainPage, inline), string(body))
}

func TestEarlyHints(t *testing.T) {
	s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusOK)
		w.WriteHeader(http.StatusInternalServerError) // one too many
		_, _ = io.WriteString(w, plainPage)
	}))
	var hints []int
	trace := &httptrace.ClientTrace{Got1xxResponse: func(status int, _ textproto.MIMEHeader) error {
		hints = append(hints, status)
		return nil
	}}
	r, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), "GET", s.URL, nil)
	require.NoError(t, err)
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, []int{103}, hints)
	require.Equal(t, 200, response.StatusCode)
	require.Equal(t, woven(plainPage, inline), string(body))
}

func TestTrailers(t *testing.T) {
	s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("Content-Type", "text/html")
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, plainPage)
		w.Header().Set("X-Sum", "a")
		w.Header().Set(http.TrailerPrefix+"X-Late", "b")
	}))
	response, body := s.get(t, "GET")
	require.Equal(t, woven(plainPage, inline), body)
	require.Equal(t, "a", response.Trailer.Get("X-Sum"))
	require.Equal(t, "b", response.Trailer.Get("X-Late"))
}

func TestConnectionCanBeTaken(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) error {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
		return err
	})
	_, body := s.get(t, "GET")
	require.Equal(t, "a", body)
	require.Equal(t, page.Empty, (<-s.result).Outcome)
}

func TestSwitchedProtocolsPass(t *testing.T) {
	s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(c, plainPage)
			_ = c.Close()
		}
	}))
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	require.NoError(t, err)
	all, err := io.ReadAll(c)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(all), "HTTP/1.1 101 "))
	require.True(t, strings.HasSuffix(string(all), plainPage))
	require.Equal(t, page.Upgrade, (<-s.result).Outcome)
}

func TestFailureOfTheOrigin(t *testing.T) {
	failure := errors.New("no more")
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(plainPage)))
		_, _ = io.WriteString(w, plainPage[:40])
		return failure
	})
	response, err := http.Get(s.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the body is not completed")
	require.Equal(t, plainPage[:40], string(body))
	require.Equal(t, failure, <-s.err)

	s = serve(t, func(http.ResponseWriter, *http.Request) error { return failure })
	_, _ = s.get(t, "GET")
	require.Equal(t, failure, <-s.err)
	require.Equal(t, page.Failed, (<-s.result).Outcome)
}

func TestPanicOfTheOriginIsItsOwn(t *testing.T) {
	for _, value := range []any{http.ErrAbortHandler, "a"} {
		w := httptest.NewRecorder()
		require.PanicsWithValue(t, value, func() {
			_, _ = page.Serve(code(t), w, httptest.NewRequest("GET", "/", nil), page.Visit{}, handler(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, plainPage[:40])
				panic(value)
			}))
		})
		require.Empty(t, w.Body.String(), "what was held is not sent")
	}
}
