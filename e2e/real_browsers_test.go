//go:build real

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// driven is a browser that is no Chromium, of the width of a phone. It is asked by WebDriver, which runs commands of a name.
type driven struct {
	t   *testing.T
	ask func(command string, parameters map[string]any) (json.RawMessage, error)
}

// run runs a program for as long as the test.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "LIBGL_ALWAYS_SOFTWARE=1", "WEBKIT_DISABLE_COMPOSITING_MODE=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
}

// webkit starts WebKitGTK's browser, on a display of its own.
func webkit(t *testing.T) *driven {
	display := ":" + strconv.Itoa(100+os.Getpid()%10000)
	run(t, "Xvfb", display, "-screen", "0", "1280x900x24")
	t.Setenv("DISPLAY", display)
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	run(t, "WebKitWebDriver", "--port="+port)
	browsers, err := filepath.Glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
	require.NoError(t, err)
	require.NotEmpty(t, browsers, "MiniBrowser of libwebkit2gtk")
	at := "http://" + address
	b := &driven{t: t}
	b.ask = func(command string, parameters map[string]any) (json.RawMessage, error) {
		body, err := json.Marshal(parameters)
		if err != nil {
			return nil, err
		}
		response, err := http.Post(at+map[string]string{
			"new": "/session", "go": "/url", "script": "/execute/async", "timeouts": "/timeouts", "rect": "/window/rect",
		}[command], "application/json", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		var answer struct{ Value json.RawMessage }
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", command, answer.Value)
		}
		return answer.Value, nil
	}
	options := map[string]any{"binary": browsers[len(browsers)-1], "args": []string{"--automation"}}
	var session struct{ SessionID string }
	b.begin(&session, map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"webkitgtk:browserOptions": options}}})
	at += "/session/" + session.SessionID
	b.prepare()
	return b
}

