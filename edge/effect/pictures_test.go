package effect

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/snippet/picture"
)

func TestPictures(t *testing.T) {
	black, err := picture.New(picture.Style{})
	require.NoError(t, err)
	navy, err := picture.New(picture.Style{Color: "navy"})
	require.NoError(t, err)
	drawn := make(drawings)
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

	f := &effect{Of: &Effects{Shared: &Shared{Pictures: new(Pictures)}}, numbers: &numbers{drawings: drawn}}
	ask := func(method, name string, headers ...string) *http.Response {
		request := httptest.NewRequest(method, "/frontdesk/phone/"+name, nil)
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		request.SetPathValue("name", name)
		f.ServePicture(answer, request)
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
	for _, unknown := range []string{"", "none.svg", first + "/", strings.ToUpper(first), "../svc.js"} {
		missing := ask(http.MethodGet, unknown)
		require.Equal(t, http.StatusNotFound, missing.StatusCode, unknown)
		require.Equal(t, "no-store", missing.Header.Get("Cache-Control"))
	}
}

// Pages that are open keep their pictures through reloads, however many sites there are.
func TestPicturesOfManySitesOutliveReloads(t *testing.T) {
	kept := new(Pictures)
	configuration := func(color string) (blocks []*Effects) {
		e := &Shared{Pictures: kept}
		for i := range 90 {
			settings := Settings{Prerender: "static", Numbers: []number.Number{{Number: fmt.Sprint(74951230000 + i), Pictures: []number.Picture{{Place: "img", Color: color}}}}}
			for k := range 14 {
				settings.Numbers[0].Tracking = append(settings.Numbers[0].Tracking, number.Tracking{Static: fmt.Sprint(74957650000 + 20*i + k), When: []string{fmt.Sprint("utm_source=", k)}})
			}
			require.NoError(t, settings.Complete())
			b, err := e.Effects(settings)
			require.NoError(t, err)
			blocks = append(blocks, b)
		}
		return blocks
	}
	refused := configuration("navy")
	require.Zero(t, kept.Kept(), "a configuration that does not run leaves nothing")
	first := configuration("maroon")
	for _, color := range []string{"maroon", "black", "teal"} {
		for _, b := range configuration(color) {
			b.Keep()
		}
	}
	for _, b := range first {
		for name, content := range b.numbers.drawings {
			require.Equal(t, content, kept.find(name))
		}
	}
	for name := range refused[0].numbers.drawings {
		require.Nil(t, kept.find(name))
	}
	again := configuration("maroon")[0]
	for name, content := range again.numbers.drawings {
		require.Same(t, &content[0], &kept.find(name)[0], "is kept once")
	}
}
