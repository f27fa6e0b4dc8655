package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// startPoolers runs two machines, each with a PgBouncer in transaction mode and an HAProxy beside it that knows from
// Patroni which database is the primary.
func (c *Cluster) startPoolers() error {
	for i := range 2 {
		m, err := c.machine(fmt.Sprintf("pool%d", i+1), 41+i, 64<<20)
		if err != nil {
			return err
		}
		c.Poolers = append(c.Poolers, m)
		proxy, pooler := filepath.Join(c.folder, m.Name+".cfg"), filepath.Join(c.folder, m.Name+".ini")
		if err := errors.Join(os.WriteFile(proxy, []byte(c.proxy()), 0o644), os.WriteFile(pooler, []byte(bouncer(m)), 0o644)); err != nil {
			return err
		}
		if _, err := m.add("haproxy", "", nil, "haproxy", "-db", "-f", proxy); err != nil {
			return err
		}
		bouncer, err := m.add("pgbouncer", "postgres", nil, "pgbouncer", pooler)
		if err != nil {
			return err
		}
		c.Bouncers = append(c.Bouncers, bouncer)
	}
	return nil
}

func (c *Cluster) proxy() string {
	var config strings.Builder
	config.WriteString(`defaults
	mode tcp
	retries 2
	timeout connect 2s
	timeout client 30m
	timeout server 30m
	timeout check 3s
listen primary
	bind 127.0.0.1:5000
	option httpchk OPTIONS /primary
	http-check expect status 200
	default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
`)
	for _, m := range c.Databases {
		fmt.Fprintf(&config, "\tserver %s %s:5432 check port 8008\n", m.Name, m.Address)
	}
	return config.String()
}

func bouncer(m *Machine) string {
	return fmt.Sprintf(`[databases]
%s = host=127.0.0.1 port=5000 user=postgres
[pgbouncer]
listen_addr = %s
listen_port = 6432
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
query_wait_timeout = 8
server_login_retry = 1
server_connect_timeout = 3
ignore_startup_parameters = extra_float_digits
`, Database, m.Address)
}
