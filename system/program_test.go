package system

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/stretchr/testify/require"

	_ "github.com/seed-3405227d/frontdesk"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
)

// wait bounds everything that a test waits for.
const wait = 10 * time.Second

// program is Caddy with Frontdesk in the process of the test, so that the test sees what it allocates. There is one
// at a time.
type program struct {
	t        testing.TB
	folder   string
	database string                  // the file of SQLite
	ports    map[string]string       // by their names in the Caddyfile
	values   []string                // replaced in texts
	origin   atomic.Pointer[request] // what the site's origin answers
	clients  map[string]*client      // by address
	cookie   string                  // of the operator who has signed in
	receiver string                  // address of what takes webhooks
	sent     atomic.Int64            // bytes sent to others than who has asked: webhooks, mails, and streams that are read
}

// answer is what a request was answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// run runs the Caddyfile. In it $DIR is an empty folder, $ORIGIN the site's origin, and each $NAME_PORT a free port;
// values are further ones, or others for these.
func run(t testing.TB, caddyfile string, values ...string) *program {
	t.Helper()
	folder, err := os.MkdirTemp("", "frontdesk-system-")
	require.NoError(t, err)
	t.Setenv("XDG_DATA_HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	p := &program{t: t, folder: folder, ports: make(map[string]string), clients: make(map[string]*client)}
	origin := httptest.NewServer(http.HandlerFunc(p.serveOrigin))
	hooks := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		p.sent.Add(n)
	}))
	p.receiver = strings.TrimPrefix(hooks.URL, "http://")
	mails := mailtest.Start(t)
	go func() {
		for letter := range mails.Letters {
			p.sent.Add(int64(len(letter)))
		}
	}()
	p.values = append(values, "$DIR", folder, "$ORIGIN", strings.TrimPrefix(origin.URL, "http://"), "$RECEIVER", p.receiver, "$MAIL", mails.Address)
	for _, name := range []string{"$ADMIN_PORT", "$SHOP_PORT", "$DESK_PORT", "$SIP_PORT"} {
		port, err := dbtest.FreePort()
		require.NoError(t, err)
		p.ports[name] = fmt.Sprint(port)
		p.values = append(p.values, name, p.ports[name])
	}
	t.Cleanup(func() {
		for _, c := range p.clients {
			c.close()
		}
		require.NoError(t, caddy.Stop())
		origin.Close()
		hooks.Close()
		os.RemoveAll(folder) // the database may still be closing
	})
	p.database = p.text("$DIR/frontdesk.db")
	p.load(caddyfile)
	return p
}

// load runs the Caddyfile, from the beginning or instead of the one before.
func (p *program) load(caddyfile string) {
	p.t.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(p.text(caddyfile)), nil)
	require.NoError(p.t, err)
	require.NoError(p.t, caddy.Load(adapted, true))
	require.Eventually(p.t, func() bool {
		response, err := http.Get(p.text("http://localhost:$ADMIN_PORT/frontdesk/health"))
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, wait, 10*time.Millisecond)
}

// serveOrigin is the site's origin.
func (p *program) serveOrigin(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if said := p.origin.Load(); said != nil {
		for _, field := range said.originFields {
			name, value, _ := strings.Cut(field, ": ")
			w.Header().Set(name, value)
		}
		io.WriteString(w, said.origin)
	}
}

// text is the text with the program's values.
func (p *program) text(text string) string { return strings.NewReplacer(p.values...).Replace(text) }

// at is the client of the shop or the desk.
func (p *program) at(name string) *client {
	port := p.ports["$"+strings.ToUpper(name)+"_PORT"]
	if p.clients[port] == nil {
		p.clients[port] = &client{t: p.t, address: "127.0.0.1:" + port, host: "localhost:" + port}
	}
	return p.clients[port]
}

// signIn signs the operator in.
func (p *program) signIn(login, password string) {
	p.t.Helper()
	form := url.Values{"login": {login}, "password": {password}}
	a := p.at("desk").send(post("/sign-in", "application/x-www-form-urlencoded", form.Encode()))
	require.Equal(p.t, http.StatusSeeOther, a.status, "%s", a.body)
	p.cookie = ""
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		p.cookie += c.Name + "=" + c.Value + "; "
	}
}

// client keeps one connection open.
type client struct {
	t             testing.TB
	address, host string
	conn          net.Conn
	reader        *bufio.Reader
}

// request is what a client sends, from a network of its own: limits of networks would have most of them refused.
type request struct {
	method, path string
	fields       []string // header fields, each a line
	body         string
	chunk        int    // size of the chunks; 0 for a body of known length
	announced    int    // the length that is told, where it is not the body's
	datagram     string // which is sent by SIP instead of all else
	// origin is what the site's origin answers, and originFields its header fields, each a line.
	origin       string
	originFields []string
}

