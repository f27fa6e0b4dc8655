package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/websocket"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

const pbxSecret = "a secret of the exchange"

// ariOperations are those of ARI that the bridge uses, each with what its description says of the
// values in its query: which there are, of what kind, and whether they have to be there.
var ariOperations = map[string]map[string]string{
	"POST /channels/{}":           {"endpoint": "required", "app": "string", "appArgs": "string", "callerId": "string", "timeout": "int", "originator": "string", "formats": "string"},
	"GET /channels/{}":            {},
	"DELETE /channels/{}":         {"reason": "string", "reason_code": "string"},
	"POST /channels/{}/ring":      {},
	"DELETE /channels/{}/ring":    {},
	"POST /bridges/{}":            {"type": "string", "name": "string"},
	"POST /bridges/{}/addChannel": {"channel": "required", "role": "string", "mute": "boolean"},
	"DELETE /bridges/{}":          {},
}

// asterisk stands for an Asterisk: it holds every request against the description of ARI, keeps
// channels and bridges as that says, and its phones do what the test wants.
type asterisk struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	events   *websocket.Conn
	followed int
	channels map[string]string // their states by their ids
	bridges  map[string][]string
	dialled  []url.Values
	asked    []string
}

func startAsterisk(t *testing.T) *asterisk {
	a := &asterisk{t: t, channels: map[string]string{}, bridges: map[string][]string{}}
	mux := http.NewServeMux()
	mux.Handle("/ari/events", websocket.Server{Handler: a.follow})
	mux.HandleFunc("/ari/", a.answer)
	a.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "frontdesk" || password != "ari password" {
			http.Error(w, `{"message":"Authentication required"}`, http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(a.server.Close)
	return a
}

func (a *asterisk) follow(c *websocket.Conn) {
	assert.Equal(a.t, url.Values{"app": {"frontdesk"}}, c.Request().URL.Query())
	a.mu.Lock()
	a.events = c
	a.followed++
	a.mu.Unlock()
	_, _ = io.Copy(io.Discard, c)
}

// answer does what is asked, as the description says.
func (a *asterisk) answer(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/ari")
	parts := strings.Split(path, "/")
	id := parts[2]
	parts[2] = "{}"
	operation := r.Method + " " + strings.Join(parts, "/")
	a.asked = append(a.asked, operation)
	values, known := ariOperations[operation]
	if !assert.True(a.t, known, "ARI has no %s %s", r.Method, path) {
		http.NotFound(w, r)
		return
	}
	query := r.URL.Query()
	for name, given := range query {
		kind, has := values[name]
		assert.True(a.t, has && len(given) == 1, "%s has no %s", operation, name)
		if kind == "int" {
			_, err := strconv.Atoi(given[0])
			assert.NoError(a.t, err)
		}
	}
	for name, kind := range values {
		assert.False(a.t, kind == "required" && query.Get(name) == "", "%s needs %s", operation, name)
	}
	_, there := a.channels[id]
	_, joined := a.bridges[id]
	switch {
	case operation == "POST /channels/{}" && there:
		http.Error(w, `{"message":"Channel with given unique ID already exists."}`, http.StatusConflict)
	case operation == "POST /channels/{}":
		a.channels[id] = "Down"
		a.dialled = append(a.dialled, query)
		_ = json.NewEncoder(w).Encode(a.channel(id))
	case strings.Contains(operation, "channels/{}") && !there:
		http.Error(w, `{"message":"Channel not found"}`, http.StatusNotFound)
	case operation == "GET /channels/{}":
		_ = json.NewEncoder(w).Encode(a.channel(id))
	case operation == "DELETE /channels/{}":
		w.WriteHeader(http.StatusNoContent)
		go a.hangsUp(id, 16)
	case strings.HasSuffix(operation, "/ring"):
		assert.Equal(a.t, "Up", a.channels[id])
		w.WriteHeader(http.StatusNoContent)
	case operation == "POST /bridges/{}":
		a.bridges[id] = []string{}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": id, "technology": "simple_bridge", "bridge_type": "mixing", "channels": []string{}})
	case !joined:
		http.Error(w, `{"message":"Bridge not found"}`, http.StatusNotFound)
	case operation == "POST /bridges/{}/addChannel":
		for _, channel := range strings.Split(query.Get("channel"), ",") {
			if a.channels[channel] != "Up" {
				http.Error(w, `{"message":"Channel not in Stasis application"}`, http.StatusConflict)
				return
			}
			a.bridges[id] = append(a.bridges[id], channel)
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		delete(a.bridges, id)
		w.WriteHeader(http.StatusNoContent)
	}
}

// channel is the channel with all that a channel has to have.
func (a *asterisk) channel(id string) map[string]any {
	nobody := map[string]any{"name": "", "number": ""}
	return map[string]any{"id": id, "protocol_id": "", "name": "PJSIP/trunk-00000001", "state": a.channels[id], "caller": nobody, "connected": nobody, "accountcode": "",
		"dialplan":     map[string]any{"context": "default", "exten": "s", "priority": 1, "app_name": "AppDial2", "app_data": "(Outgoing Line)"},
		"creationtime": "2026-11-22T12:00:00.000+0000", "language": "en"}
}

// tells tells of the channel by an event.
func (a *asterisk) tells(kind, id string, more map[string]any) {
	e := map[string]any{"type": kind, "application": "frontdesk", "timestamp": "2026-11-22T12:00:00.000+0000", "asterisk_id": "00:11:22:33:44:55", "channel": a.channel(id)}
	for name, value := range more {
		e[name] = value
	}
	if a.events != nil {
		_ = websocket.JSON.Send(a.events, e)
	}
}

// one waits until there is one channel of the side, and returns its id.
func (a *asterisk) one(side string) (id string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		for channel := range a.channels {
			if strings.HasPrefix(channel, side+"-") {
				id = channel
				return true
			}
		}
		return false
	}, patience, 10*time.Millisecond, "nobody is called")
	return id
}

func (a *asterisk) beginsToRing(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.channels[id] = "Ringing"
	a.tells("ChannelStateChange", id, nil)
}

func (a *asterisk) takesUp(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.channels[id] = "Up"
	a.tells("ChannelStateChange", id, nil)
	a.tells("StasisStart", id, map[string]any{"args": []string{}})
}

func (a *asterisk) hangsUp(id string, cause int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, there := a.channels[id]; !there {
		return
	}
	a.tells("ChannelDestroyed", id, map[string]any{"cause": cause, "cause_txt": "As Q.850 says"})
	delete(a.channels, id)
}

// empty waits until nobody is called and nobody talks.
func (a *asterisk) empty() {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.channels)+len(a.bridges) == 0
	}, patience, 10*time.Millisecond)
}

