package system

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// A form of which the site reads nothing is kept all the same: it is not there, or it answers at once.
func TestFormsThatTheSiteDoesNotRead(t *testing.T) {
	early := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError) // the body is not read
	}))
	t.Cleanup(early.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				capture /strict/* {
					on success
				}
				capture /*
			}
			handle_path /strict/gone {
				reverse_proxy `+strings.TrimPrefix(gone.URL, "http://")+`
			}
			handle_path /gone {
				reverse_proxy `+strings.TrimPrefix(gone.URL, "http://")+`
			}
			handle_path /early {
				reverse_proxy `+strings.TrimPrefix(early.URL, "http://")+`
			}
			handle /error {
				error 504
			}
			handle {
				respond "thank you"
			}
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	t.Cleanup(done)
	post := func(path, who string, status int) {
		t.Helper()
		body := "name=" + who + "&email=" + who + "@example.com&message=" + strings.Repeat("Hello. ", 1000)
		got, err := s.Do(http.MethodPost, "http://localhost:$PORT"+path, body, "Content-Type", formType, "User-Agent", browser)
		require.NoError(t, err)
		require.Equal(t, status, got.StatusCode)
	}
	refused := func(n int) (all []refused.Refusal) {
		t.Helper()
		require.Eventually(t, func() bool {
			all, err = desk.Refused.List(t.Context(), scope.All(), lead.Cursor{}, 10)
			return err == nil && len(all) == n
		}, wait, tick)
		return all
	}
	post("/thanks", "anna", http.StatusOK)
	require.Equal(t, "anna", keptLeads(t, desk, 1)[0].Name)
	post("/gone", "bob", http.StatusBadGateway)
	bob := keptLeads(t, desk, 2)[0]
	require.Equal(t, "bob", bob.Name)
	require.Equal(t, http.StatusBadGateway, bob.SiteError)
	post("/early", "dora", http.StatusInternalServerError)
	require.Equal(t, http.StatusInternalServerError, keptLeads(t, desk, 3)[0].SiteError)
	post("/error", "fay", http.StatusGatewayTimeout)
	require.Equal(t, http.StatusGatewayTimeout, keptLeads(t, desk, 4)[0].SiteError, "as the visitor has seen it")
	post("/strict/gone", "carl", http.StatusBadGateway)
	require.Equal(t, "the site answered 502", refused(1)[0].Reason)
	require.Contains(t, string(refused(1)[0].Sent), "carl@example.com")

	// Of a large one, what stands before the file.
	upload := new(bytes.Buffer)
	w := multipart.NewWriter(upload)
	require.NoError(t, w.WriteField("email", "gil@example.com"))
	part, err := w.CreateFormFile("photo", "lamp.jpg")
	require.NoError(t, err)
	part.Write(make([]byte, 300<<10))
	require.NoError(t, w.Close())
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/gone", upload.String(), "Content-Type", w.FormDataContentType(), "User-Agent", browser)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadGateway, got.StatusCode)
	require.Equal(t, "gil@example.com", keptLeads(t, desk, 5)[0].Email)

	// Whoever sends slowly has the answer when all is sent, as from any server; the rest of the form is not waited for.
	connection, err := net.Dial("tcp", s.Text("localhost:$PORT"))
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.SetDeadline(time.Now().Add(wait)))
	const first, second = "name=eve&email=eve@example.com&mess", "age=Hello"
	fmt.Fprintf(connection, "POST /thanks HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", s.Text("localhost:$PORT"), browser, formType, len(first+second), first)
	require.Equal(t, "eve", keptLeads(t, desk, 6)[0].Name)
	io.WriteString(connection, second)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "thank you", string(text))
}
