package page

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/coding"
	"github.com/seed-3405227d/frontdesk/snippet/weave/head"
)

const shortPage = "<html><head><title>a</title></head><body>b</body></html>"

// broken is a writer whose finder panics on the next byte.
func broken(t *testing.T, rw http.ResponseWriter, header ...string) *writer {
	w := newWriter(testCode(t), rw, httptest.NewRequest("GET", "/", nil), Visit{}, "")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(http.StatusOK)
	return w
}

func TestOwnPanicLetsThePagePass(t *testing.T) {
	recorder := httptest.NewRecorder()
	w := broken(t, recorder, "Content-Length", "56")
	w.page.finder = head.Finder{}
	_, err := io.WriteString(w, shortPage[:20])
	require.NoError(t, err)
	_, err = io.WriteString(w, shortPage[20:])
	require.NoError(t, err)
	w.finish()
	require.Equal(t, shortPage, recorder.Body.String())
	require.Equal(t, "56", recorder.Header().Get("Content-Length"))
	require.Equal(t, Failed, w.Outcome)
}

func TestOwnPanicInAPageThatIsUnderWay(t *testing.T) {
	recorder := httptest.NewRecorder()
	w := broken(t, recorder)
	_, err := io.WriteString(w, shortPage[:15]) // up to inside of a tag
	require.NoError(t, err)
	require.NoError(t, w.FlushError())
	require.Equal(t, shortPage[:12], recorder.Body.String())
	w.page.finder = head.Finder{}
	_, err = io.WriteString(w, shortPage[15:])
	require.NoError(t, err)
	w.finish()
	require.Equal(t, shortPage, recorder.Body.String())
	require.Equal(t, Failed, w.Outcome)
}

func TestOwnPanicInAnEncodedPage(t *testing.T) {
	var encoded bytes.Buffer
	z := gzip.NewWriter(&encoded)
	_, err := io.WriteString(z, shortPage)
	require.NoError(t, err)
	require.NoError(t, z.Close())

	recorder := httptest.NewRecorder()
	w := broken(t, recorder, "Content-Encoding", "gzip")
	w.page.finder = head.Finder{}
	_, err = w.Write(encoded.Bytes())
	require.NoError(t, err)
	w.finish()
	require.Equal(t, encoded.Bytes(), recorder.Body.Bytes())
	require.Equal(t, "gzip", recorder.Header().Get("Content-Encoding"))

	w = broken(t, httptest.NewRecorder(), "Content-Encoding", "gzip")
	require.NoError(t, w.FlushError()) // so that it has to be decoded
	w.page.finder = head.Finder{}
	_, err = w.Write(encoded.Bytes())
	require.Error(t, err)
	require.Error(t, w.broken, "the response is to be broken off")
}

// What is held back is bounded, whatever the page does.
func TestMemoryOfAPageIsBounded(t *testing.T) {
	for _, header := range [][]string{nil, {"Content-Encoding", "gzip"}} {
		w := broken(t, sink{header: make(http.Header)}, header...)
		var to io.Writer = w
		if header != nil {
			to = gzip.NewWriter(w)
		}
		_, err := io.WriteString(to, "<html><head><!--")
		require.NoError(t, err)
		piece := []byte(strings.Repeat("<script>", 4<<10))
		for range 1 << 9 { // 16 MB
			_, err := to.Write(piece)
			require.NoError(t, err)
			require.LessOrEqual(t, cap(w.page.held), 4*maxHold)
			require.LessOrEqual(t, cap(w.page.origin), 4*maxHold)
		}
		if w.decoder != nil {
			w.decoder.Stop()
		}
	}
}

// sink takes a response and keeps nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) WriteHeader(int)             {}
func (s sink) Write(p []byte) (int, error) { return len(p), nil }

// A client that has gone does not disturb, and the origin learns of it.
func TestClientThatIsGone(t *testing.T) {
	gone := errors.New("gone")
	w := broken(t, deaf{sink{make(http.Header)}, gone})
	_, err := io.WriteString(w, "<html><head></head><body>")
	require.ErrorIs(t, err, gone)
	_, err = io.WriteString(w, shortPage)
	require.ErrorIs(t, err, gone)
	_, err = w.ReadFrom(strings.NewReader(shortPage))
	require.ErrorIs(t, err, gone)
	w.finish()
}

type deaf struct {
	sink
	err error
}

func (d deaf) Write([]byte) (int, error) { return 0, d.err }

// Coroutines of decoders end with their pages, also when those end early.
func TestNoCoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 50 {
		func() {
			defer func() { _ = recover() }()
			_, _ = Serve(testCode(t), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), Visit{},
				func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", "gzip")
					_, _ = w.Write([]byte{0x1f, 0x8b, 8})
					panic("a")
				})
		}()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before+5)
}

