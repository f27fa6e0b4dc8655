package caddymodule

import (
	"crypto/tls"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Certificates are got on demand for the hosts of known sites, and for no others.
func TestCertificatesOnDemand(t *testing.T) {
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
			}
			storage file_system $DIR/storage
			skip_install_trust
			auto_https disable_redirects
			local_certs
			on_demand_tls {
				permission frontdesk
			}
		}
		https://:$PORT {
			tls {
				on_demand
			}
			frontdesk {host}
			respond "hello"
		}
		http://named.example:$PORT2 {
			frontdesk shop
			respond "hello"
		}`).Ready()
	desk, done, err := Use()
	require.NoError(t, err)
	defer done()
	for _, key := range []string{"known.example", "retired.example"} {
		made, err := desk.Sites.Provision(t.Context(), key)
		require.NoError(t, err)
		if key == "retired.example" { // its pages go on to pass
			_, err = desk.Sites.Retire(t.Context(), made.ID, true, "vera")
			require.NoError(t, err)
		}
	}
	handshake := func(host string) error {
		dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: wait}, Config: &tls.Config{ServerName: host, InsecureSkipVerify: true}}
		conn, err := dialer.DialContext(t.Context(), "tcp", s.Text("localhost:$PORT"))
		if err != nil {
			return err
		}
		defer conn.Close()
		require.NoError(t, conn.(*tls.Conn).ConnectionState().PeerCertificates[0].VerifyHostname(host))
		return nil
	}
	for _, host := range []string{"known.example", "KNOWN.example", "named.example", "retired.example"} {
		require.NoError(t, handshake(host), host)
	}
	for _, host := range []string{"unknown.example", "www.known.example"} {
		require.ErrorContains(t, handshake(host), "internal error", host)
	}
}
