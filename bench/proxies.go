package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/bench/page"
)

// side is one of the servers that are compared, and what it is compared with.
type side struct {
	name    string
	of      string // the name of the side whose CPU time is 1
	address string
	process *process
}

// startProxies starts all sides. stop ends those that were started.
func startProxies(ctx context.Context, folder, caddy, origin string, numbers bool) (sides []side, stop func(), err error) {
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
		file := filepath.Join(folder, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".conf")
		if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
			return err
		}
		probe, err := http.NewRequest(http.MethodGet, "http://"+address+pagePath(pageSizes[0].size), nil)
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
	if err := begin("caddy with frontdesk", "caddy", frontdeskConfig("pages", ""), runCaddy); err != nil {
		return sides, stop, err
	}
	if err := awaitText(ctx, sides[1].address, "setCsAccount"); err != nil {
		return sides, stop, err
	}
	if numbers {
		for _, with := range []struct{ name, place string }{{"frontdesk, 3 numbers", ""}, {"frontdesk, 3 numbers, selector", page.Selector}} {
			if err := begin(with.name, "caddy", frontdeskConfig(with.name, numberDirectives(with.place)), runCaddy); err != nil {
				return sides, stop, err
			}
			for _, n := range page.Numbers(len(page.Written)) {
				if err := awaitText(ctx, sides[len(sides)-1].address, "tel:+"+n.Replacement); err != nil {
					return sides, stop, err
				}
			}
		}
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
	if err := begin("nginx with sub_filter", "nginx", nginxConfig("sub", `sub_filter_once on; sub_filter '</head>' '<script async src="/frontdesk/svc.js"></script></head>';`), runNginx); err != nil || !numbers {
		return sides, stop, err
	}
	filters := "sub_filter_once off;"
	for _, w := range page.Written {
		filters += fmt.Sprintf(" sub_filter '%s' '%s';", w[0], w[1])
	}
	err = begin("nginx with sub_filter, 3 numbers", "nginx", nginxConfig("numbers", filters), runNginx)
	return sides, stop, err
}

// awaitText waits for the page to have the text and the insertion code. Until the
// service is ready pages pass without the code, their numbers replaced.
func awaitText(ctx context.Context, address, text string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+pagePath(pageSizes[1].size), nil)
	if err != nil {
		return err
	}
	return awaitPage(ctx, request, text)
}

func awaitPage(ctx context.Context, request *http.Request, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		response, err := http.DefaultClient.Do(request.Clone(ctx))
		if err != nil {
			return fmt.Errorf("waiting for %q in the page: %w", text, err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if strings.Contains(string(body), "setCsAccount") && strings.Contains(string(body), text) {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func caddyConfig(global, directive string) string {
	return "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tpersist_config off\n\t" + global + "\n}\nhttp://ADDRESS {\n\t" + directive + "\n\treverse_proxy ORIGIN\n}\n"
}

func frontdeskConfig(database, directives string) string {
	return caddyConfig("frontdesk {\n\t\tdatabase sqlite FOLDER/"+strings.NewReplacer(" ", "-", ",", "").Replace(database)+".db\n\t}", "frontdesk shop {\n\t\t"+directives+"\n\t}")
}

// numberDirectives are three numbers with a tracking number each for the source
// that all requests come from. The first one also stands where the selector says, if there is one.
func numberDirectives(selector string) string {
	directives := "prerender static"
	for i, n := range page.Numbers(len(page.Written)) {
		place := ""
		if i == 0 && selector != "" {
			place = fmt.Sprintf("\n\t\t\tselector %q", selector)
		}
		directives += fmt.Sprintf("\n\t\tnumber %s {%s\n\t\t\tstatic %s utm_source=news\n\t\t}", n.Digits, place, n.Replacement)
	}
	return directives
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
