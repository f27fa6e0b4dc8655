package api_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
)

// fileOf is where the visitor gets a file.
func (s *desk) fileOf(v visitor, file string) string {
	s.t.Helper()
	a := s.script("chat/link", object{"credentials": v.credentials(), "file": json.Number(file)})
	require.Equal(s.t, 200, a.status, a.raw)
	return "v1/chat/file?t=" + text(a.body["link"]) + "&f=" + file
}

func TestChatFiles(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		v := s.visit()
		token := s.script("chat", object{"credentials": v.credentials()}).body["stream"].(string)
		send := func(name, content string) answer {
			return s.send(http.MethodPost, "v1/chat/send?t="+token+"&id="+id()+"&name="+url.QueryEscape(name), content, "Content-Type", "application/octet-stream")
		}
		for _, c := range []struct {
			status        int
			code, content string
		}{
			{400, "wrong_type", "<!doctype html><script>alert(1)</script>"}, {400, "wrong_type", "MZ\x90\x00\x03"}, {400, "empty", ""},
			{400, "wrong_type", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'>\x00"}, {413, "too_large", strings.Repeat("a", file.Max+1)},
		} {
			a := send("picture.png", c.content)
			require.Equal(t, []any{c.status, c.code}, []any{a.status, a.code()}, a.raw)
		}
		_, err := s.chats.Of(t.Context(), siteID, v.ref().Visitor)
		require.ErrorIs(t, err, chat.ErrUnknown)

		picture := "\x89PNG\r\n\x1a\n<script>alert(1)</script>"
		a := send("../ü\r\nX: y\".html", picture)
		require.Equal(t, 200, a.status, a.raw)
		file := a.body["message"].(object)["file"].(object)
		require.Equal(t, "image/png", file["type"])
		require.Equal(t, `üX: y".html.png`, file["name"])
		response, err := http.Get(s.url + s.fileOf(v, text(file["id"])))
		require.NoError(t, err)
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, picture, string(content))
		require.Equal(t, "image/png", response.Header.Get("Content-Type"))
		require.True(t, strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment; filename"), response.Header.Get("Content-Disposition"))
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "sandbox; default-src 'none'", response.Header.Get("Content-Security-Policy"))

		other := s.visit()
		s.says(other, "Hello")
		require.Equal(t, 404, s.send(http.MethodGet, s.fileOf(other, text(file["id"])), "").status, "another's")

		// The token of the stream opens what a page may show.
		var shown bytes.Buffer
		require.NoError(t, png.Encode(&shown, image.NewGray(image.Rect(0, 0, 30, 20))))
		line := func(token string, of object) (status int, content string) {
			response, err := http.Get(s.url + "v1/chat/file?t=" + token + "&f=" + text(of["id"]))
			require.NoError(t, err)
			defer response.Body.Close()
			raw, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			return response.StatusCode, string(raw)
		}
		require.Nil(t, file["picture"])
		status, _ := line(token, file)
		require.Equal(t, 403, status)
		file = send("lamp.png", shown.String()).body["message"].(object)["file"].(object)
		require.Equal(t, true, file["picture"])
		status, got := line(token, file)
		require.Equal(t, []any{200, shown.String()}, []any{status, got})
		status, _ = line(s.script("chat", object{"credentials": other.credentials()}).body["stream"].(string), file)
		require.Equal(t, 404, status, "another's")
	})
}

// A file may take longer to come than anything else may take to be stored.
func TestChatFileThatComesSlowly(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		token := s.script("chat", object{"credentials": s.visit().credentials()}).body["stream"].(string)
		body, phone := io.Pipe()
		go func() {
			io.WriteString(phone, "little ")
			time.Sleep(5 * time.Second)
			io.WriteString(phone, "by little")
			phone.Close()
		}()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"v1/chat/send?t="+token+"&id="+id()+"&name=a.txt", body)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		a := s.read(response)
		require.Equal(t, 200, a.status, a.raw)
	})
}

// One address sends so many files, however many visitors it makes.
func TestChatFilesAreLimited(t *testing.T) {
	eachChat(t, func(t *testing.T, s *desk) {
		taken := 0
		for range 6 {
			token := s.script("chat", object{"credentials": s.visit().credentials()}).body["stream"].(string)
			for range 10 {
				if s.send(http.MethodPost, "v1/chat/send?t="+token+"&id="+id()+"&name=a.txt", "text", "From-Address", "203.0.113.9:1").status == 200 {
					taken++
				}
			}
		}
		require.GreaterOrEqual(t, taken, 40) // and more when it takes long
		require.Less(t, taken, 60)
	})
}
