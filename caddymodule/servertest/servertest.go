// Package servertest runs Caddy in the process of a test, of which there is one at a time, and asks one that runs in a
// process of its own. The test imports the modules that it configures.
package servertest

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
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // Caddy as people have it
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
)

const (
	// Wait bounds what happens on its own, which is looked at each Tick.
	Wait = time.Minute
	Tick = 10 * time.Millisecond

	// Page is what the origin sends.
	Page = "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>Lamps</title></head><body>Lamps: 8 (495) 123-45-67</body></html>\n"
	// Insertion is what the pages of the site "shop" have then.
	Insertion = `__cs.push(["setCsAccount","shop"]);`
	// Option names a database in the folder of the test.
	Option = `
{
	frontdesk {
		database sqlite $DIR/frontdesk.db
	}
}
`
	// Hash is of Password.
	Hash     = "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
	Password = "correct horse battery"
)

// Server is a Caddy.
type Server struct {
	T      testing.TB
	Admin  string   // the address of its admin endpoint
	Logs   string   // the file that is logged to
	Values []string // replaced in each Caddyfile
	Client http.Client
}

// New is a server that does not run yet. In its Caddyfiles $PORT and $PORT2 are free ports, and so are the values, pairs of
// what stands there and what it means.
func New(t testing.TB, values ...string) *Server {
	t.Helper()
	ports := FreePorts(t, 3)
	return &Server{T: t, Admin: "localhost:" + ports[0], Values: append(values, "$PORT2", ports[2], "$PORT", ports[1])}
}

// Run runs the Caddyfile in this process. Besides what [New] says, $ORIGIN is an origin that sends the [Page], and $DIR is
// an empty folder.
func Run(t testing.TB, caddyfile string, values ...string) *Server {
	t.Helper()
	// Nothing of the tests is to be found by, or left to, others.
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Origin-Path", r.URL.Path)
		io.WriteString(w, Page)
	}))
	t.Cleanup(origin.Close)
	s := New(t, append(values, "$ORIGIN", strings.TrimPrefix(origin.URL, "http://"), "$DIR", t.TempDir())...)
	t.Cleanup(func() {
		require.NoError(t, caddy.Stop())
		http.DefaultClient.CloseIdleConnections() // the next server may have the same port
	})
	require.NoError(t, s.Load(caddyfile))
	return s
}

// Text is the text with the server's values.
func (s *Server) Text(text string) string { return strings.NewReplacer(s.Values...).Replace(text) }

// Load replaces the configuration, as "caddy reload" does. After it no request comes to the one before.
func (s *Server) Load(caddyfile string) error {
	s.T.Helper()
	err := caddy.Load(s.Adapt(caddyfile), true)
	// Caddy begins to close the sockets before, or those of what it refused, and does not wait for that. What they had
	// accepted they close unanswered.
	require.Eventually(s.T, listensOnce, Wait, Tick)
	s.Client.CloseIdleConnections()
	return err
}

// listensOnce tells that no two sockets listen at one address, by what Linux says of them (proc_net_tcp in its
// documentation). Elsewhere it cannot be told, and is taken for so.
func listensOnce() bool {
	const local, state, listening = 1, 3, "0A"
	found := map[string]bool{}
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		sockets, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(sockets)) {
			fields := strings.Fields(line)
			if len(fields) <= state || fields[state] != listening {
				continue
			}
			if found[fields[local]] {
				return false
			}
			found[fields[local]] = true
		}
	}
	return true
}

// Adapt is the Caddyfile as JSON, with the server's admin endpoint and log.
func (s *Server) Adapt(caddyfile string) []byte {
	s.T.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(s.Text(caddyfile)), nil)
	require.NoError(s.T, err)
	var config map[string]any
	require.NoError(s.T, json.Unmarshal(adapted, &config))
	config["admin"] = map[string]any{"listen": s.Admin, "config": map[string]any{"persist": false}}
	if s.Logs == "" {
		s.Logs = filepath.Join(s.T.TempDir(), "log")
	}
	config["logging"] = map[string]any{"logs": map[string]any{"default": map[string]any{
		"level": "WARN", "writer": map[string]any{"output": "file", "filename": s.Logs},
	}}}
	adapted, err = json.Marshal(config)
	require.NoError(s.T, err)
	return adapted
}

// Answer is a response whose body has been read.
type Answer struct {
	*http.Response
	Content string
}

// Do sends a request; headers are pairs of name and value.
func (s *Server) Do(method, address, body string, headers ...string) (Answer, error) {
	request, err := http.NewRequest(method, s.Text(address), strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.Client.Do(request)
	if unheard(err) || method == http.MethodGet && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
		// The sockets of a configuration that has been replaced close with what they had
		// accepted. Browsers ask again too.
		response, err = s.Client.Do(request)
	}
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return Answer{response, string(content)}, err
}

// unheard tells that a request never left: the connection was not made. That happens
// beside a listener that closes, to any server on Linux.
func unheard(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial" && errors.Is(err, syscall.ECONNRESET)
}

// Get sends a request that has to be answered.
func (s *Server) Get(address string, headers ...string) Answer {
	s.T.Helper()
	got, err := s.Do(http.MethodGet, address, "", headers...)
	require.NoError(s.T, err)
	return got
}

// Health is what the health endpoint says.
type Health struct {
	Ready    bool       `json:"ready"`
	Database string     `json:"database"`
	Error    string     `json:"error"`
	Since    *time.Time `json:"since"`
	Status   string     `json:"status"`
	Reasons  []struct {
		Code, Text string
		Unhealthy  bool
		Count      int
		Since      *time.Time
	} `json:"reasons"`
	Forms struct {
		Waiting int    `json:"waiting"`
		File    string `json:"file"`
		Room    int64  `json:"room"`
		Error   string `json:"error"`
	} `json:"forms"`
}

// Has says whether the code is among the reasons.
func (h Health) Has(code string) bool {
	for _, r := range h.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}

// Health is the status of the health endpoint and what it says.
func (s *Server) Health() (status int, state Health) {
	s.T.Helper()
	got := s.Get("http://" + s.Admin + "/frontdesk/health")
	require.NoError(s.T, json.Unmarshal([]byte(got.Content), &state))
	return got.StatusCode, state
}

// Ready waits until the service is.
func (s *Server) Ready() *Server {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		status, _ := s.Health()
		return status == http.StatusOK
	}, Wait, Tick)
	return s
}

// Log is what has been logged from warnings up.
func (s *Server) Log() string {
	s.T.Helper()
	content, err := os.ReadFile(s.Logs)
	if errors.Is(err, fs.ErrNotExist) {
		return "" // nothing yet
	}
	require.NoError(s.T, err)
	return string(content)
}

// Metric is the sum of a metric over all labels that the name does not say.
func (s *Server) Metric(name string) (sum float64) {
	s.T.Helper()
	for line := range strings.Lines(s.Get("http://" + s.Admin + "/metrics").Content) {
		if labels, found := strings.CutPrefix(strings.TrimSpace(line), name); found && strings.IndexAny(labels, "{ ") == 0 {
			value, err := strconv.ParseFloat(labels[strings.LastIndexByte(labels, ' ')+1:], 64)
			require.NoError(s.T, err)
			sum += value
		}
	}
	return sum
}

// FreePorts are ports on which nobody listens.
func FreePorts(t testing.TB, n int) []string {
	t.Helper()
	ports := make([]string, n)
	for i := range ports {
		port, err := dbtest.FreePort()
		require.NoError(t, err)
		ports[i] = strconv.Itoa(port)
	}
	return ports
}
