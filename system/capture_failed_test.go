package system

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// What the site answers with an error is on the disk before the answer goes on: as a lead if it can be answered, and else
// among what was refused.
func TestFailedFormsOutliveAKill(t *testing.T) {
	m := newMailer(t)
	n := runNode(t, `
		{
			frontdesk {
				database sqlite $DIR/central.db
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /send/*
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`, "$DIR", t.TempDir())
	for i := range 10 {
		for _, body := range []string{fmt.Sprintf("name=n%d&email=n%d@example.com", i, i), fmt.Sprintf("message=Hello+%d", i)} {
			got, err := n.Do(http.MethodPost, "http://localhost:$PORT/send/500", body, "Content-Type", formType, "User-Agent", browser)
			require.NoError(t, err)
			require.Equal(t, http.StatusInternalServerError, got.StatusCode)
		}
	}
	n.kill()
	waiting, err := filepath.Glob(filepath.Join(n.Text("$DIR"), "*.forms"))
	require.NoError(t, err)
	if len(waiting) > 0 { // the machine is slow
		n.launch()
	}
	d, err := db.Open(context.Background(), db.Settings{Engine: db.SQLite, Source: filepath.Join(n.Text("$DIR"), "central.db")}, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	count := func(query string) int {
		kept, _, err := db.One(t.Context(), d.Read(), db.Only[int], query)
		require.NoError(t, err)
		return kept
	}
	require.Eventually(t, func() bool { return count(`SELECT COUNT(*) FROM leads WHERE site_error = 500`) == 10 }, wait, tick)
	require.Eventually(t, func() bool { return count(`SELECT COUNT(*) FROM refused_leads WHERE code = 'form_failed'`) == 10 }, wait, tick)
}

// A visitor who leaves while the site works has been answered nothing, so the site has not failed.
func TestFormsOfVisitorsWhoLeave(t *testing.T) {
	asked := make(chan string)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- string(body)
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
		}
	}))
	t.Cleanup(slow.Close)
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				capture /send {
					on success
				}
			}
			reverse_proxy `+strings.TrimPrefix(slow.URL, "http://")+`
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	t.Cleanup(done)
	connection := func() net.Conn {
		connection, err := net.Dial("tcp", s.Text("localhost:$PORT"))
		require.NoError(t, err)
		return connection
	}
	const head = "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
	send := func(path, body string, length int) {
		t.Helper()
		client := connection()
		fmt.Fprintf(client, head, path, s.Text("localhost:$PORT"), browser, formType, length, body)
		if length == len(body) {
			require.Equal(t, body, <-asked)
		}
		require.NoError(t, client.Close())
	}
	const body = "name=anna&email=anna@example.com"
	send("/send", body, len(body))
	l := keptLeads(t, desk, 1)[0]
	require.Equal(t, "anna", l.Name)
	require.Zero(t, l.SiteError)
	send("/other", body, len(body)) // which nobody keeps
	require.NoError(t, desk.Forms.Store(t.Context()))
	failing, err := desk.Forms.FailingOf(t.Context(), scope.All(), func(int64, string) bool { return true })
	require.NoError(t, err)
	require.Empty(t, failing)
}
