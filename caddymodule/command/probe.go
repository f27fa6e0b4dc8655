package command

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/caddymodule"
)

// probeTimeout bounds one question to a running server.
const probeTimeout = 5 * time.Second

// askHealth asks the admin endpoint of the configuration.
func askHealth(ctx context.Context, config *caddy.Config) (caddymodule.Health, error) {
	listen := caddy.DefaultAdminListen
	if config.Admin != nil && config.Admin.Listen != "" {
		listen = config.Admin.Listen
	}
	address, err := caddy.ParseNetworkAddress(listen)
	if err != nil {
		return caddymodule.Health{}, err
	}
	dial := address.JoinHostPort(0)
	if host := net.ParseIP(address.Host); !address.IsUnixNetwork() && (address.Host == "" || host != nil && host.IsUnspecified()) {
		dial = net.JoinHostPort("localhost", fmt.Sprint(address.StartPort))
	}
	host := dial
	if address.IsUnixNetwork() {
		host = "127.0.0.1"
	}
	response, err := get(ctx, "http://"+host+"/frontdesk/health", address.Network, dial)
	if err != nil {
		return caddymodule.Health{}, err
	}
	defer response.Body.Close()
	return decodeHealth(response.Body)
}

// fetchScript fetches the script from this machine, whatever the name of its
// host resolves to.
func fetchScript(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	response, err := get(ctx, address, "tcp", net.JoinHostPort("localhost", port))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	switch kind := response.Header.Get("Content-Type"); {
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("answered %s: expected the script", response.Status)
	case !strings.HasPrefix(kind, "text/javascript"):
		return errors.New("answered with something else than the script: is the prefix a path of the site, or does another handler come first?")
	}
	return nil
}

func get(ctx context.Context, address, network, dial string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{
		Timeout: probeTimeout,
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, dial)
			},
			// The connection goes to this machine: what is asked is whether it
			// answers, not who it is.
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
			DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client.Do(request)
}
