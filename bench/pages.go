package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var pageSizes = []struct {
	name string
	size int
}{{"10 KB", 10 << 10}, {"100 KB", 100 << 10}, {"1 MB", 1 << 20}}

// side is one of the servers that are compared, and what it is compared with.
type side struct {
	name    string
	of      string // the name of the side whose CPU time is 1
	address string
	process *process
}

// pages compares the CPU time that each proxy spends for a page of the same
// origin on the loopback address.
func pages(ctx context.Context, folder, caddy string, rounds int, slice time.Duration) error {
	origin, err := serveOrigin()
	if err != nil {
		return err
	}
	defer origin.Close()
	sides, stop, err := startProxies(ctx, folder, caddy, origin.Addr().String())
	defer stop()
	if err != nil {
		return err
	}
	fmt.Printf("Proxy's own CPU time for a page, %d rounds of %v for each side in turns, 8 keep-alive clients\n", rounds, slice)
	fmt.Printf("%-8s %-28s %12s %10s  %s\n", "page", "proxy", "µs of CPU", "pages/s", "ratio (median, lowest to highest)")
	for _, page := range pageSizes {
		spent := make(map[string][]float64)
		rate := make(map[string][]float64)
		for range rounds {
			for _, s := range sides {
				cpu, perSecond, err := measure(ctx, s, page.size, slice)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, page.name, err)
				}
				spent[s.name] = append(spent[s.name], cpu)
				rate[s.name] = append(rate[s.name], perSecond)
			}
		}
		for _, s := range sides {
			ratios := make([]float64, rounds)
			for i := range ratios {
				ratios[i] = spent[s.name][i] / spent[s.of][i]
			}
			slices.Sort(ratios)
			fmt.Printf("%-8s %-28s %12.1f %10.0f  %.3f (%.3f to %.3f) of %s\n", page.name, s.name,
				median(spent[s.name]), median(rate[s.name]), median(ratios), ratios[0], ratios[rounds-1], s.of)
		}
	}
	return nil
}

func measure(ctx context.Context, s side, size int, slice time.Duration) (microseconds, perSecond float64, err error) {
	request := fmt.Appendf(nil, "GET /page?size=%d HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\nSec-Fetch-Dest: document\r\n\r\n", size, s.address)
	clients := make([]client, 8)
	for i := range clients {
		clients[i] = func(*answer) []byte { return request }
	}
	before, err := s.process.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	l, err := drive(ctx, s.address, clients, slice)
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	after, err := s.process.cpu()
	if err != nil {
		return 0, 0, err
	}
	n := float64(l.requests)
	return float64((after - before).Microseconds()) / n, n / took.Seconds(), nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// serveOrigin serves believable pages of any size from memory.
func serveOrigin() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	made := make(map[string][]byte)
	for _, page := range pageSizes {
		made[fmt.Sprint(page.size)] = makePage(page.size)
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := made[r.URL.Query().Get("size")]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(page)))
		w.Header().Set("ETag", `"one"`)
		w.Write(page)
	}))
	return listener, nil
}

func makePage(size int) []byte {
	const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lamps</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/shop.css"><script src="/shop.js" defer></script></head><body><main>`
	const item = `<article class="item"><h2><a href="/lamps/17">A lamp for reading</a></h2><p>Brass, 40 cm, with a switch on the cord.
In stock. Call +7 (495) 123-45-67 until nine.</p><span class="price">4 900</span></article>
`
	const foot = `</main></body></html>`
	var page strings.Builder
	page.WriteString(head)
	for page.Len() < size-len(item)-len(foot) {
		page.WriteString(item)
	}
	page.WriteString(foot)
	page.WriteString(strings.Repeat(" ", size-page.Len()))
	return []byte(page.String())
}

// startProxies starts all sides. stop ends those that were started.
func startProxies(ctx context.Context, folder, caddy, origin string) (sides []side, stop func(), err error) {
	stop = func() {
		for _, s := range sides {
			s.process.stop()
		}
	}
	begin := func(name, of, config string, command func(file string) []string) error {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		config = strings.NewReplacer("ADDRESS", address, "ORIGIN", origin, "FOLDER", folder).Replace(config)
		file := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".conf")
		if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
			return err
		}
		probe, err := http.NewRequest(http.MethodGet, "http://"+address+fmt.Sprintf("/page?size=%d", pageSizes[0].size), nil)
		if err != nil {
			return err
		}
		args := command(file)
		p, err := start(ctx, probe, args[0], args[1:]...)
		if err != nil {
			return err
		}
		sides = append(sides, side{name: name, of: of, address: address, process: p})
		return nil
	}
	runCaddy := func(file string) []string {
		return []string{caddy, "run", "--config", file, "--adapter", "caddyfile"}
	}
	if err := begin("caddy", "caddy", caddyConfig("", ""), runCaddy); err != nil {
		return sides, stop, err
	}
	if err := begin("caddy with frontdesk", "caddy", caddyConfig("frontdesk {\n\t\tdatabase sqlite FOLDER/pages.db\n\t}", "frontdesk shop {\n\t\tdynamical_replacement on\n\t}"), runCaddy); err != nil {
		return sides, stop, err
	}
	if err := awaitWoven(ctx, sides[1].address); err != nil {
		return sides, stop, err
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		fmt.Println("nginx is not installed: measured without it")
		return sides, stop, nil
	}
	runNginx := func(file string) []string { return []string{nginx, "-c", file, "-e", "stderr"} }
	if err := begin("nginx", "nginx", nginxConfig("plain", ""), runNginx); err != nil {
		return sides, stop, err
	}
	err = begin("nginx with sub_filter", "nginx", nginxConfig("sub", `sub_filter_once on; sub_filter '</head>' '<script async src="/frontdesk/svc.js"></script></head>';`), runNginx)
	return sides, stop, err
}

// awaitWoven waits for the service to be ready: until then pages pass as they are.
func awaitWoven(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		var head strings.Builder
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/page?size=%d", address, pageSizes[0].size), nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		err = response.Write(&head)
		response.Body.Close()
		if err != nil {
			return err
		}
		if strings.Contains(head.String(), "setCsAccount") {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func caddyConfig(global, directive string) string {
	return "{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n\t" + global + "\n}\nhttp://ADDRESS {\n\t" + directive + "\n\treverse_proxy ORIGIN\n}\n"
}

func nginxConfig(name, filter string) string {
	return `daemon off; pid FOLDER/` + name + `.pid; worker_processes 2; error_log stderr crit;
events { worker_connections 1024; }
http {
	access_log off; keepalive_requests 1000000;
	client_body_temp_path FOLDER/` + name + `-body; proxy_temp_path FOLDER/` + name + `-proxy; fastcgi_temp_path FOLDER/` + name + `-fastcgi;
	uwsgi_temp_path FOLDER/` + name + `-uwsgi; scgi_temp_path FOLDER/` + name + `-scgi;
	upstream origin { server ORIGIN; keepalive 64; keepalive_requests 1000000; }
	server {
		listen ADDRESS;
		location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 64 32k; proxy_buffer_size 32k; proxy_busy_buffers_size 64k; ` + filter + ` }
	}
}
`
}
