package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

const (
	// maxCalls is how many orders are carried out at once.
	maxCalls = 100
	// remembered is for how long an order is known after its end, should it come again.
	remembered = time.Hour
	// late is how old a signed message may be.
	late = 5 * time.Minute
	// maxBody is the size in bytes of an order.
	maxBody = 16 << 10
)

// order is what Frontdesk wants; docs/callbacks.schema.json has it as "message".
type order struct {
	Type string `json:"type"`
	Data struct {
		Callback string `json:"callback"`
		Operator string `json:"operator"`
		Visitor  string `json:"visitor"`
		CallerID string `json:"caller_id"`
		Ring     int    `json:"ring_seconds"`
	} `json:"data"`
}

// state is how far a call has come.
type state int

const (
	callingOperator state = iota
	callingVisitor
	talking
	over
)

// call is an order that is carried out. The ids of its channels begin with a letter for the side,
// so that what Asterisk tells of a channel leads back to it.
type call struct {
	id, operator, visitor, callerID string
	ring                            int

	state   state
	placed  bool      // Asterisk has taken the operator's channel
	rung    bool      // the operator's phone has rung, and it is told
	dialled time.Time // the side that is being called
	joined  time.Time
	ended   time.Time
	told    chan event // to Frontdesk, in their order
}

func operatorOf(id string) string { return "o-" + id }
func visitorOf(id string) string  { return "v-" + id }
func joinOf(id string) string     { return "b-" + id }

// bridge stands between Frontdesk and Asterisk.
type bridge struct {
	settings
	ari    *ari
	events *teller

	mu    sync.Mutex
	calls map[string]*call
}

func newBridge(s settings) *bridge {
	return &bridge{settings: s, ari: newARI(s), events: newTeller(s), calls: make(map[string]*call)}
}

var (
	anID   = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)
	number = regexp.MustCompile(`^[0-9]{3,15}$`)
)

