package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"
)

const (
	// maxAnswer bounds, in bytes, what is read of an answer: so much that the connection
	// can be used again. Nothing of it is kept, since a receiver may repeat what it was sent.
	maxAnswer = 64 << 10
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 64 << 10
	userAgent = "Frontdesk-Webhook/1"
)

// poster sends webhooks.
type poster struct {
	client    *http.Client
	transport *http.Transport
	dialer    *net.Dialer
}

func newPoster(allowed func() []netip.Prefix) *poster {
	dialer := &net.Dialer{Timeout: attemptTimeout, ControlContext: control(allowed)}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    attemptTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
	}
	return &poster{dialer: dialer, transport: transport, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// body is what is sent to the webhook, and its content type.
func (e Endpoint) body(m Message, v values) (body []byte, contentType string, err error) {
	if e.Template == "" {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(m)
		return bytes.TrimSuffix(text.Bytes(), []byte("\n")), JSON, err
	}
	text, err := fill(e.Template, e.ContentType, v)
	if err != nil {
		return nil, "", &failure{reason: reasonTemplate}
	}
	return []byte(text), e.ContentType, nil
}

// post sends the message to the webhook. The error is a failure, which has nothing of the
// address in it: there may be a token in that.
func (d *Deliveries) post(ctx context.Context, e Endpoint, r Delivery, m Message, v values) (status int, err error) {
	body, contentType, err := e.body(m, v)
	if err != nil {
		return 0, err
	}
	keys, err := e.keys(d.now())
	if err != nil {
		return 0, fmt.Errorf("reading the secret of an endpoint: %w", err)
	}
	if strings.HasPrefix(e.Address, "http://") {
		ctx = context.WithValue(ctx, plainKey{}, true)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Address, bytes.NewReader(body))
	if err != nil {
		return 0, &failure{reason: reasonConnect, never: true}
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", userAgent)
	keys.Sign(request.Header, r.ID(), d.now(), body)
	answer, err := d.poster.client.Do(request)
	if err != nil {
		if errors.Is(err, errPrivate) { // for whoever runs the server, and may allow the address
			d.logger.Info("an address of a webhook is not public and not allowed", zap.Int64("site", e.SiteID), zap.Int64("endpoint", e.ID))
		}
		return 0, unsent(err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // its status says it all
	return answer.StatusCode, answered(answer, d.now())
}

// unsent is the failure to get an answer.
func unsent(err error) *failure {
	f := &failure{reason: reasonConnect, away: true}
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		f.reason = reasonTimeout
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		f.reason = reasonTLS
	}
	return f
}

// answered is nil when the answer says that the message was taken.
func answered(answer *http.Response, now time.Time) error {
	f := &failure{reason: reasonStatus, status: answer.StatusCode}
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		f.reason = reasonRedirect
	case status == http.StatusGone:
		f.reason = reasonGone
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		f.away = true
	}
	f.after = retryAfter(answer.Header.Get("Retry-After"), now)
	return f
}

// retryAfter is how long the receiver asks to be left alone, in seconds or until a date;
// 0 when it does not, and [maxRetryAfter] at most.
func retryAfter(text string, now time.Time) time.Duration {
	var pause time.Duration
	if seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
		pause = time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		pause = at.Sub(now)
	}
	return min(max(pause, 0), maxRetryAfter)
}
