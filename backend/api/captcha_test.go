package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fetch gets an address that is no JSON.
func (s *desk) fetch(address string, headers ...string) (*http.Response, []byte) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response, content
}

func TestCaptcha(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		given := s.send(http.MethodGet, "v1/captcha?k=shop&l=ru", "")
		require.Equal(t, true, given.body["success"], given.raw)
		key, address, sound := given.body["key"].(string), given.body["url"].(string), given.body["sound"].(string)
		require.Equal(t, s.url+"v1/captcha/"+key+".png", address)
		require.True(t, strings.HasPrefix(sound, s.url+"v1/captcha/"+key+".wav"), sound)

		response, picture := s.fetch(address)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, "image/png", response.Header.Get("Content-Type"))
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		require.Equal(t, "image/png", http.DetectContentType(picture))
		response, russian := s.fetch(sound)
		require.Equal(t, "audio/wav", response.Header.Get("Content-Type"))
		plain, _, _ := strings.Cut(sound, "?")
		_, same := s.fetch(plain, "Accept-Language", "ru-RU,ru;q=0.9,en;q=0.8")
		require.Equal(t, russian, same)
		_, english := s.fetch(plain, "Accept-Language", "sv,en;q=0.5")
		require.NotEqual(t, russian, english)

		for _, strange := range []string{"v1/captcha/" + key, "v1/captcha/" + key + ".gif", "v1/captcha/AAAAAAAAAAAAAAAAAAAAAAAAAA.png", "v1/captcha/x.wav"} {
			refused := s.send(http.MethodGet, strange, "")
			require.Equal(t, http.StatusNotFound, refused.status, strange)
			require.Equal(t, "unknown_captcha", refused.code())
		}
		require.Equal(t, "unknown_site", s.send(http.MethodGet, "v1/captcha?k=other", "").code())
		require.Equal(t, http.StatusForbidden, s.send(http.MethodGet, "v1/captcha?k=shop", "", "Origin", "https://evil.example").status)
		require.Equal(t, http.StatusMethodNotAllowed, s.send(http.MethodPost, "v1/captcha?k=shop", "").status)

		right, err := s.captchas.Solve(t.Context(), siteID, key, "")
		require.NoError(t, err)
		require.False(t, right)
		require.Equal(t, "unknown_captcha", s.send(http.MethodGet, "v1/captcha/"+key+".png", "").code(), "it is used up")
	})
}

func TestCaptchasAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		ask := func(from string) answer { return s.send(http.MethodGet, "v1/captcha?k=shop", "", "From-Address", from) }
		given := 0
		for range 100 {
			a := ask("192.0.2.1:1234")
			if a.status == http.StatusOK {
				given++
				continue
			}
			require.Equal(t, http.StatusTooManyRequests, a.status)
			require.Equal(t, "too_many_requests", a.code())
			require.NotEmpty(t, a.header.Get("Retry-After"))
		}
		require.True(t, given >= 10 && given <= 30, "%d were given", given)
		require.Equal(t, http.StatusOK, ask("192.0.2.2:1234").status, "another address")
	})
}