func post(path, contentType, body string, fields ...string) request {
	return request{method: http.MethodPost, path: path, fields: append(fields, "Content-Type: "+contentType), body: body}
}

var networks atomic.Int32

// bytes are those on the wire.
func (r request) bytes(host string) []byte {
	var b bytes.Buffer
	n := networks.Add(1)
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 10.%d.%d.1\r\n", r.method, r.path, host, n>>8&255, n&255)
	for _, field := range r.fields {
		b.WriteString(field + "\r\n")
	}
	switch {
	case r.chunk > 0:
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
		for rest := r.body; rest != ""; {
			n := min(r.chunk, len(rest))
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		b.WriteString("0\r\n\r\n")
	case r.body != "" || r.announced > 0 || r.method == http.MethodPost:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", max(r.announced, len(r.body)), r.body)
	default:
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// dial opens the connection if it is not open.
func (c *client) dial() {
	if c.conn != nil {
		return
	}
	var err error
	c.conn, err = net.Dial("tcp", c.address)
	require.NoError(c.t, err)
	if c.reader == nil {
		c.reader = bufio.NewReaderSize(c.conn, 64<<10)
	}
	c.reader.Reset(c.conn)
}

func (c *client) send(r request) answer { return c.sendBytes(r.bytes(c.host), r.announced > 0, false) }

// sendBytes sends a request and reads the answer. If end is true, nothing follows: the server sees the end of what it
// is sent. Of a stream the header and some of the body are read.
func (c *client) sendBytes(request []byte, end, stream bool) (a answer) {
	c.t.Helper()
	c.dial()
	c.conn.SetDeadline(time.Now().Add(wait))
	c.conn.Write(request) // a server that refuses may not read all of it
	if end {
		c.conn.(*net.TCPConn).CloseWrite()
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.t.Errorf("%v for %.300s", err, request)
		c.close()
		return a
	}
	a = answer{status: response.StatusCode, header: response.Header}
	if stream && a.status == http.StatusOK {
		response.Body.Read(make([]byte, 1024))
		c.close()
		return a
	}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		c.t.Errorf("%v in the answer to %.300s", err, request)
	}
	if response.Close || end {
		c.close()
	}
	return a
}

// follow reads a stream until the test ends.
func (p *program) follow(of *client, r request) {
	p.t.Helper()
	conn, err := net.Dial("tcp", of.address)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { conn.Close() })
	_, err = conn.Write(r.bytes(of.host))
	require.NoError(p.t, err)
	conn.SetReadDeadline(time.Now().Add(wait))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	conn.SetReadDeadline(time.Time{})
	go func() {
		for piece := make([]byte, 16<<10); ; {
			n, err := response.Body.Read(piece)
			p.sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
}

// await waits until it is so, and looks ever less often: looks cost something, too.
func (p *program) await(so func() bool) {
	p.t.Helper()
	for pause := time.Millisecond; !so(); pause *= 2 {
		require.Less(p.t, pause, wait)
		time.Sleep(pause)
	}
}

// metric is the sum of a metric over all its labels.
func (p *program) metric(name string) (sum float64) {
	p.t.Helper()
	response, err := http.Get(p.text("http://localhost:$ADMIN_PORT/metrics"))
	require.NoError(p.t, err)
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	for _, sample := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllSubmatch(all, -1) {
		value, err := strconv.ParseFloat(string(sample[1]), 64)
		require.NoError(p.t, err)
		sum += value
	}
	return sum
}

// sip sends a datagram and a question behind it, and returns when that is answered.
func (p *program) sip(datagram string) {
	p.t.Helper()
	conn, err := net.Dial("udp", "127.0.0.1:"+p.ports["$SIP_PORT"])
	require.NoError(p.t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wait))
	asks := fmt.Sprintf("ask-%d", networks.Add(1))
	_, err = conn.Write([]byte(datagram))
	require.NoError(p.t, err)
	fmt.Fprint(conn, sipMessage("OPTIONS", conn.LocalAddr().String(), asks, ""))
	for answer := make([]byte, 64<<10); ; {
		n, err := conn.Read(answer)
		require.NoError(p.t, err)
		if strings.Contains(string(answer[:n]), asks) {
			return
		}
	}
}

// sipMessage is a request of the trunk with further lines of header.
func sipMessage(method, from, call, further string) string {
	return method + " sip:+74957654321@shop.test SIP/2.0\r\nVia: SIP/2.0/UDP " + from + ";rport;branch=z9hG4bK" + call + "\r\nMax-Forwards: 70\r\n" +
		"From: <sip:+79123456789@trunk.test>;tag=" + call + "\r\nTo: <sip:+74957654321@shop.test>\r\nCall-ID: " + call + "\r\nCSeq: 1 " + method + "\r\n" +
		"Contact: <sip:trunk@" + from + ">\r\n" + further + "Content-Length: 0\r\n\r\n"
}
