package doors

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/notify/mailtest"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/servertest"
)

// wait bounds everything that a test waits for.
const wait = time.Minute

// program is Caddy with Frontdesk in the process of the test, so that the test sees what it allocates. There is one
// at a time.
type program struct {
	*servertest.Server
	database string                  // the file of SQLite
	ports    map[string]string       // by their names in the Caddyfile
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
	folder := t.TempDir()
	t.Cleanup(caddymodule.WaitUntilClosed) // services write into the folder until then
	p := &program{ports: make(map[string]string), clients: make(map[string]*client)}
	origin := httptest.NewServer(http.HandlerFunc(p.serveOrigin))
	t.Cleanup(origin.Close)
	hooks := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		p.sent.Add(n)
	}))
	t.Cleanup(hooks.Close)
	p.receiver = strings.TrimPrefix(hooks.URL, "http://")
	mails := mailtest.Start(t)
	go func() {
		for letter := range mails.Letters {
			p.sent.Add(int64(len(letter)))
		}
	}()
	values = append(values, "$DIR", folder, "$ORIGIN", strings.TrimPrefix(origin.URL, "http://"), "$RECEIVER", p.receiver, "$MAIL", mails.Address)
	for i, port := range servertest.FreePorts(t, 3) {
		name := []string{"$SHOP_PORT", "$DESK_PORT", "$SIP_PORT"}[i]
		p.ports[name] = port
		values = append(values, name, port)
	}
	p.Server = servertest.Run(t, caddyfile, values...).Ready()
	t.Cleanup(func() {
		for _, c := range p.clients {
			c.close()
		}
	})
	p.database = p.Text("$DIR/frontdesk.db")
	return p
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

// at is the client of the shop or the desk.
func (p *program) at(name string) *client {
	port := p.ports["$"+strings.ToUpper(name)+"_PORT"]
	if p.clients[port] == nil {
		p.clients[port] = &client{t: p.T, address: "127.0.0.1:" + port, host: "localhost:" + port}
	}
	return p.clients[port]
}

// signIn signs the operator in.
func (p *program) signIn(login, password string) {
	p.T.Helper()
	form := url.Values{"login": {login}, "password": {password}}
	a := p.at("desk").send(post("/sign-in", "application/x-www-form-urlencoded", form.Encode()))
	require.Equal(p.T, http.StatusSeeOther, a.status, "%s", a.body)
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
	p.T.Helper()
	conn, err := net.Dial("tcp", of.address)
	require.NoError(p.T, err)
	p.T.Cleanup(func() { conn.Close() })
	_, err = conn.Write(r.bytes(of.host))
	require.NoError(p.T, err)
	conn.SetReadDeadline(time.Now().Add(wait))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(p.T, err)
	require.Equal(p.T, http.StatusOK, response.StatusCode)
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
	p.T.Helper()
	for pause := time.Millisecond; !so(); pause *= 2 {
		require.Less(p.T, pause, wait)
		time.Sleep(pause)
	}
}

// sip sends a datagram and a question behind it, and returns when that is answered.
func (p *program) sip(datagram string) {
	p.T.Helper()
	conn, err := net.Dial("udp", "127.0.0.1:"+p.ports["$SIP_PORT"])
	require.NoError(p.T, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wait))
	asks := fmt.Sprintf("ask-%d", networks.Add(1))
	_, err = conn.Write([]byte(datagram))
	require.NoError(p.T, err)
	fmt.Fprint(conn, sipMessage("OPTIONS", conn.LocalAddr().String(), asks, ""))
	for answer := make([]byte, 64<<10); ; {
		n, err := conn.Read(answer)
		require.NoError(p.T, err)
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
