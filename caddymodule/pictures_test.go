package caddymodule

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

func TestPictures(t *testing.T) {
	black, err := picture.New(picture.Style{})
	require.NoError(t, err)
	navy, err := picture.New(picture.Style{Color: "navy"})
	require.NoError(t, err)
	drawn := make(pictures)
	first, err := drawn.add(black, "+7 495 765-43-21")
	require.NoError(t, err)
	again, err := drawn.add(black, "+7 495 765-43-21")
	require.NoError(t, err)
	require.Equal(t, first, again)
	for renderer, text := range map[*picture.Renderer]string{navy: "+7 495 765-43-21", black: "+7 495 765-43-22"} {
		other, err := drawn.add(renderer, text)
		require.NoError(t, err)
		require.NotEqual(t, first, other)
	}
	require.Len(t, drawn, 3)
	_, err = drawn.add(black, "٠")
	require.Error(t, err)

	kept := new(keptPictures)
	ask := func(method, name string, headers ...string) *http.Response {
		request := httptest.NewRequest(method, "/frontdesk/phone/"+name, nil)
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		drawn.serve(answer, request, name, kept)
		return answer.Result()
	}
	got := ask(http.MethodGet, first)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "image/svg+xml", got.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
	require.Equal(t, "public, max-age=31536000, immutable", got.Header.Get("Cache-Control"))
	body, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(body), "<svg "))

	head := ask(http.MethodHead, first)
	require.Equal(t, http.StatusOK, head.StatusCode)
	require.Equal(t, got.Header, head.Header)
	require.Equal(t, http.StatusNotModified, ask(http.MethodGet, first, "If-None-Match", got.Header.Get("ETag")).StatusCode)
	require.Equal(t, http.StatusMethodNotAllowed, ask(http.MethodPost, first).StatusCode)
	for _, unknown := range []string{"", "none.svg", first + "/", strings.ToUpper(first), "../svc.js"} {
		missing := ask(http.MethodGet, unknown)
		require.Equal(t, http.StatusNotFound, missing.StatusCode, unknown)
		require.Equal(t, "no-store", missing.Header.Get("Cache-Control"))
	}
}

// A page that is open while the configuration changes keeps its picture.
func TestPicturesOutliveTheirConfiguration(t *testing.T) {
	config := func(color string) string {
		return option + `
			http://localhost:$PORT {
				frontdesk shop {
					number 74951234567 {
						picture .phone-img {
							color ` + color + `
						}
						static 74957654321
					}
					prerender static
				}
				respond "<!doctype html><html><head><title>a</title></head><body><img class=phone-img src=a alt=b></body></html>" {
					close
				}
				header Content-Type text/html
			}`
	}
	s := run(t, config("navy"))
	s.ready()
	address := regexp.MustCompile(`/frontdesk/phone/[^"> ]+`)
	first := address.FindString(s.get("http://localhost:$PORT/").body)
	require.NotEmpty(t, first)
	require.NoError(t, s.load(config("maroon")))
	second := address.FindString(s.get("http://localhost:$PORT/").body)
	require.NotEqual(t, first, second)
	for _, picture := range []string{first, second} {
		require.Equal(t, http.StatusOK, s.get("http://localhost:$PORT"+picture).StatusCode)
	}
}
