package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
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

// captcha asks for one, as the visitor of a page.
func (s *desk) captcha(v visitor, from string) answer {
	return s.script("captcha", object{"credentials": v.credentials(), "id": id(), "language": "ru"}, "From-Address", from)
}

func TestCaptcha(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		v := s.visit()
		given := s.captcha(v, "192.0.2.1:1234")
		require.Equal(t, true, given.body["success"], given.raw)
		require.NotContains(t, given.body, "proof")
		key, address, sound := given.body["key"].(string), given.body["url"].(string), given.body["sound"].(string)
		require.Equal(t, s.url+"v1/captcha/"+key+".png", address)
		require.True(t, strings.HasPrefix(sound, s.url+"v1/captcha/"+key+".wav"), sound)
		require.True(t, s.captchas.Proven(siteID, int64(v.ref().Visitor), key, ""))
		require.False(t, s.captchas.Proven(siteID, int64(s.visit().ref().Visitor), key, ""), "another visitor's")

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
		forged := v.credentials()
		forged["visitor_id"] = 7
		require.Equal(t, http.StatusForbidden, s.script("captcha", object{"credentials": forged, "id": id()}).status)
		require.Equal(t, http.StatusForbidden, s.script("captcha", object{"credentials": v.credentials(), "id": id()}, "Origin", "https://evil.example").status)
		require.Equal(t, http.StatusMethodNotAllowed, s.send(http.MethodGet, "v1/captcha", "").status)

		right, err := s.captchas.Solve(t.Context(), siteID, key, "")
		require.NoError(t, err)
		require.False(t, right)
		require.Equal(t, "unknown_captcha", s.send(http.MethodGet, "v1/captcha/"+key+".png", "").code(), "it is used up")
	})
}

func TestCaptchasAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *desk, _ string) {
		v := s.visit()
		given := 0
		for range 100 {
			a := s.captcha(v, "192.0.2.1:1234")
			if a.status == http.StatusOK {
				given++
				continue
			}
			require.Equal(t, http.StatusTooManyRequests, a.status)
			require.Equal(t, "too_many_requests", a.code())
			require.NotEmpty(t, a.header.Get("Retry-After"))
		}
		require.True(t, given >= 10 && given <= 30, "%d were given", given)
		require.Equal(t, http.StatusOK, s.captcha(v, "192.0.2.2:1234").status, "another address")
	})
}

// Who asks for many has puzzles to solve, which become harder; all addresses of the network have.
func TestPuzzlesBecomeHarder(t *testing.T) {
	s := serve(t, dbtest.Open(t, dbtest.SQLite(t)), siteOf(variantA))
	v := s.visit()
	most := func(from string) (most float64) {
		a := s.captcha(v, from)
		require.Equal(t, http.StatusOK, a.status, a.raw)
		if puzzle, is := a.body["proof"].(map[string]any); is {
			most, _ = puzzle["most"].(json.Number).Float64()
			require.Regexp(t, `^[A-Z2-7]{26}[1-7]$`, puzzle["salt"])
			require.Regexp(t, `^[0-9a-f]{64}$`, puzzle["sum"])
		}
		return most
	}
	for asked := range 45 {
		expected := 0.0
		if level := captcha.Level(asked); level > 0 {
			expected = float64(int64(1) << (14 + level))
		}
		require.Equal(t, expected, most(fmt.Sprintf("192.0.2.%d:1", asked%5)), "the one after %d", asked)
	}
	require.Zero(t, most("198.51.100.1:1"), "another network")
}
