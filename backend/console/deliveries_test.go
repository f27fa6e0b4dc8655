package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
	"github.com/seed-3405227d/frontdesk/backend/signature"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// deliver has the desk deliver until the test ends.
func (d *desk) deliver() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { d.Deliveries.Run(ctx); ended <- struct{}{} }()
	go func() { d.Deliveries.Queue.Run(ctx); ended <- struct{}{} }()
	d.t.Cleanup(func() {
		cancel()
		<-ended
		<-ended
	})
}

var shownSecret = regexp.MustCompile(`value="(whsec_[^"]+)"`)

// secretOn is the secret that the page shows; empty for none.
func secretOn(body string) string {
	if found := shownSecret.FindStringSubmatch(body); found != nil {
		return strings.ReplaceAll(found[1], "&#43;", "+")
	}
	return ""
}

func TestWebhookOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		var status atomic.Int64
		status.Store(http.StatusOK)
		type message struct {
			http.Header
			body []byte
		}
		came := make(chan message, 100)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(int(status.Load()))
			came <- message{r.Header, body}
		}))
		defer receiver.Close()
		next := func() message {
			t.Helper()
			select {
			case m := <-came:
				return m
			case <-time.After(time.Minute):
				require.FailNow(t, "nothing has come")
				return message{}
			}
		}
		d.deliver()
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		require.Contains(t, b.get(site).body, site+"/deliveries")
		require.Contains(t, b.get(site+"/deliveries").body, "No receivers yet")

		// Made, with its secret, which is not shown again.
		require.Contains(t, b.get(site+"/endpoints/new?as=webhook").body, `value="call.started" checked`)
		made := b.post(site+"/endpoints", "kind", "webhook", "address", receiver.URL+"/secret-token", "events", "lead.added", "language", "en")
		require.Equal(t, http.StatusOK, made.status, made.body)
		secret := secretOn(made.body)
		require.NotEmpty(t, secret)
		list, err := d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		page := fmt.Sprintf("%s/endpoints/%d", site, list[0].ID)
		require.Empty(t, secretOn(b.get(page).body))
		require.NotContains(t, b.get(site+"/deliveries").body, "secret-token", "an address may be a secret")

		// The test goes the way of all news.
		require.Equal(t, http.StatusSeeOther, b.post(page+"/test").status)
		m := next()
		keys, err := signature.Parse(secret)
		require.NoError(t, err)
		require.True(t, keys.Signed(m.Get("webhook-id"), m.Get("webhook-timestamp"), m.Get("webhook-signature"), m.body))
		log := func(text string) string {
			t.Helper()
			var body string
			require.Eventually(t, func() bool {
				body = b.get(site + "/deliveries").body
				return strings.Contains(body, text)
			}, time.Minute, 50*time.Millisecond, "the log does not say %s", text)
			return body
		}
		log("Delivered</span><small class=\"clip\"><bdi>200")

		// A failure, which names nobody, and is sent again by hand.
		status.Store(http.StatusBadRequest)
		d.lead(d.hit(visit.Arrival{}), map[string]any{"name": "SecretName", "phone": "+7 912 345-67-89", "message": "SecretMessage"})
		require.Contains(t, string(next().body), "SecretName")
		body := log("answered · 400")
		require.NotContains(t, body, "SecretName")
		require.NotContains(t, body, "345-67-89")
		require.NoError(t, d.DB.Write(t.Context(), 0, failAll))
		status.Store(http.StatusOK)
		require.Contains(t, b.get(page).body, "1 failed")
		require.Equal(t, http.StatusNotFound, b.post(page+"/failed", "hours", "5").status)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/failed", "hours", "24").status)
		require.Contains(t, string(next().body), "SecretName")
		require.Contains(t, b.get(site+"/deliveries").body, "1 delivery is being sent again.")
		log("Delivered</span><small class=\"clip\"><bdi>200")
		entries, err := d.Deliveries.Log(t.Context(), d.shop.ID, 0, "", notify.Cursor{}, 10)
		require.NoError(t, err)
		require.Len(t, entries, 2)
		require.Equal(t, http.StatusSeeOther, b.post(page+"/again", "entry", fmt.Sprint(entries[0].Entry)).status)
		require.Contains(t, string(next().body), "SecretName")
		require.Equal(t, http.StatusNotFound, b.post(page+"/again", "entry", "999999").status)

		// Another secret, beside which the first one signs.
		rotated := b.post(page + "/secret")
		require.Equal(t, http.StatusOK, rotated.status)
		require.NotContains(t, []string{"", secret}, secretOn(rotated.body))
		require.Contains(t, b.get(page).body, "End the earlier secret now")
		require.Equal(t, http.StatusSeeOther, b.post(page+"/secret", "end", "true").status)
		require.NotContains(t, b.get(page).body, "End the earlier secret now")

		// Paused, changed, removed.
		require.Equal(t, http.StatusSeeOther, b.post(page+"/paused", "paused", "true").status)
		require.Contains(t, b.get(page).body, "Resume")
		require.Equal(t, http.StatusSeeOther, b.post(page+"/paused", "paused", "false").status)
		change := []string{"endpoint", fmt.Sprint(list[0].ID), "version", "1", "kind", "webhook", "address", receiver.URL + "/other", "events", "call.ended", "language", "ru"}
		require.Equal(t, http.StatusSeeOther, b.post(site+"/endpoints", change...).status)
		stale := b.post(site+"/endpoints", change...)
		require.Equal(t, http.StatusConflict, stale.status)
		require.Contains(t, stale.body, `name="version" value="2"`)
		history := b.get("/history").body
		for _, deed := range []string{"Receiver added", "Receiver changed", "Secret of a receiver changed", "Test sent to a receiver", "Sending paused", "Sending resumed"} {
			require.Contains(t, history, deed)
		}
		require.NotContains(t, history, "secret-token")
		require.Equal(t, http.StatusSeeOther, b.post(page+"/removal").status)
		require.Equal(t, http.StatusNotFound, b.get(page).status)
	})
}

