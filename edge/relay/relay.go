// Package relay passes requests under a site's prefix to a service elsewhere that has the site's visitors. It keeps
// leads that the service cannot take now. The edge mounts it in place of its own routes.
package relay

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/edge/effect"
)

const (
	// relayTime bounds how long the service elsewhere may take to begin its answer. The script waits for 5 s
	// altogether.
	relayTime = 3 * time.Second
	// maxRelayed bounds the body of a request that is kept if the service cannot take it, in bytes.
	maxRelayed = 1 << 20
)

// Relay passes requests of the relayed routes on to the service elsewhere that has the site's visitors. Browsers take that
// service for a part of the site: it sets the site's own cookies, and blockers of other hosts do not block it. The
// relay keeps the leads and visitor information that the service cannot take, and sends them later.
type Relay struct {
	effects *effect.Effects
	service forward.Service
	target  *url.URL
	proxy   *httputil.ReverseProxy
}

// relaying returns the connections of all relays of the process, which outlive configurations.
var relaying = sync.OnceValue(func() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = relayTime
	transport.DialContext = (&net.Dialer{Timeout: relayTime, KeepAlive: 30 * time.Second}).DialContext
	transport.MaxIdleConns = 0 // each service has its own bound
	transport.MaxIdleConnsPerHost = 64
	// With HTTP/2 all visitors share a connection: one that has died is missed soon.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: relayTime}
	return transport
})

func New(b *effect.Effects) *Relay {
	l := &Relay{effects: b, service: *b.Settings.Elsewhere()}
	l.target, _ = url.Parse(l.service.URL) // the URL has been checked
	l.proxy = &httputil.ReverseProxy{
		Rewrite: l.rewrite, Transport: relaying(),
		ModifyResponse: func(response *http.Response) error {
			if isAway(response.StatusCode) {
				return fmt.Errorf("the service answers %s", response.Status)
			}
			cookies := slices.DeleteFunc(response.Header["Set-Cookie"], func(cookie string) bool { return !effect.IsRelayedCookie(cookie) })
			keepFields(response.Header, answeredFields)
			if len(cookies) > 0 {
				response.Header["Set-Cookie"] = cookies
			}
			return nil
		},
		ErrorHandler: l.failed,
	}
	return l
}

// isAway says whether an answer does not come from the service itself. The service never redirects.
func isAway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout ||
		300 <= status && status < 400 && status != http.StatusNotModified
}

// rewrite addresses the request to the service, with only what the service needs.
func (l *Relay) rewrite(p *httputil.ProxyRequest) {
	p.SetXForwarded()
	if p.In.URL.Scheme == "https" { // a proxy in front ends TLS
		p.Out.Header.Set("X-Forwarded-Proto", "https")
	}
	keepFields(p.Out.Header, relayedFields)
	if own := effect.RequestOf(p.In).Effect.CookiesOf(p.In.Header); own != "" {
		p.Out.Header.Set("Cookie", own)
	}
	p.Out.URL = &url.URL{Scheme: l.target.Scheme, Host: l.target.Host, Path: l.target.Path + l.pathOf(p.In), RawQuery: p.In.URL.RawQuery}
	p.Out.Host = ""
}

// keptCalls are the paths under the prefix of requests that are sent later if the service cannot take them now.
var keptCalls = []string{"v1/lead", "v1/visitor", "api/add_offline_message", "vc/s"}

// streamed is the path under the prefix of a stream.
const streamed = "v1/chat/stream"

// pathOf returns the request's path under the prefix, decoded.
func (l *Relay) pathOf(r *http.Request) string { return r.URL.Path[len(l.effects.Settings.Prefix):] }

func (l *Relay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := l.pathOf(r)
	if !isPlainPath(path) {
		gate.Unknown(w)
		return
	}
	if !slices.Contains(relayedMethods[:], r.Method) {
		w.Header().Set("Allow", strings.Join(relayedMethods[:], ", "))
		gate.Fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "this address does not take the method")
		return
	}
	call := strings.TrimSuffix(path, "/")
	if r.Method != http.MethodPost && !(r.Method == http.MethodGet && call == "vc/s") || !slices.Contains(keptCalls, call) {
		ctx, cancel := l.within(r.Context(), call)
		defer cancel()
		r = r.WithContext(ctx)
		if r.Header.Get("Content-Length") == "" && r.Method != http.MethodPost {
			r.Body, r.ContentLength = http.NoBody, 0 // HTTP/3 does not know that there is none, and what has none is asked for again
		}
		l.proxy.ServeHTTP(w, r)
		return
	}
	body, received := gate.Receive(w, r, maxRelayed)
	if !received {
		return
	}
	if r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// The relay sends the request on even if the page that sent it is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), relayTime)
	defer cancel()
	address := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	l.proxy.ServeHTTP(w, r.WithContext(context.WithValue(ctx, keptCall{}, &forward.Call{Method: r.Method, Path: address.String(), Body: string(body)})))
}

// within returns the context of a call that is passed on, with its cancel function. A stream ends with the configuration,
// as those of this program do.
func (l *Relay) within(ctx context.Context, call string) (context.Context, context.CancelFunc) {
	if ctx.Value(http.ServerContextKey) == nil { // HTTP/3, whose answers would else seem whole when they break off
		ctx = context.WithValue(ctx, http.ServerContextKey, new(http.Server))
	}
	ctx, cancel := context.WithCancel(ctx)
	if call == streamed {
		aside.Go(l.effects.Logger, "relaying a stream", func() {
			select {
			case <-l.effects.Ending:
				cancel()
			case <-ctx.Done():
			}
		})
	}
	return ctx, cancel
}

// keptCall is the key of the *forward.Call in the context of a request that is kept if it fails.
type keptCall struct{}

// failed answers a request that the service has not answered.
func (l *Relay) failed(w http.ResponseWriter, r *http.Request, err error) {
	e, site := l.effects, effect.RequestOf(r).Site
	kept, _ := r.Context().Value(keptCall{}).(*forward.Call)
	if kept == nil {
		e.Logger.Debug("the service elsewhere did not answer", zap.String("site", site.Key), zap.Error(err))
		gate.Unavailable(w)
		return
	}
	kept.Header = http.Header{}
	for _, name := range []string{"Content-Type", "Idempotency-Key", "Origin", "Referer", "Cookie", "User-Agent", "Accept-Language", "Sec-Gpc", "Dnt", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"} {
		if values := r.Header[name]; len(values) > 0 {
			kept.Header[name] = values
		}
	}
	item := forward.Item{ID: rand.Text(), Service: l.service, SiteKey: site.Key, Call: kept}
	if keepErr := l.keep(r, site.ID, item); keepErr != nil {
		e.Logger.Warn("a call could neither be passed on nor be kept", zap.String("site", site.Key), zap.NamedError("service", err), zap.NamedError("database", keepErr))
		gate.Unavailable(w) // the client keeps the call and repeats it
		return
	}
	e.Logger.Info("a call waits for the service elsewhere", zap.String("site", site.Key), zap.Error(err))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, `{"success":true,"result":null}`)
}

var errFlood = errors.New("the client makes more calls than people do")

func (l *Relay) keep(r *http.Request, siteID int64, item forward.Item) error {
	desk, done, err := l.effects.Service.Use()
	if err != nil {
		return err
	}
	defer done()
	if desk.API.Leads.Floods(r) {
		return errFlood
	}
	ctx, cancel := context.WithTimeout(context.Background(), relayTime)
	defer cancel()
	return desk.Forwards.Add(ctx, siteID, item)
}
