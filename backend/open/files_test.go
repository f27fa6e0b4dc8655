package open_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/intake"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// Files of conversations are read and sent as the console does it: as downloads, and to nobody else.
func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		named := o.scene()
		secret, path := o.token(scope.All(), token.ReadChats, token.WriteChats), "/api/v1/sites/lamps.example/chats/"+named["chat"]+"/files"
		send := func(query, content string, fields ...string) (sent struct{ File struct{ ID, Size int64 } }) {
			response, body := o.call("POST", path+"?operator_id="+named["anna"]+query, secret, content, fields...)
			require.Equal(t, http.StatusCreated, response.StatusCode, string(body))
			require.NoError(t, json.Unmarshal(body, &sent))
			return sent
		}
		read := func(id int64) (*http.Response, string) {
			response, body := o.call("GET", fmt.Sprintf("%s/%d", path, id), secret, "")
			return response, string(body)
		}
		sent := send("&name="+url.QueryEscape("../цены\x00.html"), "10 < 20 <b>", "Content-Type", "text/html")
		response, body := read(sent.File.ID)
		require.Equal(t, "10 < 20 <b>", body)
		require.Equal(t, "text/plain", response.Header.Get("Content-Type"), "a page is none")
		require.Equal(t, "attachment; filename*=utf-8''%D1%86%D0%B5%D0%BD%D1%8B.html.txt", response.Header.Get("Content-Disposition"))
		require.Equal(t, "default-src 'none'; sandbox", response.Header.Get("Content-Security-Policy"))
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))

		// What a visitor has sent has its number in the message.
		view, err := o.visits.Arrive(t.Context(), o.lamps.ID, 0, visit.Arrival{Nonce: "yet-another-arrival-here", URL: "https://lamps.example/", Kind: "load", UserAgent: visittest.Chrome})
		require.NoError(t, err)
		talk, _, err := o.Chats.SayFrom(t.Context(), chat.From{SiteID: o.lamps.ID, Ref: view.Ref, Patience: time.Hour}, chat.Message{File: &file.File{Name: "a.png", Content: []byte("\x89PNG\r\n\x1a\n....")}})
		require.NoError(t, err)
		var messages struct {
			Messages []struct{ File struct{ ID int64 } }
		}
		other := fmt.Sprintf("/api/v1/sites/lamps.example/chats/%d", talk.ID)
		o.get(other+"/messages", secret, &messages)
		theirs := messages.Messages[0].File.ID
		response, picture := o.call("GET", fmt.Sprintf("%s/files/%d", other, theirs), secret, "")
		require.Equal(t, "image/png", response.Header.Get("Content-Type"))
		require.Len(t, picture, 12)

		// A file is found in its own conversation and site alone.
		o.refuses(404, fmt.Sprintf("%s/%d", path, theirs), secret, "no such conversation")
		o.refuses(404, fmt.Sprintf("/api/v1/sites/chairs.example/chats/%s/files/%d", named["chat"], sent.File.ID), secret, "no such conversation")
		o.refusesTo(404, "POST", "/api/v1/sites/chairs.example/chats/"+named["chat"]+"/files?operator_id="+named["anna"], secret, "a", "no such conversation")

		// The largest file is sent once, however often the call comes. A larger one is refused.
		large := strings.Repeat("a", file.Max)
		first := send("&is_note=true", large, "Idempotency-Key", "large")
		again := send("&is_note=true", large, "Idempotency-Key", "large")
		require.Equal(t, first, again)
		require.EqualValues(t, file.Max, first.File.Size)
		_, err = o.Chats.File(t.Context(), o.lamps.ID, talk.ID, first.File.ID, chat.Visitor)
		require.ErrorIs(t, err, chat.ErrUnknown)
		for _, key := range []string{"", "too large"} {
			o.refusesTo(413, "POST", path+"?operator_id="+named["anna"], secret, large+"a", "too large", "Idempotency-Key", key)
		}
		o.refusesTo(422, "POST", path+"?operator_id=99", secret, "a", "operator_id")
		o.refusesTo(422, "POST", path, secret, "a", "query.operator_id")

		// Bodies are counted with all that is received.
		taken := o.intake.Share("127.0.0.1:1")
		require.True(t, taken.Take(intake.Whole/8))
		for _, key := range []string{"", "no room"} {
			response, body := o.call("POST", path+"?operator_id="+named["anna"], secret, large, "Idempotency-Key", key)
			require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, string(body))
			require.Equal(t, "5", response.Header.Get("Retry-After"))
		}
		taken.Close()
		send("", large, "Idempotency-Key", "no room")
	})
}
