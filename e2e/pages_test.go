package e2e

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// inserted is the insertion code in both of its forms.
var inserted = regexp.MustCompile(`<script( nonce="?[^" >]+"?)?>var __cs=__cs\|\|\[\];[^<]*</script><script( nonce="?[^" >]+"?)? async src="/frontdesk/svc\.js"></script>` +
	`|<script type="application/json" data-svc>[^<]*</script><script async src="/frontdesk/svc\.js"></script>`)

// Every page of the shop leaves as the origin sent it, but for the inserted
// text; what is no page leaves untouched.
func TestEveryFileOfTheShopLeavesAsItCame(t *testing.T) {
	t.Parallel()
	p := runExample(t, "")
	woven := 0
	for _, path := range shopFiles(t) {
		ours, theirs := get(t, p.shop+path), get(t, p.origin+path)
		// A nonce is another in every answer.
		nonce := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
		got, want := nonce.ReplaceAllString(ours, "NONCE"), nonce.ReplaceAllString(theirs, "NONCE")
		places := inserted.FindAllStringIndex(got, -1)
		require.LessOrEqual(t, len(places), 1, path)
		if len(places) == 1 {
			woven++
			got = got[:places[0][0]] + got[places[0][1]:]
		}
		require.Equal(t, want, got, path)
	}
	require.Greater(t, woven, 15)
	for path, expected := range map[string]bool{
		"/": true, "/contacts.html": true, "/app/": true, "/outlet.html": false, "/ru/dostavka.html": true, "/gift-card": true, "/terms.html": true,
		"/no-such-page": true, "/privacy.html": false, "/fragments/hours.html": false, "/files/samples.html": false, "/files/price-list.txt": false,
	} {
		require.Equal(t, expected, inserted.MatchString(get(t, p.shop+path)), path)
	}
}

// The same through origins that compress and chunk.
func TestCompressedAndChunkedOriginsLeaveAsTheyCame(t *testing.T) {
	t.Parallel()
	shop := os.DirFS("../examples/shop/site")
	encoders := map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			encoder, err := zstd.NewWriter(w)
			require.NoError(t, err)
			return encoder
		},
	}
	// The origin encodes whatever the client accepts, as careless ones do:
	// /gzip/17/index.html is index.html compressed, written in pieces of 17 bytes.
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var encoding, path string
		var piece int
		_, err := fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%s %d %s", &encoding, &piece, &path)
		require.NoError(t, err)
		page, err := fs.ReadFile(shop, strings.ReplaceAll(path, "!", "/"))
		require.NoError(t, err)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var body bytes.Buffer
		if encode := encoders[encoding]; encode != nil {
			w.Header().Set("Content-Encoding", encoding)
			encoder := encode(&body)
			encoder.Write(page)
			encoder.Close()
		} else {
			body.Write(page)
		}
		flusher := http.NewResponseController(w)
		for i := 0; body.Len() > 0; i++ {
			w.Write(body.Next(piece))
			if i%7 == 0 {
				flusher.Flush()
			}
		}
	}))
	defer origin.Close()

	p := runProgram(t, `http://localhost:8080 {
	frontdesk shop
	reverse_proxy `+origin.Listener.Addr().String()+`
}
`, "")
	for _, page := range []string{"index.html", "contacts.html", "app!index.html", "trade.html"} {
		want, err := fs.ReadFile(shop, strings.ReplaceAll(page, "!", "/"))
		require.NoError(t, err)
		for _, encoding := range []string{"identity", "gzip", "br", "deflate", "zstd"} {
			for _, piece := range []string{"1", "17", "4096", "1000000"} {
				got := get(t, p.shop+"/"+encoding+"/"+piece+"/"+page)
				place := inserted.FindStringIndex(got)
				require.NotNil(t, place, "%s %s %s", encoding, piece, page)
				require.Equal(t, string(want), got[:place[0]]+got[place[1]:], "%s %s %s", encoding, piece, page)
			}
		}
	}
}

// shopFiles are the addresses of all that the shop serves.
func shopFiles(t *testing.T) []string {
	t.Helper()
	paths := []string{"/", "/app/", "/app/anything/else", "/gift-card", "/no-such-page"}
	require.NoError(t, fs.WalkDir(os.DirFS("../examples/shop/site"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, "/"+path)
		}
		return err
	}))
	return paths
}

// get returns the body of a page as a browser that opens it gets it.
func get(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "text/html,*/*;q=0.8")
	request.Header.Set("Sec-Fetch-Dest", "document")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}
