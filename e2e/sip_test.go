package e2e

import (
	"database/sql"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/siptest"
)

const (
	sipOperator = "74950000001"
	sipVisitor  = "79123456789"
	sipTracking = "74957650011"
)

// trunked is the program with a trunk: Kamailio, which asks for a password and to which phones are
// registered.
type trunked struct {
	*program
	proxy    *siptest.Proxy
	exchange string // where the program listens for SIP
	stored   *sql.DB
}

func runTrunked(t *testing.T) *trunked {
	t.Helper()
	proxy := siptest.StartProxy(t, siptest.Trunk{User: "shop", Password: "secret"})
	port := strconv.Itoa(siptest.Port(t))
	file := filepath.Join(memory(t), "frontdesk.db")
	p := runProgram(t, strings.NewReplacer("SIPPORT", port, "TRUNK", proxy.Address(), "OPERATOR", sipOperator, "TRACKING", sipTracking).Replace(`
{
	frontdesk {
		pool ads TRACKING
		telephony sip {
			listen udp/127.0.0.1:SIPPORT
			trunk TRUNK
			domain TRUNK
			user shop
			password secret
			register on
			caller_id 74951234567
			region RU
		}
	}
}
http://localhost:8080 {
	frontdesk shop {
		number 74951234567 {
			dynamic ads utm_medium=cpc
		}
		callback {
			phone OPERATOR
			captcha on
			countries RU
			repeat 0
		}
	}
	reverse_proxy localhost:8081
}
http://localhost:8090 {
	frontdesk_console
}
:8081 {
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title></head><body><a href='tel:+74951234567'>+7 (495) 123-45-67</a></body></html>"
}
`), "sqlite "+file)
	stored, err := sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { stored.Close() })
	require.Eventually(t, func() bool { return strings.Contains(p.log.String(), "registered at the SIP trunk") }, patience, 20*time.Millisecond)
	return &trunked{p, proxy, "127.0.0.1:" + port, stored}
}

