package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A visitor and an operator write to each other, while the network is cut, the server is killed and started, and the configuration is
// loaded anew: every message arrives once, in order, in two tabs.
func TestChatSurvives(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	network := newWire(t, strings.TrimPrefix(p.shop, "http://"))
	shop := "http://localhost:" + port(network.listener.Addr().String())

	b := newTab(t)
	b.opensChat(shop)
	b.says("Do you ship to Oslo?")
	b.shows("Do you ship to Oslo?")
	require.Equal(t, []string{"Do you ship to Oslo?"}, ann.hears(1))
	ann.says("We do.")
	b.shows("Do you ship to Oslo?", "We do.")
	b.until(`chatRoot.querySelector(".own .meta").innerText.includes("Read")`)
	require.Eventually(t, func() bool { return ann.conversation().VisitorRead == 2 }, time.Minute, 20*time.Millisecond, "what is shown is read")

	network.set("", true)
	b.says("In the tunnel")
	ann.says("Hello?")
	b.until(`chatRoot.querySelector(".log").innerText.includes("In the tunnel")`)
	refused := network.refused.Load()
	require.Eventually(t, func() bool { return network.refused.Load() > refused+1 }, patience, 20*time.Millisecond, "attempts in vain")
	network.set(strings.TrimPrefix(p.shop, "http://"), false)
	require.Equal(t, []string{"Do you ship to Oslo?", "In the tunnel"}, ann.hears(4))
	said := []string{"Do you ship to Oslo?", "We do.", "Hello?", "In the tunnel"}
	b.shows(said...)

	p.kill()
	b.says("While it is down")
	ann.says("By another node")
	p.start(t)
	ann.hears(6)
	said = append(said, "By another node", "While it is down")
	b.shows(said...)

	written, err := os.ReadFile(p.caddyfile)
	require.NoError(t, err)
	changed := strings.Replace(string(written), "+7 (###) ###-##-##", "+1 ### ###-##-##", 1)
	require.NoError(t, os.WriteFile(p.caddyfile, []byte(changed), 0o600))
	output, err := p.command(t, "reload", "--config", p.caddyfile, "--adapter", "caddyfile", "--address", strings.TrimPrefix(p.admin, "http://")).CombinedOutput()
	require.NoError(t, err, string(output))
	ann.says("After the reload")
	said = append(said, "After the reload")
	b.shows(said...)

	// Another page of the same visitor goes on.
	b.closesChat()
	b.visit(shop + "/contacts.html")
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	ann.says("On another page")
	b.until(`document.title.startsWith("(1) ")`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	said = append(said, "On another page")
	b.shows(said...)
	b.until(`!document.title.startsWith("(1) ")`)
	b.says("<img src=x onerror=alert(1)> https://shop.example/?a=1&b=2.")
	b.until(`chatRoot.querySelector(".own a[href='https://shop.example/?a=1&b=2']")`)
	require.True(t, value[bool](b, `!chatRoot.querySelector(".log img")`), "a message is never markup")
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// The script comes anew while the chat is open: the chat of the one before listens no more.
func TestChatListensOnce(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.before(`{ const streams = window.streams = []; EventSource = class extends EventSource { constructor(...of) { super(...of); streams.push(this); } }; }`)
	b.opensChat(p.shop)
	b.says("One")
	b.shows("One")
	ann.hears(1)
	b.until(`streams.some((s) => s.readyState === 1)`)
	b.do(`
		window.before = chatRoot; window.had = streams.length;
		const old = document.querySelector("script[src*='svc.js']"), script = document.createElement("script");
		__cs = [["setCsAccount", Svc.getCredentials().site_key]]; Svc = SvcWidget = undefined;
		script.src = old.src;
		old.remove();
		await new Promise(done => { script.onload = done; document.head.append(script); });`)
	b.until(`chatRoot !== before && ` + spoken + `.length === 1 && streams.slice(had).some((s) => s.readyState === 1)`)
	ann.says("Two")
	b.shows("One", "Two")
	require.Equal(t, 1, value[int](b, `streams.filter((s) => s.readyState < 2).length`))
}

// Two nodes share a database. One is killed in the middle of a conversation, with the visitor and the operator on it: the visitor
// goes on with the other, every message comes once and in order, and another operator gets the conversation.
func TestChatOverTwoNodes(t *testing.T) {
	t.Parallel()
	_, _, database := postgres(t)
	one := runChat(t, database)
	vera := one.signedIn(t)
	two := runChat(t, database)
	anna := two.colleague(vera, "anna", "Anna Svensson")
	vera.visit(one.console + "/chats")
	anna.visit(two.console + "/chats")
	balancer := newWire(t, strings.TrimPrefix(one.shop, "http://"))
	b := newTab(t)
	b.opensChat("http://localhost:" + port(balancer.listener.Addr().String()))
	b.says("One")
	vera.opensFirst()
	vera.answersWith("Two")
	b.shows("One", "Two")
	anna.opensFirst()
	anna.hasTexts(consoleTexts, "One", "Two")
	require.False(t, value[bool](anna, contains("#working", "Yours")), "it is the other's")

	// What is said while the node dies is said to nobody, or stored.
	b.says("Three")
	vera.do(`document.getElementById("answer").value = "Lost with the node"`)
	one.kill()
	balancer.set(strings.TrimPrefix(two.shop, "http://"), false)
	anna.hasTexts(consoleTexts, "One", "Two", "Three")
	b.shows("One", "Two", "Three")

	// The lease of who was there ends, and the visitor, who waits, is anybody's again.
	within := time.Now().Add(3 * time.Minute)
	for !value[bool](anna, `!!document.querySelector("[data-do=claim]")`) {
		require.True(t, time.Now().Before(within), "the conversation never waits again")
		time.Sleep(100 * time.Millisecond)
	}
	anna.do(`document.querySelector("[data-do=claim]").click()`)
	anna.until(contains("#working", "Yours"))
	anna.answersWith("Four")
	b.shows("One", "Two", "Three", "Four")
	b.says("Five")
	anna.hasTexts(consoleTexts, "One", "Two", "Three", "Four", "Five")

	// The other way round: the node is there again, and that of who answers now goes.
	one.start(t)
	balancer.set(strings.TrimPrefix(one.shop, "http://"), false)
	b.says("Six")
	anna.hasTexts(consoleTexts, "One", "Two", "Three", "Four", "Five", "Six")
	two.kill()
	vera.visit(one.console + "/chats")
	vera.opensFirst()
	b.says("Seven")
	vera.hasTexts(consoleTexts, "One", "Two", "Three", "Four", "Five", "Six", "Seven")
	vera.answersWith("Eight")
	b.shows("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
}

// A conversation takes a request for each thing that is said or read, and one stream.
func TestChatCosts(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	network := newWire(t, strings.TrimPrefix(p.shop, "http://"))
	b := newTab(t)
	b.opensChat("http://localhost:" + port(network.listener.Addr().String()))
	before := network.carried.Load()
	const asked = 10
	var said []string
	for n := range asked {
		said = append(said, fmt.Sprintf("This is question number %d, of a usual length.", n), fmt.Sprintf("And this is answer number %d, which is no longer.", n))
		b.says(said[2*n])
		ann.hears(int64(2*n + 1))
		ann.says(said[2*n+1])
		b.shows(said...)
	}
	require.Eventually(t, func() bool { return ann.conversation().VisitorRead == 2*asked }, time.Minute, 20*time.Millisecond)
	requests := value[int](b, `performance.getEntriesByType("resource").filter((r) => r.name.includes("/v1/chat")).length`)
	t.Logf("%d messages: %d requests, %d bytes both ways", 2*asked, requests, network.carried.Load()-before)
	again := value[int](b, `performance.getEntriesByType("resource").filter((r) => r.name.includes("/v1/chat/stream")).length`) - 1
	require.LessOrEqual(t, requests, 3+3*asked+2*max(0, again), "one for each question, its being typed, and each answer that is read")
}

// Something on the way holds the stream back, or it is refused: the chat asks by itself, and says nothing of it. After some
// minutes it tries a stream again.
func TestChatWithoutAStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		tries  int64
	}{
		"held back": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 1},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ann := runAnswered(t)
			to, err := url.Parse(p.shop)
			require.NoError(t, err)
			passing := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host }} // the host stays
			var tried, passed atomic.Int64
			var passes atomic.Bool
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/v1/chat/stream") {
					if !passes.Load() {
						tried.Add(1)
						c.answer(w, r)
						return
					}
					passed.Add(1)
				}
				passing.ServeHTTP(w, r)
			}))
			t.Cleanup(proxy.Close)
			b := newTab(t)
			b.before(`{ const now = Date.now; window.later = 0; Date.now = () => now() + later; }`)
			b.opensChat("http://localhost:" + port(proxy.Listener.Addr().String()))
			b.says("Hello")
			ann.hears(1)
			require.Eventually(t, func() bool { return tried.Load() == c.tries }, time.Minute, 20*time.Millisecond)
			said := []string{"Hello"}
			for _, text := range []string{"Good day", "Are you there?", "Hello?"} {
				ann.says(text)
				said = append(said, text)
				b.shows(said...)
			}
			require.Equal(t, c.tries, tried.Load(), "it is not tried for ever")

			passes.Store(true)
			b.do(`later = 360_000`)
			require.Eventually(t, func() bool { return passed.Load() == 1 }, time.Minute, 20*time.Millisecond)
			ann.says("By the stream")
			b.shows(append(said, "By the stream")...)
			require.EqualValues(t, 1, passed.Load())
		})
	}
}

