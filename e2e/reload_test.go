package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// connected repeats a request that broke with its connection, as browsers do. A
// server that is replaced closes idle connections, and those whose request it has
// read just then (https://go.dev/issue/75591). When Caddy closes the old of two
// listeners on a port, Linux resets the connections that wait in its queue, unless
// net.ipv4.tcp_migrate_req is set.
func connected(send func() (*http.Response, error)) (response *http.Response, err error) {
	for range 5 {
		response, err = send()
		if err == nil || errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
	}
	return response, err
}

// The configuration is loaded anew, again and again, while pages are fetched
// and requests come in: no request fails, but for connections that are made again, and the console, whose stream each
// reload ends, shows every request.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	// The origin is of the same configuration: what waits in the queue of its closing listener is reset, too.
	const proxied = "reverse_proxy localhost:8081\n"
	config := example(t)
	require.Contains(t, config, proxied)
	p := runProgram(t, strings.Replace(config, proxied, "reverse_proxy localhost:8081 {\n\t\tlb_try_duration 5s\n\t}\n", 1), "")
	desk := p.signedIn(t)
	desk.visit(p.console + "/leads")
	desk.until(`document.documentElement.dataset.stream === "live"`)
	desk.do(`window.sameDocument = true`)
	credentials := p.credentials(t)

	var pages, leads atomic.Int64
	failures := make(chan string, 1000)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				response, err := connected(func() (*http.Response, error) { return http.Get(p.shop + "/lamps/birch.html") })
				if err != nil {
					failures <- err.Error()
					continue
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "</html>") {
					failures <- fmt.Sprintf("%s, %d bytes: %v", response.Status, len(body), err)
				}
				pages.Add(1)
			}
		})
	}
	written, err := os.ReadFile(p.caddyfile)
	require.NoError(t, err)
	for reload := range 5 {
		changed := strings.Replace(string(written), "+7 (###) ###-##-##", fmt.Sprintf("+%d ### ###-##-##", reload+1), 1)
		require.NotEqual(t, string(written), changed)
		require.NoError(t, os.WriteFile(p.caddyfile, []byte(changed), 0o600))
		reloading := p.command(t, "reload", "--config", p.caddyfile, "--adapter", "caddyfile", "--address", strings.TrimPrefix(p.admin, "http://"))
		require.NoError(t, reloading.Start())
		done := make(chan error, 1)
		go func() { done <- reloading.Wait() }()
		for running := true; running; {
			message := fmt.Sprintf("request %d.", leads.Add(1))
			if err := deliver(credentials, map[string]string{"name": "Anna", "text": message}); err != nil {
				failures <- message + " " + err.Error()
			}
			select {
			case err := <-done:
				require.NoError(t, err)
				running = false
			default:
			}
		}
	}
	close(stop)
	clients.Wait()
	close(failures)
	for failure := range failures {
		t.Errorf("failed: %s", failure)
	}
	t.Logf("%d pages and %d requests during 5 reloads", pages.Load(), leads.Load())

	// The list keeps the newest 200; what it holds must have no gap.
	desk.until(fmt.Sprintf(`document.querySelector("#leads")?.innerText.includes("request %d.")`, leads.Load()))
	for n := leads.Load(); n > max(0, leads.Load()-200); n-- {
		desk.until(fmt.Sprintf(`document.querySelector("#leads").innerText.includes("request %d.")`, n))
	}
	require.True(t, value[bool](desk, `window.sameDocument === true`), "without a reload of the page")
}
