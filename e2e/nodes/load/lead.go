package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// lead is one that a site's server sends: again with the same key, until it is acknowledged. Of a book.Sale the cost is told, too.
func (l *Load) lead(ctx context.Context, kind book.Kind) {
	v, is := l.someone()
	if !is {
		return
	}
	id := l.id()
	fields := url.Values{"name": {"Anna"}, "phone": {fmt.Sprintf("+7921%07d", l.next.Add(1))}, "text": {book.Text(kind, id)}}
	for name, value := range v.credentials {
		fields.Set(name, fmt.Sprint(value))
	}
	e := book.Entry{Kind: kind, ID: id}
	if kind == book.Sale {
		e.Value = fmt.Sprintf("%d.5", 100+rand.IntN(1000))
		fields.Set("is_sale", "1")
		fields.Set("sale_cost", e.Value)
	}
	a, err := l.insist(ctx, func() request {
		return request{http.MethodPost, l.Site, "/frontdesk/api/add_offline_message/", fields.Encode(), []string{"Content-Type", formType, "Idempotency-Key", id, "X-Forwarded-For", v.address}}
	})
	if e.Acknowledged = err == nil && strings.Contains(string(a.content), `"success":true`); !e.Acknowledged {
		e.Instead = a.instead(err)
	}
	l.Book.Add(e)
}

const formType = "application/x-www-form-urlencoded; charset=UTF-8"

// form is one that a visitor sends to the site, once. The site's answer is its acknowledgement.
func (l *Load) form(ctx context.Context) {
	v, id, began := l.newVisitor(), l.id(), time.Now()
	fields := url.Values{"name": {"Boris"}, "phone": {fmt.Sprintf("+7922%07d", l.next.Add(1))}, "message": {book.Text(book.Form, id)}}
	a, err := l.sendBy(context.WithoutCancel(ctx), &l.once, request{http.MethodPost, l.Site, "/send", fields.Encode(), v.header("Content-Type", formType)})
	e := book.Entry{Kind: book.Form, ID: id, Since: began, Acknowledged: err == nil && a.status == http.StatusOK && string(a.content) == thanks}
	if !e.Acknowledged {
		e.Instead, e.Excused = a.instead(err), l.isExcused(began)
	}
	l.Book.Add(e)
}
