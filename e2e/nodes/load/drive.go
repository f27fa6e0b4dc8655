package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Ask has the visitor ask once by the client, and returns an error when that is not acknowledged.
type Ask func(ctx context.Context, by *http.Client, v *Visitor) error

// Visitor is somebody's browser, for Drive.
type Visitor = visitor

// Drive has clients ask the addresses as fast as they are answered, for some time, and counts what was acknowledged.
func (l *Load) Drive(ctx context.Context, addresses []string, clients int, d time.Duration, ask Ask) (answered int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var asking sync.WaitGroup
	var count atomic.Int64
	var failed atomic.Value
	for n := range clients {
		asking.Go(func() {
			transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", addresses[n%len(addresses)])
			}}
			defer transport.CloseIdleConnections()
			by := &http.Client{Transport: transport, Timeout: wait}
			v := l.newVisitor()
			for i := 1; ctx.Err() == nil; i++ {
				if i%4 == 0 { // each fourth is somebody new
					v = l.newVisitor()
				}
				if err := ask(context.WithoutCancel(ctx), by, v); err != nil {
					failed.Store(err)
					return
				}
				if ctx.Err() == nil {
					count.Add(1)
				}
			}
		})
	}
	asking.Wait()
	err, _ = failed.Load().(error)
	return count.Load(), err
}

// Hit reports a page view.
func (l *Load) Hit(ctx context.Context, by *http.Client, v *Visitor) error {
	view := map[string]any{"site_key": l.Site, "view": fmt.Sprintf("v%021d", l.next.Add(1)) + l.run, "url": "http://" + l.Site + "/lamps?utm_source=news", "title": "Lamps", "kind": "load"}
	a, err := l.sendBy(ctx, by, request{http.MethodPost, l.Site, "/frontdesk/v1/hit", encode(view), v.header("Content-Type", "application/json")})
	if err != nil {
		return err
	}
	var of told
	if err := json.Unmarshal(a.content, &of); err != nil || !of.Success {
		return fmt.Errorf("hit: %s", a.instead(err))
	}
	v.keep(a)
	v.credentials = of.credentials()
	return nil
}

// Lead sends a lead of a view, which it reports before where there is none.
func (l *Load) Lead(ctx context.Context, by *http.Client, v *Visitor) error {
	if v.credentials == nil {
		if err := l.Hit(ctx, by, v); err != nil {
			return err
		}
	}
	id := l.id()
	fields := url.Values{"name": {"Anna"}, "phone": {fmt.Sprintf("+7921%07d", l.next.Add(1))}, "text": {id}}
	for name, value := range v.credentials {
		fields.Set(name, fmt.Sprint(value))
	}
	a, err := l.sendBy(ctx, by, request{http.MethodPost, l.Site, "/frontdesk/api/add_offline_message/", fields.Encode(), []string{"Content-Type", formType, "Idempotency-Key", id, "X-Forwarded-For", v.address}})
	if err == nil && !strings.Contains(string(a.content), `"success":true`) {
		err = fmt.Errorf("lead: %s", a.instead(nil))
	}
	return err
}