// reload loads the same configuration again.
func (p *trunked) reload(t *testing.T) {
	t.Helper()
	output, err := p.command(t, "reload", "--force", "--config", p.caddyfile, "--adapter", "caddyfile", "--address", strings.TrimPrefix(p.admin, "http://")).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// captcha asks for a captcha, and reads its picture as people do.
func (p *trunked) captcha(t *testing.T, b *tab) (key, digits string) {
	t.Helper()
	b.until(`window.Svc && Svc.getCredentials().hit_id`)
	key = value[string](b, `new Promise(done => Svc.Captcha.get_captcha(c => done(c.key)))`)
	require.NotEmpty(t, key)
	require.NoError(t, p.stored.QueryRowContext(t.Context(), `SELECT digits FROM captchas WHERE key = $1`, key).Scan(&digits))
	return key, digits
}

// asks has the visitor ask to be called, with the captcha solved, and returns what the page is told.
func (p *trunked) asks(t *testing.T, b *tab, phone string) (status int) {
	t.Helper()
	key, digits := p.captcha(t, b)
	status, _ = sitePhoneCall(t, b, phone, key, digits, 0)
	return status
}

// sitePhoneCall has the page ask for a call in so many milliseconds, and returns what it is told.
func sitePhoneCall(t *testing.T, b *tab, phone, key, digits string, in int) (status int, code string) {
	t.Helper()
	type told struct {
		Result struct {
			Status int    `json:"status"`
			Code   string `json:"code"`
		} `json:"result"`
	}
	got := value[told](b, fmt.Sprintf(`new Promise(done => SvcWidget.sitePhoneCall({phone: %q, captcha_key: %q, captcha_value: %q, delayed_call_time: %d && Date.now() + %[4]d}, done))`, phone, key, digits, in))
	t.Logf("%+v", got)
	return got.Result.Status, got.Result.Code
}

// becomes waits until the newest callback of the phone is in the state, for longer than a phone rings.
func (p *trunked) becomes(t *testing.T, phone, state, reason string) {
	t.Helper()
	var now, why string
	for end := time.Now().Add(callback.Ring + patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		err := p.stored.QueryRowContext(t.Context(), `SELECT state, reason FROM callbacks WHERE phone = $1 ORDER BY created_at DESC, id DESC LIMIT 1`, phone).Scan(&now, &why)
		if err == nil && now == state && why == reason {
			return
		}
	}
	require.FailNow(t, "the callback is in another state", "%s (%s), expected %s (%s)", now, why, state, reason)
}

// A visitor asks on the page to be called: two phones ring one after the other, and hear each other.
func TestSitePhoneCallJoinsTwoPhones(t *testing.T) {
	t.Parallel()
	p := runTrunked(t)
	operator := siptest.StartPhone(t, p.proxy, sipOperator, 440)
	visitor := siptest.StartPhone(t, p.proxy, sipVisitor, 1000)
	desk := p.signedIn(t)
	desk.visit(p.console + "/callbacks")
	b := newTab(t)
	b.visit(p.shop)
	require.Zero(t, p.asks(t, b, "+7 (912) 345-67-89"))
	operator.Await(siptest.Rings, 1)
	p.becomes(t, sipVisitor, "calling_operator", "")
	desk.until(contains("#callbacks > li:first-child", "Calling the operator"))
	desk.visit(p.console + value[string](desk, `document.querySelector("#callbacks a").pathname`))
	desk.do(`window.begun = true`) // and it is not loaded again
	desk.until(contains("#steps", "The operator's phone is ringing"))
	require.Zero(t, visitor.Count(siptest.Rings))
	operator.Answer()
	visitor.Await(siptest.Rings, 1)
	p.becomes(t, sipVisitor, "calling_visitor", "")
	desk.until(contains("#now", "Calling the visitor") + ` && ` + contains("#steps", "the visitor's phone is ringing"))
	p.reload(t)
	visitor.Answer()
	p.becomes(t, sipVisitor, "talking", "")
	desk.until(contains("#now", "Talking") + ` && ` + contains("#steps", "They are talking"))
	operator.AwaitTone(1000)
	visitor.AwaitTone(440)
	p.reload(t)
	operator.HangUp()
	visitor.Await(siptest.Closed, 1)
	p.becomes(t, sipVisitor, "done", "talked")
	desk.until(contains("#now", "Talked") + ` && ` + contains("#steps", "they talked") + ` && window.begun`)
	require.True(t, value[bool](desk, `!document.querySelector(".may-close").checkVisibility() && document.querySelector(".may-call").checkVisibility()`))

	// Once more, and the program is ended in the middle: so are the calls, and that is known.
	require.Zero(t, p.asks(t, b, "+7 (912) 345-67-89"))
	operator.Await(siptest.Rings, 2)
	operator.Answer()
	visitor.Await(siptest.Rings, 2)
	visitor.Answer()
	p.becomes(t, sipVisitor, "talking", "")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	operator.Await(siptest.Closed, 2)
	visitor.Await(siptest.Closed, 2)
	<-p.ended
	p.becomes(t, sipVisitor, "done", "talked")
}

// Phones that are busy or not taken up give their states.
func TestSitePhoneCallThatComesToNothing(t *testing.T) {
	t.Parallel()
	p := runTrunked(t)
	answered := []string{siptest.Invited, siptest.Answers(20000), siptest.Acknowledged, siptest.HungUp}
	for _, test := range []struct {
		phone             string
		operator, visitor []string
		state, reason     string
	}{
		{"79123456780", []string{siptest.Invited, siptest.Busy}, nil, "no_answer", "operator_busy"},
		{"79123456781", []string{siptest.Invited, siptest.Ringing, siptest.Cancelled}, nil, "no_answer", "operator_no_answer"},
		{"79123456782", answered, []string{siptest.Invited, siptest.Busy}, "no_answer", "visitor_busy"},
		{"79123456783", answered, nil, "failed", "failed"},
	} {
		operator := siptest.StartScripted(t, p.proxy, sipOperator, test.operator...)
		b := newTab(t)
		b.visit(p.shop)
		if test.visitor != nil {
			visitor := siptest.StartScripted(t, p.proxy, test.phone, test.visitor...)
			require.Zero(t, p.asks(t, b, test.phone))
			visitor.Await()
		} else {
			require.Zero(t, p.asks(t, b, test.phone))
		}
		p.becomes(t, test.phone, test.state, test.reason)
		operator.Await()
		p.proxy.Forget(t, sipOperator, operator.Port)
	}

	// The trunk is gone: the visitor is told at once, or the callback fails.
	p.proxy.Stop()
	b := newTab(t)
	b.visit(p.shop)
	require.Zero(t, p.asks(t, b, "79123456784"))
	p.becomes(t, "79123456784", "failed", "failed")
}

// A wrong captcha, one that was tried before, and the eleventh call of a minute give their statuses,
// and nobody is rung.
func TestSitePhoneCallIsRefused(t *testing.T) {
	t.Parallel()
	p := runTrunked(t)
	b := newTab(t)
	b.visit(p.shop)
	key, digits := p.captcha(t, b)
	for _, tried := range []string{"12345", digits, ""} {
		status, code := sitePhoneCall(t, b, "79123456700", key, tried, 0)
		require.Equal(t, 1, status)
		require.Equal(t, "captcha", code)
	}
	for i := range 11 {
		key, digits := p.captcha(t, b)
		status, code := sitePhoneCall(t, b, fmt.Sprint("791234567", 10+i), key, digits, 3600000)
		if i < 10 {
			require.Equal(t, 0, status, i)
			require.Equal(t, "later", code)
			continue
		}
		require.Equal(t, 4, status)
		require.Equal(t, "limit_minute", code)
	}
	desk := p.signedIn(t)
	desk.visit(p.console + "/callbacks?state=open")
	require.Equal(t, 10.0, value[float64](desk, `document.querySelectorAll(".table .rows > li").length`))

	// One is put off in the console, in the browser's time. A time that is past stays where it was typed.
	desk.visit(p.console + value[string](desk, `document.querySelector(".table .rows a").pathname`))
	local := func(hours int) string {
		return value[string](desk, fmt.Sprintf(`(() => { const at = new Date(Date.now() + %d * 3600000); return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16); })()`, hours))
	}
	postpone := func(at string) {
		desk.do(fmt.Sprintf(`document.getElementById("until").value = %q; document.querySelector(".postpone").requestSubmit()`, at))
	}
	past, later := local(-3), local(5)
	postpone(past)
	desk.until(contains(".postpone .wrong", "Choose a time within"))
	require.Equal(t, past, value[string](desk, `document.getElementById("until").value`))
	postpone(later)
	desk.until(contains(".notice", "The callback is postponed."))
	require.True(t, value[bool](desk, fmt.Sprintf(`new Date(document.querySelector("#now time").dateTime).getTime() === new Date(%q).getTime()`, later)))
}

// A call to the number that a visitor is shown is sent on to the printed one, and is the visitor's.
func TestSIPCallToDynamicNumber(t *testing.T) {
	t.Parallel()
	p := runTrunked(t)
	b := newTab(t)
	b.leases(p.shop + "/?utm_medium=cpc")
	require.Equal(t, 1, value[int](b, `Svc.getPhones().length`))
	require.Equal(t, sipTracking, value[string](b, `Svc.getPhones()[0].raw`))
	c, err := net.Dial("udp4", p.exchange)
	require.NoError(t, err)
	defer c.Close()
	invite := func(try int) {
		_, err = fmt.Fprint(c, strings.NewReplacer("\n", "\r\n", "OWN", c.LocalAddr().String(), "CALLED", "8"+sipTracking[1:], "TRY", fmt.Sprint(try)).Replace(`INVITE sip:CALLED@trunk.test SIP/2.0
Via: SIP/2.0/UDP OWN;branch=z9hG4bKxTRY
From: "Somebody" <sip:+79120001122@trunk.test>;tag=f
To: <sip:CALLED@trunk.test>
Call-ID: a-call
CSeq: 1 INVITE
Contact: <sip:x@OWN>
Max-Forwards: 70
Content-Length: 0

`))
		require.NoError(t, err)
	}
	invite(0)
	answer := make([]byte, 65536)
	c.SetReadDeadline(time.Now().Add(patience))
	for try := 0; ; {
		n, err := c.Read(answer)
		require.NoError(t, err)
		text := string(answer[:n])
		if strings.HasPrefix(text, "SIP/2.0 503 ") && strings.Contains(text, fmt.Sprintf("branch=z9hG4bKx%d", try)) {
			try++ // the database has not told in time
			invite(try)
		}
		if !strings.HasPrefix(text, "SIP/2.0 100") && !strings.HasPrefix(text, "SIP/2.0 503 ") {
			require.True(t, strings.HasPrefix(text, "SIP/2.0 302 "), text)
			require.Contains(t, text, "Contact: <sip:74951234567@"+p.proxy.Address()+">")
			break
		}
	}
	desk := p.signedIn(t)
	desk.visit(p.console + "/calls")
	desk.until(`document.querySelectorAll("#calls > li").length === 1`)
	require.Contains(t, value[string](desk, `document.querySelector("#calls").innerText.replace(/\D/g, "")`), "9120001122")
	var visitor, callVisitor int64
	require.NoError(t, p.stored.QueryRowContext(t.Context(), `SELECT visitor_id FROM calls`).Scan(&callVisitor))
	require.NoError(t, p.stored.QueryRowContext(t.Context(), `SELECT visitor_id FROM pool_numbers WHERE digits = $1`, sipTracking).Scan(&visitor))
	require.NotZero(t, visitor)
	require.Equal(t, visitor, callVisitor)
	desk.do(`document.querySelector("#calls a[href^='/visitors/']").click()`)
	desk.until(`location.pathname.startsWith("/visitors/") && (document.querySelector("[aria-labelledby=calls-of]") || document.createElement("i")).textContent.replace(/\D/g, "").includes("` + sipTracking[1:] + `")`)
}
