package caddymodule

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip" // the encoder

	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/open"
	"github.com/seed-3405227d/frontdesk/backend/silence"
)

func init() {
	caddy.RegisterModule(Console{})
	httpcaddyfile.RegisterHandlerDirective("frontdesk_console", parseConsole)
	httpcaddyfile.RegisterDirectiveOrder("frontdesk_console", httpcaddyfile.Before, "respond")
}

// Console serves the operators' console and the public API, on a host of their own. It has no
// settings.
type Console struct {
	app      *App
	encoding *encode.Encode
}

// CaddyModule returns the Caddy module information.
func (Console) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.frontdesk_console",
		New: func() caddy.Module { return new(Console) },
	}
}

// connection is the key of a request's connection in its context.
type connection struct{}

// consoleSilence is how long the network of an operator, or of a program that listens, may be gone before the stream is.
// An operator is present until then.
const consoleSilence = 20 * time.Second

// Provision finds the app, and has the console's answers compressed: by gzip, which makes them 5 % smaller than zstd does.
func (c *Console) Provision(ctx caddy.Context) error {
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		server.RegisterConnContext(func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connection{}, conn)
		})
	}
	app, err := ctx.App("frontdesk")
	if err != nil {
		return err
	}
	c.app = app.(*App)
	c.encoding = &encode.Encode{EncodingsRaw: caddy.ModuleMap{"gzip": json.RawMessage("{}")}}
	return c.encoding.Provision(ctx)
}

// ServeHTTP serves every request: nothing comes after the console. Its answers are compressed even without the directive
// encode. With it they are compressed here, and encode passes them on. An event leaves when it happens, so streams of
// events are not compressed.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	if isStream(r) {
		return c.serve(w, r)
	}
	return c.encoding.ServeHTTP(w, r, caddyhttp.HandlerFunc(c.serve))
}

// isStream tells whether the request is for one of the console's event streams, or of the API's.
func isStream(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/stream/") || open.IsStream(r)
}

func (c *Console) serve(w http.ResponseWriter, r *http.Request) error {
	isAPI := strings.HasPrefix(r.URL.Path, open.Path)
	desk, done, err := c.app.service.Use()
	if err != nil {
		if isAPI {
			open.ServeAway(w)
		} else {
			console.ServeAway(w, r)
		}
		return nil
	}
	defer done()
	q := requestOf(r)
	q.URL = r.URL
	r, given := c.app.service.intake.Admit(q.AsSent(r))
	defer given()
	if isStream(r) {
		if conn, ok := r.Context().Value(connection{}).(net.Conn); ok { // there is none with HTTP/3, which has a bound itself
			silence.Bound(conn, consoleSilence)
		}
		var end func()
		r, end = endingWith(r, c.app.ending)
		defer end()
	}
	if isAPI {
		desk.Open.ServeHTTP(w, r)
	} else {
		desk.Console.ServeHTTP(w, r)
	}
	return nil
}

// endingWith is the request, ended no later than the configuration: so that a
// stream does not outlive it, and its browser opens it anew on the next one.
func endingWith(r *http.Request, ending context.Context) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(ending, cancel)
	return r.WithContext(ctx), func() { stop(); cancel() }
}

func parseConsole(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	c := new(Console)
	return c, c.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens:
//
//	frontdesk_console [<matcher>]
func (c *Console) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.Errf("unexpected %q: frontdesk_console takes nothing but a matcher", d.Val())
	}
	if d.NextBlock(0) {
		return d.Errf("unknown subdirective %q: frontdesk_console takes none", d.Val())
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Console)(nil)
	_ caddyhttp.MiddlewareHandler = (*Console)(nil)
	_ caddyfile.Unmarshaler       = (*Console)(nil)
)
