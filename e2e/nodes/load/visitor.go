package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// visitor is somebody's browser.
type visitor struct {
	address, cookie string
	credentials     map[string]any
}

// header is what a browser sends.
func (v *visitor) header(more ...string) []string {
	return append(more, "User-Agent", browser, "X-Forwarded-For", v.address, "Cookie", v.cookie, "Accept-Language", "en")
}

// record is a number that a page is told of.
type record struct {
	Raw   string
	Lasts int // seconds
}

// told is what a page knows of its view.
type told struct {
	Success   bool
	View      string
	SiteKey   string `json:"site_key"`
	Key       string
	URI       string
	VisitorID int64 `json:"visitor_id"`
	HitID     int64 `json:"hit_id"`
	SessionID int64 `json:"session_id"`
	Numbers   []record
}

func (t *told) credentials() map[string]any {
	return map[string]any{"site_key": t.SiteKey, "key": t.Key, "uri": t.URI, "visitor_id": t.VisitorID, "hit_id": t.HitID, "session_id": t.SessionID}
}

// newVisitor has an address and a network of its own.
func (l *Load) newVisitor() *visitor {
	n := l.next.Add(1)
	return &visitor{address: fmt.Sprintf("%d.%d.%d.9", 20+n>>16&127, n>>8&255, n&255)}
}

var visitBlock = regexp.MustCompile(`<script type="application/json" data-svc-visit>(.*?)</script>`)

// visit is somebody who comes, looks at a page or two, and leaves.
func (l *Load) visit(ctx context.Context) {
	v := l.newVisitor()
	pages := 1 + rand.IntN(2)
	for range pages {
		if !l.look(ctx, v) || !sleep(ctx, rand.N(20*time.Second)) {
			return
		}
		if rand.IntN(3) == 0 {
			l.stay(ctx, v)
		}
	}
}

// look opens a page, and reports the view as the script does. It returns whether the visitor is known then.
func (l *Load) look(ctx context.Context, v *visitor) bool {
	began := time.Now()
	a, err := l.sendBy(context.WithoutCancel(ctx), &l.once, request{http.MethodGet, l.Site, "/lamps?utm_source=news", "", v.header("Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")})
	number, whole := isWhole(string(a.content))
	e := book.Entry{Kind: book.Page, Since: began, Acknowledged: err == nil && a.status == http.StatusOK && whole}
	if !e.Acknowledged {
		e.Instead, e.Excused = a.instead(err), l.isExcused(began)
	}
	l.Book.Add(e)
	if !e.Acknowledged {
		return false
	}
	v.keep(a)
	var of told
	if block := visitBlock.FindSubmatch(a.content); block != nil && json.Unmarshal(block[1], &of) == nil {
		l.shown(v, began, of.Numbers)
	} else if number != "" && number != digits([]string{"", l.Printed}) {
		l.Book.Add(book.Entry{Kind: book.Shown, Value: number, By: v.address, Until: began})
	}
	return l.report(ctx, v, of.View)
}

// report tells of the view, again and again, and takes the credentials and the numbers.
func (l *Load) report(ctx context.Context, v *visitor, served string) bool {
	view := map[string]any{"site_key": l.Site, "view": fmt.Sprintf("v%021d", l.next.Add(1)) + l.run, "url": "http://" + l.Site + "/lamps?utm_source=news", "title": "Lamps", "kind": "load", "served": served}
	var began time.Time
	a, err := l.insist(ctx, func() request {
		began = time.Now()
		return request{http.MethodPost, l.Site, "/frontdesk/v1/hit", encode(view), v.header("Content-Type", "application/json")}
	})
	var of told
	if err != nil || json.Unmarshal(a.content, &of) != nil || !of.Success {
		return false
	}
	v.keep(a)
	v.credentials = of.credentials()
	l.shown(v, began, of.Numbers)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.views = append(l.views, *v); len(l.views) > 500 {
		l.views = l.views[250:]
	}
	return true
}

// keep keeps the cookie.
func (v *visitor) keep(a answer) {
	for _, cookie := range a.cookies {
		if strings.Contains(cookie.Name, "svc_v") {
			v.cookie = cookie.Name + "=" + cookie.Value
		}
	}
}

// shown writes down which numbers the visitor sees from now on, until as long after the request as the page was told.
func (l *Load) shown(v *visitor, asked time.Time, numbers []record) {
	for _, n := range numbers {
		if n.Raw != "" && n.Lasts > 0 {
			l.Book.Add(book.Entry{Kind: book.Shown, Value: n.Raw, By: v.address, Until: asked.Add(time.Duration(n.Lasts) * time.Second)})
		}
	}
}

// stay says that the visitor is still there.
func (l *Load) stay(ctx context.Context, v *visitor) {
	began := time.Now()
	a, err := l.send(ctx, request{http.MethodPost, l.Site, "/frontdesk/v1/presence", encode(map[string]any{"credentials": v.credentials, "presence": "here", "numbers": true}), v.header("Content-Type", "application/json")})
	var of told
	if err == nil && a.status == http.StatusOK && json.Unmarshal(a.content, &of) == nil {
		l.shown(v, began, of.Numbers)
	}
}

// someone is a visitor who has been seen of late; false when there is none yet.
func (l *Load) someone() (v visitor, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.views) == 0 {
		return v, false
	}
	return l.views[rand.IntN(len(l.views))], true
}