// The node of the stream does not hear what happens, as its database is away. Another does: the chat asks beside the stream,
// which stays, and no longer when that hears again.
func TestChatBesideALateStream(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	to, err := url.Parse(p.shop)
	require.NoError(t, err)
	passing := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host }} // the host stays
	hears := make(chan struct{})
	var streams atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/v1/chat/stream") {
			passing.ServeHTTP(w, r)
			return
		}
		streams.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"late\":true}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-hears:
		case <-r.Context().Done():
			return
		}
		io.WriteString(w, "data: {\"late\":false}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(proxy.CloseClientConnections)
	b := newTab(t)
	b.before(`{
		const begin = setInterval, end = clearInterval, of = window.waits = new Map();
		window.setInterval = (run, time) => { const id = begin(run, Math.min(time, 100)); of.set(id, time); return id; };
		window.clearInterval = (id) => { of.delete(id); end(id); };
	}`)
	const asks = `[...waits.values()].some((time) => time >= 4000 && time <= 6000)` // not often
	b.opensChat("http://localhost:" + port(proxy.Listener.Addr().String()))
	b.says("Hello")
	ann.hears(1)
	ann.says("Good day")
	b.shows("Hello", "Good day")
	b.until(asks)

	close(hears)
	b.until(`!` + asks)
	require.EqualValues(t, 1, streams.Load(), "the stream stays")
}
