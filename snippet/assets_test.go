package snippet_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet"
)

func fetchAsset(method, path, accept string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	snippet.Assets().ServeHTTP(w, r)
	return w.Result()
}

// The script knows its parts by names under which they are served for ever.
func TestAssetsAreThoseOfTheScript(t *testing.T) {
	script, err := snippet.NewScript(settings())
	require.NoError(t, err)
	name := regexp.MustCompile(`numbers-[\w-]+\.js`).FindString(body(t, fetch(t, script, "GET", nil).Body))
	require.NotEmpty(t, name)

	for accept, coding := range map[string]string{"": "", "gzip": "gzip", "gzip, br": "br"} {
		answer := fetchAsset("GET", "/frontdesk/assets/"+name, accept)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, coding, answer.Header.Get("Content-Encoding"))
		require.Equal(t, "public, max-age=31536000, immutable", answer.Header.Get("Cache-Control"))
		require.Equal(t, "text/javascript; charset=utf-8", answer.Header.Get("Content-Type"))
		require.NotEmpty(t, body(t, answer.Body))
	}
	require.Equal(t, http.StatusMethodNotAllowed, fetchAsset("POST", "/frontdesk/assets/"+name, "").StatusCode)
}

func TestOtherAssetsAreNotFound(t *testing.T) {
	for _, path := range []string{"/", "/frontdesk/assets/", "/frontdesk/assets/numbers.js", "/frontdesk/assets/numbers-AAAAAAAAAAA.js", "/svc.js"} {
		answer := fetchAsset("GET", path, "")
		require.Equal(t, http.StatusNotFound, answer.StatusCode, path)
		require.Empty(t, answer.Header.Get("Cache-Control"), path)
	}
}
