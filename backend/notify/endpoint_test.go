package notify_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
)

// code is that of what is wrong with the endpoint; empty for nothing.
func code(t *testing.T, e notify.Endpoint, allowed ...netip.Prefix) string {
	t.Helper()
	err := e.Check(allowed)
	if err == nil {
		return ""
	}
	var invalid *notify.Invalid
	require.ErrorAs(t, err, &invalid, err)
	return invalid.Code
}

func TestEndpointsAreChecked(t *testing.T) {
	hook := notify.Endpoint{Kind: notify.Webhook, Events: []notify.Event{notify.LeadAdded}, Language: "en"}
	for address, wrong := range map[string]string{
		"https://crm.example/hooks?key=1": "", "https://crm.example:8443": "", "https://[2606:4700::1111]/": "",
		"": "url", "crm.example": "url", "https://": "url", "https://user:secret@crm.example/": "url", "https://crm.example/#a": "url", "https://crm.example/bot<token>/": "url",
		"https://crm.example/\nHost: other": "url", "https://crm.example/" + strings.Repeat("a", 2000): "url", "ftp://crm.example/": "https", "http://crm.example/": "https",
		"https://127.0.0.1/": "private", "https://[::ffff:169.254.169.254]/": "private", "https://10.0.0.1/": "private",
	} {
		e := hook
		e.Address = address
		require.Equal(t, wrong, code(t, e), address)
	}
	e := hook
	e.Address = "http://10.0.0.1/"
	require.Empty(t, code(t, e, netip.MustParsePrefix("10.0.0.0/8")))
	e.Address = "http://8.8.8.8/"
	require.Equal(t, "private", code(t, e, netip.MustParsePrefix("10.0.0.0/8")))

	letter := hook
	letter.Kind = notify.Mail
	for address, wrong := range map[string]string{
		"desk@shop.example": "", "a.b+c@xn--e1afmkfd.example": "",
		"": "mailbox", "desk": "mailbox", "Desk <desk@shop.example>": "mailbox", "a@b.example, c@d.example": "mailbox", "a@b.example\r\nBcc: c@d.example": "mailbox",
		"a@b.example c": "mailbox", "\"a b\"@c.example": "mailbox", strings.Repeat("a", 250) + "@b.example": "mailbox",
	} {
		letter.Address = address
		require.Equal(t, wrong, code(t, letter), address)
	}

	for name, change := range map[string]func(*notify.Endpoint){
		"events":       func(e *notify.Endpoint) { e.Events = nil },
		"language":     func(e *notify.Endpoint) { e.Language = "de" },
		"kind":         func(e *notify.Endpoint) { e.Kind = "pigeon" },
		"content_type": func(e *notify.Endpoint) { e.Template, e.ContentType = "{{.name}}", "text/html" },
		"template":     func(e *notify.Endpoint) { e.Template, e.ContentType = "{{.name", template.Text },
		"subject":      func(e *notify.Endpoint) { e.Subject = "{{.name}}" },
	} {
		e := hook
		e.Address = "https://crm.example/"
		change(&e)
		require.Equal(t, name, code(t, e), name)
	}
	e = hook
	e.Address, e.Events = "https://crm.example/", []notify.Event{notify.LeadAdded, notify.LeadAdded}
	require.Equal(t, "events", code(t, e))
	e.Events = []notify.Event{notify.Test}
	require.Equal(t, "events", code(t, e))
}

func TestEndpointsOfASiteAreFew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range notify.MaxEndpoints {
			w.endpoint(notify.Endpoint{Address: "https://crm.example/"})
		}
		_, _, err := w.Endpoints.Add(t.Context(), notify.Endpoint{SiteID: w.shop, Kind: notify.Webhook, Address: "https://crm.example/", Events: notify.Events, Language: "en"}, "vera")
		require.ErrorIs(t, err, notify.ErrTooMany)
	})
}

// Of two who change an endpoint at once, the second is told.
func TestEndpointIsChangedOverWhatWasSeen(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e, _ := w.endpoint(notify.Endpoint{Address: "https://crm.example/"})
		e.Address, e.Events = "https://crm.example/new", []notify.Event{notify.CallEnded}
		require.NoError(t, w.Endpoints.Change(t.Context(), e, "vera"))
		require.ErrorIs(t, w.Endpoints.Change(t.Context(), e, "boris"), notify.ErrChanged)
		stored, err := w.Endpoints.Get(t.Context(), w.shop, e.ID)
		require.NoError(t, err)
		require.Equal(t, []any{e.Address, e.Events, e.Version + 1}, []any{stored.Address, stored.Events, stored.Version})
		e.SiteID++
		require.ErrorIs(t, w.Endpoints.Change(t.Context(), e, "vera"), notify.ErrUnknown)
		require.Equal(t, []string{"site.added", notify.EndpointAdded, notify.EndpointChanged}, w.kinds())
	})
}

// A chat takes what a template makes, signed as everything is.
func TestTemplateForAChat(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		_, secret := w.endpoint(notify.Endpoint{Address: r.URL + "/bot123:abc/sendMessage", Language: "ru", ContentType: template.JSON,
			Template: `{"chat_id": "-100123", "text": "{{.event}} · {{.site}}\n{{.name}} {{.phone}}\n{{.message}}"}`})
		w.run()
		w.lead()
		m := r.wait(t, 1)[0]
		require.JSONEq(t, `{"chat_id": "-100123", "text": "Новая заявка · shop.example\nAda +7 (912) 345-67-89\nIs the lamp in stock?"}`, string(m.body))
		require.Equal(t, "application/json", m.Get("Content-Type"))
		signed(t, m, secret)
	})
}