// bridged is the program with the bridge of examples/asterisk and an Asterisk behind it.
type bridged struct {
	*program
	*asterisk
	orders string
	said   *syncBuffer
}

func runBridged(t *testing.T) *bridged {
	t.Helper()
	a := startAsterisk(t)
	orders := freeAddress(t)
	p := runProgram(t, `
{
	frontdesk {
		telephony webhook http://`+orders+`/ {
			secret "`+pbxSecret+`"
		}
	}
}
http://localhost:8080 {
	frontdesk shop {
		region RU
		callback {
			phone 74950000001
			caller_id 74951234567
			repeat 0
		}
	}
	reverse_proxy localhost:8081
}
http://localhost:8090 {
	frontdesk_console
}
:8081 {
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title></head><body></body></html>"
}
`, "")
	file := filepath.Join(t.TempDir(), "bridge")
	built, err := exec.Command("go", "build", "-o", file, "../examples/asterisk").CombinedOutput()
	require.NoError(t, err, "%s", built)
	cmd := exec.Command(file)
	cmd.Env = append(os.Environ(), "LISTEN="+orders, "FRONTDESK_SECRET="+pbxSecret, "FRONTDESK_EVENTS="+p.shop+"/frontdesk/calls/webhook",
		"ARI_URL="+a.server.URL+"/ari", "ARI_USER=frontdesk", "ARI_PASSWORD=ari password", "ENDPOINT=PJSIP/NUMBER@trunk")
	said := new(syncBuffer)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the bridge's log:\n%s", said.String())
		}
	})
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "following Asterisk's events") }, patience, 10*time.Millisecond)
	return &bridged{p, a, orders, said}
}

