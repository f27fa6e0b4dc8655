package caddymodule

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

// server is Caddy, run in this process: one at a time, as Caddy's state is the
// process's.
type server struct {
	t      testing.TB
	admin  string
	logs   string   // the file that is logged to
	values []string // replaced in each Caddyfile
	client http.Client
}

// page is what the origin of these tests sends.
const page = "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>Lamps</title></head><body>Lamps: 8 (495) 123-45-67</body></html>\n"

// run runs the Caddyfile. In it $PORT, $PORT2 are free ports, $ORIGIN is an origin
// that sends the page, and $DIR is an empty folder.
func run(t testing.TB, caddyfile string) *server {
	t.Helper()
	// Nothing of the tests is to be found by, or left to, others.
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	ports := freePorts(t, 3)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Origin-Path", r.URL.Path)
		io.WriteString(w, page)
	}))
	t.Cleanup(origin.Close)
	s := &server{t: t, admin: "localhost:" + ports[0], values: []string{
		"$PORT2", ports[2], "$PORT", ports[1], "$ORIGIN", strings.TrimPrefix(origin.URL, "http://"), "$DIR", t.TempDir(),
	}}
	t.Cleanup(func() {
		require.NoError(t, caddy.Stop())
		closing.Wait()                            // it writes into the folders that are removed next
		http.DefaultClient.CloseIdleConnections() // the next server may have the same port
	})
	require.NoError(t, s.load(caddyfile))
	return s
}

// text is the text with the server's values.
func (s *server) text(text string) string { return strings.NewReplacer(s.values...).Replace(text) }

// load replaces the configuration, as "caddy reload" does.
func (s *server) load(caddyfile string) error {
	s.t.Helper()
	return caddy.Load(s.adapt(caddyfile), true)
}

func (s *server) adapt(caddyfile string) []byte {
	s.t.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(s.text(caddyfile)), nil)
	require.NoError(s.t, err)
	var config map[string]any
	require.NoError(s.t, json.Unmarshal(adapted, &config))
	config["admin"] = map[string]any{"listen": s.admin, "config": map[string]any{"persist": false}}
	if s.logs == "" {
		s.logs = filepath.Join(s.t.TempDir(), "log")
	}
	config["logging"] = map[string]any{"logs": map[string]any{"default": map[string]any{
		"level": "WARN", "writer": map[string]any{"output": "file", "filename": s.logs},
	}}}
	adapted, err = json.Marshal(config)
	require.NoError(s.t, err)
	return adapted
}

// answer is a response whose body has been read.
type answer struct {
	*http.Response
	body string
}

// do sends a request; headers are pairs of name and value.
func (s *server) do(method, address, body string, headers ...string) (answer, error) {
	request, err := http.NewRequest(method, s.text(address), strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if unheard(err) || method == http.MethodGet && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
		// The sockets of a configuration that has been replaced close with what they had
		// accepted. Browsers ask again too.
		response, err = s.client.Do(request)
	}
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response, string(content)}, err
}

// unheard tells that a request never left: the connection was not made. That happens
// beside a listener that closes, to any server on Linux.
func unheard(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial" && errors.Is(err, syscall.ECONNRESET)
}

func (s *server) get(address string, headers ...string) answer {
	s.t.Helper()
	got, err := s.do(http.MethodGet, address, "", headers...)
	require.NoError(s.t, err)
	return got
}

// health is the status of the health endpoint and what it says.
func (s *server) health() (int, health) {
	s.t.Helper()
	got := s.get("http://" + s.admin + "/frontdesk/health")
	var state health
	require.NoError(s.t, json.Unmarshal([]byte(got.body), &state))
	return got.StatusCode, state
}

// ready waits until the service is.
func (s *server) ready() *server {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		status, _ := s.health()
		return status == http.StatusOK
	}, wait, tick)
	return s
}

// log is what has been logged from warnings up.
func (s *server) log() string {
	s.t.Helper()
	content, err := os.ReadFile(s.logs)
	if errors.Is(err, fs.ErrNotExist) {
		return "" // nothing yet
	}
	require.NoError(s.t, err)
	return string(content)
}

// metric is the value of a metric without labels.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	for line := range strings.Lines(s.get("http://" + s.admin + "/metrics").body) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			require.NoError(s.t, err)
			return number
		}
	}
	require.Fail(s.t, "no such metric", name)
	return 0
}

func freePorts(t testing.TB, n int) []string {
	t.Helper()
	ports := make([]string, n)
	for i := range ports {
		port, err := dbtest.FreePort()
		require.NoError(t, err)
		ports[i] = strconv.Itoa(port)
	}
	return ports
}
