// Command asterisk lets an Asterisk carry out callbacks: it takes Frontdesk's orders, has Asterisk
// call the operator and then the visitor by ARI, joins them, and tells Frontdesk of each step.
//
// README.md says how it is set up. All of its settings come from the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// settings are what the environment says.
type settings struct {
	Listen string // where orders are taken
	Events string // where Frontdesk takes events: https://shop.example/frontdesk/calls/webhook
	Keys   signature.Keys

	ARI            *url.URL // http://127.0.0.1:8088/ari
	User, Password string
	Endpoint       string // what is dialled; NUMBER stands for the digits: PJSIP/NUMBER@trunk
	CallerID       string // for orders that have none
}

func readSettings(env func(string) string) (s settings, err error) {
	s = settings{Listen: env("LISTEN"), Events: env("FRONTDESK_EVENTS"), User: env("ARI_USER"), Password: env("ARI_PASSWORD"), Endpoint: env("ENDPOINT"), CallerID: env("CALLER_ID")}
	if s.Listen == "" {
		s.Listen = "127.0.0.1:5080"
	}
	if s.Keys, err = signature.Parse(env("FRONTDESK_SECRET")); err != nil {
		return s, fmt.Errorf("FRONTDESK_SECRET: %w", err)
	}
	for name, address := range map[string]string{"FRONTDESK_EVENTS": s.Events, "ARI_URL": env("ARI_URL")} {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return s, fmt.Errorf("%s: expected an address with http or https", name)
		}
		if name == "ARI_URL" {
			s.ARI = u
		}
	}
	if !strings.Contains(s.Endpoint, "NUMBER") {
		return s, errors.New("ENDPOINT: expected what is dialled, with NUMBER for the digits, such as PJSIP/NUMBER@trunk")
	}
	return s, nil
}

func main() {
	s, err := readSettings(os.Getenv)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = serve(ctx, s)
	}
	if err != nil {
		slog.Error("the bridge has ended", "error", err)
		os.Exit(1)
	}
}

// serve takes orders and follows Asterisk until ctx ends.
func serve(ctx context.Context, s settings) error {
	b := newBridge(s)
	go b.follow(ctx)
	server := &http.Server{Addr: s.Listen, Handler: b, ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
