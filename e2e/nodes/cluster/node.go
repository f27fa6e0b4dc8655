package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// Site is the host of the site, and its key; Console that of the console.
	Site    = "shop.test"
	Console = "desk.test"
	// Origin is where the site itself answers, behind all nodes.
	Origin = Outside + ":9000"
	// Printed is the number on its pages, and Written how it is printed.
	Printed, Written = "74951234567", "+7 (495) 123-45-67"
	// Secret signs what the telephone platform tells.
	Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	// Numbers is how many numbers the pool has.
	Numbers = 40
	// Password is that of the operators, and hash its hash.
	Password = "correct horse battery"
	hash     = "$argon2id$v=19$m=47104,t=1,p=1$ccRWwfbyJLBVmCXM6m//6w$xvK8dstk79aVraU76oJBQfD/VnIl1cUPIj6ZJVs4V+k"
	// nodeDisk is how large the disk of a node is, in bytes: the file of forms that wait has 64 MiB.
	nodeDisk = 160 << 20
	// sqliteDisk is that of a node that has its database there, too.
	sqliteDisk = 8 << 30
)

// Logins are the operators of the configuration, in the order in which they are numbered.
func Logins() []string { return []string{"vera", "boris"} }

// Number is one of the pool.
func Number(i int) string { return fmt.Sprintf("749500000%02d", i) }

func (c *Cluster) startNodes(ctx context.Context, n int) error {
	disk := int64(nodeDisk)
	if c.options.SQLite {
		disk = sqliteDisk
	}
	for i := range n {
		m, err := c.machine(fmt.Sprintf("node%d", i+1), 21+i, disk)
		if err != nil {
			return err
		}
		c.Nodes = append(c.Nodes, m)
		if err := os.WriteFile(c.file(m), []byte(c.caddyfile(m, i)), 0o644); err != nil {
			return err
		}
		p, err := m.add("caddy", "", append(home(m), clockEnv+"="+m.clockFile()), c.options.Caddy, "run", "--config", c.file(m), "--adapter", "caddyfile")
		if err != nil {
			return err
		}
		c.Frontdesks = append(c.Frontdesks, p)
	}
	return c.AwaitNodes(ctx)
}

func home(m *Machine) []string {
	return []string{"XDG_DATA_HOME=" + m.Disk, "XDG_CONFIG_HOME=" + m.Disk}
}

func (c *Cluster) file(m *Machine) string { return filepath.Join(c.folder, m.Name+".Caddyfile") }

// database is the option of the node: both poolers, another one first for each node, and all servers.
func (c *Cluster) database(m *Machine, i int) string {
	if c.options.SQLite {
		return "sqlite " + filepath.Join(m.Disk, "frontdesk.db")
	}
	poolers := slices.Clone(c.Poolers)
	if i%2 == 1 {
		slices.Reverse(poolers)
	}
	return fmt.Sprintf("postgres %q {\n\t\t\tdirect %q\n\t\t}", source(poolers, 6432), c.Direct())
}

func (c *Cluster) caddyfile(m *Machine, i int) string {
	var pool strings.Builder
	for n := range Numbers {
		pool.WriteString(" " + Number(n))
	}
	return strings.NewReplacer("ADDRESS", m.Address, "NETWORK", network+"0/24", "DATABASE", c.database(m, i), "POOL", pool.String(), "SECRET", Secret,
		"SITE", Site, "CONSOLE", Console, "PRINTED", Printed, "ORIGIN", Origin, "HASH", hash).Replace(`{
	metrics
	auto_https off
	persist_config off
	servers {
		trusted_proxies static NETWORK
		trusted_proxies_strict
	}
	frontdesk {
		database DATABASE
		name desk
		operator vera "HASH"
		operator boris "HASH"
		pool springPOOL {
			hold 1m
		}
		telephony webhook {
			secret SECRET
		}
	}
}
http://SITE {
	frontdesk SITE {
		prerender dynamic
		number PRINTED {
			dynamic spring
		}
		capture /send
	}
	reverse_proxy ORIGIN
}
http://CONSOLE {
	frontdesk_console
}
http://ADDRESS:2020 {
	@told path /frontdesk/health /metrics
	handle @told {
		reverse_proxy localhost:2019 {
			header_up Host {upstream_hostport}
		}
	}
	respond 404
}
`)
}

