// Package typing tells all nodes who is typing in a conversation now. Nothing of it is stored. The conversations and the
// streams that show it ask it.
package typing

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Typed says that somebody is typing now.
type Typed struct {
	SiteID, ConversationID int64
	Visitor                visit.ID
	// OperatorID is the operator who is typing; 0 for the visitor.
	OperatorID int64
}

// topic is the beginning of the topics for typing.
const topic = "chat.typing "

// Tell tells all nodes that somebody is typing. It holds for some seconds and has to be repeated.
func Tell(d *db.DB, t Typed) { d.Wake(t.topic()) }

func (t Typed) topic() string {
	fields := make([]string, 4)
	for i, n := range []int64{t.SiteID, t.ConversationID, int64(t.Visitor), t.OperatorID} {
		fields[i] = strconv.FormatInt(n, 10)
	}
	return topic + strings.Join(fields, " ")
}

// Hear calls heard when somebody types, on any node, until cancel is called. heard must not block.
func Hear(d *db.DB, heard func(Typed)) (cancel func()) {
	return d.Overhear(topic, func(topic string) {
		if t, ok := parse(topic); ok {
			heard(t)
		}
	})
}

func parse(told string) (t Typed, ok bool) {
	fields := strings.Split(strings.TrimPrefix(told, topic), " ")
	var numbers [4]int64
	if len(fields) != len(numbers) {
		return Typed{}, false
	}
	for i, field := range fields {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Typed{}, false
		}
		numbers[i] = n
	}
	return Typed{numbers[0], numbers[1], visit.ID(numbers[2]), numbers[3]}, true
}

// lasting is the time for which an operator counts as typing. A console says it again every three seconds.
const lasting = 10 * time.Second

// Operators remembers in which conversations operators have typed just now. It is safe for concurrent use.
type Operators struct {
	now func() time.Time
	mu  sync.Mutex
	at  map[in]time.Time
}

type in struct{ site, conversation int64 }

// Remember listens for as long as the database is open.
func Remember(d *db.DB, now func() time.Time) *Operators {
	o := &Operators{now: now, at: make(map[in]time.Time)}
	Hear(d, o.heard)
	return o
}

func (o *Operators) heard(t Typed) {
	if t.OperatorID == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	maps.DeleteFunc(o.at, func(_ in, at time.Time) bool { return now.Sub(at) > lasting })
	o.at[in{t.SiteID, t.ConversationID}] = now
}

// Type reports whether an operator is typing in the conversation.
func (o *Operators) Type(siteID, conversation int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, found := o.at[in{siteID, conversation}]
	return found && o.now().Sub(at) <= lasting
}
