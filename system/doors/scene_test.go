package doors

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// scene is what stands for the wildcards of doors, and makes new visitors.
type scene struct {
	*program
	stands map[string]string
	serial int
	cookie string // of the latest visitor
	// secrets are tokens of programs, of which each is used as often as the others.
	secrets []string
}

// secret is the next of the tokens.
func (s *scene) secret() string {
	s.secrets = append(s.secrets[1:], s.secrets[0])
	return s.secrets[0]
}

// newScene fills the shop, so that there is something behind each door. The operator has signed in.
func newScene(p *program) *scene {
	s := &scene{program: p, stands: map[string]string{"site": "1", "view": "leads", "$": "", "number": "74952223344", "pool": "summer",
		"reply": "1", "capture": "0", "import": "1", "refused": "1", "message": "1"}}
	shop := p.at("shop")
	s.call("event", s.event())
	s.call("property", s.property())
	s.call("lead", s.lead())
	asked := s.say()
	s.call("chat/say", asked)
	s.call("callback", s.callback())
	s.stands["visitor"] = fmt.Sprint(asked["credentials"].(map[string]any)["visitor_id"])
	require.Equal(p.T, http.StatusOK, shop.send(chatFile(s, 10)["a.txt"]()).status)
	script := shop.send(request{method: http.MethodGet, path: "/frontdesk/svc.js?k=shop"})
	s.stands["asset"] = regexp.MustCompile(`panels-[\w-]+\.js`).FindString(string(script.body))
	pictured := request{method: http.MethodGet, path: "/lamps?utm_source=news", origin: "<!doctype html><html><head></head><body><img class=pictured>"}
	p.origin.Store(&pictured)
	found := regexp.MustCompile(`/frontdesk/phone/([\w.-]+)`).FindSubmatch(shop.send(pictured).body)
	require.NotNil(p.T, found, "no picture of a number is shown")
	s.stands["picture"] = string(found[1])
	s.keep("/sites/1/groups", "name", "sales", "zone", "Europe/Moscow", "routing", "all")
	s.keep("/sites/1/replies", "word", "hello", "text", "Hello!")
	s.keep("/operators", "login", "anna", "name", "Anna", "password", password, "role", "operator", "all", "true")
	s.keep("/sites/1/endpoints", "kind", "webhook", "as", "webhook", "address", "http://"+p.receiver, "events", "lead.added", "language", "en")
	s.keep("/reports/mail", "site", "1", "address", "owner@shop.example", "every", "day", "language", "en")
	s.keep("/sites/1/endpoints", "kind", "mail", "as", "mail", "address", "desk@shop.example", "events", "lead.added", "language", "en")
	s.keep("/sites/1/conversions", "kind", "google_ads", "name_lead", "Lead")
	s.keep("/pools/1", "name", "summer", "numbers", "74957650011\n74957650012", "hold", "5", "exhausted", "original")
	s.keep("/numbers/1", "number", "74952223344", "version", s.found("/numbers/1/new", `name="version" value="(\d+)"`))
	s.keep("/sites/1/captures", "path", "/kept.php", "methods", "POST", "version", s.found("/sites/1/captures/new", `name="version" value="(\d+)"`))
	s.keep("/costs/1/entries", "source", "radio", "first", "2026-10-01", "last", "2026-10-02", "amount", "10")
	s.keep("/reports/saved?site=1", "name", "Spring")
	linked := p.at("desk").send(post("/reports/links?site=1", formType, fields("name", "Spring", "days", "30"), "Cookie: "+p.cookie))
	s.stands["shared"] = regexp.MustCompile(`/r/(\d+-\w+)`).FindStringSubmatch(string(linked.body))[1]
	opens := []string{"name", "CRM", "all", "true", "days", "30"}
	for _, of := range token.Scopes {
		opens = append(opens, "scopes", string(of))
	}
	for range 40 { // one may call a thousand times at once
		made := p.at("desk").send(post("/tokens", formType, fields(opens...), "Cookie: "+p.cookie))
		require.Equal(p.T, http.StatusOK, made.status)
		s.secrets = append(s.secrets, regexp.MustCompile(`frontdesk_\w+`).FindString(string(made.body)))
	}
	s.call("lead", s.lead())
	for name, place := range map[string]struct{ page, link string }{
		"lead": {"/leads", `/leads/1/(\d+)`}, "conversation": {"/chats", `/chats/1/(\d+)`},
		"file": {"/chats", `/chats/1/(\d+)`}, "group": {"/sites/1/groups", `/groups/(\d+)`}, "operator": {"/operators", `/operators/([2-9]\d*)`},
		"destination": {"/sites/1/conversions", `/conversions/(\d+)`},
		"subscriber":  {"/reports/mail", `/reports/mail/1/(\d+)/`}, "endpoint": {"/sites/1/deliveries", `/endpoints/(\d+)`}, "callback": {"/callbacks", `/callbacks/1/(\d+)`}, "after": {"/leads", `after=([^"&]+)`},
		"saved": {"/reports/saved", `/reports/saved/(\d+)`}, "link": {"/reports/links", `/reports/links/1/(\d+)/`}, "program": {"/tokens", `/tokens/(\d+)/`},
		"name": {"/leads", `/assets/([\w.-]+\.css)`},
	} {
		s.stands[name] = s.found(place.page, place.link)
	}
	s.stands["call"], s.stands["manual"], s.stands["drawing"], s.stands["face"] = "1", "caddyfile", "leads.webp", "none"
	s.stands["table"], s.stands["feed"] = "conversions.csv", "1-"+s.stands["destination"]
	s.stands["other"] = s.found("/leads", `(?s:.*)/leads/1/(\d+)`) // the first
	a := p.at("desk").send(post("/operators/"+s.stands["operator"]+"/password", formType, "", "Cookie: "+p.cookie))
	s.stands["token"] = regexp.MustCompile(`token=([\w.-]+)`).FindStringSubmatch(string(a.body))[1]
	s.stands["conversation"], s.stands["file"] = s.foundFile()
	return s
}