func FuzzEncoded(f *testing.F) {
	codings := []string{"", "gzip", "deflate", "br", "zstd"}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, shortPage)
	_ = z.Close()
	f.Add(b.Bytes(), uint8(1), uint16(7))
	f.Add([]byte(shortPage), uint8(0), uint16(9))
	// A short page that is long when it comes; pages for which the code has another form.
	var flushed bytes.Buffer
	z.Reset(&flushed)
	_, _ = io.WriteString(z, "<html><!--")
	for flushed.Len() <= maxHold {
		_ = z.Flush()
	}
	_ = z.Close()
	f.Add(flushed.Bytes(), uint8(1), uint16(7))
	f.Add([]byte("<html><base href=//a/><p>"), uint8(0), uint16(3))
	f.Add([]byte("<html><meta http-equiv=content-security-policy content=\"script-src 'self'\"><p>"), uint8(0), uint16(3))
	f.Add([]byte("\x78\x9c\x01\x00\x00\xff\xff"), uint8(2), uint16(1))
	f.Add([]byte("\x0b\x02\x80abc\x03"), uint8(3), uint16(2))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x19\x00\x00abc"), uint8(4), uint16(5))
	code := testCode(f)
	form, _ := code.ChooseForm(nil, "")
	inserted := string(code.AppendTo(nil, form))
	run := func(coding string, pieces ...[]byte) (body string, result Result, aborted bool) {
		recorder := httptest.NewRecorder()
		defer func() {
			body = recorder.Body.String()
			if v := recover(); v != nil {
				if v != http.ErrAbortHandler {
					panic(v)
				}
				aborted = true
			}
		}()
		result, _ = Serve(code, recorder, httptest.NewRequest("GET", "/", nil), Visit{}, func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "text/html")
			if coding != "" {
				w.Header().Set("Content-Encoding", coding)
			}
			for _, piece := range pieces {
				_, _ = w.Write(piece)
			}
			return nil
		})
		return
	}
	// whole is the page decoded, if it can be up to its end.
	whole := func(name string, encoded []byte) (page string, ok bool) {
		if name == "" {
			return string(encoded), true
		}
		var decoded []byte
		d := coding.NewDecoder(name, func(int) bool { return true })
		defer d.Stop()
		d.Input, d.Ended = encoded, true
		for {
			piece, err := d.Next()
			decoded = append(decoded, piece...)
			if err != nil {
				return string(decoded), errors.Is(err, io.EOF)
			}
		}
	}
	f.Fuzz(func(t *testing.T, encoded []byte, kind uint8, cut uint16) {
		if bytes.Contains(encoded, []byte("__cs")) {
			return
		}
		coding := codings[int(kind)%len(codings)]
		at := int(cut) % (len(encoded) + 1)
		body, result, aborted := run(coding, encoded)
		again, result2, aborted2 := run(coding, encoded[:at], encoded[at:])
		page, ok := whole(coding, encoded)
		if !ok {
			// How far the page comes, and what is noticed first, depends on the cut. But it goes out
			// untouched, or is broken off.
			require.True(t, aborted || body == string(encoded))
			require.True(t, aborted2 || again == string(encoded))
			return
		}
		require.False(t, aborted || aborted2)
		require.Equal(t, result.Outcome, result2.Outcome)
		lower := strings.ToLower(page)
		switch {
		case result.Outcome != Woven:
			// What is longer than what is held, as it came or decoded, goes out decoded.
			for _, sent := range []string{body, again} {
				require.True(t, sent == string(encoded) || sent == page && max(len(page), len(encoded)) > maxHold)
			}
		case strings.Contains(lower, "<base") || strings.Contains(lower, "http-equiv"):
			require.Equal(t, body, again) // the code may have another form
		case coding == "":
			require.Equal(t, string(encoded), strings.Replace(body, inserted, "", 1))
			require.Equal(t, body, again)
		default:
			require.Contains(t, body, inserted)
			require.Equal(t, body, again)
		}
	})
}

// Whatever breaks in the replacing of numbers, the page goes out as it was.
func TestPageSurvivesTheReplacer(t *testing.T) {
	const page = "<!doctype html><html><head><title>a</title></head><body>+7 495 123-45-67</body></html>"
	for _, length := range []string{"", strconv.Itoa(len(page))} {
		for i := range page {
			code := testCode(t)
			recorder := httptest.NewRecorder()
			result, err := Serve(code, recorder, httptest.NewRequest("GET", "/", nil), Visit{Shown: unsearchable(t)}, func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/html")
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				_, _ = io.WriteString(w, page[:i])
				_, _ = io.WriteString(w, page[i:])
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, Failed, result.Outcome)
			require.Equal(t, page, recorder.Body.String())
		}
	}
}
