package e2e

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/dbtest"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/visit/visittest"
)

// seeChat gives the tests the closed shadow root of the panels, which stays closed.
const seeChat = `{
	const attach = Element.prototype.attachShadow;
	Element.prototype.attachShadow = function (options) {
		const root = attach.call(this, options);
		if (options.mode === "closed") Object.defineProperty(window, "chatRoot", {value: root, configurable: true});
		return root;
	};
}`

// spoken are the texts of the conversation that the page shows, in order.
const spoken = `Array.from(window.chatRoot ? chatRoot.querySelectorAll(".log .line > .msg:has(time) > p") : [], (p) => p.innerText)`

// chatOpen tells that the chat is shown and can be written in.
const chatOpen = `window.chatRoot && chatRoot.querySelector(".writing textarea") && !chatRoot.querySelector(".chat").hidden && !chatRoot.querySelector(".panel").hidden`

// runChat runs the example with panels that its pages show by themselves, as the lines say if there are any.
func runChat(t *testing.T, database string, lines ...string) *program {
	t.Helper()
	config := example(t)
	const before = "\t\tvariant A\n"
	require.Contains(t, config, before)
	return runProgram(t, strings.Replace(config, before, before+cmp.Or(strings.Join(lines, ""), "\t\twidget\n"), 1), database)
}

// runAnswered is runChat on a database of its own, with somebody who answers.
func runAnswered(t *testing.T, lines ...string) (*program, *answerer) {
	t.Helper()
	_, settings, database := postgres(t)
	p := runChat(t, database, lines...)
	return p, p.answers(t, settings)
}

// wire is a way to a server that can be cut.
type wire struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
	cut      bool
	open     map[net.Conn]struct{}
	carried  atomic.Int64 // bytes both ways
	refused  atomic.Int64 // connections that came while it was cut
}

// newWire leads to the address.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", freeAddress(t))
	require.NoError(t, err)
	w := &wire{listener: listener, to: to, open: make(map[net.Conn]struct{})}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(from)
		}
	}()
	t.Cleanup(func() { listener.Close(); w.set("", true) })
	return w
}

func (w *wire) carry(from net.Conn) {
	defer from.Close()
	w.mu.Lock()
	to, cut := w.to, w.cut
	w.mu.Unlock()
	if cut {
		w.refused.Add(1)
		return
	}
	dialled, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer dialled.Close()
	w.mu.Lock()
	w.open[from], w.open[dialled] = struct{}{}, struct{}{}
	w.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, dialled}, {dialled, from}} {
		both.Go(func() {
			_, _ = io.Copy(io.MultiWriter(way[0], counting{&w.carried}), way[1])
			way[0].Close()
			way[1].Close()
		})
	}
	both.Wait()
	w.mu.Lock()
	delete(w.open, from)
	delete(w.open, dialled)
	w.mu.Unlock()
}

// counting counts what is written.
type counting struct{ bytes *atomic.Int64 }

func (c counting) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// set has the wire lead to the address, or be cut; what is open is cut.
func (w *wire) set(to string, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to, w.cut = to, cut
	for c := range w.open {
		c.Close()
	}
}

// answerer is an operator who works on the database itself, as a console of another node does.
type answerer struct {
	t      *testing.T
	db     *db.DB
	chats  *chat.Chats
	groups *group.Groups
	site   int64
	id     int64
	lease  *presence.Lease
}

// answers begins to be there for the shop.
func (p *program) answers(t *testing.T, settings db.Settings) *answerer {
	t.Helper()
	d, err := db.Open(context.Background(), settings, zap.NewNop())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	visits := visittest.Open(t, d, time.Now)
	operators := operator.New(d, time.Now)
	o, err := operators.Create(t.Context(), operator.Server(), operator.Account{Login: "ann", Name: "Ann", Password: "correct horse battery", Role: operator.Agent, Sites: scope.All()})
	require.NoError(t, err)
	groups := group.New(d, time.Now)
	there := presence.New(d, operators, groups, time.Now)
	lease, err := there.Arrive(t.Context(), o.ID)
	require.NoError(t, err)
	site, found, err := db.One(t.Context(), d.Read(), db.Only[int64], `SELECT id FROM sites WHERE key = 'demo-shop'`)
	require.NoError(t, err)
	require.True(t, found)
	ctx, cancel := context.WithCancel(context.Background())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(presence.Heartbeat):
				_ = there.Renew(ctx, lease)
			}
		}
	})
	t.Cleanup(func() { cancel(); renewing.Wait() })
	return &answerer{t: t, db: d, chats: chat.New(chat.Subjects{DB: d, Visits: visits.Visits, Texts: visits.Texts, Cards: visits.Cards}, time.Now), groups: groups, site: site, id: o.ID, lease: lease}
}