// An Asterisk calls the operator, then the visitor, and joins them; the console shows each step.
func TestAsteriskCallsBack(t *testing.T) {
	t.Parallel()
	p := runBridged(t)
	b := newTab(t)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
	asks := func(phone string) {
		t.Helper()
		status, code := sitePhoneCall(t, b, phone, "", "", 0)
		require.Equal(t, 0, status, code)
	}
	asks("8 912 345-67-89")
	desk := p.signedIn(t)
	at := p.lastCallback(t, desk)
	desk.visit(p.console + at)
	operator := p.one("o")
	p.beginsToRing(operator)
	desk.until(contains("#steps", "The operator's phone is ringing"))
	p.takesUp(operator)
	desk.until(contains("#now", "Calling the visitor"))
	visitor := p.one("v")
	p.beginsToRing(visitor)
	p.takesUp(visitor)
	desk.until(contains("#now", "Talking"))
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.bridges) == 1 && slices.Equal(p.bridges["b"+operator[1:]], []string{operator, visitor})
	}, patience, 10*time.Millisecond, "they hear each other")
	require.Equal(t, []url.Values{
		{"endpoint": {"PJSIP/74950000001@trunk"}, "app": {"frontdesk"}, "timeout": {"30"}, "callerId": {"74951234567"}},
		{"endpoint": {"PJSIP/79123456789@trunk"}, "app": {"frontdesk"}, "timeout": {"30"}, "callerId": {"74951234567"}, "originator": {operator}},
	}, p.dialled)
	p.hangsUp(visitor, 16)
	desk.until(contains("#now", "Talked") + ` && ` + contains("#steps", "they talked"))
	p.empty()

	// What comes to nothing.
	for i, test := range []struct {
		answered bool
		cause    int
		side     string
		said     string
	}{
		{false, 17, "o", "the operator's line was busy"},
		{false, 19, "o", "the operator did not answer"},
		{false, 38, "o", "the telephone platform could not call"},
		{true, 21, "v", "the visitor's line was busy"},
		{true, 16, "v", "the visitor did not answer"},
		{true, 16, "o", "the operator did not answer"},
	} {
		asks(fmt.Sprint("791234567", 10+i))
		operator := p.one("o")
		side := operator
		if test.answered {
			p.takesUp(operator)
			side = p.one("v")
		}
		if test.side == "o" {
			side = operator
		}
		p.hangsUp(side, test.cause)
		desk.visit(p.console + "/callbacks")
		desk.until(contains("#callbacks > li:first-child", test.said))
		p.empty()
	}

	// Closed in the console: both are hung up.
	asks("79123456720")
	operator = p.one("o")
	p.takesUp(operator)
	p.one("v")
	desk.visit(p.console + p.lastCallback(t, desk))
	desk.do(`document.querySelector(".may-close button").click()`)
	desk.until(contains("#now", "Closed"))
	p.empty()

	// The connection to Asterisk breaks, and what happens meanwhile is found afterwards.
	asks("79123456721")
	operator = p.one("o")
	p.takesUp(operator)
	visitor = p.one("v")
	p.takesUp(visitor)
	desk.visit(p.console + p.lastCallback(t, desk))
	desk.until(contains("#now", "Talking"))
	p.mu.Lock()
	p.asterisk.events.Close()
	p.asterisk.events = nil
	delete(p.channels, visitor)
	p.mu.Unlock()
	desk.until(contains("#now", "Talked"))
	p.empty()
}

// Whoever does not know the secret has nobody called, and nothing that cannot be dialled reaches
// Asterisk.
func TestBridgeRefuses(t *testing.T) {
	t.Parallel()
	p := runBridged(t)
	keys, err := signature.Parse(pbxSecret)
	require.NoError(t, err)
	strangers, err := signature.Parse("another secret of somebody")
	require.NoError(t, err)
	send := func(by signature.Keys, at time.Time, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.orders+"/", strings.NewReader(body))
		require.NoError(t, err)
		by.Sign(r.Header, "order_1", at, []byte(body))
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		return answer.StatusCode
	}
	order := `{"type":"callback.order","data":{"callback":"A1","site":"shop","operator":"74950000001","visitor":"79123456789","ring_seconds":30}}`
	require.Equal(t, http.StatusUnauthorized, send(strangers, time.Now(), order))
	require.Equal(t, http.StatusUnauthorized, send(keys, time.Now().Add(-time.Hour), order))
	require.Equal(t, http.StatusUnauthorized, send(keys, time.Now().Add(time.Hour), order))
	for _, body := range []string{``, `null`, `{"type":"callback.order","data":{"callback":"../A1"}}`, `{"type":"callback.dance","data":{"callback":"A1"}}`, strings.Repeat("x", 20000)} {
		require.Equal(t, http.StatusBadRequest, send(keys, time.Now(), body), "%.80s", body)
	}
	for _, wrong := range []string{"7495@evil.example", "74950000001&PJSIP/1900", "", "1", "+74950000001"} {
		require.Equal(t, http.StatusServiceUnavailable, send(keys, time.Now(), strings.Replace(order, "74950000001", wrong, 1)), wrong)
	}
	p.mu.Lock()
	require.Empty(t, p.asked)
	p.mu.Unlock()
	for range 3 { // the same one again
		require.Equal(t, http.StatusAccepted, send(keys, time.Now(), order))
	}
	require.Equal(t, "o-A1", p.one("o"))
	p.mu.Lock()
	require.Len(t, p.dialled, 1)
	p.mu.Unlock()
}

// The example's README names every setting, and the documentation's examples of orders and events
// are such as the schema wants.
func TestBridgeIsDocumented(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("../examples/asterisk/main.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("../examples/asterisk/README.md")
	require.NoError(t, err)
	names := regexp.MustCompile(`env\("([A-Z_]+)"\)`).FindAllSubmatch(program, -1)
	require.Greater(t, len(names), 6)
	for _, name := range names {
		require.Contains(t, string(readme), "`"+string(name[1])+"`")
	}
}
