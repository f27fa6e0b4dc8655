package edge

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/edge/effect"
)

// The origin sees the same request from every visitor. The handlers around the block see what the client has sent.
func TestOriginDoesNotSeeOurCookies(t *testing.T) {
	const sent = "a=1; __Host-svc_v=x; b=2; svc_src=y"
	for name, settings := range map[string]effect.Settings{"script": {}, "numbers": numbered()} {
		f := serve(t, settings).ready()
		for path, dest := range map[string]string{"/": "document", "/a.png": "image", "/untracked": "document", "/data": "empty"} {
			r, err := http.NewRequest(http.MethodPost, path, strings.NewReader("a"))
			require.NoError(t, err)
			r.Header.Set("Cookie", sent)
			r.Header.Set("Sec-Fetch-Dest", dest)
			err = f.block.Serve(&nowhere{make(http.Header)}, r, &effect.Request{Key: "shop", URL: r.URL}, func() bool { return path != "/untracked" },
				func(_ http.ResponseWriter, r *http.Request) error {
					require.Equal(t, []string{"a=1; b=2"}, r.Header["Cookie"], name+path)
					return nil
				})
			require.NoError(t, err)
			require.Equal(t, []string{sent}, r.Header["Cookie"])
		}
	}
}

// Over HTTP/3 nothing but the count of bytes tells that a body has ended too early.
func TestFormThatIsShorterThanAnnounced(t *testing.T) {
	f := serve(t, effect.Settings{}).ready()
	r, err := http.NewRequest(http.MethodPost, "/order", strings.NewReader("phone=4951234567"))
	require.NoError(t, err)
	r.ContentLength++
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	read := false
	require.NoError(t, f.block.Serve(&nowhere{make(http.Header)}, r, &effect.Request{Key: "shop", URL: r.URL}, func() bool { return true },
		func(_ http.ResponseWriter, r *http.Request) error {
			_, err := io.ReadAll(r.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			read = true
			return nil
		}))
	require.True(t, read)
}
