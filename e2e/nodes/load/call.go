package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// call is one that rings, is answered and ends. The platform repeats each of these until it is acknowledged.
func (l *Load) call(ctx context.Context) {
	id := l.id()
	called, caller := l.Numbers[rand.IntN(len(l.Numbers))], fmt.Sprintf("7913%07d", l.next.Add(1))
	e := book.Entry{Kind: book.Call, ID: id, Value: "answered"}
	for _, event := range []string{"start", "answer", "end"} {
		body := map[string]any{"call_id": id, "event": event, "time": time.Now().Format(time.RFC3339Nano), "called": called, "caller": caller}
		if event == "end" {
			body["status"] = "answered"
		}
		a, err := l.insist(ctx, func() request { return l.told(id+event, encode(body)) })
		if err != nil {
			e.Instead = a.instead(err)
			l.Book.Add(e)
			return
		}
		sleep(ctx, rand.N(2*time.Second))
	}
	e.Acknowledged = true
	l.Book.Add(e)
}

// told is an event of the telephone platform's, signed now.
func (l *asker) told(message, body string) request {
	signed := make(http.Header)
	l.keys.Sign(signed, message, time.Now(), []byte(body))
	r := request{http.MethodPost, l.Site, "/frontdesk/calls/webhook", body, []string{"Content-Type", "application/json"}}
	for name, values := range signed {
		r.header = append(r.header, name, values[0])
	}
	return r
}