// firefox starts a Firefox without a window. It is asked by Marionette, the protocol beneath its WebDriver.
func firefox(t *testing.T) *driven {
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	profile := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("marionette.port", `+port+`);`), 0o600))
	run(t, "firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile)
	var conn net.Conn
	require.Eventually(t, func() (reached bool) {
		var err error
		conn, err = net.Dial("tcp", address)
		return err == nil
	}, patience, 100*time.Millisecond)
	t.Cleanup(func() { conn.Close() })
	reader, asked := bufio.NewReader(conn), 0
	receive := func() (message json.RawMessage, err error) { // LENGTH:JSON
		length, err := reader.ReadString(':')
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
		if err != nil {
			return nil, err
		}
		message = make([]byte, n)
		_, err = io.ReadFull(reader, message)
		return message, err
	}
	_, err := receive() // what it is
	require.NoError(t, err)
	b := &driven{t: t}
	b.ask = func(command string, parameters map[string]any) (json.RawMessage, error) {
		asked++
		message, err := json.Marshal([]any{0, asked, map[string]string{
			"new": "WebDriver:NewSession", "go": "WebDriver:Navigate", "script": "WebDriver:ExecuteAsyncScript", "timeouts": "WebDriver:SetTimeouts", "rect": "WebDriver:SetWindowRect",
		}[command], parameters})
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(conn, "%d:%s", len(message), message); err != nil {
			return nil, err
		}
		if message, err = receive(); err != nil {
			return nil, err
		}
		var answer []json.RawMessage // kind, number, error, result
		if err := json.Unmarshal(message, &answer); err != nil || len(answer) != 4 {
			return nil, fmt.Errorf("answer %s: %w", message, err)
		}
		if string(answer[2]) != "null" {
			return nil, fmt.Errorf("%s: %s", command, answer[2])
		}
		var result struct{ Value json.RawMessage }
		if json.Unmarshal(answer[3], &result) == nil && result.Value != nil {
			return result.Value, nil
		}
		return answer[3], nil
	}
	b.begin(new(struct{}), map[string]any{"acceptInsecureCerts": true})
	b.prepare()
	return b
}

// begin begins a session, as soon as the driver is there.
func (b *driven) begin(session any, capabilities map[string]any) {
	b.t.Helper()
	require.EventuallyWithT(b.t, func(c *assert.CollectT) {
		answer, err := b.ask("new", capabilities)
		require.NoError(c, err)
		require.NoError(c, json.Unmarshal(answer, session))
	}, patience, 100*time.Millisecond)
}

func (b *driven) prepare() {
	b.t.Helper()
	_, err := b.ask("timeouts", map[string]any{"script": patience.Milliseconds(), "pageLoad": patience.Milliseconds()})
	require.NoError(b.t, err)
	_, err = b.ask("rect", map[string]any{"x": 0, "y": 0, "width": 390, "height": 844})
	require.NoError(b.t, err)
}

func (b *driven) visit(address string) {
	b.t.Helper()
	_, err := b.ask("go", map[string]any{"url": address})
	require.NoError(b.t, err)
}

// value is what the expression gives in the page; a promise is awaited. The error may be that the page is left meanwhile.
func (b *driven) value(expression string) (any, error) {
	answer, err := b.ask("script", map[string]any{"args": []any{}, "script": `const done = arguments[arguments.length - 1];
		(async () => (` + expression + `))().then((value) => done({value: value ?? null}), (e) => done({failed: String(e)}))`})
	if err != nil {
		return nil, err
	}
	var result struct {
		Value  any
		Failed string
	}
	if err := json.Unmarshal(answer, &result); err != nil || result.Failed != "" {
		return nil, fmt.Errorf("%s: %s %w", expression, result.Failed, err)
	}
	return result.Value, nil
}

// do runs the statements, behind which the page may be left.
func (b *driven) do(statements string) {
	b.t.Helper()
	_, err := b.value("(() => {" + statements + "; return true})()")
	require.NoError(b.t, err)
}

// until waits until the expression is true in a page that has loaded, whatever pages come meanwhile.
func (b *driven) until(expression string) {
	b.t.Helper()
	var last any
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if last, err = b.value(`document.readyState === "complete" && Boolean(` + expression + `)`); last == true && err == nil {
			return
		}
	}
	page, _ := b.value(`document.body.innerText.slice(0, 500) + " PANELS " + (window.panels ? panels.textContent.slice(-500) : "none")`)
	require.Fail(b.t, "it has not come true", "%s: %v\nthe page: %v", expression, err, page)
}

// realSite is a shop whose pages let the tests see the panels. It takes a form.
func realSite(t *testing.T) *program {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Lamps</title>
			<script>`+seePanels+`; window.failures = []; addEventListener("error", (e) => failures.push(e.message)); addEventListener("unhandledrejection", (e) => failures.push(String(e.reason)))</script></head>
			<body><h1>Lamps</h1><p id="number">8 (495) 123-45-67</p><a id="link" href="tel:+74951234567">Call</a><p id="later"></p>
			<form method="post" action="/sent"><input name="your-name"><input name="tel" type="tel"><textarea name="text"></textarea><button>Send</button></form></body></html>`)
	})
	origin := httptest.NewServer(mux)
	t.Cleanup(origin.Close)
	config := strings.Replace(example(t), "\t\tvariant A\n", "\t\tvariant A\n\t\twidget\n\t\tcapture /sent\n", 1)
	config = strings.Replace(config, "\t\tprerender static\n", "", 1)
	return runProgram(t, strings.Replace(config, "reverse_proxy localhost:8081", "reverse_proxy "+strings.TrimPrefix(origin.URL, "http://"), 1), "")
}

