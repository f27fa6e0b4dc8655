package system

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// mailer is a site whose forms are answered with the status that their path names, and echoes nothing.
type mailer struct {
	*httptest.Server
	received []byte
	length   int64
}

func newMailer(t *testing.T) *mailer {
	m := new(mailer)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.received, _ = io.ReadAll(r.Body)
		m.length = r.ContentLength
		w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		status := http.StatusOK
		fmt.Sscanf(r.URL.Path, "/send/%d", &status)
		w.WriteHeader(status)
		io.WriteString(w, "<!doctype html><html><head><title>Lamps</title></head><body>sent</body></html>")
	}))
	t.Cleanup(m.Close)
	return m
}

// capturing runs a site that keeps its forms.
func capturing(t *testing.T) (*server, *mailer, *backend.Desk) {
	m := newMailer(t)
	s := run(t, option+`
		http://localhost:$PORT {
			frontdesk shop {
				capture /send/* {
					form_name "Contact"
				}
				capture /join {
					kind visitor
				}
				capture /mapped {
					name who
					phone number
					user_field city
					on always
				}
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	t.Cleanup(done)
	return s, m, desk
}

func leadsOf(t *testing.T, desk *backend.Desk) []lead.Lead {
	t.Helper()
	leads, err := desk.Leads.List(t.Context(), scope.All(), lead.Cursor{}, 1000)
	require.NoError(t, err)
	return leads
}

// keptLeads waits until there are so many: on a busy machine a form waits on the disk first.
func keptLeads(t *testing.T, desk *backend.Desk, n int) (leads []lead.Lead) {
	t.Helper()
	require.Eventually(t, func() bool {
		leads = leadsOf(t, desk)
		return len(leads) >= n
	}, wait, tick)
	require.Len(t, leads, n)
	return leads
}

// browser is the user agent of one.
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

const formType = "application/x-www-form-urlencoded"

func TestFormsBekeptLeads(t *testing.T) {
	s, m, desk := capturing(t)
	const address = "http://localhost:$PORT"
	post := func(path, contentType, body string, headers ...string) answer {
		t.Helper()
		got, err := s.Do(http.MethodPost, address+path, body, append(headers, "Content-Type", contentType)...)
		require.NoError(t, err)
		require.Equal(t, body, string(m.received), "the site gets what was sent")
		require.Contains(t, got.Content, "sent")
		return got
	}

	// A browser without scripts: the page brings the cookie, and the form comes with it.
	var page answer
	require.Eventually(t, func() bool { // the visit may be stored too late for it
		page = s.Get(address+"/?utm_source=news&utm_medium=mail", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
		return page.Header.Get("Set-Cookie") != ""
	}, wait, tick)
	require.Contains(t, page.Header.Get("Cache-Control"), "private")
	cookie := servertest.CookieOf(t, page.Header.Values("Set-Cookie"))
	later := s.Get(address+"/lamps", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser, "Cookie", cookie)
	require.Empty(t, later.Header.Get("Set-Cookie"))
	require.NotContains(t, later.Header.Get("Cache-Control"), "private", "that is done once")
	fields := url.Values{"your-name": {"Anna"}, "your-tel": {"+7 495 123-45-67"}, "your-message": {"Is it there?"}, "_wpcf7": {"12"}, "password": {"secret"}}.Encode()
	got := post("/send/200", formType, fields, "Cookie", cookie, "User-Agent", browser)
	require.Equal(t, http.StatusOK, got.StatusCode)
	l := keptLeads(t, desk, 1)[0]
	require.Equal(t, lead.Form, l.Origin)
	require.Equal(t, []string{"Anna", "74951234567", "Is it there?", "Contact"}, []string{l.Name, l.PhoneDigits, l.Message, l.FormName})
	require.Empty(t, l.UserFields)
	require.Equal(t, "news", l.Source.Source)
	require.Contains(t, l.URL, "utm_source=news")

	// Sent again by a reload it is the same; by a stranger it is another's.
	post("/send/302", formType, fields, "Cookie", cookie, "User-Agent", browser)
	require.Len(t, leadsOf(t, desk), 1)
	post("/send/200", formType, fields, "User-Agent", browser)
	keptLeads(t, desk, 2)

	// A form that fails is a lead that says so.
	require.Equal(t, http.StatusInternalServerError, post("/send/500", formType, "email=bob@example.com&text=Hello", "Cookie", cookie).StatusCode)
	failed := keptLeads(t, desk, 3)[0]
	require.Equal(t, "bob@example.com", failed.Email)
	require.Equal(t, 500, failed.SiteError)
	require.Equal(t, l.Visitor, failed.Visitor)

	// By names that the configuration gives, whatever the site answers; by JSON; in the character set of the answer.
	post("/mapped", formType, "who=Carl&number=%2B74951112233&city=Kazan&email=c@example.com")
	l = keptLeads(t, desk, 4)[0]
	require.Equal(t, []string{"Carl", "", "Kazan"}, []string{l.Name, l.Email, l.UserFields["city"]})
	post("/send/200", "application/json", `{"contact":{"name":"Dora","phone":"+7 495 765-43-21"}}`)
	require.Equal(t, "Dora", keptLeads(t, desk, 5)[0].Name)
	post("/send/200", formType, "name=%C0%ED%ED%E0&phone=%2B74951112244")
	require.Equal(t, "Анна", keptLeads(t, desk, 6)[0].Name)

	before := len(leadsOf(t, desk))
	for _, nothing := range []string{"q=lamps", "password=secret&login=anna", "", "name=Anna"} {
		post("/send/200", formType, nothing)
	}
	post("/send/200", "text/csv", "email=a@example.com")
	post("/send/200", "application/json", `{"email":`)
	post("/other", formType, fields)
	require.Len(t, leadsOf(t, desk), before)

	require.Positive(t, s.Metric(`frontdesk_forms_total{outcome="stored"}`))
	require.Positive(t, s.Metric(`frontdesk_forms_total{outcome="unreadable"}`))

	// Who somebody is.
	post("/join", formType, "name=Anna+Bell&email=anna@example.com", "Cookie", cookie)
	require.Len(t, leadsOf(t, desk), before)
	require.Eventually(t, func() bool { // at the latest after the answer
		_, found, err := db.One(t.Context(), desk.DB.Read(), db.Only[string], `SELECT value FROM contacts WHERE kind = 'email' AND value = 'anna@example.com'`)
		return err == nil && found
	}, wait, tick)
}

// A form that the database has stored late, and that waits on the disk as well, is one lead, although its visitor has seen
// the page again meanwhile.
func TestAFormThatIsStoredLate(t *testing.T) {
	s, _, desk := capturing(t)
	const address = "http://localhost:$PORT"
	visitor, set := s.Viewed(address, address+"/lamps", "", "User-Agent", browser)
	require.NotEmpty(t, visitor)
	cookie := servertest.CookieOf(t, set)
	waiting := s.Metric(`frontdesk_forms_total{outcome="waits"}`)
	release, held := make(chan struct{}), make(chan struct{})
	go desk.DB.Write(context.Background(), 0, func(context.Context, db.Tx) error {
		close(held)
		<-release
		return nil
	})
	<-held
	var sending sync.WaitGroup
	for range 2 { // pressed twice
		sending.Go(func() {
			_, err := s.Do(http.MethodPost, address+"/send/200", "name=Anna&email=anna@example.com", "Content-Type", formType, "User-Agent", browser, "Cookie", cookie, "Referer", s.Text(address+"/lamps"))
			assert.NoError(t, err)
		})
	}
	sending.Wait()
	require.Equal(t, waiting+2, s.Metric(`frontdesk_forms_total{outcome="waits"}`))
	sending.Go(func() {
		_, err := s.Do(http.MethodPost, address+"/frontdesk/v1/hit", `{"site_key":"shop","view":"`+strings.Repeat("w", 22)+`","url":"`+s.Text(address)+`/lamps","kind":"load"}`,
			"Content-Type", "application/json", "User-Agent", browser, "Cookie", cookie)
		assert.NoError(t, err)
	})
	close(release)
	sending.Wait()
	keptLeads(t, desk, 1)
	require.Eventually(t, func() bool { _, state := s.Health(); return state.Forms.Waiting == 0 }, wait, tick)
	require.Len(t, leadsOf(t, desk), 1)
}

// Files of any size reach the site as they were sent.
func TestUploadsPassAsTheyAre(t *testing.T) {
	s, m, desk := capturing(t)
	file := make([]byte, 8<<20)
	rand.Read(file)
	body := new(bytes.Buffer)
	w := multipart.NewWriter(body)
	part, err := w.CreateFormFile("photo", "lamp.jpg")
	require.NoError(t, err)
	part.Write(file)
	require.NoError(t, w.WriteField("email", "anna@example.com"))
	require.NoError(t, w.WriteField("message", "See the photo"))
	require.NoError(t, w.Close())
	sent := body.Bytes()
	for i, length := range []int64{int64(len(sent)), -1} { // -1: chunked
		request, err := http.NewRequest(http.MethodPost, s.Text("http://localhost:$PORT/send/200"), io.MultiReader(bytes.NewReader(sent)))
		require.NoError(t, err)
		request.ContentLength = length
		request.Header.Set("Content-Type", w.FormDataContentType())
		request.Header.Set("User-Agent", fmt.Sprint(browser, i)) // two strangers
		response, err := s.Client.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.True(t, bytes.Equal(sent, m.received))
		require.Equal(t, length, m.length)
	}
	for _, path := range []string{"/send/200", "/other"} { // nothing is sent alike
		empty, err := s.Do(http.MethodPost, "http://localhost:$PORT"+path, "", "Content-Type", formType)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, empty.StatusCode)
		require.Zero(t, m.length)
		require.Empty(t, m.received)
	}
	leads := keptLeads(t, desk, 2)
	require.Equal(t, "See the photo", leads[0].Message)
	require.Empty(t, leads[0].UserFields)
}

// While the database is away, forms wait on the disk, through the end of the process too. Each is stored once, and those
// of one visitor in their order.
func TestFormsWaitForTheDatabase(t *testing.T) {
	server := dbtest.OwnServer(t)
	m := newMailer(t)
	source := server.Source()
	n := runNode(t, `
		{
			frontdesk {
				database postgres "$SOURCE"
			}
		}
		http://localhost:$PORT {
			frontdesk shop {
				capture /send/*
				variant B
			}
			reverse_proxy `+strings.TrimPrefix(m.URL, "http://")+`
		}`, "$SOURCE", source)
	cookie := ""
	post := func(who string) {
		t.Helper()
		got, err := n.Do(http.MethodPost, "http://localhost:$PORT/send/200", "name="+who+"&email="+who+"@example.com&message=Hello", "Content-Type", formType, "User-Agent", browser, "Cookie", cookie)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.StatusCode)
		require.Contains(t, got.Content, "sent")
	}
	post("anna")
	var known string
	require.Eventually(t, func() bool { // the visit may be stored too late for it
		page := n.Get("http://localhost:$PORT/", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "User-Agent", browser)
		if set := page.Header.Values("Set-Cookie"); len(set) > 0 {
			known = servertest.CookieOf(t, set)
		}
		return known != ""
	}, wait, tick)
	require.Eventually(t, func() bool { _, state := n.Health(); return state.Forms.Waiting == 0 }, wait, tick, "anna's")
	server.Stop()
	post("bob")
	post("carl")
	cookie = known
	var visitors []string
	for i := range 20 {
		visitors = append(visitors, fmt.Sprintf("dora%02d", i))
		post(visitors[i])
	}
	_, state := n.Health()
	require.Equal(t, 22, state.Forms.Waiting)
	require.Equal(t, filepath.Join(n.data, "caddy", "frontdesk.forms"), state.Forms.File)
	onDisk, err := os.ReadFile(state.Forms.File)
	require.NoError(t, err)
	var said []byte
	for block := range slices.Chunk(onDisk, 512) { // each begins with 32 bytes of its own
		said = append(said, block[32:]...)
	}
	require.Regexp(t, `"client":"(127\.0\.0\.0|::)"`, string(said), "of the address, the network")
	n.kill() // and no database yet
	require.NoError(t, server.Start())
	n.launch()
	post("dora99") // not before the others
	d := dbtest.Open(t, db.Settings{Engine: db.Postgres, Source: source})
	names := func() (names []string) {
		names, err := db.List(t.Context(), d.Read(), db.Only[string], `SELECT name FROM leads ORDER BY id`)
		require.NoError(t, err)
		return names
	}
	require.Eventually(t, func() bool { _, state := n.Health(); return len(names()) == 24 && state.Forms.Waiting == 0 }, wait, tick)
	stored := names()
	require.ElementsMatch(t, append([]string{"anna", "bob", "carl", "dora99"}, visitors...), stored)
	require.Equal(t, append(visitors, "dora99"), slices.DeleteFunc(stored, func(name string) bool { return name < "dora" }))
}

// A program that sends forms without end reaches the site, and fills nobody's list.
func TestAFloodOfForms(t *testing.T) {
	s, m, desk := capturing(t)
	post := func(body string) {
		got, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/200", body, "Content-Type", formType, "X-Forwarded-For", "203.0.113.7")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.StatusCode)
		require.Equal(t, body, string(m.received))
	}
	floods := func() float64 { return s.Metric(`frontdesk_forms_total{outcome="flood"}`) }
	// What nobody has filled in counts as well, and nothing of it is stored, which might take too long for a flood.
	for i, before := 0, floods(); floods() == before; i++ {
		require.Less(t, i, 100, "no bound holds")
		for range 50 {
			post("q=lamps")
		}
	}
	for i, before := 0, floods(); floods() < before+3; i++ { // five a second are let in
		post(fmt.Sprintf("email=a%d@example.com&message=Buy", i))
	}
	require.Eventually(t, func() bool {
		lost, err := desk.Refused.Lost(t.Context(), scope.All())
		return err == nil && lost > 0
	}, wait, tick)
}

// The forms of a site that has been retired pass, and leave nothing behind.
func TestFormsOfARetiredSite(t *testing.T) {
	s, m, desk := capturing(t)
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	_, err = desk.Sites.Retire(t.Context(), shop.ID, true, "vera")
	require.NoError(t, err)
	const body = "email=anna@example.com&message=Hello"
	got, err := s.Do(http.MethodPost, "http://localhost:$PORT/send/200", body, "Content-Type", formType)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, body, string(m.received))
	require.Empty(t, leadsOf(t, desk))
	require.NotContains(t, s.Log(), "a form")
}
