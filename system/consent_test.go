package system

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// stored counts the rows that are kept of anybody.
func (s *server) stored() (rows int) {
	s.T.Helper()
	desk, done, err := caddymodule.Use()
	require.NoError(s.T, err)
	defer done()
	require.NoError(s.T, desk.Refused.Write(s.T.Context()))
	for _, table := range []string{"visitors", "visits", "views", "contacts", "leads", "refused_leads", "leases", "presences", "journal"} {
		n, _, err := db.One(s.T.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM `+table+` WHERE site_id <> 0`)
		require.NoError(s.T, err)
		rows += n
	}
	return rows
}

// Before a visitor agrees nothing is kept of them, by whatever way it comes, and it is counted how much that was. A browser that
// says that its user objects is of somebody who has not agreed, whatever the cookie says.
func TestNothingPersonalIsKeptBeforeConsent(t *testing.T) {
	m := newMailer(t)
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				consent agreed yes
				respect gpc dnt
				prerender dynamic
				number 74951234567 {
					static 74957654321 utm_source=news*
					dynamic 74957650001 74957650002
				}
				capture /send/*
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`).Ready()
	const agreed = "agreed=yes"
	send := func(headers ...string) {
		t.Helper()
		headers = append([]string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, headers...)
		page := s.Get("http://localhost:$PORT/lamps", headers...)
		require.Equal(t, http.StatusOK, page.StatusCode)
		require.Empty(t, page.Header.Values("Set-Cookie"))
		require.Contains(t, page.Header.Values("Vary"), "Sec-Gpc")
		got, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/200", "name=Ada&email=ada%40example.com", append(headers, "Content-Type", formType)...)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.StatusCode)
		require.Empty(t, got.Header.Values("Set-Cookie"))
		require.Equal(t, "name=Ada&email=ada%40example.com", string(m.received))
		got, err = s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/hit", `{"site_key":"shop","view":"`+strings.Repeat("v", 22)+`","url":"http://localhost/","kind":"load"}`, append(headers, "Content-Type", "application/json")...)
		require.NoError(t, err)
		require.Equal(t, http.StatusForbidden, got.StatusCode)
		require.Contains(t, got.Content, "consent_missing")
		require.Empty(t, got.Header.Values("Set-Cookie"))
	}
	forms, calls, refused := s.Metric(`frontdesk_forms_total{outcome="unagreed"}`), s.Metric(`frontdesk_unkept_total{what="call"}`), s.Metric(`frontdesk_unkept_total{what="refused"}`)
	before := s.stored()
	send()
	send("Cookie", "agreed=no")
	send("Cookie", agreed, "Sec-GPC", "1")
	send("Cookie", agreed, "DNT", "1")
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/api/add_offline_message/", "name=Ada&visitor_id=1&hit_id=2&session_id=3", "Content-Type", formType)
	require.NoError(t, err)
	require.Contains(t, got.Content, `"success":false`)
	require.Equal(t, before, s.stored())
	require.Equal(t, forms+4, s.Metric(`frontdesk_forms_total{outcome="unagreed"}`))
	require.Equal(t, calls+4, s.Metric(`frontdesk_unkept_total{what="call"}`))
	require.Equal(t, refused+1, s.Metric(`frontdesk_unkept_total{what="refused"}`))
	require.NotContains(t, s.Log(), "ada@example.com")

	got, err = s.Do(http.MethodPost, "http://localhost:$PORT/send/200", "name=Ada&email=ada%40example.com", "Content-Type", formType, "Cookie", agreed, "DNT", "0")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Eventually(t, func() bool { return s.stored() > before }, wait, tick)
}

// Without the setting, what browsers say of their users' wishes changes nothing.
func TestSignalsAreRespectedWhereTheSiteSaysSo(t *testing.T) {
	s := run(t, option+tracked).Ready()
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/v1/hit", `{"site_key":"shop","view":"`+strings.Repeat("v", 22)+`","url":"`+s.Text("http://localhost:$PORT/")+`","kind":"load"}`,
		"Content-Type", "application/json", "Sec-GPC", "1", "DNT", "1")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.StatusCode, got.Content)
	require.NotContains(t, s.Get("http://localhost:$PORT/").Header.Values("Vary"), "Sec-Gpc")
}

// Of a client's address what is stored and logged is its network, unless the configuration wants it whole.
func TestAddressesAreTruncated(t *testing.T) {
	for name, want := range map[string]struct{ line, stored, logged string }{
		"by default": {"", "203.0.113.0/24", `"address":"127.0.0.0/24"`},
		"whole":      {"addresses whole", "203.0.113.77", `"address":"127.0.0.1"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := run(t, strings.Replace(strings.Replace(option, "database", want.line+"\n\t\tdatabase", 1), "{\n", "{\n\tservers {\n\t\ttrusted_proxies static 127.0.0.0/8\n\t}\n", 1)+tracked+`
				http://127.0.0.1:$PORT {
					frontdesk_console
				}`).Ready()
			got, err := s.Do(http.MethodPost, "http://localhost:$PORT/frontdesk/api/add_offline_message/", "name=Ada&visitor_id=1&hit_id=2&session_id=3", "Content-Type", formType, "X-Forwarded-For", "203.0.113.77")
			require.NoError(t, err)
			require.Contains(t, got.Content, `"success":false`)
			desk, done, err := caddymodule.Use()
			require.NoError(t, err)
			defer done()
			require.NoError(t, desk.Refused.Write(t.Context()))
			require.Eventually(t, func() bool {
				list, err := desk.Refused.List(t.Context(), scope.All(), lead.Cursor{}, 10)
				require.NoError(t, err)
				if len(list) == 1 {
					require.Equal(t, want.stored, list[0].Address)
				}
				return len(list) == 1
			}, wait, tick)
			_, err = s.Do(http.MethodPost, "http://127.0.0.1:$PORT/sign-in", "login=a&password=b", "Content-Type", formType)
			require.NoError(t, err)
			require.Contains(t, s.Log(), want.logged)
		})
	}
}
