package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/e2e/nodes/book"
)

// sure is for how long an operator surely has a conversation that was claimed: one whose console cannot be reached loses
// it some time after that.
const sure = 5 * time.Second

// say has the visitor write, and returns the number of the conversation.
func (l *Load) say(ctx context.Context, v *visitor) (conversation int64, err error) {
	id := l.id()
	body := encode(map[string]any{"credentials": v.credentials, "id": "message-" + id, "request": map[string]any{"text": book.Text(book.Message, id)}})
	a, err := l.insist(ctx, func() request {
		return request{http.MethodPost, l.Site, "/frontdesk/v1/chat/say", body, v.header("Content-Type", "application/json")}
	})
	var said struct {
		Success      bool
		Conversation struct{ ID int64 }
	}
	if err == nil {
		if err = json.Unmarshal(a.content, &said); err == nil && !said.Success {
			err = errRefused
		}
	}
	e := book.Entry{Kind: book.Message, ID: id, Acknowledged: err == nil}
	if err != nil {
		e.Instead = a.instead(err)
	}
	l.Book.Add(e)
	return said.Conversation.ID, err
}

// answers has the operator write, and returns the ID of what was said.
func (l *Load) answers(ctx context.Context, conversation int64, operator int) error {
	id := l.id()
	a, err := l.insist(ctx, func() request {
		return l.api(http.MethodPost, fmt.Sprintf("sites/%s/chats/%d/messages", l.Site, conversation),
			map[string]any{"operator_id": operator, "text": book.Text(book.Answer, id)}, "Idempotency-Key", id)
	})
	e := book.Entry{Kind: book.Answer, ID: id, Of: fmt.Sprint(conversation), Acknowledged: err == nil}
	if err != nil {
		e.Instead = a.instead(err)
	}
	l.Book.Add(e)
	return err
}

// talk is a visitor who writes, and operators who both want the conversation. Who gets it answers and puts it back, and
// then they want it again.
func (l *Load) talk(ctx context.Context) {
	seen, is := l.someone()
	if !is || l.there.Load() < int64(len(l.Logins)) {
		return
	}
	v := &seen
	conversation, err := l.say(ctx, v)
	if err != nil {
		return
	}
	// What an operator puts back is not to be what the same one has claimed meanwhile.
	if _, others := l.talks.LoadOrStore(conversation, true); others {
		return
	}
	defer l.talks.Delete(conversation)
	for range 2 {
		var claiming sync.WaitGroup
		for i := range l.Logins {
			operator := i + 1
			claiming.Go(func() {
				if l.claim(ctx, conversation, operator) {
					sleep(ctx, rand.N(time.Second))
					l.giveBack(ctx, conversation, operator)
				}
			})
		}
		claiming.Wait()
	}
}

// claim has the operator take the conversation, and tells whether it was given.
func (l *Load) claim(ctx context.Context, conversation int64, operator int) bool {
	asked := time.Now()
	a, err := l.send(ctx, l.api(http.MethodPost, fmt.Sprintf("sites/%s/chats/%d/claim", l.Site, conversation), map[string]any{"operator_id": operator}))
	if err != nil || a.status != http.StatusOK {
		return false
	}
	var now struct {
		OperatorID int `json:"operator_id"`
	}
	if json.Unmarshal(a.content, &now) != nil || now.OperatorID != operator {
		return false // it was taken away since
	}
	if _, unsure := l.unsure.Load([2]int64{conversation, int64(operator)}); !unsure && time.Now().Before(asked.Add(sure)) {
		l.Book.Add(book.Entry{Kind: book.Claimed, Of: fmt.Sprint(conversation), By: fmt.Sprint(operator), Until: asked.Add(sure)})
	}
	return true
}

// giveBack has the operator put the conversation back. Where nobody knows whether it was, a node that was stopped may do so
// at any time later: the operator is never sure of the conversation again.
func (l *Load) giveBack(ctx context.Context, conversation int64, operator int) {
	l.Book.Add(book.Entry{Kind: book.Returned, Of: fmt.Sprint(conversation), By: fmt.Sprint(operator)})
	a, err := l.send(ctx, l.api(http.MethodPost, fmt.Sprintf("sites/%s/chats/%d/return", l.Site, conversation), map[string]any{"operator_id": operator}))
	if err != nil || a.status != http.StatusOK {
		l.unsure.Store([2]int64{conversation, int64(operator)}, true)
	}
}
