package caddymodule

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What pages load is answered under the prefix, whatever rewrites requests before.
func TestPicturesAndPartsOfTheScriptAreServed(t *testing.T) {
	s := run(t, option+`
		http://localhost:$PORT {
			rewrite /index.html
			header Content-Type "text/html; charset=utf-8"
			frontdesk shop {
				prefix /desk/
				number 74951234567 {
					picture .phone
					static 74957654321 utm_source=news
					static 74957654322 utm_source=radio
				}
				prerender static
			}
			respond "<!doctype html><html><head><title>Lamps</title></head><body><img class=phone src=/phone.png alt='+7 495 123-45-67'></body></html>"
		}`).Ready()
	base := "http://localhost:$PORT"
	served := func(path, contentType string) answer {
		t.Helper()
		got := s.Get(base + path)
		require.Equal(t, http.StatusOK, got.StatusCode, path)
		require.Equal(t, contentType, got.Header.Get("Content-Type"))
		require.Equal(t, "public, max-age=31536000, immutable", got.Header.Get("Cache-Control"))
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		return got
	}

	src := regexp.MustCompile(`src="?(/desk/phone/[\w-]+\.svg)`)
	pictureFor := func(source string) string {
		t.Helper()
		found := src.FindStringSubmatch(s.Get(base + "/?utm_source=" + source).Content)
		require.NotNil(t, found)
		return served(found[1], "image/svg+xml").Content
	}
	require.NotEqual(t, pictureFor("news"), pictureFor("radio"))
	require.NotRegexp(t, src, s.Get(base+"/").Content)

	part := regexp.MustCompile(`numbers-[\w-]+\.js`).FindString(s.Get(base + "/desk/svc.js").Content)
	require.NotEmpty(t, part)
	served("/desk/assets/"+part, "text/javascript; charset=utf-8")

	for _, nothing := range []string{"/desk/phone/", "/desk/phone/none.svg", "/desk/phone", "/desk/assets/", "/desk/assets/none.js"} {
		require.Equal(t, http.StatusNotFound, s.Get(base+nothing).StatusCode, nothing)
	}
}