// failAll has all deliveries that wait fail.
func failAll(ctx context.Context, tx db.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE deliveries SET state = 'failed' WHERE state = 'waiting'`)
	return err
}

func TestEndpointFormSaysWhatIsWrong(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		form := func(more ...string) answer {
			return b.post(site+"/endpoints", append([]string{"kind", "webhook", "address", "https://crm.example/", "events", "lead.added", "language", "en"}, more...)...)
		}
		for said, fields := range map[string][]string{
			"must begin with https":             {"address", "ftp://crm.example/"},
			"Enter an address":                  {"address", "https://api.telegram.org/bot<TOKEN>/sendMessage"},
			"not public":                        {"address", "https://169.254.169.254/latest"},
			"Choose at least one":               {"events", "all"},
			"Choose a language":                 {"language", "de"},
			"This text cannot be used":          {"template", "{{.password}}", "content_type", "application/json"},
			"A receiver of this kind cannot be": {"kind", "pigeon"},
			"Enter one e-mail address":          {"kind", "mail", "address", "a@b.example, c@d.example"},
			"put placeholders inside quotation": {"template", `{"a": {{.name}}}`, "content_type", "application/json"},
		} {
			refused := form(fields...)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, said)
			require.Contains(t, refused.body, said)
			require.Contains(t, refused.body, `role="alert"`)
		}
		list, err := d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Empty(t, list, "what is refused changes nothing")
		require.Equal(t, http.StatusNotFound, form("endpoint", "77").status)
	})
}

func TestMailOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		page := b.get(site + "/endpoints/new?as=mail").body
		require.Contains(t, page, "New lead: Ada Lovelace · shop.example")
		require.Contains(t, page, "No mail server is configured")
		fields := []string{"kind", "mail", "address", "desk@shop.example", "events", "lead.added", "language", "ru", "subject", "Заявка: {{.name}}", "template", "{{.message}}<b>"}
		shown := b.post(site+"/endpoints", append(fields, "preview", "true")...)
		require.Equal(t, http.StatusOK, shown.status)
		require.Contains(t, shown.body, "Заявка: Ада Лавлейс")
		require.Contains(t, shown.body, "Есть ли лампа в наличии?&lt;b&gt;")
		require.Contains(t, shown.body, "{{.message}}&lt;b&gt;", "what was typed is still there")
		list, err := d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Empty(t, list, "a preview stores nothing")
		require.Equal(t, http.StatusSeeOther, b.post(site+"/endpoints", fields...).status)
		list, err = d.Deliveries.Endpoints.List(t.Context(), d.shop.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, []any{notify.Mail, "desk@shop.example", "Заявка: {{.name}}", "{{.message}}<b>"}, []any{list[0].Kind, list[0].Address, list[0].Subject, list[0].Template})
	})
}

// What stands there for Telegram is right once token and chat are put in.
func TestTelegramOfASite(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		site := fmt.Sprintf("/sites/%d", d.shop.ID)
		page := b.get(site + "/endpoints/new?as=telegram").body
		require.Contains(t, page, "https://api.telegram.org/bot&lt;TOKEN&gt;/sendMessage")
		text := regexp.MustCompile(`(?s)<textarea[^>]*>(.*)</textarea>`).FindStringSubmatch(page)
		require.NotNil(t, text)
		filled := strings.NewReplacer("&#34;", `"`, "&lt;CHAT&gt;", "-100123", "&lt;", "<", "&gt;", ">", "&#43;", "+").Replace(text[1])
		made := b.post(site+"/endpoints", "kind", "webhook", "address", "https://api.telegram.org/bot123:abc/sendMessage", "events", "lead.added", "language", "en",
			"template", filled, "content_type", template.JSON)
		require.Equal(t, http.StatusOK, made.status, made.body)
		require.NotEmpty(t, secretOn(made.body))
	})
}
