package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// event is what Frontdesk is told; docs/callbacks.schema.json has it.
type event struct {
	Callback string    `json:"callback"`
	Step     string    `json:"step"`
	Outcome  string    `json:"outcome,omitempty"`
	Talk     *int64    `json:"talk_seconds,omitempty"`
	Time     time.Time `json:"time"`
	Reason   string    `json:"reason,omitempty"`
}

const (
	// tries is how often an event is sent that Frontdesk does not take, pause the first pause
	// between two; each is twice as long as the one before.
	tries = 8
	pause = 500 * time.Millisecond
)

// teller tells Frontdesk of what happens.
type teller struct {
	address string
	keys    signature.Keys
	client  *http.Client
}

func newTeller(s settings) *teller {
	return &teller{s.Events, s.Keys, &http.Client{Timeout: 10 * time.Second}}
}

// tell tells of the call's events, one after the other, until it is over.
func (t *teller) tell(c *call) {
	for e := range c.told {
		body, err := json.Marshal(e)
		if err != nil {
			slog.Error("an event cannot be written", "error", err)
			continue
		}
		wait := pause
		for try := 1; ; try++ {
			status, err := t.send("event_"+e.Callback+"_"+e.Step, body)
			if err == nil && status < 300 {
				break
			}
			again := try < tries && (err != nil || status == http.StatusTooManyRequests || status >= 500)
			slog.Warn("Frontdesk has not taken an event", "callback", e.Callback, "step", e.Step, "status", status, "error", err, "again", again)
			if !again {
				break
			}
			time.Sleep(wait)
			wait *= 2
		}
	}
}

func (t *teller) send(id string, body []byte) (status int, err error) {
	request, err := http.NewRequest(http.MethodPost, t.address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	t.keys.Sign(request.Header, id, time.Now(), body)
	answer, err := t.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxBody)
	return answer.StatusCode, nil
}