// listen opens streams of the console, and one of a visitor.
func (s *scene) listen() {
	for _, page := range []string{"/leads", "/visitors", "/chats", "/calls", "/callbacks"} {
		address := html.UnescapeString(s.found(page, `"(/stream/[^"]+)"`))
		s.follow(s.at("desk"), request{method: http.MethodGet, path: address, fields: []string{"Cookie: " + s.program.cookie}})
	}
	s.follow(s.at("shop"), s.line())
}

// line asks for a new visitor's stream.
func (s *scene) line() request {
	token := s.call("chat", s.caller())["stream"].(string)
	return request{method: http.MethodGet, path: "/frontdesk/v1/chat/stream?a=0&t=" + url.QueryEscape(token), fields: []string{"Cookie: " + s.cookie}}
}

// filled is the text with what stands for its wildcards.
func (s *scene) filled(text string) string {
	for _, name := range wildcard.FindAllStringSubmatch(text, -1) {
		value, known := s.stands[name[1]]
		require.True(s.T, known, "tell this test what stands for %s", name[0])
		text = strings.ReplaceAll(text, name[0], value)
	}
	return text
}

// call is the answer to a call of the script, which has to be taken.
func (s *scene) call(route string, object map[string]any) (told map[string]any) {
	a := s.at("shop").send(post("/frontdesk/v1/"+route, jsonType, encoded(object), "Cookie: "+s.cookie))
	require.Equal(s.T, http.StatusOK, a.status, "%s: %s", route, a.body)
	require.NoError(s.T, json.Unmarshal(a.body, &told))
	return told
}

// keep sends a form of the console, which has to be taken.
func (s *scene) keep(path string, pairs ...string) {
	a := s.at("desk").send(post(path, formType, fields(pairs...), "Cookie: "+s.program.cookie))
	require.Contains(s.T, []int{http.StatusOK, http.StatusSeeOther}, a.status, "%s: %.300s", path, regexp.MustCompile(`(?s)^.*role="alert">`).ReplaceAll(a.body, nil))
}

