package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3405227d/frontdesk/locales"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/stretchr/testify/require"
)

const siteKey = "0123456789abcdef0123456789abcdef"

// arrival is a request of the script as the service got it.
type arrival struct {
	route string
	body  map[string]any
}

// field is the text, number or other value at the path in the body, and nil where there is none.
func (a arrival) field(path ...string) any {
	var v any = a.body
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// reply is what the service answers instead of the usual; release holds the answer back until it is closed.
type reply struct {
	status  int
	body    string
	header  map[string]string
	cut     bool // the connection breaks
	release <-chan struct{}
}

// scriptService is a site with the service behind its prefix, as far as the script sees it: it serves pages and the script,
// answers the script's calls, and remembers what has arrived.
type scriptService struct {
	*httptest.Server
	t      *testing.T
	script *snippet.Script
	marks  int // events made by pastAll

	mu         sync.Mutex
	changed    chan struct{} // closed when something arrives
	arrivals   []arrival
	scripts    int // how often the script was fetched
	views      map[string]int
	calls      map[string]bool
	properties map[string]any
	numbers    any // the records that the answers tell to a page view, and to a page that asks; nil where they tell none
	online     bool
	lost       string         // assets of this name are not found
	widget     map[string]any // what differs from panelsWidget
	captcha    map[string]any // what differs from the usual captcha
	pages      map[string]string
	headers    http.Header
	intercept  func(a arrival, nth int) *reply
	general    *reply
}

var variantA = snippet.ScriptSettings{Objects: [2]string{"Svc", "SvcWidget"}, Variant: "A", Tracking: true}

func newScriptService(t *testing.T, settings snippet.ScriptSettings) *scriptService {
	t.Helper()
	script, err := snippet.NewScript(settings)
	require.NoError(t, err)
	s := &scriptService{
		t: t, script: script, changed: make(chan struct{}), views: map[string]int{}, calls: map[string]bool{},
		properties: map[string]any{}, pages: map[string]string{}, headers: http.Header{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/frontdesk/svc.js", s.serveScript)
	mux.HandleFunc("/frontdesk/assets/", s.serveAsset)
	mux.HandleFunc("POST /frontdesk/v1/{route}", s.serveCall)
	mux.HandleFunc("GET /frontdesk/v1/status", s.serveStatus)
	mux.HandleFunc("GET /frontdesk/v1/widget", s.serveWidget)
	mux.HandleFunc("/", s.servePage)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Server.Close)
	return s
}

// insertion is the code that a site carries; the calls are further statements beside it, before the script has loaded.
func insertion(calls string) string {
	return `<script>var __cs=__cs||[];__cs.push(["setCsAccount","` + siteKey + `"]);` + calls + `</script>` +
		`<script async src="/frontdesk/svc.js" onload="window.loaded=true"></script>`
}

// page lays out a page with the head and the body given.
func (s *scriptService) page(path, head, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = "<!DOCTYPE html><html><head><meta charset=utf-8><title>Page " + path + "</title>" + head + "</head><body>" + body + "</body></html>"
}

func (s *scriptService) servePage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	content, found := s.pages[r.URL.Path]
	maps.Copy(w.Header(), s.headers)
	s.mu.Unlock()
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, content)
}

func (s *scriptService) serveScript(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.scripts++
	s.mu.Unlock()
	s.script.ServeHTTP(w, r)
}

func (s *scriptService) serveAsset(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	lost := s.lost
	s.mu.Unlock()
	if lost != "" && strings.Contains(r.URL.Path, lost) {
		http.NotFound(w, r)
		return
	}
	snippet.Assets().ServeHTTP(w, r)
}

func (s *scriptService) serveStatus(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	online := s.online
	s.mu.Unlock()
	s.arrived(arrival{route: "status", body: map[string]any{"k": r.FormValue("k")}})
	answer(w, map[string]any{"success": true, "online": online})
}

func (s *scriptService) serveWidget(w http.ResponseWriter, r *http.Request) {
	language := locales.Language(r.FormValue("l"))
	s.mu.Lock()
	online, widget := s.online, maps.Clone(panelsWidget)
	maps.Copy(widget, s.widget)
	s.mu.Unlock()
	s.arrived(arrival{route: "widget", body: map[string]any{"k": r.FormValue("k"), "l": r.FormValue("l")}})
	if fault := s.fault(); fault != nil && !fault.give(w, r) {
		return
	}
	answer(w, map[string]any{"success": true, "online": online, "language": language, "texts": snippet.Texts(language), "widget": widget})
}

