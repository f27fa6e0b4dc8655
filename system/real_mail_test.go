//go:build real

package system

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// eximSettings take letters from one who has signed in, over TLS alone, and put them into a file.
const eximSettings = `
local_interfaces = 127.0.0.1
daemon_smtp_ports = PORT
primary_hostname = localhost
spool_directory = FOLDER/spool
log_file_path = FOLDER/%slog
pid_file_path = FOLDER/pid
host_lookup =
keep_environment =
rfc1413_query_timeout = 0s
tls_advertise_hosts = *
tls_certificate = FOLDER/certificate.pem
tls_privatekey = FOLDER/key.pem
acl_smtp_rcpt = recipient
begin acl
recipient:
  accept encrypted = *
         authenticated = *
  deny message = sign in first
begin routers
everybody:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  file = FOLDER/letters
  user = USER
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_advertise_condition = ${if def:tls_in_cipher}
  server_condition = ${if and{{eq{$auth2}{desk}}{eq{$auth3}{correct horse}}}}
  server_set_id = $auth2
`

// certify makes a certificate for localhost, which nobody else has signed.
func certify(t *testing.T, folder string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	as := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, as, as, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{"certificate.pem": {Type: "CERTIFICATE", Bytes: made}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), pem.EncodeToMemory(block), 0o644))
	}
}

// A mail server that asks for STARTTLS and a password takes the letter about a lead.
func TestRealMail(t *testing.T) {
	folder, err := os.MkdirTemp("", "frontdesk-exim-") // of a short path, which the server's own user may enter
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o777))
	certify(t, folder)
	port := servertest.FreePorts(t, 1)[0]
	settings := strings.NewReplacer("FOLDER", folder, "PORT", port, "USER", "Debian-exim").Replace(eximSettings)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "exim.conf"), []byte(settings), 0o644))
	exim := exec.Command("/usr/sbin/exim4", "-C", filepath.Join(folder, "exim.conf"), "-bdf")
	exim.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	exim.Stderr = os.Stderr
	require.NoError(t, exim.Start())
	t.Cleanup(func() {
		syscall.Kill(-exim.Process.Pid, syscall.SIGKILL)
		exim.Wait()
		if logs, _ := filepath.Glob(filepath.Join(folder, "*log")); t.Failed() {
			for _, name := range logs {
				log, _ := os.ReadFile(name)
				t.Logf("%s:\n%s", name, log)
			}
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Minute, 50*time.Millisecond)

	s := run(t, `{
		admin $ADMIN
		frontdesk {
			database sqlite $DIR/frontdesk.db
			mail smtp://desk@localhost:`+port+` {
				password "correct horse"
				from "Shop <desk@shop.example>"
			}
		}
	}
	http://localhost:$PORT {
		frontdesk shop
		respond ok
	}`).Ready()
	desk, done, err := caddymodule.Use()
	require.NoError(t, err)
	defer done()
	shop, err := desk.Sites.ByKey(t.Context(), "shop")
	require.NoError(t, err)
	_, _, err = desk.Deliveries.Endpoints.Add(t.Context(), notify.Endpoint{SiteID: shop.ID, Kind: notify.Mail, Address: "sales@shop.example", Events: []notify.Event{notify.LeadAdded}, Language: "en"}, "vera")
	require.NoError(t, err)
	_, _, err = desk.Leads.Add(t.Context(), submission.Submission{SiteID: shop.ID, Origin: lead.Server, Name: "Ada", Message: "Is the lamp in stock?"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		letters, _ := os.ReadFile(filepath.Join(folder, "letters"))
		return strings.Contains(string(letters), "Is the lamp in stock?") && strings.Contains(string(letters), "To: <sales@shop.example>")
	}, wait, 50*time.Millisecond, s.Log())
	log, err := os.ReadFile(filepath.Join(folder, "mainlog"))
	require.NoError(t, err)
	require.Regexp(t, `<= desk@shop\.example .*A=plain:desk`, string(log), "signed in")
	require.Contains(t, string(log), "X=TLS")
}