// page is a page of the console.
func (s *scene) page(path string) string {
	a := s.at("desk").send(request{method: http.MethodGet, path: path, fields: []string{"Cookie: " + s.program.cookie}})
	require.Equal(s.T, http.StatusOK, a.status, "%s: %.300s", path, regexp.MustCompile(`(?s)^.*role="alert">`).ReplaceAll(a.body, nil))
	return string(a.body)
}

// found is what the page says where the expression has its parentheses. It waits until the page says so.
func (s *scene) found(path, expression string) (found string) {
	look := regexp.MustCompile(expression)
	require.Eventually(s.T, func() bool {
		match := look.FindStringSubmatch(s.page(path))
		if match != nil {
			found = match[1]
		}
		return match != nil
	}, wait, 10*time.Millisecond, "%s on %s", expression, path)
	return found
}

// foundFile is the conversation in which there is a file, and the file.
func (s *scene) foundFile() (conversation, file string) {
	for _, match := range regexp.MustCompile(`/chats/1/(\d+)`).FindAllStringSubmatch(s.page("/chats"), -1) {
		if file := regexp.MustCompile(`/files/(\d+)`).FindStringSubmatch(s.page("/chats/1/" + match[1])); file != nil {
			return match[1], file[1]
		}
	}
	require.Fail(s.T, "no file is shown")
	return "", ""
}

// unique is a text that no other input has.
func (s *scene) unique() string {
	s.serial++
	return fmt.Sprintf("n%d ", s.serial)
}

// view is that of a new visitor.
func (s *scene) view() map[string]any {
	s.serial++
	s.cookie = ""
	return map[string]any{"site_key": "shop", "view": fmt.Sprintf("view-%016d", s.serial), "url": "http://localhost/lamps", "title": "Lamps", "kind": "load"}
}

// told is what a new visitor's page view was answered.
func (s *scene) told() map[string]any {
	a := s.at("shop").send(post("/frontdesk/v1/hit", jsonType, encoded(s.view())))
	require.Equal(s.T, http.StatusOK, a.status, "%s", a.body)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		s.cookie = c.Name + "=" + c.Value
	}
	var told map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(a.body)))
	decoder.UseNumber() // ids
	require.NoError(s.T, decoder.Decode(&told))
	return told
}

// caller is what a call of a new visitor begins with.
func (s *scene) caller() map[string]any {
	told, credentials := s.told(), make(map[string]any)
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		credentials[name] = told[name]
	}
	s.serial++
	return map[string]any{"credentials": credentials, "id": fmt.Sprintf("call-%016d", s.serial), "presence": "here", "seq": 1}
}

// credentials are those of a new visitor as a server sends them.
func (s *scene) credentials() string {
	form, told := make(url.Values), s.told()
	for _, name := range []string{"site_key", "key", "uri", "visitor_id", "hit_id", "session_id"} {
		form.Set(name, fmt.Sprint(told[name]))
	}
	return form.Encode()
}

// visited are the same for the other call of servers, and a name.
func (s *scene) visited() string {
	told := s.told()
	return fields("sk", "shop", "ci", fmt.Sprint(told["visitor_id"]), "hi", fmt.Sprint(told["hit_id"]), "ur", fmt.Sprint(told["uri"]), "k", fmt.Sprint(told["key"]), "vn", "Anna")
}

func (s *scene) visitor() map[string]any { return with(s.caller(), "name", "Anna") }

func (s *scene) event() map[string]any { return with(with(s.caller(), "category", "a"), "action", "b") }

func (s *scene) property() map[string]any { return with(with(s.caller(), "name", "a"), "value", "b") }

func (s *scene) lead() map[string]any {
	return with(s.caller(), "request", map[string]any{"message": "a lamp", "phone": "+7 912 345-67-89"})
}

func (s *scene) say() map[string]any {
	return with(s.caller(), "request", map[string]any{"text": "a lamp"})
}

// sender is a new visitor who has said something, and sent a file.
func (s *scene) sender() map[string]any {
	said := s.say()
	s.call("chat/say", said)
	return with(with(said, "email", "anna@shop.example"), "request", nil)
}

func (s *scene) callback() map[string]any {
	return with(s.caller(), "request", map[string]any{"phone": "+7 912 345-67-89"})
}
