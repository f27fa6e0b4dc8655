package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// attend is an operator with the console open, who is there by its stream of leads.
func (l *Load) attend(ctx context.Context, login string) {
	l.Book.Add(book.Entry{Kind: book.Opened, Of: login})
	cookie, last := "", "0-0"
	var came sync.Once
	for ; ctx.Err() == nil; sleep(ctx, shortest/2+rand.N(shortest)) {
		if cookie == "" {
			if cookie = l.signIn(ctx, login); cookie == "" {
				continue
			}
		}
		err := l.stream(ctx, request{http.MethodGet, l.Console, "/stream/leads?after=" + last, "", []string{"Accept", "text/event-stream", "Cookie", cookie}}, func(id, _ string) {
			came.Do(func() { l.there.Add(1) })
			if id != "" {
				last = id
				l.Book.Add(book.Entry{Kind: book.Heard, Of: login, ID: id})
			}
		})
		if strings.HasPrefix(fmt.Sprint(err), "status 4") || strings.HasPrefix(fmt.Sprint(err), "status 3") { // signed out
			cookie = ""
		}
	}
}

// signIn returns the cookie of a session; empty where it is refused.
func (l *asker) signIn(ctx context.Context, login string) string {
	form := url.Values{"login": {login}, "password": {l.Password}}
	by := http.Client{Transport: l.client.Transport, Timeout: wait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := l.sendBy(ctx, &by, request{http.MethodPost, l.Console, "/sign-in", form.Encode(), []string{"Content-Type", formType, "Origin", "http://" + l.Console, "X-Forwarded-For", "20.0.0.1"}})
	if err != nil || a.status != http.StatusSeeOther {
		return ""
	}
	var cookies []string
	for _, cookie := range a.cookies {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(cookies, "; ")
}
