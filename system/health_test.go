package system

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// certificate writes a certificate of the host that lasts so long from now, and its key.
func certificate(t *testing.T, host string, lasts time.Duration) (file, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-60 * 24 * time.Hour), NotAfter: time.Now().Add(lasts)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	file, key = filepath.Join(t.TempDir(), "certificate.pem"), filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	return file, key
}

// What is only worse than it should be takes no node out of service, and is told to programs and to people.
func TestDegraded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, engine, database string) {
		config := func(lasts time.Duration) string {
			file, key := certificate(t, "lamps.example", lasts)
			return `
			{
				auto_https disable_redirects
				frontdesk {
					database ` + database + `
				}
			}
			https://lamps.example:$PORT {
				tls ` + file + ` ` + key + `
				frontdesk lamps
				respond ok
			}`
		}
		s := run(t, config(48*time.Hour)).Ready()
		status, state := s.Health()
		require.Equal(t, http.StatusOK, status)
		require.True(t, state.Ready)
		require.Equal(t, "degraded", state.Status)
		require.True(t, state.Has("certificates"), "%+v", state.Reasons)
		require.False(t, state.Has("behind"))
		require.EqualValues(t, 1, s.Metric(`frontdesk_unwell{reason="certificates"}`))
		require.NoError(t, s.Load(config(60*24*time.Hour)))
		require.Eventually(t, func() bool { _, state = s.Health(); return !state.Has("certificates") }, wait, tick)
		require.EqualValues(t, 0, s.Metric(`frontdesk_unwell{reason="certificates"}`))

		// Another node has taken a reader over, and hangs.
		desk, done, err := caddymodule.Use()
		require.NoError(t, err)
		t.Cleanup(done)
		require.Eventually(t, func() bool {
			late := int64(0)
			err := desk.DB.Write(t.Context(), 0, func(ctx context.Context, tx db.Tx) (err error) {
				late, err = tx.Exec(ctx, `UPDATE journal_readers SET owner = 'another', expires_at = expires_at + 3600000, tx = 0, seq = 0 WHERE name = 'deliveries'`)
				if err == nil {
					_, err = tx.Exec(ctx, `UPDATE journal SET at = at - 120000`)
				}
				return err
			})
			return err == nil && late == 1
		}, wait, tick)
		require.Eventually(t, func() bool { _, state = s.Health(); return state.Has("behind") }, wait, tick)
		require.True(t, state.Ready)
		for _, r := range state.Reasons {
			require.False(t, r.Unhealthy, r.Text)
		}
		text := s.Get("http://"+s.Admin+"/frontdesk/health", "Accept", "text/html,*/*")
		require.Equal(t, http.StatusOK, text.StatusCode)
		require.Contains(t, text.Content, "degraded\n")
		require.Contains(t, text.Content, `- behind: the reader "deliveries" has not come further in the journal`)
		if engine == db.SQLite {
			require.Contains(t, text.Content, " free\n")
		}
		require.NotContains(t, text.Content, "lamps")
	})
}

// A trunk that accepts no registration degrades a node, and a configuration without Frontdesk is unhealthy.
func TestHealthOfWhatDoesNotAnswer(t *testing.T) {
	silent, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	s := run(t, `
		{
			frontdesk {
				database sqlite $DIR/frontdesk.db
				telephony sip {
					listen udp/127.0.0.1:`+strconv.Itoa(siptest.Port(t))+`
					trunk `+silent.LocalAddr().String()+` udp
					user desk
					password secret
					register 30m
					region RU
				}
			}
		}
		http://localhost:$PORT {
			frontdesk shop
			respond ok
		}`).Ready()
	status, state := s.Health()
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "degraded", state.Status)
	require.True(t, state.Has("telephony"), "%+v", state.Reasons)
	require.EqualValues(t, 1, s.Metric(`frontdesk_unwell{reason="telephony"}`))

	require.NoError(t, s.Load(`
		http://localhost:$PORT {
			respond ok
		}`))
	status, state = s.Health()
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "not_running", state.Reasons[0].Code)
}
