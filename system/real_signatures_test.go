//go:build real

package system

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// signer installs the libraries, and returns what runs a command of testdata/real/sign.js.
func signer(t *testing.T) func(arguments ...string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/real")))
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--silent")
	install.Dir = folder
	output, err := install.CombinedOutput()
	require.NoError(t, err, string(output))
	return func(arguments ...string) (string, error) {
		output, err := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(folder, "sign.js")}, arguments...)...).Output()
		return strings.TrimSpace(string(output)), err
	}
}

// Twilio's own library and that of Standard Webhooks sign what is taken here, and take what is signed here.
func TestRealSignatures(t *testing.T) {
	sign := signer(t)
	const token = "0123456789abcdef0123456789abcdef"
	secret := signature.NewSecret()
	type message struct {
		header http.Header
		body   string
	}
	messages := make(chan message, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- message{r.Header, string(body)}
	}))
	defer receiver.Close()
	s := run(t, `{
		admin $ADMIN
		frontdesk {
			database sqlite $DIR/frontdesk.db
			webhooks {
				allow 127.0.0.1
			}
			telephony webhook {
				secret `+secret+`
			}
			telephony twilio {
				account AC0123456789abcdef0123456789abcdef
				auth_token `+token+`
				destination 74951234567
			}
		}
	}
	http://localhost:$PORT {
		frontdesk shop
		respond ok
	}`).Ready()

	// Twilio asks where to connect a call.
	voice := s.Text("http://localhost:$PORT/frontdesk/calls/twilio/voice")
	fields := map[string]string{"AccountSid": "AC0123456789abcdef0123456789abcdef", "CallSid": "CA1", "From": "+79123456789", "To": "+74957654321", "Direction": "inbound", "CallStatus": "ringing", "CallerCity": "Санкт-Петербург & Co"}
	encoded, err := json.Marshal(fields)
	require.NoError(t, err)
	signed, err := sign("twilio", token, voice, string(encoded))
	require.NoError(t, err)
	sent := make(url.Values)
	for name, value := range fields {
		sent.Set(name, value)
	}
	ask := func(signed string) (int, string) {
		answer, err := s.Do(http.MethodPost, voice, sent.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", signed)
		require.NoError(t, err)
		return answer.StatusCode, answer.Content
	}
	status, said := ask(signed)
	require.Equal(t, http.StatusOK, status, said)
	require.Contains(t, said, "74951234567")
	sent.Set("To", "+74957654322")
	status, _ = ask(signed)
	require.GreaterOrEqual(t, status, 400, "it is signed for another number")

	// A platform tells of a call.
	now := strconv.FormatInt(time.Now().Unix(), 10)
	body := `{"call_id":"c1","event":"start","time":"` + time.Now().UTC().Format(time.RFC3339) + `","called":"74957654321","caller":"79123456789"}`
	told, err := sign("sign", secret, "m1", now, body)
	require.NoError(t, err)
	answer, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/calls/webhook", body, "Content-Type", "application/json", "webhook-id", "m1", "webhook-timestamp", now, "webhook-signature", told)
	require.NoError(t, err)
	require.Equal(t, `{"success":true}`, strings.TrimSpace(answer.Content))

	// A lead is told to an endpoint.
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	_, own, err := desk.Deliveries.Endpoints.Add(t.Context(), notify.Endpoint{SiteID: shop.ID, Kind: notify.Webhook, Address: receiver.URL, Events: []notify.Event{notify.LeadAdded}, Language: "en"}, "vera")
	require.NoError(t, err)
	_, _, err = desk.Leads.Add(t.Context(), submission.Submission{SiteID: shop.ID, Origin: lead.Server, Name: "Ада", Message: "Is the lamp in stock?"})
	require.NoError(t, err)
	select {
	case m := <-messages:
		header, err := json.Marshal(map[string]string{"webhook-id": m.header.Get("Webhook-Id"), "webhook-timestamp": m.header.Get("Webhook-Timestamp"), "webhook-signature": m.header.Get("Webhook-Signature")})
		require.NoError(t, err)
		verified, err := sign("verify", own, string(header), m.body)
		require.NoError(t, err)
		require.JSONEq(t, m.body, verified)
		_, err = sign("verify", own, string(header), strings.Replace(m.body, "Ада", "Ева", 1))
		require.Error(t, err, "the body is another")
	case <-time.After(time.Minute):
		require.FailNow(t, "no message has come")
	}
}