// ServeHTTP takes orders. Whatever is not signed with the secret, or is old, is refused.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the message is too large, or has broken off", http.StatusBadRequest)
		return
	}
	stamp := r.Header.Get(signature.Timestamp)
	sent, err := strconv.ParseInt(stamp, 10, 64)
	if age := time.Since(time.Unix(sent, 0)).Abs(); err != nil || age > late || !b.Keys.Signed(r.Header.Get(signature.ID), stamp, r.Header.Get(signature.Signature), body) {
		http.Error(w, "the message is not signed with the secret, or is too old", http.StatusUnauthorized)
		return
	}
	var o order
	if json.Unmarshal(body, &o) != nil || !anID.MatchString(o.Data.Callback) {
		http.Error(w, "the message cannot be read", http.StatusBadRequest)
		return
	}
	switch o.Type {
	case "callback.order":
		err = b.take(r.Context(), o)
	case "callback.cancel":
		b.cancel(o.Data.Callback)
	default:
		http.Error(w, "a message of this type is not known", http.StatusBadRequest)
		return
	}
	if err != nil {
		slog.Warn("an order was not taken", "callback", o.Data.Callback, "error", err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// take has Asterisk call the operator. An order that has come before is not carried out again.
func (b *bridge) take(ctx context.Context, o order) error {
	d := o.Data
	if !number.MatchString(d.Operator) || !number.MatchString(d.Visitor) || d.CallerID != "" && !number.MatchString(d.CallerID) || d.Ring < 1 || d.Ring > 120 {
		return errors.New("the numbers of the order cannot be dialled")
	}
	if d.CallerID == "" {
		d.CallerID = b.CallerID
	}
	c := &call{id: d.Callback, operator: d.Operator, visitor: d.Visitor, callerID: d.CallerID, ring: d.Ring, dialled: time.Now(), told: make(chan event, 8)}
	b.mu.Lock()
	open := 0
	for id, other := range b.calls {
		if other.state != over {
			open++
		} else if time.Since(other.ended) > remembered {
			delete(b.calls, id)
		}
	}
	_, known := b.calls[c.id]
	if !known && open < maxCalls {
		b.calls[c.id] = c
	}
	b.mu.Unlock()
	if known {
		return nil
	}
	if open >= maxCalls {
		return errors.New("as many calls as there may be are carried out")
	}
	if err := b.ari.originate(ctx, operatorOf(c.id), c.operator, c, ""); err != nil {
		b.mu.Lock()
		delete(b.calls, c.id)
		b.mu.Unlock()
		return err
	}
	b.mu.Lock()
	c.placed = true
	b.mu.Unlock()
	go b.events.tell(c)
	return nil
}

// cancel ends the order, if it is carried out.
func (b *bridge) cancel(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.calls[id]; c != nil && c.state != over {
		b.end(c, "cancelled", "")
	}
}

// happened takes what Asterisk tells of a channel.
func (b *bridge) happened(e ariEvent) {
	side, id, found := strings.Cut(e.Channel.ID, "-")
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.calls[id]
	if !found || c == nil || c.state == over {
		return
	}
	switch {
	case e.Type == "ChannelStateChange" && e.Channel.State == "Ringing" && side == "o" && !c.rung:
		c.rung = true
		c.tell(event{Step: "operator_rings"})
	case e.Type == "StasisStart" && side == "o" && c.state == callingOperator:
		c.state, c.dialled = callingVisitor, time.Now()
		c.tell(event{Step: "visitor_rings"})
		b.ask(c, func(ctx context.Context) error {
			if err := b.ari.ring(ctx, operatorOf(c.id)); err != nil {
				return err
			}
			return b.ari.originate(ctx, visitorOf(c.id), c.visitor, c, operatorOf(c.id))
		})
	case e.Type == "StasisStart" && side == "v" && c.state == callingVisitor:
		c.state, c.joined = talking, time.Now()
		c.tell(event{Step: "talking"})
		b.ask(c, func(ctx context.Context) error {
			return b.ari.join(ctx, joinOf(c.id), operatorOf(c.id), visitorOf(c.id))
		})
	case e.Type == "ChannelDestroyed":
		b.hungUp(c, side == "o", e.Cause, e.CauseText)
	}
}

// ask asks Asterisk for something, without holding up what it tells meanwhile. A call of which
// it does not do what is asked has failed.
func (b *bridge) ask(c *call, do func(context.Context) error) {
	go func() {
		ctx, stop := context.WithTimeout(context.Background(), ariTime)
		defer stop()
		if err := do(ctx); err != nil {
			slog.Warn("Asterisk has not done what was asked", "callback", c.id, "error", err)
			b.mu.Lock()
			defer b.mu.Unlock()
			if c.state != over {
				b.end(c, "failed", err.Error())
			}
		}
	}()
}

// The causes of ends (Q.850) that have an outcome of their own.
var (
	busy     = map[int]bool{17: true, 21: true}                              // user busy, call rejected
	noAnswer = map[int]bool{0: true, 16: true, 18: true, 19: true, 26: true} // unknown and normal: nobody has answered in time
)

// hungUp ends the call when one of its channels has.
func (b *bridge) hungUp(c *call, operator bool, cause int, text string) {
	reason := "Q.850 " + strconv.Itoa(cause) + " " + text
	who := "visitor"
	switch {
	case c.state == talking:
		b.end(c, "talked", reason)
		return
	case operator && c.state == callingVisitor: // who did not wait for the visitor
		b.end(c, "operator_no_answer", reason)
		return
	case operator:
		who = "operator"
	}
	switch {
	case busy[cause]:
		b.end(c, who+"_busy", reason)
	case noAnswer[cause] || time.Since(c.dialled) >= time.Duration(c.ring)*time.Second:
		b.end(c, who+"_no_answer", reason)
	default:
		b.end(c, "failed", reason)
	}
}

// end tells how the call has ended, and ends what there still is of it.
func (b *bridge) end(c *call, outcome, reason string) {
	e := event{Step: "ended", Outcome: outcome, Reason: clip(reason)}
	if outcome == "talked" {
		e.Talk = new(int64(time.Since(c.joined) / time.Second))
	}
	c.state, c.ended = over, time.Now()
	c.tell(e)
	close(c.told)
	go func() {
		ctx, stop := context.WithTimeout(context.Background(), ariTime)
		defer stop()
		b.ari.clear(ctx, c.id)
	}()
}

// tell has the event told to Frontdesk.
func (c *call) tell(e event) {
	e.Callback, e.Time = c.id, time.Now().UTC()
	c.told <- e // there are four at most
}

// maxReason is the size in bytes of a reason.
const maxReason = 200

// clip is a text that Frontdesk takes as a reason: without control characters, and short.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text)
	return text[:min(len(text), maxReason)]
}
