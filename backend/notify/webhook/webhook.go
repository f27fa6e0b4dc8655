// Package webhook sends messages to the URLs that owners of sites have set: signed, without redirects, and only to
// public addresses or to those that the configuration allows.
package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/notify/attempt"
	"github.com/seed-3405227d/frontdesk/backend/signature"
)

const (
	// maxAnswer bounds, in bytes, what is read of an answer: so much that the connection
	// can be used again. Nothing of it is kept, since a receiver may repeat what it was sent.
	maxAnswer = 64 << 10
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 64 << 10
	userAgent = "Frontdesk-Webhook/1"
)

// Message is one on its way.
type Message struct {
	// URL is one that [CheckURL] lets pass.
	URL string
	// ID is the same, however often the message is sent.
	ID          string
	ContentType string
	Body        []byte
	Keys        signature.Keys
}

// Poster sends webhooks. It is safe for concurrent use.
type Poster struct {
	Transport *http.Transport
	Dialer    *net.Dialer
	client    *http.Client
	now       func() time.Time
}

// New returns a poster. allowed are the ranges of addresses that webhooks may go to beside public ones; they are asked
// for each connection.
func New(allowed func() []netip.Prefix, now func() time.Time) *Poster {
	dialer := &net.Dialer{Timeout: attempt.Timeout, ControlContext: control(allowed)}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    attempt.Timeout,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}, // a connection that has died is noticed
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
	}
	return &Poster{Dialer: dialer, Transport: transport, now: now, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Post sends the message. The error is an [attempt.Failure], or else our own.
func (p *Poster) Post(ctx context.Context, m Message) (status int, err error) {
	if strings.HasPrefix(m.URL, "http://") {
		ctx = context.WithValue(ctx, plainKey{}, true)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, &attempt.Failure{Reason: attempt.Connect, Never: true}
	}
	request.Header.Set("Content-Type", m.ContentType)
	request.Header.Set("User-Agent", userAgent)
	m.Keys.Sign(request.Header, m.ID, p.now(), m.Body)
	answer, err := p.client.Do(request)
	if err != nil {
		return 0, attempt.Unsent(err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // its status says it all
	return answer.StatusCode, answered(answer, p.now())
}

// Exchange posts the body as it is, without a signature, and returns the beginning of the answer. The error is as that
// of [Poster.Post].
func (p *Poster) Exchange(ctx context.Context, url, contentType string, body []byte) (status int, answer []byte, err error) {
	if strings.HasPrefix(url, "http://") {
		ctx = context.WithValue(ctx, plainKey{}, true)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, &attempt.Failure{Reason: attempt.Connect, Never: true}
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", userAgent)
	got, err := p.client.Do(request)
	if err != nil {
		return 0, nil, attempt.Unsent(err)
	}
	defer got.Body.Close()
	answer, _ = io.ReadAll(io.LimitReader(got.Body, maxAnswer)) // a part says what it says
	return got.StatusCode, answer, answered(got, p.now())
}

// answered is nil when the answer says that the message was taken.
func answered(answer *http.Response, now time.Time) error {
	f := &attempt.Failure{Reason: attempt.Status, Status: answer.StatusCode}
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		f.Reason = attempt.Redirect
	case status == http.StatusGone:
		f.Reason = attempt.Gone
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		f.Away = true
	}
	f.After = retryAfter(answer.Header.Get("Retry-After"), now)
	return f
}

// maxRetryAfter bounds for how long a receiver may ask to be left alone: a lead is old after an hour.
const maxRetryAfter = time.Hour

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
