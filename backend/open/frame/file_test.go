package frame_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/operatortest"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// A file that cannot be written is an error, and one that breaks off is taken for whole by nobody.
func TestWrittenFiles(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		clock := operatortest.NewClock()
		tokens := token.New(d, clock.Now)
		made, secret, err := tokens.Make(t.Context(), operator.Server(), token.Token{Name: "A program", Scopes: []token.Scope{token.ReadReports}, Sites: scope.All()}, 30)
		require.NoError(t, err)
		f := frame.New(frame.Subjects{Tokens: tokens, Now: clock.Now, Logger: zaptest.NewLogger(t)}, "")
		mistake := errors.New("there is nothing to write")
		add := func(id string, write func(context.Context, io.Writer) error) {
			frame.Write(f, frame.Operation{Method: "GET", Path: id, ID: id, Subject: "Files", Opens: token.ReadReports, Files: []string{"text/plain"}, Mistakes: frame.Mistakes{mistake: 422}},
				func(context.Context, *struct{}) (*frame.Written, error) {
					return &frame.Written{Name: "a.txt", Type: "text/plain", Write: write}, nil
				})
		}
		say := func(w io.Writer) error {
			_, err := io.WriteString(w, "words")
			return err
		}
		add("whole", func(_ context.Context, w io.Writer) error { return say(w) })
		add("empty", func(context.Context, io.Writer) error { return nil })
		add("none", func(context.Context, io.Writer) error { return mistake })
		add("broken", func(_ context.Context, w io.Writer) error { return errors.Join(say(w), mistake) })
		begun, hold := make(chan struct{}), make(chan struct{})
		add("held", func(_ context.Context, w io.Writer) error {
			begun <- struct{}{}
			<-hold
			return say(w)
		})
		add("revoked", func(_ context.Context, w io.Writer) error {
			if err := errors.Join(say(w), tokens.Revoke(t.Context(), operator.Server(), made.ID)); err != nil {
				return err
			}
			clock.Pass(2 * time.Second)
			return say(w)
		})
		server := httptest.NewServer(f)
		t.Cleanup(server.Close)
		read := func(id string) (*http.Response, string, error) {
			request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+frame.Path+id, nil)
			require.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+secret)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return nil, "", err
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			return response, string(body), err
		}
		for range 3 { // what has ended makes room
			response, body, err := read("whole")
			require.NoError(t, err)
			require.Equal(t, "words text/plain attachment; filename=a.txt", body+" "+response.Header.Get("Content-Type")+" "+response.Header.Get("Content-Disposition"))
		}
		// Whoever reads slowly has two on their way, and no more.
		var slow sync.WaitGroup
		for range 2 {
			slow.Go(func() {
				_, _, err := read("held")
				assert.NoError(t, err)
			})
			<-begun
		}
		response, _, err := read("whole")
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
		close(hold)
		slow.Wait()
		response, body, err := read("empty")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Empty(t, body)
		response, body, err = read("none")
		require.NoError(t, err)
		require.Equal(t, http.StatusUnprocessableEntity, response.StatusCode)
		require.Contains(t, body, mistake.Error())
		for _, id := range []string{"broken", "revoked"} {
			_, _, err = read(id)
			require.Error(t, err, id)
		}
	})
}