// conversation is the only one there is.
func (a *answerer) conversation() chat.Conversation {
	a.t.Helper()
	all, err := a.chats.List(a.t.Context(), scope.All(), chat.Filter{}, chat.Cursor{}, 10)
	require.NoError(a.t, err)
	require.Len(a.t, all, 1)
	return all[0]
}

func (a *answerer) says(text string) {
	a.t.Helper()
	_, err := a.chats.Say(a.t.Context(), a.site, a.conversation().ID, chat.Message{Author: chat.Operator, OperatorID: a.id, Text: text})
	require.NoError(a.t, err)
}

// hears waits until the conversation has so many entries, and returns those of the visitor.
func (a *answerer) hears(entries int64) (texts []string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		all, err := a.chats.List(context.Background(), scope.All(), chat.Filter{}, chat.Cursor{}, 1)
		return err == nil && len(all) == 1 && all[0].Seq >= entries
	}, time.Minute, 20*time.Millisecond)
	messages, err := a.chats.Messages(a.t.Context(), a.site, a.conversation().ID, 0, 1000)
	require.NoError(a.t, err)
	for _, m := range messages {
		if m.Author == chat.Visitor {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// opensChat opens the chat at the address, when it is known that somebody is there.
func (b *tab) opensChat(address string) {
	b.t.Helper()
	b.before(seeChat)
	b.visit(address)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
}

// says writes in the chat and sends by the keyboard.
func (b *tab) says(text string) {
	b.t.Helper()
	b.do(`const field = chatRoot.querySelector(".writing textarea"); field.focus(); field.value = ` + fmt.Sprintf("%q", text) + `;
		field.dispatchEvent(new Event("input"));
		field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));`)
}

// shows waits until the page shows these texts, each once, in order.
func (b *tab) shows(texts ...string) {
	b.t.Helper()
	b.until(`JSON.stringify(` + spoken + `) === ` + fmt.Sprintf("%q", jsonOf(texts)))
}

func jsonOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `"` + text + `"`
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// postgres starts a server of the test's own.
func postgres(t *testing.T) (server *dbtest.Server, settings db.Settings, directive string) {
	t.Helper()
	server = dbtest.OwnServer(t)
	return server, db.Settings{Engine: db.Postgres, Source: server.Source()}, `postgres "` + server.Source() + `"`
}

// A visitor and an operator talk, while the network is cut, the server is killed and started, and the configuration is
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

// A button of the page opens the chat with a group, by its number; once nobody is there, the request goes to that group.
func TestPageNamesAGroup(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	var sales group.Group
	for _, name := range []string{"Help", "Sales"} { // the first one by name is asked by default
		var err error
		sales, err = ann.groups.Keep(t.Context(), operator.Server(), group.Group{SiteID: ann.site, Name: name, Routing: group.ToAll})
		require.NoError(t, err)
	}
	b := newTab(t)
	b.before(seeChat)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow({group_id: "` + strconv.FormatInt(sales.ID, 10) + `"})`)
	b.until(chatOpen)
	b.says("How much is it?")
	require.Equal(t, []string{"How much is it?"}, ann.hears(1))
	require.Equal(t, sales.ID, ann.conversation().GroupID)

	require.NoError(t, ann.lease.End(t.Context()))
	b = newTab(t) // of a visitor without a conversation
	b.before(seeChat)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getCredentials && Svc.getCredentials().hit_id && !Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow({group_id: ` + strconv.FormatInt(sales.ID, 10) + `})`)
	b.until(`chatRoot.querySelector(".view:not([hidden]) [name=phone]")`)
	b.front()
	b.do(`chatRoot.querySelector(".view:not([hidden]) [name=phone]").focus()`)
	b.write("84957654321\r")
	b.until(`chatRoot.querySelector(".told")`)
	group, found, err := db.One(t.Context(), ann.db.Read(), db.Only[int64], `SELECT group_id FROM leads WHERE site_id = $1`, ann.site)
	require.NoError(t, err)
	require.Equal(t, []any{true, sales.ID}, []any{found, group})
}

// The last operator leaves while the visitor writes: the request form takes over, says so, and has the text, also where it
// asks for none.
func TestChatBecomesTheRequestForm(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{"as it is": "", "without a message": "\t\twidget {\n\t\t\tfield phone required\n\t\t}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ann := runAnswered(t, lines)
			b := newTab(t)
			b.opensChat(p.shop)
			b.do(`const field = chatRoot.querySelector(".writing textarea"); field.value = "I was just about to ask"; field.dispatchEvent(new Event("input"));`)
			require.NoError(t, ann.lease.End(t.Context()))
			b.until(`chatRoot.querySelector("form [name=message]")?.value === "I was just about to ask"`)
			b.until(`chatRoot.querySelector(".chat").hidden`)
			require.Contains(t, value[string](b, `chatRoot.querySelector(".intro").innerText`), "Nobody is here")
		})
	}
}

