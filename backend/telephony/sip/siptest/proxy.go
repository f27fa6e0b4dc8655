package siptest

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Proxy is a Kamailio that stands for a trunk: a registrar, and a proxy that stays on the way of calls.
type Proxy struct {
	Port int
	log  *program
}

// Trunk is how a proxy behaves.
type Trunk struct {
	// User is asked for Password when he registers or calls, unless it is empty.
	User, Password string
	// Port is where it listens; 0 for any.
	Port int
}

// Realm is that of the proxy's challenges.
const Realm = "trunk.test"

const proxyConfiguration = `
debug=1
log_stderror=yes
fork=yes
children=1
tcp_children=2
auto_aliases=no
listen=udp:127.0.0.1:PORT
listen=tcp:127.0.0.1:PORT
mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/:/usr/lib/aarch64-linux-gnu/kamailio/modules/:/usr/lib64/kamailio/modules/:/usr/lib/kamailio/modules/"
loadmodule "pv.so"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
loadmodule "xlog.so"
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", 10)
modparam("tm", "fr_timer", 4000)
modparam("tm", "fr_inv_timer", 60000)
modparam("rr", "enable_full_lr", 1)
request_route {
	if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
	xlog("L_ALERT", "GOT $rm $ru from $si:$sp auth=$au\n");
	if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
	if (has_totag()) {
		if (loose_route()) { t_relay(); exit; }
		if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
		sl_send_reply("404", "Not here"); exit;
	}
	if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
	if (is_method("REGISTER")) {
		if ($tU == "USER") {
			if (!pv_www_authenticate("REALM", "PASSWORD", "0")) { www_challenge("REALM", "1"); exit; }
		}
		save("location"); exit;
	}
	if (is_method("INVITE") && "ASKS" == "yes" && !($ua =~ "baresip")) {
		if (!pv_proxy_authenticate("REALM", "PASSWORD", "0")) { proxy_challenge("REALM", "1"); exit; }
		consume_credentials();
	}
	if (is_method("INVITE")) record_route();
	if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
	t_relay();
}
onreply_route { xlog("L_ALERT", "GOT $rs for $rm\n"); }
`

// StartProxy runs a proxy.
func StartProxy(t testing.TB, trunk Trunk) *Proxy {
	t.Helper()
	path := find(t, "kamailio", "kamailio")
	folder := t.TempDir()
	if trunk.Port == 0 {
		trunk.Port = Port(t)
	}
	asks := "yes"
	if trunk.User == "" {
		asks, trunk.User, trunk.Password = "no", "nobody", "nothing"
	}
	text := strings.NewReplacer("PORT", strconv.Itoa(trunk.Port), "USER", trunk.User, "PASSWORD", trunk.Password, "REALM", Realm, "ASKS", asks).Replace(proxyConfiguration)
	file := filepath.Join(folder, "kamailio.cfg")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	p := &Proxy{Port: trunk.Port, log: start(t, folder, path, "-f", file, "-DD", "-E", "-m", "16", "-M", "4", "-Y", folder)}
	require.Eventually(t, func() bool {
		if p.log.over() {
			return true
		}
		c, err := net.Dial("tcp4", p.Address())
		if err == nil {
			c.Close()
		}
		return err == nil
	}, patience, 20*time.Millisecond)
	require.False(t, p.log.over(), "Kamailio has ended")
	return p
}

// Address is where the proxy listens, by UDP and TCP.
func (p *Proxy) Address() string { return "127.0.0.1:" + strconv.Itoa(p.Port) }

// Stop ends the proxy.
func (p *Proxy) Stop() { p.log.stop() }

// Saw tells whether the proxy has logged the text.
func (p *Proxy) Saw(text string) bool { return strings.Contains(p.log.said.String(), text) }