// The core, numbers, forms and the chat work in browsers that people have on their telephones and desks.
func TestRealBrowsers(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *driven{"WebKit": webkit, "Firefox": firefox} {
		t.Run(name, func(t *testing.T) {
			p := realSite(t)
			b := start(t)

			b.visit(p.shop + "/?utm_source=news")
			b.until(`window.Svc && Svc.getCredentials && Svc.getCredentials()`)
			b.until(`document.querySelector("#number").textContent === "8 (495) 765-43-21"`)
			b.until(`document.querySelector("#link").href === "tel:+74957654321"`)
			b.do(`document.querySelector("#later").textContent = "Ring +7 495 123-45-67"`)
			b.until(`document.querySelector("#later").textContent === "Ring +7 495 765-43-21"`)

			// Nobody is there: the button opens the lead form.
			b.until(`window.panels && panels.querySelector(".launcher")`)
			b.do(`panels.querySelector(".launcher").click()`)
			b.until(`panels.querySelector("[name=message]")?.offsetParent`)
			b.until(`(() => { const box = panels.querySelector(".panel").getBoundingClientRect(); return box.width > 250 && box.left >= 0 && box.right <= innerWidth + 1 && getComputedStyle(panels.querySelector(".panel")).position === "fixed" })()`)
			b.do(`for (const [name, value] of [["name", "Ada"], ["phone", "+7 912 345-67-89"], ["message", "Is the lamp in stock?"]]) {
				const field = panels.querySelector("[name=" + name + "]"); field.focus(); field.value = value; field.dispatchEvent(new Event("input", {bubbles: true})); }
				panels.querySelector(".view:not([hidden]) form").requestSubmit()`) // as keepers of passwords do
			b.until(`!panels.querySelector("[name=message]")?.offsetParent && location.search === "?utm_source=news"`)
			desk := p.signedIn(t)
			desk.visit(p.console + "/leads")
			desk.until(contains("main", "Is the lamp in stock?"))

			// The site's own form.
			b.visit(p.shop + "/")
			b.until(`window.Svc && Svc.getCredentials && Svc.getCredentials()`)
			b.do(`document.querySelector("[name=your-name]").value = "Anna"; document.querySelector("[name=tel]").value = "+7 912 000-00-01";
				document.querySelector("[name=text]").value = "When are you open?"; setTimeout(() => document.querySelector("form").requestSubmit())`)
			b.until(`location.pathname === "/sent"`)
			desk.visit(p.console + "/leads")
			desk.until(contains("main", "When are you open?"))

			// A conversation, both ways.
			desk.visit(p.console + "/chats")
			desk.until(`document.documentElement.dataset.stream === "live"`)
			b.visit(p.shop + "/")
			b.until(`Svc.getOperatorStatus()`)
			b.do(`Svc.openChatWindow()`)
			b.until(`panels.querySelector(".writing textarea") && !panels.querySelector(".panel").hidden`)
			b.do(`const field = panels.querySelector(".writing textarea"); field.focus(); field.value = "Do you ship to Oslo?"; field.dispatchEvent(new Event("input"));
				field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}))`)
			desk.opensFirst()
			desk.until(contains("#said", "Do you ship to Oslo?"))
			desk.answersWith("Yes, we do.")
			b.until(`panels.querySelector(".log").innerText.includes("Yes, we do.")`)
			failures, err := b.value(`failures`)
			require.NoError(t, err)
			require.Empty(t, failures, "nothing has failed in the page")
		})
	}
}

// A link to another domain of the site, whose pages have the script's tag, brings the visitor along.
func TestRealBrowsersGoToAnotherDomain(t *testing.T) {
	var page string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(elsewhere.Close)
	p := runProgram(t, `
{
	frontdesk
}

http://localhost:8080 {
	frontdesk shop {
		origins `+elsewhere.URL+`
	}
	header Content-Type "text/html; charset=utf-8"
	respond "<!doctype html><html><head><title>Lamps</title></head><body><a id=there href=\"`+elsewhere.URL+`/birch#oslo\">There</a></body></html>"
}
`, "")
	page = `<!doctype html><html><head><title>Birch</title><script src="` + p.shop + `/frontdesk/svc.js?k=shop"></script></head><body></body></html>`
	for name, start := range map[string]func(*testing.T) *driven{"WebKit": webkit, "Firefox": firefox} {
		t.Run(name, func(t *testing.T) {
			b := start(t)
			b.visit(p.shop + "/")
			b.until(`window.Svc && Svc.getVisitorId && Svc.getVisitorId()`)
			visitor, err := b.value(`Svc.getVisitorId()`)
			require.NoError(t, err)
			b.do(`there.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, composed: true}))`)
			b.until(`performance.getEntriesByType("resource").some(({name, responseEnd}) => name.includes("/v1/crossing") && responseEnd)`)
			b.do(`setTimeout(() => there.click())`)
			b.until(`location.pathname === "/birch" && window.Svc && Svc.getVisitorId && Svc.getVisitorId()`)
			arrived, err := b.value(`Svc.getVisitorId() + " " + location.href`)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%.0f %s/birch#oslo", visitor, elsewhere.URL), arrived)
		})
	}
}
