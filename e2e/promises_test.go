package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// credentials of a page view, as the script gets them: with the token of a browser that sends no cookies.
func (p *program) credentials(t *testing.T) url.Values {
	t.Helper()
	view := fmt.Sprintf(`{"site_key":"demo-shop","view":"%s","url":"%s/contacts.html","referrer":"","title":"Contacts","kind":"load"}`, rand.Text()[:22], p.shop)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.shop+"/frontdesk/v1/hit", strings.NewReader(view))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", p.shop)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	fields := map[string]any{}
	require.NoError(t, decoder.Decode(&fields))
	require.Equal(t, true, fields["success"], "%v", fields)
	credentials := url.Values{}
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "session_id", "hit_id", "consultant_server_url", "browser"} {
		credentials.Set(name, fmt.Sprint(fields[name]))
	}
	return credentials
}

// sendRequest sends a request as the site's own server does, and tells whether
// it was acknowledged.
func sendRequest(credentials url.Values, fields map[string]string) bool {
	return deliver(credentials, fields) == nil
}

// deliver sends a request and returns why it was not acknowledged, if it was not.
// Sent again after a broken connection, it is the same one.
func deliver(credentials url.Values, fields map[string]string) error {
	form := maps.Clone(credentials)
	for name, value := range fields {
		form.Set(name, value)
	}
	response, err := connected(func() (*http.Response, error) {
		return http.PostForm(credentials.Get("consultant_server_url")+"api/add_offline_message/", form)
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var answer struct{ Success bool }
	if json.Unmarshal(body, &answer) != nil || !answer.Success {
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	return nil
}

// The program is killed in the middle of a burst of requests: every one that
// was acknowledged is there after the restart.
func TestKillLosesNoAcknowledgedLead(t *testing.T) {
	t.Parallel()
	settings := db.Settings{Engine: db.SQLite, Source: filepath.Join(memory(t), "frontdesk.db")}
	p := runExample(t, "sqlite "+settings.Source)
	credentials := p.credentials(t)
	var acknowledged sync.Map
	var count atomic.Int64
	var senders sync.WaitGroup
	for sender := range 8 {
		senders.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("sender %d, request %d", sender, i)
				if !sendRequest(credentials, map[string]string{"name": name, "text": strings.Repeat("x", 1000)}) {
					return // killed
				}
				acknowledged.Store(name, true)
				count.Add(1)
			}
		})
	}
	p.await(t, func() bool { return count.Load() > 200 })
	p.kill()
	senders.Wait()

	p.start(t)
	require.True(t, sendRequest(credentials, map[string]string{"name": "after the restart"}))
	p.kill()
	acknowledged.Store("after the restart", true)

	d, err := db.Open(context.Background(), settings, zap.NewNop())
	require.NoError(t, err)
	defer d.Close()
	visits := visittest.Open(t, d, time.Now)
	leads, err := lead.New(lead.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts}, time.Now).List(t.Context(), scope.All(), lead.Cursor{}, 1_000_000)
	require.NoError(t, err)
	stored := map[string]bool{}
	for _, l := range leads {
		require.False(t, stored[l.Name], "stored twice: %s", l.Name)
		stored[l.Name] = true
	}
	acknowledged.Range(func(name, _ any) bool {
		assert.True(t, stored[name.(string)], "acknowledged and lost: %s", name)
		return true
	})
}

// The database goes away: pages keep flowing, calls are refused clearly, and
// all works again when it is back.
func TestPagesFlowWithoutDatabase(t *testing.T) {
	t.Parallel()
	t.Run("postgres stopped", func(t *testing.T) {
		t.Parallel()
		server := dbtest.OwnServer(t)
		p := runExample(t, `postgres "`+server.Source()+`"`)
		credentials := p.credentials(t)
		require.True(t, sendRequest(credentials, map[string]string{"name": "before"}))
		server.Stop()
		for range 20 {
			require.Contains(t, get(t, p.shop+"/contacts.html"), "</html>")
		}
		require.False(t, sendRequest(credentials, map[string]string{"name": "meanwhile"}))
		require.NoError(t, server.Start())
		p.await(t, func() bool { return sendRequest(credentials, map[string]string{"name": "after"}) })
	})
	t.Run("sqlite read-only", func(t *testing.T) {
		t.Parallel()
		origin := httptest.NewServer(http.FileServer(http.Dir("../examples/shop/site")))
		defer origin.Close()
		folder := memory(t)
		file := filepath.Join(folder, "frontdesk.db")
		p := runProgram(t, "http://localhost:8080 {\n\tfrontdesk demo-shop\n\treverse_proxy "+origin.Listener.Addr().String()+"\n}\n", "sqlite "+file)
		credentials := p.credentials(t)
		require.True(t, sendRequest(credentials, map[string]string{"name": "before"}))
		p.kill()

		setMode := func(folderMode, fileMode os.FileMode) {
			files, err := filepath.Glob(file + "*")
			require.NoError(t, err)
			for _, name := range files {
				require.NoError(t, os.Chmod(name, fileMode))
			}
			require.NoError(t, os.Chmod(folder, folderMode))
		}
		setMode(0o555, 0o444)
		defer setMode(0o777, 0o666)
		p.unprivileged(t)
		p.launch(t)
		p.await(t, func() bool {
			response, err := http.Get(p.shop + "/contacts.html")
			if err != nil {
				return false
			}
			response.Body.Close()
			return response.StatusCode == http.StatusOK
		})
		for range 20 {
			require.Contains(t, get(t, p.shop+"/contacts.html"), "</html>")
		}
		require.False(t, sendRequest(credentials, map[string]string{"name": "meanwhile"}))
		setMode(0o777, 0o666)
		p.await(t, func() bool { return sendRequest(credentials, map[string]string{"name": "after"}) })
	})
}