// A conversation stays one for its visitor when everybody has gone: it is read, and written to.
func TestConversationOutlivesItsOperators(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t, "")
	b := newTab(t)
	b.opensChat(p.shop)
	b.says("Have you lamps?")
	ann.hears(1)
	b.do(`const field = chatRoot.querySelector(".writing textarea"); field.value = "Two of th"; field.dispatchEvent(new Event("input"));`)
	require.NoError(t, ann.lease.End(t.Context()))
	b.until(`chatRoot.querySelector(".chat .state").textContent.includes("Nobody is here")`)
	require.True(t, value[bool](b, `!!(`+chatOpen+`)`))
	require.False(t, value[bool](b, `!!chatRoot.querySelector(".chat .state button")`), "the form is for those who have no conversation")
	require.Equal(t, "Two of th", value[string](b, `chatRoot.querySelector(".writing textarea").value`))
	b.says("Two of them")
	ann.hears(2)

	// The answer comes much later, when nothing of the last page counts any more.
	b.visit("about:blank")
	ann.says("Here they are")
	b.visit(p.shop)
	b.do(`localStorage.removeItem(Object.keys(localStorage).find(name => name.endsWith(":chat")))`)
	b.visit(p.shop)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher .badge:not([hidden])")?.textContent === "1"`)
	b.do(`chatRoot.querySelector(".launcher").click()`)
	b.until(chatOpen)
	b.shows("Have you lamps?", "Two of them", "Here they are")
	b.says("Thank you")
	require.Equal(t, []string{"Have you lamps?", "Two of them", "Thank you"}, ann.hears(4))
}

// What is written faster than the service takes it goes in a few messages, in its order; what is too long says so and stays.
func TestChatTakesMuchText(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t, "")
	b := newTab(t)
	b.opensChat(p.shop)
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprint("Line ", i))
		b.says(lines[i])
	}
	require.Eventually(t, func() bool { return strings.Join(ann.hears(1), "\n") == strings.Join(lines, "\n") }, time.Minute, 100*time.Millisecond)

	long := strings.Repeat("many words ", 400)
	b.says(long)
	require.Equal(t, "Too long by 399 characters.", value[string](b, `chatRoot.querySelector(".chat .bad:not([hidden])").textContent`))
	require.Equal(t, len(long), int(value[float64](b, `chatRoot.querySelector(".writing textarea").value.length`)))
	b.says(long[:4000])
	require.Eventually(t, func() bool { texts := ann.hears(1); return texts[len(texts)-1] == long[:4000] }, time.Minute, 100*time.Millisecond)
}

