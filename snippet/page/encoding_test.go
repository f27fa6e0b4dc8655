package page_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// flusher is what all compressors have.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// compressors are the codings as origins write them.
var compressors = map[string]struct {
	coding string
	open   func(io.Writer) flusher
}{
	"gzip":    {"gzip", func(w io.Writer) flusher { return gzip.NewWriter(w) }},
	"x-gzip":  {"X-GZip", func(w io.Writer) flusher { return gzip.NewWriter(w) }},
	"br":      {"br", func(w io.Writer) flusher { return brotli.NewWriter(w) }},
	"deflate": {"deflate", func(w io.Writer) flusher { return zlib.NewWriter(w) }},
	"bare deflate": {"deflate", func(w io.Writer) flusher {
		z, err := flate.NewWriter(w, 5)
		if err != nil {
			panic(err)
		}
		return z
	}},
	"zstd": {"zstd", func(w io.Writer) flusher {
		z, err := zstd.NewWriter(w)
		if err != nil {
			panic(err)
		}
		return z
	}},
}

func compress(t testing.TB, name, text string) string {
	var b bytes.Buffer
	w := compressors[name].open(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// noise is text that does not compress, so that a coding has as many bytes.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[random.IntN(64)]
	}
	return string(b)
}

func longPage() string {
	return strings.Replace(plainPage, "<body>", "<body>"+noise(300<<10), 1)
}

func TestEncodedPages(t *testing.T) {
	for name, c := range compressors {
		for _, text := range []string{plainPage, longPage()} {
			encoded := compress(t, name, text)
			for _, step := range []int{1 << 20, 997, 1} {
				if step == 1 && len(encoded) > 1<<10 {
					continue
				}
				s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", c.coding)
					w.Header().Set("Content-Length", strconv.Itoa(len(encoded)))
					for rest := encoded; rest != ""; {
						n := min(step, len(rest))
						_, _ = io.WriteString(w, rest[:n])
						rest = rest[n:]
					}
				}))
				response, body := s.get(t, "GET", "Accept-Encoding", "gzip, br")
				require.Equal(t, woven(text, inline), body, name)
				require.Empty(t, response.Header.Get("Content-Encoding"))
				require.Equal(t, page.Woven, (<-s.result).Outcome)
			}
			s := serve(t, handler(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", c.coding)
				_, _ = w.(io.ReaderFrom).ReadFrom(strings.NewReader(encoded))
			}))
			_, body := s.get(t, "GET")
			require.Equal(t, woven(text, inline), body, name)
		}
	}
}

func TestEncodedPageThatIsNotWovenKeepsItsCoding(t *testing.T) {
	for name, c := range compressors {
		encoded := compress(t, name, "<p>"+noise(5<<10))
		s := serve(t, sends(encoded, "Content-Encoding", c.coding))
		response, body := s.get(t, "GET")
		require.Equal(t, encoded, body, name)
		require.Equal(t, c.coding, response.Header.Get("Content-Encoding"))
		require.EqualValues(t, len(encoded), response.ContentLength)
		require.Equal(t, page.Fragment, (<-s.result).Outcome)
	}
}

// What the origin has flushed arrives, though more of the coding is to come.
func TestEncodedPagesAreFlushed(t *testing.T) {
	for name, c := range compressors {
		t.Run(name, func(t *testing.T) {
			seen := make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request) error {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", c.coding)
				z := c.open(w)
				_, err := io.WriteString(z, plainPage)
				err = errors.Join(err, z.Flush(), http.NewResponseController(w).Flush())
				select {
				case <-seen:
				case <-r.Context().Done():
				}
				_, err2 := io.WriteString(z, "the end")
				return errors.Join(err, err2, z.Close())
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
			rest, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, "the end", string(rest))
			require.NoError(t, <-s.err)
		})
	}
}

func TestMembersOfGzipPagesFollowEachOther(t *testing.T) {
	s := serve(t, sends(compress(t, "gzip", plainPage[:50])+compress(t, "gzip", plainPage[50:]), "Content-Encoding", "gzip"))
	_, body := s.get(t, "GET")
	require.Equal(t, woven(plainPage, inline), body)
}

// A page that is corrupt before anything of it was sent passes as it is.
func TestCorruptBeginning(t *testing.T) {
	for name, c := range compressors {
		if name == "bare deflate" { // what begins like zlib is taken for it
			continue
		}
		for _, body := range []string{"not encoded at all", compress(t, name, "<html>"+noise(100))[:20], "\x1f", ""} {
			s := serve(t, sends(body, "Content-Encoding", c.coding))
			response, got := s.get(t, "GET")
			require.Equal(t, body, got, name)
			require.Equal(t, c.coding, response.Header.Get("Content-Encoding"))
			require.Equal(t, page.Encoding, (<-s.result).Outcome)
		}
	}
}

// A page that is corrupt later is broken off, so that nobody takes it for whole.
func TestCorruptEnd(t *testing.T) {
	for name, c := range compressors {
		encoded := compress(t, name, longPage())
		for kind, body := range map[string]string{
			"cut off":  encoded[:len(encoded)-50_000],
			"trailing": encoded + "garbage behind the end",
			"one byte": encoded[:len(encoded)-1],
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				s := serve(t, sends(body, "Content-Encoding", c.coding))
				response, err := http.Get(s.URL)
				require.NoError(t, err)
				defer response.Body.Close()
				got, err := io.ReadAll(response.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				require.True(t, strings.HasPrefix(woven(longPage(), inline), string(got)))
			})
		}
	}
}

func TestOriginThatFailsInAnEncodedPage(t *testing.T) {
	encoded := compress(t, "gzip", longPage())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, encoded[:100<<10])
		return errors.New("no more")
	})
	response, err := http.Get(s.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestMemoryOfEncodedPagesIsBounded(t *testing.T) {
	var large bytes.Buffer
	z, err := zstd.NewWriter(&large, zstd.WithWindowSize(64<<20))
	require.NoError(t, err)
	for range 2 {
		_, err = io.WriteString(z, plainPage+noise(1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	s := serve(t, sends(large.String(), "Content-Encoding", "zstd"))
	_, body := s.get(t, "GET")
	require.Equal(t, large.String(), body)
	require.Equal(t, page.Encoding, (<-s.result).Outcome)

	var wide bytes.Buffer
	b := brotli.NewWriterOptions(&wide, brotli.WriterOptions{Quality: 5, LGWin: 24})
	_, err = io.WriteString(b, plainPage)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	s = serve(t, sends(wide.String(), "Content-Encoding", "br"))
	_, body = s.get(t, "GET")
	require.Equal(t, wide.String(), body)
	require.Equal(t, page.Encoding, (<-s.result).Outcome)
}

func TestHeadOfAnEncodedPage(t *testing.T) {
	s := serve(t, sends(compress(t, "br", plainPage), "Content-Encoding", "br"))
	response, _ := s.get(t, "HEAD")
	require.NotContains(t, response.Header, "Content-Encoding")
	require.EqualValues(t, -1, response.ContentLength)
}
