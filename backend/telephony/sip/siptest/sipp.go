package siptest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Scripted is a SIPp, which does what a scenario says and complains of everything else.
type Scripted struct {
	t       testing.TB
	program *program
	Port    int
	// messages is the file in which SIPp writes down what it receives and sends.
	messages string
}

// Script is a scenario in SIPp's XML: the messages, within <scenario>. [sdp] stands for a session.
type Script string

// session is what a scripted phone offers and answers.
const session = `Content-Type: application/sdp
      Content-Length: [len]

      v=0
      o=scripted 1 1 IN IP4 127.0.0.1
      s=-
      c=IN IP4 127.0.0.1
      t=0 0
      m=audio %d RTP/AVP 8
      a=rtpmap:8 PCMA/8000`

// reply is a response to the last message.
func reply(status, body string) string {
	if body == "" {
		body = "Content-Length: 0"
	}
	return `<send><![CDATA[

      SIP/2.0 ` + status + `
      [last_Via:]
      [last_Record-Route:]
      [last_From:]
      [last_To:];tag=scripted[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      Contact: <sip:scripted@[local_ip]:[local_port]>
      ` + body + `

    ]]></send>
`
}

// The parts of scenarios.
var (
	Invited = `<recv request="INVITE" crlf="true" rrs="true"><action><ereg regexp=".*" search_in="hdr" header="From:" assign_to="remote"/>
<ereg regexp=".*" search_in="hdr" header="Via:" assign_to="proxy"/><ereg regexp=".*" search_in="hdr" header="Via:" occurrence="2" assign_to="caller"/></action></recv>` + "\n"
	Trying       = strings.Replace(reply("100 Trying", ""), ";tag=scripted[call_number]", "", 1)
	Ringing      = reply("180 Ringing", "")
	Busy         = reply("486 Busy Here", "") + `<recv request="ACK"/>` + "\n"
	Declines     = reply("603 Decline", "") + `<recv request="ACK"/>` + "\n"
	Acknowledged = `<recv request="ACK"/>` + "\n"
	// HungUp waits for BYE, and Cancelled for CANCEL.
	HungUp    = `<recv request="BYE"/>` + "\n" + strings.ReplaceAll(reply("200 OK", ""), ";tag=scripted[call_number]", "")
	Cancelled = `<recv request="CANCEL"/>` + "\n" + reply("200 OK", "") + `<send><![CDATA[

      SIP/2.0 487 Request Terminated
      Via:[$proxy]
      Via:[$caller]
      [last_From:]
      [last_To:];tag=scripted[call_number]
      [last_Call-ID:]
      CSeq: [cseq] INVITE
      Content-Length: 0

    ]]></send>
    <recv request="ACK"/>
`
	// HangsUp sends BYE. The ACK of what has been answered may come after it.
	HangsUp = `<send retrans="500"><![CDATA[

      BYE [next_url] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      [routes]
      From: <sip:scripted@[local_ip]:[local_port]>;tag=scripted[call_number]
      To:[$remote]
      [last_Call-ID:]
      CSeq: 7 BYE
      Max-Forwards: 70
      Content-Length: 0

    ]]></send>
    <recv request="ACK" optional="true"/>
    <recv response="200"/>
`
)

// Answers takes the call up, with a session of media at the port.
func Answers(port int) string { return reply("200 OK", fmt.Sprintf(session, port)) }

// AnswersLong is Answers with a session that does not fit into one packet.
func AnswersLong(port int) string {
	return reply("200 OK", fmt.Sprintf(session, port)+strings.Repeat("\n      a=x-long:"+strings.Repeat("x", 90), 25))
}

// Early tells of a session before the call is taken up.
func Early(port int) string { return reply("183 Session Progress", fmt.Sprintf(session, port)) }

// Waits does nothing for a while.
func Waits(d time.Duration) string {
	return fmt.Sprintf(`<pause milliseconds="%d"/>`+"\n", d.Milliseconds())
}

// StartScripted registers a scripted phone with the number at the proxy, and runs it for one call.
func StartScripted(t testing.TB, proxy *Proxy, number string, parts ...string) *Scripted {
	t.Helper()
	path := find(t, "sipp", "sip-tester")
	folder, port := t.TempDir(), Port(t)
	file := filepath.Join(folder, "scenario.xml")
	text := "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" ?>\n<scenario name=\"scripted\">\n" + strings.Join(parts, "") + "<Reference variables=\"remote,proxy,caller\"/>\n</scenario>\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	s := &Scripted{t: t, Port: port, messages: filepath.Join(folder, "messages.log")}
	s.program = start(t, folder, path, "-sf", file, "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-m", "1", "-nostdin",
		"-trace_err", "-trace_msg", "-message_file", "messages.log", "-error_file", "errors.log", "-timeout", "100s", "-timeout_error", "-mi", "127.0.0.1", "-mp", strconv.Itoa(Port(t)))
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, name := range []string{"errors.log", "messages.log"} {
			content, _ := os.ReadFile(filepath.Join(folder, name))
			t.Logf("%s of %s:\n%s", name, number, content[max(0, len(content)-8000):])
		}
	})
	bound := fmt.Sprintf(":%04X ", port)
	require.Eventually(t, func() bool { // to try the port would take it away from SIPp
		sockets, err := os.ReadFile("/proc/net/udp")
		return err == nil && strings.Contains(string(sockets), bound)
	}, patience, 20*time.Millisecond)
	proxy.Register(t, number, port)
	return s
}

// AwaitInvitation waits until a call has come to the phone.
func (s *Scripted) AwaitInvitation() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		content, err := os.ReadFile(s.messages)
		return err == nil && strings.Contains(string(content), "\nINVITE sip:")
	}, patience, 20*time.Millisecond, "nobody has called the phone")
}

// Await waits until the scenario has been gone through as it is written.
func (s *Scripted) Await() {
	s.t.Helper()
	select {
	case <-s.program.done:
	case <-time.After(2 * patience):
		s.t.Fatal("the scenario has not come to its end")
	}
	require.NoError(s.t, s.program.err, "the scenario has failed")
}

// Register tells the proxy that the number is at the port.
func (p *Proxy) Register(t testing.TB, number string, port int) { p.register(t, number, port, 600) }

// Forget tells the proxy that the number is there no more.
func (p *Proxy) Forget(t testing.TB, number string, port int) { p.register(t, number, port, 0) }

func (p *Proxy) register(t testing.TB, number string, port, expires int) {
	t.Helper()
	c, err := net.Dial("udp4", p.Address())
	require.NoError(t, err)
	defer c.Close()
	fmt.Fprintf(c, strings.ReplaceAll(`REGISTER sip:%[1]s SIP/2.0
Via: SIP/2.0/UDP %[2]s;branch=z9hG4bKr%[3]s%[4]d%[5]d
From: <sip:%[3]s@%[1]s>;tag=r%[3]s
To: <sip:%[3]s@%[1]s>
Call-ID: register-%[3]s-%[4]d-%[5]d
CSeq: 1 REGISTER
Contact: <sip:%[3]s@127.0.0.1:%[4]d>
Expires: %[5]d
Max-Forwards: 70
Content-Length: 0

`, "\n", "\r\n"), p.Address(), c.LocalAddr().String(), number, port, expires)
	c.SetReadDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(c).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "200", line)
}
