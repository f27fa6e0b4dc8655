package servertest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// SignedIn is a client of the console on $PORT, with the first account, which it
// makes by the token of the setup link.
func (s *Server) SignedIn(token string) *http.Client {
	s.T.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.T, err)
	client := &http.Client{Jar: jar}
	response, err := client.PostForm(s.Text("http://localhost:$PORT/setup"), url.Values{
		"token": {token}, "login": {"anna"}, "password": {Password},
	})
	require.NoError(s.T, err)
	response.Body.Close()
	require.Equal(s.T, "/sites", response.Request.URL.Path, "signed in")
	return client
}

// Stream opens a live page of the console on $PORT.
func (s *Server) Stream(client *http.Client, view string) *bufio.Reader {
	s.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.T.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Text("http://localhost:$PORT/stream/"+view+"?after=0-0"), nil)
	require.NoError(s.T, err)
	request.Header.Set("Accept", "text/event-stream")
	response, err := client.Do(request)
	require.NoError(s.T, err)
	s.T.Cleanup(func() { response.Body.Close() })
	require.Equal(s.T, http.StatusOK, response.StatusCode)
	require.True(s.T, strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"))
	return bufio.NewReader(response.Body)
}

// Viewed reports a page view as the script does, and returns who the visitor is
// and the cookies that are set.
func (s *Server) Viewed(site, page, cookie string, headers ...string) (visitor json.Number, set []string) {
	s.T.Helper()
	view := fmt.Sprintf("view-%020d", time.Now().UnixNano())
	body, err := json.Marshal(map[string]any{"site_key": "shop", "view": view, "url": s.Text(page), "kind": "load"})
	require.NoError(s.T, err)
	headers = append(headers, "Content-Type", "application/json", "Cookie", cookie)
	got, err := s.Do(http.MethodPost, site+"/frontdesk/v1/hit", string(body), headers...)
	for began := time.Now(); err == nil && got.StatusCode == http.StatusServiceUnavailable && time.Since(began) < Wait; {
		got, err = s.Do(http.MethodPost, site+"/frontdesk/v1/hit", string(body), headers...) // as the script does
	}
	require.NoError(s.T, err)
	require.Equal(s.T, http.StatusOK, got.StatusCode, got.Content)
	var answer struct {
		Visitor json.Number `json:"visitor_id"`
	}
	require.NoError(s.T, json.Unmarshal([]byte(got.Content), &answer))
	return answer.Visitor, got.Header.Values("Set-Cookie")
}

// CookieOf is the one cookie that is set, without its attributes.
func CookieOf(t testing.TB, set []string) string {
	t.Helper()
	require.Len(t, set, 1)
	cookie, _, _ := strings.Cut(set[0], ";")
	return cookie
}

// Command runs "caddy frontdesk" with the arguments and the input.
func Command(t testing.TB, input string, args ...string) (output string, err error) {
	t.Helper()
	cmd := &cobra.Command{Use: "frontdesk"}
	caddycmd.Commands()["frontdesk"].CobraFunc(cmd)
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(input))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), err
}

// Configuration is a file with the Caddyfile, in which $DIR is its folder. No
// server runs with it.
func Configuration(t testing.TB, caddyfile string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(caddyfile, "$DIR", dir)), 0o600))
	return file
}
