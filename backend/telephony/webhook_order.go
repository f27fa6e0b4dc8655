package telephony

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/signature"
)

// WebhookOrders sends orders to any platform, as JSON that is signed according to Standard Webhooks 1.0. The platform
// reports their progress to [Webhook]. docs/callbacks.md describes it.
type WebhookOrders struct {
	address string
	keys    signature.Keys
	client  *http.Client
	now     func() time.Time
}

// The types of messages.
const (
	orderPlaced    = "callback.order"
	orderCancelled = "callback.cancel"
)

// NewWebhookOrders returns orders that are sent to the address, signed with the secrets. The address may be a private
// one, because the server's administrator has written it.
func NewWebhookOrders(address string, now func() time.Time, secrets ...string) (*WebhookOrders, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, errors.New("expected an address with https or http")
	}
	keys, err := signature.Parse(secrets...)
	if err != nil {
		return nil, err
	}
	return &WebhookOrders{address: address, keys: keys, client: newClient(), now: now}, nil
}

// newClient returns a client for platforms. Contexts bound its requests.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 4
	// A connection of HTTP/2 that has died is noticed, and not used on.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	transport.MaxResponseHeaderBytes = maxAnswer
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// maxAnswer bounds how much of a platform's answer is read, in bytes.
const maxAnswer = 64 << 10

// orderMessage is the body of a message, as in docs/callbacks.schema.json.
type orderMessage struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      orderData `json:"data"`
}

type orderData struct {
	Callback string `json:"callback"`
	Site     string `json:"site,omitempty"`
	Operator string `json:"operator,omitempty"`
	Visitor  string `json:"visitor,omitempty"`
	CallerID string `json:"caller_id,omitempty"`
	Ring     int64  `json:"ring_seconds,omitempty"`
}

// Name implements [Dialler].
func (*WebhookOrders) Name() string { return "webhook" }

// Place implements [Dialler].
func (w *WebhookOrders) Place(ctx context.Context, o Order) error {
	return w.send(ctx, "order_"+o.ID, orderPlaced, orderData{o.ID, o.Site, o.Operator, o.Visitor, o.CallerID, int64(o.Ring / time.Second)})
}

// Cancel implements [Dialler].
func (w *WebhookOrders) Cancel(ctx context.Context, id string) error {
	return w.send(ctx, "cancel_"+id, orderCancelled, orderData{Callback: id})
}

func (w *WebhookOrders) send(ctx context.Context, id, kind string, data orderData) error {
	body, err := json.Marshal(orderMessage{kind, w.now().UTC(), data})
	if err != nil {
		return fmt.Errorf("writing an order: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the platform's address cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Frontdesk-Webhook/1")
	w.keys.Sign(request.Header, id, w.now(), body)
	answer, err := w.client.Do(request)
	if err != nil {
		return unreached(ctx, err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // only the status matters
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the platform has answered with the status %d", answer.StatusCode)
	}
	return nil
}

// unreached is the error of a request without an answer. It does not contain the address, which may have a token.
func unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("the platform could not be reached: %w", err)
}