// startBalancer runs the Caddy in front of the nodes. It sends pages and forms to any node that answers, and what the
// service is asked to those that say that they are well.
func (c *Cluster) startBalancer(ctx context.Context) error {
	m, err := c.machine("front", 51, 64<<20)
	if err != nil {
		return err
	}
	var nodes strings.Builder
	for _, n := range c.Nodes {
		nodes.WriteString(" " + n.Address + ":80")
	}
	config := strings.NewReplacer("OUTSIDE", Outside, "NODES", nodes.String(), "SITE", Site, "CONSOLE", Console).Replace(`{
	auto_https off
	persist_config off
	servers {
		trusted_proxies static OUTSIDE/32
		trusted_proxies_strict
	}
}
(nodes) {
	to NODES
	lb_policy round_robin
	lb_try_duration 5s
	fail_duration 3s
	health_interval 1s
	health_timeout 2s
	transport http {
		dial_timeout 1s
		keepalive off
		response_header_timeout 15s
	}
}
(well) {
	reverse_proxy {
		import nodes
		health_port 2020
		health_uri /frontdesk/health
	}
}
http://SITE {
	handle /frontdesk/* {
		import well
	}
	handle {
		reverse_proxy {
			import nodes
			health_uri /robots.txt
			health_headers {
				Host SITE
			}
		}
	}
}
http://CONSOLE {
	import well
}
`)
	if err := os.WriteFile(c.file(m), []byte(config), 0o644); err != nil {
		return err
	}
	c.Balancer = m
	if _, err := m.add("caddy", "", home(m), c.options.Caddy, "run", "--config", c.file(m), "--adapter", "caddyfile"); err != nil {
		return err
	}
	return await(ctx, time.Minute, "the balancer", func() bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.Address+"/frontdesk/svc.js", nil)
		if err != nil {
			return false
		}
		request.Host = Site
		response, err := c.client.Do(request)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// Reload has the Caddy of the machine read its configuration anew, though it is the same.
func (c *Cluster) Reload(ctx context.Context, m *Machine) error {
	return c.caddy(ctx, m, nil, "reload", "--force", "--config", c.file(m), "--adapter", "caddyfile")
}

// Token makes a token of the API that opens all that the load does.
func (c *Cluster) Token(ctx context.Context) (string, error) {
	var said bytes.Buffer
	args := []string{"frontdesk", "token", "add", "load", "--config", c.file(c.Nodes[0])}
	for _, scope := range []string{"chats:write", "sites:write", "operators:read", "leads:read", "events:read"} {
		args = append(args, "--scope", scope)
	}
	if err := c.caddy(ctx, c.Nodes[0], &said, args...); err != nil {
		return "", err
	}
	for field := range strings.FieldsSeq(said.String()) {
		if len(field) > 30 {
			return field, nil
		}
	}
	return "", fmt.Errorf("no token in %q", said.String())
}

// caddy runs a command of Caddy's on the machine.
func (c *Cluster) caddy(ctx context.Context, m *Machine, out *bytes.Buffer, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"--net=/run/netns/" + m.Name, c.options.Caddy}, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if out != nil {
		cmd.Stdout = out
	}
	cmd.Env = append(os.Environ(), home(m)...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("caddy %s: %w: %s", args[0], err, said.String())
	}
	return nil
}

// Health is what a node says of itself.
type Health struct {
	Status  string `json:"status"`
	Reasons []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"reasons"`
	Forms struct {
		Waiting int `json:"waiting"`
	} `json:"forms"`
}

// HealthOf asks the node.
func (c *Cluster) HealthOf(ctx context.Context, m *Machine) (h Health, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	content, err := c.ask(ctx, http.MethodGet, "http://"+m.Address+":2020/frontdesk/health", nil)
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(content, &h)
}

// AwaitNodes waits until all nodes are well and no form waits on their disks.
func (c *Cluster) AwaitNodes(ctx context.Context) error {
	var last error
	err := await(ctx, 2*time.Minute, "nodes that are well", func() bool {
		for _, m := range c.Nodes {
			h, err := c.HealthOf(ctx, m)
			switch {
			case err != nil:
				last = fmt.Errorf("%s: %w", m.Name, err)
				return false
			case h.Status == "unhealthy" || h.Forms.Waiting > 0:
				last = fmt.Errorf("%s: %+v", m.Name, h)
				return false
			}
		}
		return true
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}