// panelsWidget is how the panels look where a test says nothing else.
var panelsWidget = map[string]any{
	"launcher": true, "side": "right", "color": "#1f6feb", "avatar": "", "title": "", "greeting": "",
	"fields": []map[string]any{
		{"name": "name", "required": false}, {"name": "phone", "required": false}, {"name": "email", "required": false},
		{"name": "message", "required": true}, {"name": "city", "label": "City", "required": false},
	},
	"chat": true, "files": true, "sitephone": true, "captcha": false, "mask": "", "invitations": []any{},
}

func (s *scriptService) serveCall(w http.ResponseWriter, r *http.Request) {
	a := arrival{route: r.PathValue("route")}
	err := json.NewDecoder(r.Body).Decode(&a.body)
	if err != nil || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "not a call", http.StatusBadRequest)
		s.t.Errorf("malformed call of %s: %v", a.route, err)
		return
	}
	nth := s.arrived(a)
	s.mu.Lock()
	intercept := s.intercept
	s.mu.Unlock()
	if intercept != nil {
		if reply := intercept(a, nth); reply != nil && !reply.give(w, r) {
			return
		}
	}
	if a.route != "hit" {
		s.mu.Lock()
		s.calls[a.route+" "+fmt.Sprint(a.body["id"])] = true
		told := map[string]any{"success": true, "result": nil}
		if a.body["numbers"] == true {
			told["numbers"] = s.numbers
		}
		if a.route == "captcha" {
			told["key"], told["url"] = "k", "http://"+r.Host+"/frontdesk/v1/captcha/k.png"
			maps.Copy(told, s.captcha)
		}
		s.mu.Unlock()
		answer(w, told)
		return
	}
	answer(w, s.hit(w, r, a))
}

// give writes the reply, and tells whether the usual answer is to follow.
func (p *reply) give(w http.ResponseWriter, r *http.Request) bool {
	if p.release != nil {
		select {
		case <-p.release:
		case <-r.Context().Done():
		}
	}
	if p.cut {
		panic(http.ErrAbortHandler)
	}
	if p.status == 0 {
		return true
	}
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, p.body)
	return false
}

func (s *scriptService) hit(w http.ResponseWriter, r *http.Request, a arrival) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	view := a.body["view"].(string)
	number, known := s.views[view]
	if !known {
		number = len(s.views) + 1
		s.views[view] = number
	}
	if _, err := r.Cookie("svc_v"); err != nil {
		http.SetCookie(w, &http.Cookie{Name: "svc_v", Value: "1001.signature", Path: "/", HttpOnly: true})
	}
	told := map[string]any{
		"success": true, "site_key": a.body["site_key"], "key": "signed" + fmt.Sprint(number), "uri": a.body["url"],
		"visitor_id": 1001, "session_id": 2001, "hit_id": 3000 + number,
		"consultant_server_url": "http://" + r.Host + "/frontdesk/", "online": s.online, "properties": maps.Clone(s.properties),
	}
	if s.numbers != nil {
		told["numbers"] = s.numbers
	}
	return told
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// arrived remembers the request, and gives its number among those of its route, from 1.
func (s *scriptService) arrived(a arrival) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals = append(s.arrivals, a)
	close(s.changed)
	s.changed = make(chan struct{})
	nth := 0
	for _, other := range s.arrivals {
		if other.route == a.route {
			nth++
		}
	}
	return nth
}

// setFault makes fault give the reply from now on, and nil for the usual answers.
func (s *scriptService) setFault(general *reply) {
	s.set(func() { s.general = general })
}

func (s *scriptService) fault() *reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.general
}

// set changes the service under its lock.
func (s *scriptService) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// got gives the requests that have arrived on the route.
func (s *scriptService) got(route string) []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []arrival
	for _, a := range s.arrivals {
		if a.route == route {
			got = append(got, a)
		}
	}
	return got
}

// await waits until as many requests have arrived on the route, and gives them.
func (s *scriptService) await(route string, count int) []arrival {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if got := s.got(route); len(got) >= count {
			return got
		}
		select {
		case <-changed:
		case <-ctx.Done():
			require.FailNow(s.t, "too few requests", "%d of %d on %s", len(s.got(route)), count, route)
		}
	}
}

// drained closes the site, which waits for all requests under way, and gives all that has arrived on the route.
func (s *scriptService) drained(route string) []arrival {
	s.Close()
	return s.got(route)
}

// pastAll makes an event and waits for it: what the page has made before it, and what went out at once, has arrived then.
func (s *scriptService) pastAll(b *tab, object string) {
	s.t.Helper()
	s.marks++
	mark := fmt.Sprintf("mark-%d", s.marks)
	b.do(object + `.trackEvent("mark", "` + mark + `")`)
	for n := 1; ; n++ {
		events := s.await("event", n)
		if events[n-1].body["action"] == mark {
			return
		}
	}
}
