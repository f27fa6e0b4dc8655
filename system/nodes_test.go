package system

import (
	"cmp"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// node is a Caddy in a process of its own.
type node struct {
	*server
	cmd        *exec.Cmd
	file, data string // its configuration, and the folder that it stores in
	program    string // the program of these tests if it is empty
	environ    []string
}

// runNode runs the Caddyfile in a process of its own. In it $PORT and $PORT2 are free
// ports, and the values, pairs of what stands there and what it means, are replaced.
func runNode(t *testing.T, caddyfile string, values ...string) *node {
	t.Helper()
	n := &node{server: &server{servertest.New(t, values...)}}
	t.Cleanup(func() { n.kill() })
	n.start(caddyfile)
	return n
}

// start runs the Caddyfile, in place of the one that ran before.
func (n *node) start(caddyfile string) {
	n.T.Helper()
	n.kill()
	n.file, n.data = filepath.Join(n.T.TempDir(), "caddy.json"), n.T.TempDir()
	require.NoError(n.T, os.WriteFile(n.file, n.Adapt(caddyfile), 0o600))
	n.launch()
}

// launch runs what has been started before once more.
func (n *node) launch() {
	n.T.Helper()
	n.begin()
	n.awaitReady()
}

func (n *node) begin() {
	n.T.Helper()
	cmd := exec.Command(cmp.Or(n.program, os.Args[0]), "run", "--config", n.file)
	cmd.Env = append(append(os.Environ(), n.environ...), asCaddy+"=1", "XDG_DATA_HOME="+n.data, "XDG_CONFIG_HOME="+n.T.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(n.T, cmd.Start())
	n.cmd = cmd
}

func (n *node) awaitReady() {
	n.T.Helper()
	require.Eventually(n.T, func() bool {
		answer, err := n.Do(http.MethodGet, "http://"+n.Admin+"/frontdesk/health", "")
		return err == nil && answer.StatusCode == http.StatusOK
	}, wait, tick)
}

func (n *node) kill() {
	if n.cmd != nil {
		n.cmd.Process.Kill()
		n.cmd.Wait()
		n.Client.CloseIdleConnections()
	}
}

// console is the console on $PORT2, as if it were on $PORT.
func (s *server) console() *node {
	return &node{server: &server{&servertest.Server{T: s.T, Values: []string{"$PORT", s.Text("$PORT2")}}}}
}

// as tells whether the operator can sign in at the node's console, and is then a client
// that has.
func (n *node) as(login string) (*http.Client, bool) {
	n.T.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(n.T, err)
	client := &http.Client{Jar: jar}
	response, err := client.PostForm(n.Text("http://localhost:$PORT/sign-in"), url.Values{"login": {login}, "password": {"correct horse battery"}})
	require.NoError(n.T, err)
	response.Body.Close()
	return client, response.Request.URL.Path == "/overview"
}

// shown is the page of numbers of the node's console.
func (n *node) shown(client *http.Client) string {
	n.T.Helper()
	n.Client.Jar = client.Jar
	return n.Get("http://localhost:$PORT/numbers").Content
}

// TestNodesWithDifferentCaddyfiles runs three nodes on one PostgreSQL: two serve a shop
// each, and one the console alone.
func TestNodesWithDifferentCaddyfiles(t *testing.T) {
	source := dbtest.OwnServer(t).Source()
	console := `
		http://localhost:$PORT {
			frontdesk_console
		}`
	option := func(name, operators string) string {
		return `
		{
			frontdesk {
				database postgres "$SOURCE"
				name ` + name + `
				` + operators + `
			}
		}` + console
	}
	lamps := `
		http://lamps.example:$PORT2 {
			frontdesk {
				number 74951234567 {
					static 74957654321
				}
				prerender static
			}
			respond "lamps"
		}`
	chairs := `
		http://chairs.example:$PORT2 {
			frontdesk {
				number 78005553535
			}
			respond "chairs"
		}`
	lampsOperators := `operator anna "` + hash + `"`
	a := runNode(t, option("lamps", lampsOperators)+lamps, "$SOURCE", source)
	b := runNode(t, option("chairs", `operator boris "`+hash+`"`)+chairs, "$SOURCE", source)
	c := runNode(t, option("console", ""), "$SOURCE", source)
	all := []string{"lamps.example", "chairs.example", "74951234567", "78005553535"}
	for _, n := range []*node{a, b, c} {
		for _, login := range []string{"anna", "boris"} {
			client, signedIn := n.as(login)
			require.True(t, signedIn, "%s is signed in everywhere", login)
			require.Eventually(t, func() bool {
				page := n.shown(client)
				for _, text := range all {
					if !strings.Contains(page, text) {
						return false
					}
				}
				return true
			}, wait, tick)
		}
	}

	// A node that starts with less retires what was its own, and that alone.
	a.start(option("lamps", ""))
	for _, n := range []*node{a, b, c} {
		_, signedIn := n.as("anna")
		require.False(t, signedIn)
		client, signedIn := n.as("boris")
		require.True(t, signedIn)
		page := n.shown(client)
		require.NotContains(t, page, "74951234567")
		require.Contains(t, page, "78005553535")
	}
	a.start(option("lamps", lampsOperators) + lamps)
	client, signedIn := c.as("anna")
	require.True(t, signedIn)
	require.Contains(t, c.shown(client), "74951234567")
}
