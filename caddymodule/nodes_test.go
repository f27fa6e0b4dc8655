package caddymodule

import (
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
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// node is a Caddy in a process of its own.
type node struct {
	*server
	cmd        *exec.Cmd
	file, data string // its configuration, and the folder that it stores in
}

// runNode runs the Caddyfile in a process of its own. In it $PORT and $PORT2 are free
// ports, and the values, pairs of what stands there and what it means, are replaced.
func runNode(t *testing.T, caddyfile string, values ...string) *node {
	t.Helper()
	ports := freePorts(t, 3)
	n := &node{server: &server{t: t, admin: "localhost:" + ports[0], values: append(values, "$PORT2", ports[2], "$PORT", ports[1])}}
	t.Cleanup(func() { n.kill() })
	n.start(caddyfile)
	return n
}

// start runs the Caddyfile, in place of the one that ran before.
func (n *node) start(caddyfile string) {
	n.t.Helper()
	n.kill()
	n.file, n.data = filepath.Join(n.t.TempDir(), "caddy.json"), n.t.TempDir()
	require.NoError(n.t, os.WriteFile(n.file, n.adapt(caddyfile), 0o600))
	n.launch()
}

// launch runs what has been started before once more.
func (n *node) launch() {
	n.t.Helper()
	cmd := exec.Command(os.Args[0], "run", "--config", n.file)
	cmd.Env = append(os.Environ(), asCaddy+"=1", "XDG_DATA_HOME="+n.data, "XDG_CONFIG_HOME="+n.t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(n.t, cmd.Start())
	n.cmd = cmd
	require.Eventually(n.t, func() bool {
		answer, err := n.do(http.MethodGet, "http://"+n.admin+"/frontdesk/health", "")
		return err == nil && answer.StatusCode == http.StatusOK
	}, wait, tick)
}

func (n *node) kill() {
	if n.cmd != nil {
		n.cmd.Process.Kill()
		n.cmd.Wait()
		n.client.CloseIdleConnections()
	}
}

// as tells whether the operator can sign in at the node's console, and is then a client
// that has.
func (n *node) as(login string) (*http.Client, bool) {
	n.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(n.t, err)
	client := &http.Client{Jar: jar}
	response, err := client.PostForm(n.text("http://localhost:$PORT/sign-in"), url.Values{"login": {login}, "password": {"correct horse battery"}})
	require.NoError(n.t, err)
	response.Body.Close()
	return client, response.Request.URL.Path == "/visitors"
}

// shown is the page of numbers of the node's console.
func (n *node) shown(client *http.Client) string {
	n.t.Helper()
	n.client.Jar = client.Jar
	return n.get("http://localhost:$PORT/numbers").body
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

func TestNameOfAConfiguration(t *testing.T) {
	for _, name := range []string{"edge", "edge-1.example", "рынок_1"} {
		resolved, err := resolveName(name, "postgres")
		require.NoError(t, err)
		require.Equal(t, name, resolved)
	}
	t.Setenv("TEST_NODE_NAME", "edge")
	resolved, err := resolveName("{env.TEST_NODE_NAME}", "sqlite")
	require.NoError(t, err)
	require.Equal(t, "edge", resolved)
	host, err := os.Hostname()
	require.NoError(t, err)
	resolved, err = resolveName("", "postgres")
	require.NoError(t, err)
	require.Equal(t, host, resolved)
	resolved, err = resolveName("", "sqlite")
	require.NoError(t, err)
	require.Empty(t, resolved)
	for _, wrong := range []string{"two words", "a/b", strings.Repeat("a", 65), "{env.TEST_NO_SUCH_NAME}"} {
		_, err := resolveName(wrong, "postgres")
		require.ErrorContains(t, err, "name: ", wrong)
	}
}

// TestRulesAgree holds the rules of what is stored and of what pages and script take
// together: each stands where it is needed, and neither place may know of the other.
func TestRulesAgree(t *testing.T) {
	var values []string
	for b := range 256 {
		values = append(values, string([]byte{byte(b)}), string([]byte{'a', byte(b), 'z'}), string(rune(b)))
	}
	for _, value := range append(values, "", "yes*", "__Host-c", "я") {
		for _, consent := range []site.Consent{{Cookie: value}, {Cookie: "cookies", Value: value}, {Value: value}} {
			script := snippet.ScriptSettings{
				Objects: [2]string{"Svc", "SvcWidget"}, Variant: "A", ConsentCookie: consent.Cookie, ConsentValue: consent.Value,
			}.Check()
			require.Equal(t, script == nil, consent.Check() == nil, "%q: %v", consent, script)
		}
		for _, mask := range []string{value, "#" + value, strings.Repeat("#", 63) + value} {
			page := snippet.CheckPhoneMask(mask)
			require.Equal(t, page == nil, site.CheckPhoneMask(mask) == nil, "%q: %v", mask, page)
		}
	}
}
