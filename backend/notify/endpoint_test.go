package notify_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify"
)

func TestAddressesThatMayBeDialled(t *testing.T) {
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/64")}
	for _, address := range []string{"93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, notify.MayDial(netip.MustParseAddr(address), false, nil), address)
		require.False(t, notify.MayDial(netip.MustParseAddr(address), true, allowed), "%s without TLS", address)
	}
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "::ffff:192.168.0.1",
		"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00::1", "fd00:ec2::254", "fc00::1", "100.64.0.1", "100.100.100.200", "168.63.129.16",
		"224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "203.0.113.1", "192.0.0.192", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "::7f00:1", "fec0::1",
	} {
		require.False(t, notify.MayDial(netip.MustParseAddr(address), false, nil), address)
	}
	for _, address := range []string{"10.1.2.3", "::ffff:10.1.2.3", "fd00:1::7"} {
		require.True(t, notify.MayDial(netip.MustParseAddr(address), false, allowed), address)
		require.True(t, notify.MayDial(netip.MustParseAddr(address), true, allowed), address)
	}
	require.False(t, notify.MayDial(netip.MustParseAddr("10.2.0.1"), false, allowed))
}

// code is that of what is wrong with the endpoint; empty for nothing.
func code(t *testing.T, e notify.Endpoint, allowed ...netip.Prefix) string {
	t.Helper()
	err := e.Check(allowed)
	if err == nil {
		return ""
	}
	var invalid *notify.Invalid
	require.True(t, errors.As(err, &invalid), err)
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
		"template":     func(e *notify.Endpoint) { e.Template, e.ContentType = "{{.name", notify.Text },
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
		_, _, err := w.Add(t.Context(), notify.Endpoint{SiteID: w.shop, Kind: notify.Webhook, Address: "https://crm.example/", Events: notify.Events, Language: "en"}, "vera")
		require.ErrorIs(t, err, notify.ErrTooMany)
	})
}

// Of two who change an endpoint at once, the second is told.
func TestEndpointIsChangedOverWhatWasSeen(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		e, _ := w.endpoint(notify.Endpoint{Address: "https://crm.example/"})
		e.Address, e.Events = "https://crm.example/new", []notify.Event{notify.CallEnded}
		require.NoError(t, w.Change(t.Context(), e, "vera"))
		require.ErrorIs(t, w.Change(t.Context(), e, "boris"), notify.ErrChanged)
		stored, err := w.Endpoint(t.Context(), w.shop, e.ID)
		require.NoError(t, err)
		require.Equal(t, []any{e.Address, e.Events, e.Version + 1}, []any{stored.Address, stored.Events, stored.Version})
		e.SiteID++
		require.ErrorIs(t, w.Change(t.Context(), e, "vera"), notify.ErrUnknown)
		require.Equal(t, []string{"site.added", notify.EndpointAdded, notify.EndpointChanged}, w.kinds())
	})
}

func TestTemplates(t *testing.T) {
	v := map[string]string{"name": "A\"d\\a\n</script>\u0001 & Co", "message": strings.Repeat("я", 2000)}
	filled := func(text, contentType string) string {
		t.Helper()
		got, err := notify.Fill(text, contentType, v)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, `{"text":"A\"d\\a\n\u003c/script\u003e\u0001 \u0026 Co"}`, filled(`{"text":"{{.name}}"}`, notify.JSON))
	require.Equal(t, `text=A%22d%5Ca%0A%3C%2Fscript%3E%01+%26+Co`, filled(`text={{.name}}`, notify.Form))
	require.Equal(t, "A\"d\\a\n</script> & Co", filled(`{{.name}}`, notify.Text))
	require.Equal(t, "no phone", filled(`{{if .phone}}{{.phone}}{{else}}no phone{{end}}`, ""))
	require.Len(t, []rune(filled(`{{.message}}`, "")), 1000)

	for _, text := range []string{"", "nothing", "{{.name}}: {{ .phone }}", "{{if .name}}{{if .phone}}both{{else}}one{{end}}{{else if .phone}}other{{end}}", "{{- .name -}}", "{{/* a remark */}}"} {
		require.NoError(t, notify.CheckTemplate(text, ""), text)
	}
	for _, text := range []string{
		"{{", "{{.name", "{{.unknown}}", "{{.name.first}}", "{{range .name}}{{end}}", "{{with .name}}{{end}}", `{{define "a"}}{{template "a"}}{{end}}`, `{{template "a"}}`,
		"{{$x := .name}}", "{{.name | printf}}", `{{printf "%999999999d" 1}}`, "{{len .name}}", "{{.}}", "{{if and .name .phone}}{{end}}", `{{block "a" .}}{{end}}`, "{{call .name}}", "{{1}}",
		strings.Repeat("a", notify.MaxTemplate+1), strings.Repeat("{{.name}}", 400),
	} {
		require.Error(t, notify.CheckTemplate(text, notify.JSON), text)
	}
	require.Error(t, notify.CheckTemplate(`{"text": {{.name}}}`, notify.JSON))
	require.Error(t, notify.CheckTemplate(`not JSON`, notify.JSON))
	require.NoError(t, notify.CheckTemplate(`not JSON`, notify.Text))
	began := time.Now()
	_ = notify.CheckTemplate(strings.Repeat("{{if .name}}", 200)+strings.Repeat("{{end}}", 200), "")
	require.Less(t, time.Since(began), 10*time.Second)
}

// A chat takes what a template makes, signed as everything is.
func TestTemplateForAChat(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.receiver(nil)
		_, secret := w.endpoint(notify.Endpoint{Address: r.URL + "/bot123:abc/sendMessage", Language: "ru", ContentType: notify.JSON,
			Template: `{"chat_id": "-100123", "text": "{{.event}} · {{.site}}\n{{.name}} {{.phone}}\n{{.message}}"}`})
		w.run()
		w.lead()
		m := r.wait(t, 1)[0]
		require.JSONEq(t, `{"chat_id": "-100123", "text": "Новая заявка · shop.example\nAda +7 (912) 345-67-89\nIs the lamp in stock?"}`, string(m.body))
		require.Equal(t, "application/json", m.Get("Content-Type"))
		signed(t, m, secret)
	})
}