// Somebody has come long after the page asked for the last time: the launcher asks before it opens the request form.
func TestChatOpensByWhatIsKnownNow(t *testing.T) {
	t.Parallel()
	_, settings, database := postgres(t)
	p := runChat(t, database)
	b := newTab(t)
	b.before(seeChat + `{ const now = Date.now; window.later = 0; Date.now = () => now() + later; }`)
	b.visit(p.shop)
	b.until(`window.chatRoot && chatRoot.querySelector(".launcher:not([hidden])") && Svc.getCredentials().hit_id`)
	p.answers(t, settings)
	b.do(`while (!(await (await fetch("/frontdesk/v1/status?k=" + Svc.getCredentials().site_key)).json()).online) await new Promise((pass) => setTimeout(pass, 100))`)
	b.do(`later = 360_000; chatRoot.querySelector(".launcher").click()`)
	b.until(`!chatRoot.querySelector(".panel").hidden`)
	require.True(t, value[bool](b, `!!(`+chatOpen+`)`))
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

// Two nodes share a database. One is killed in the middle of a talk, with the visitor and the operator on it: the visitor
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

// The chat is accessible in both languages, light and dark.
func TestChatIsAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	require.NoError(t, err)
	p, ann := runAnswered(t)
	b := newTab(t)
	// axe looks into open roots alone.
	b.before(`{const attach = Element.prototype.attachShadow; Element.prototype.attachShadow = function () { const root = attach.call(this, {mode: "open"}); window.chatRoot = root; return root; };}`)
	b.visit(p.shop)
	b.until(`window.Svc && Svc.getOperatorStatus && Svc.getCredentials() && Svc.getOperatorStatus()`)
	b.do(`Svc.openChatWindow()`)
	b.until(chatOpen)
	b.says("Do you ship to Oslo? See https://shop.example/")
	ann.hears(1)
	ann.says("We do.")
	b.until(`chatRoot.querySelectorAll(".msg:has(time)").length === 2`)
	require.Equal(t, "log", value[string](b, `chatRoot.querySelector(".log").getAttribute("role")`))
	for _, scheme := range []string{"light", "dark"} {
		b.prefers("prefers-color-scheme", scheme)
		b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
		found := value[[]violation](b, `axe.run(chatRoot.host, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then((r) => r.violations)`)
		var said strings.Builder
		for _, v := range found {
			for _, n := range v.Nodes {
				fmt.Fprintf(&said, "%s: %s\n%s\n", v.ID, n.HTML, n.FailureSummary)
			}
		}
		require.Empty(t, said.String(), scheme)
	}
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
	require.LessOrEqual(t, requests, 3+3*asked, "one for each question, its being typed, and each answer that is read")
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

// Two tabs of one visitor show the same, whichever is written in.
func TestChatInTwoTabs(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	first := newTab(t)
	first.opensChat(p.shop)
	first.says("One")
	ann.hears(1)
	ctx, cancel := chromedp.NewContext(first.ctx)
	t.Cleanup(cancel)
	second := &tab{t: t, ctx: ctx}
	second.opensChat(p.shop)
	second.shows("One")
	second.says("Two")
	ann.hears(2)
	ann.says("Three")
	for _, b := range []*tab{first, second} {
		b.shows("One", "Two", "Three")
	}
}

// What visitors send is a download, of a type that its content shows; what it is not is refused, and they are told.
func TestChatFilesInThePanel(t *testing.T) {
	t.Parallel()
	p, ann := runAnswered(t)
	b := newTab(t)
	b.opensChat(p.shop)
	choose := func(name, content string) {
		b.do(`const given = new DataTransfer();
			given.items.add(new File([` + fmt.Sprintf("%q", content) + `], "` + name + `", {type: "image/png"}));
			const field = chatRoot.querySelector(".writing input[type=file]");
			field.files = given.files;
			field.dispatchEvent(new Event("change"));`)
	}
	choose("notes.txt", "Birch, 40 cm")
	ann.hears(1)
	b.until(`chatRoot.querySelector(".own:has(time) a") && chatRoot.querySelector(".own:has(time) a").innerText === "notes.txt"`)
	choose("virus.png", "<!doctype html><script>alert(1)</script>")
	b.until(`chatRoot.querySelector(".own .bad") && chatRoot.querySelector(".own .bad").innerText === "Files of this kind are not accepted."`)
	require.EqualValues(t, 1, ann.conversation().Seq)

	// What comes meanwhile takes neither the focus nor the place away.
	b.do(`const again = chatRoot.querySelector(".own .bad").parentNode.querySelector("button"); again.focus(); window.again = again;`)
	ann.says("Send a picture, please.")
	b.until(`chatRoot.querySelector(".log").innerText.includes("Send a picture")`)
	require.True(t, value[bool](b, `chatRoot.activeElement === again`))

	// A file may be dropped anywhere on the conversation; the browser does not open it instead.
	require.True(t, value[bool](b, `["dragover", "drop"].every((type) => {
		const given = new DataTransfer();
		given.items.add(new File(["Oak, 60 cm"], "dropped.txt"));
		return !chatRoot.querySelector(".log").dispatchEvent(new DragEvent(type, {dataTransfer: given, bubbles: true, cancelable: true}));
	})`))
	ann.hears(3)
	b.until(`Array.from(chatRoot.querySelectorAll(".own:has(time) a"), (a) => a.innerText).join() === "notes.txt,dropped.txt"`)
}
