package system

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// sent is what an origin has got of a form.
type sent struct {
	body []byte
	err  error
}

// Whatever a form is, the site gets exactly that, and at once. What is kept of it is a part, or nothing.
func TestBadForms(t *testing.T) {
	received := make(chan sent, 10)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		received <- sent{body, err}
		w.Header().Set("Content-Type", "text/html; charset="+strings.TrimPrefix(r.URL.Path, "/send/"))
		io.WriteString(w, "<!doctype html><title>Sent</title>")
	}))
	t.Cleanup(origin.Close)
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				capture /send/*
			}
			reverse_proxy `+strings.TrimPrefix(origin.URL, "http://")+`
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	t.Cleanup(done)

	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, err = packed.Write(append([]byte("email=a@example.com&message="), make([]byte, 50<<20)...))
	require.NoError(t, err)
	require.NoError(t, packed.Close())
	koi8, err := charmap.KOI8R.NewEncoder().String("Анна")
	require.NoError(t, err)
	const long = 10 << 20
	part := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	for called, c := range map[string]struct {
		contentType, body, path string
		headers                 []string
		name                    string // of the lead; empty for none
		message                 int    // the least length of its message
	}{
		"packed":            {formType, bomb.String(), "utf-8", []string{"Content-Encoding", "gzip"}, "", 0},
		"of another type":   {"application/json", "email=a@example.com&message=Hello, type", "utf-8", nil, "", 5},
		"without a type":    {"", "email=a@example.com&message=Hello", "utf-8", nil, "", 5},
		"a list":            {"", `[{"name":"email","value":"a@example.com"},{"name":"name","value":"Ann"}]`, "utf-8", nil, "Ann", 0},
		"a text":            {"text/plain", "name=Ann\r\nphone=+7 495 123-45-67\r\n", "utf-8", nil, "Ann", 0},
		"a question":        {"application/json", `{"query":"query A { a }","variables":{"email":"a@example.com"}}`, "utf-8", nil, "", 0},
		"a mutation":        {"application/json", `{"query":"mutation A { a }","operationName":"A","variables":{"lead":{"email":"a@example.com","name":"Bell"}}}`, "utf-8", nil, "Bell", 0},
		"no parts":          {"multipart/form-data", part("email", "a@example.com"), "utf-8", nil, "", 0},
		"other parts":       {"multipart/form-data; boundary=c", part("email", "a@example.com"), "utf-8", nil, "", 0},
		"broken parts":      {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data\r\n\r\n--b--\r\n--b", "utf-8", nil, "", 0},
		"10,000 fields":     {formType, "name=Many&email=a@example.com" + strings.Repeat("&a=1", 10_000), "utf-8", nil, "Many", 0},
		"long pairs":        {formType, "name=Long&message=" + strings.Repeat("x", long) + "&email=a@example.com", "utf-8", nil, "Long", 200_000},
		"long parts":        {"multipart/form-data; boundary=b", part("name", "Parts") + part("message", strings.Repeat("x", long)) + "--b--\r\n", "utf-8", nil, "Parts", 200_000},
		"long first part":   {"multipart/form-data; boundary=b", part("message", strings.Repeat("y", long)) + "--b--\r\n", "utf-8", nil, "", 200_000},
		"koi8-r":            {formType, "email=a@example.com&name=" + koi8, "koi8-r", nil, "Анна", 0},
		"of no charset":     {formType, "email=a@example.com&name=%ff%fex%00", "nonsense", nil, "ÿþx", 0},
		"of words alone":    {formType, "email=a@example.com&name=%c8%e2%e0%ed", "utf-8", nil, "Иван", 0},
		"escaped badly":     {formType, "email=a@example.com&name=100%&%zz=%", "utf-8", nil, "100%", 0},
		"deep":              {"application/json", strings.Repeat(`{"email":`, 20_000), "utf-8", nil, "", 0},
		"names of anything": {formType, "email=a@example.com&" + strings.Repeat("%00\xff=%00&", 100) + "name=Odd", "utf-8", nil, "Odd", 0},
	} {
		t.Run(called, func(t *testing.T) {
			before := len(leadsOf(t, desk))
			got, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/"+c.path, c.body, append([]string{"Content-Type", c.contentType, "User-Agent", browser}, c.headers...)...)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, got.StatusCode)
			from := <-received
			require.NoError(t, from.err)
			require.Equal(t, c.body, string(from.body), "the site gets what was sent")
			if c.name == "" && c.message == 0 {
				require.Len(t, leadsOf(t, desk), before)
				return
			}
			leads := keptLeads(t, desk, before+1)
			require.Equal(t, c.name, leads[0].Name)
			require.GreaterOrEqual(t, len(leads[0].Message), c.message)
			require.Less(t, len(leads[0].Message), 300_000)
		})
	}

	// begun sends the beginning of a form, which is said to be longer.
	begun := func(body string, length int) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", s.Text("localhost:$PORT"))
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		require.NoError(t, c.SetDeadline(time.Now().Add(wait)))
		_, err = fmt.Fprintf(c, "POST /send/utf-8 HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nUser-Agent: %s\r\nContent-Length: %d\r\n\r\n%s", s.Text("localhost:$PORT"), formType, browser, length, body)
		require.NoError(t, err)
		return c
	}
	before := len(leadsOf(t, desk))
	const body = "email=slow@example.com&message=Hello"
	slow := begun(body[:1], len(body))
	for _, one := range body[1:] {
		time.Sleep(5 * time.Millisecond)
		_, err := slow.Write([]byte(string(one)))
		require.NoError(t, err)
	}
	from := <-received
	require.Equal(t, body, string(from.body))
	keptLeads(t, desk, before+1)

	aborted := begun(body, len(body)+1000)
	require.NoError(t, aborted.Close())
	from = <-received
	require.Error(t, from.err)
	require.Len(t, leadsOf(t, desk), before+1)
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/utf-8", body, "Content-Type", formType, "User-Agent", browser)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.NoError(t, desk.Forms.Store(t.Context()))
	told, _, err := db.One(t.Context(), desk.DB.Read(), db.Only[int], `SELECT COUNT(*) FROM journal WHERE kind = 'incident.begun'`)
	require.NoError(t, err)
	require.Zero(t, told, "the site has not failed")
}
