package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/websocket"
)

const (
	// app is the name of the Stasis application.
	app = "frontdesk"
	// ariTime bounds a request to Asterisk.
	ariTime = 5 * time.Second
	// reconnect is the pause before events are followed again.
	reconnect = time.Second
	// looking is how often it is looked whether the channels of calls are still there.
	looking = 30 * time.Second
	// maxEvent is the size in bytes of an event.
	maxEvent = 256 << 10
)

// ariEvent is an event of ARI, as far as it is of use here.
type ariEvent struct {
	Type    string `json:"type"`
	Channel struct {
		ID    string `json:"id"`
		State string `json:"state"`
	} `json:"channel"`
	Cause     int    `json:"cause"`
	CauseText string `json:"cause_txt"`
}

// ari asks Asterisk for things.
type ari struct {
	settings
	client *http.Client
}

func newARI(s settings) *ari { return &ari{s, &http.Client{Timeout: ariTime}} }

// errGone is the error for what there is not, or not any more.
var errGone = errors.New("there is no such channel")

// do sends a request. What is there already is no error: the request has come before.
func (a *ari) do(ctx context.Context, method, path string, query url.Values) error {
	u := a.ARI.JoinPath(path)
	u.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(a.User, a.Password)
	answer, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxReason))
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return errGone
	case answer.StatusCode < 300 || answer.StatusCode == http.StatusConflict && method == http.MethodPost && strings.HasPrefix(path, "channels/") && query.Has("endpoint"):
		return nil
	}
	return fmt.Errorf("ARI: %s %s: %d %s", method, path, answer.StatusCode, said)
}

// originate calls the number. When it answers, Asterisk tells of a StasisStart.
func (a *ari) originate(ctx context.Context, channel, digits string, c *call, originator string) error {
	query := url.Values{"endpoint": {strings.ReplaceAll(a.Endpoint, "NUMBER", digits)}, "app": {app}, "timeout": {strconv.Itoa(c.ring)}}
	if c.callerID != "" {
		query.Set("callerId", c.callerID)
	}
	if originator != "" {
		query.Set("originator", originator)
	}
	return a.do(ctx, http.MethodPost, "channels/"+channel, query)
}

// ring lets the one who has answered hear that the other's phone rings.
func (a *ari) ring(ctx context.Context, channel string) error {
	return a.do(ctx, http.MethodPost, "channels/"+channel+"/ring", nil)
}

// join lets the two talk.
func (a *ari) join(ctx context.Context, join, operator, visitor string) error {
	if err := a.do(ctx, http.MethodDelete, "channels/"+operator+"/ring", nil); err != nil {
		return err
	}
	if err := a.do(ctx, http.MethodPost, "bridges/"+join, url.Values{"type": {"mixing"}}); err != nil {
		return err
	}
	return a.do(ctx, http.MethodPost, "bridges/"+join+"/addChannel", url.Values{"channel": {operator + "," + visitor}})
}

// clear hangs up whoever is still there. Mostly nobody is.
func (a *ari) clear(ctx context.Context, id string) {
	for _, what := range []string{"channels/" + operatorOf(id), "channels/" + visitorOf(id), "bridges/" + joinOf(id)} {
		if err := a.do(ctx, http.MethodDelete, what, nil); err != nil && !errors.Is(err, errGone) {
			slog.Warn("Asterisk has not ended what was asked", "callback", id, "error", err)
		}
	}
}

// there tells whether there is the channel.
func (a *ari) there(ctx context.Context, channel string) (bool, error) {
	err := a.do(ctx, http.MethodGet, "channels/"+channel, nil)
	if errors.Is(err, errGone) {
		return false, nil
	}
	return true, err
}

// follow takes Asterisk's events until ctx ends.
func (b *bridge) follow(ctx context.Context) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(looking):
				b.look(ctx)
			}
		}
	}()
	for ctx.Err() == nil {
		if err := b.listen(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("Asterisk's events have broken off", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(reconnect):
		}
	}
}

// listen opens the stream of events, looks at what was missed, and takes what comes.
func (b *bridge) listen(ctx context.Context) error {
	u := b.ARI.JoinPath("events")
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	u.RawQuery = url.Values{"app": {app}}.Encode()
	config, err := websocket.NewConfig(u.String(), b.ARI.String())
	if err != nil {
		return err
	}
	request := &http.Request{Header: make(http.Header)}
	request.SetBasicAuth(b.User, b.Password)
	config.Header = request.Header
	connection, err := config.DialContext(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	connection.MaxPayloadBytes = maxEvent
	slog.Info("following Asterisk's events")
	b.look(ctx)
	for {
		var message []byte
		if err := websocket.Message.Receive(connection, &message); err != nil {
			return err
		}
		var e ariEvent
		if json.Unmarshal(message, &e) == nil {
			b.happened(e)
		}
	}
}

// look ends the calls of which a channel is gone, unseen.
func (b *bridge) look(ctx context.Context) {
	b.mu.Lock()
	var channels []string
	for id, c := range b.calls {
		if c.placed && c.state != over {
			channels = append(channels, operatorOf(id))
		}
		if c.state == talking {
			channels = append(channels, visitorOf(id))
		}
	}
	b.mu.Unlock()
	for _, channel := range channels {
		if is, err := b.ari.there(ctx, channel); err == nil && !is {
			var gone ariEvent
			gone.Type, gone.Channel.ID = "ChannelDestroyed", channel
			b.happened(gone)
		}
	}
}
