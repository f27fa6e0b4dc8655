package caddymodule

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
)

// Telephony are the telephone platforms that tell of calls.
type Telephony struct {
	// Any platform, by signed webhooks.
	Webhook *TelephonyWebhook `json:"webhook,omitempty"`
}

// TelephonyWebhook takes calls from any platform, by webhooks that are signed as
// Standard Webhooks 1.0 says.
type TelephonyWebhook struct {
	// Where the platform takes orders; http or https.
	URL string `json:"url,omitempty"`

	// The secret that the platform signs with, or two while one takes the other's place:
	// `whsec_` and the key in base64, or the key itself, of 16 to 256 bytes. Usually a
	// placeholder such as `{env.NAME}` or `{file./path}`.
	Secrets []string `json:"secrets"`
}

// platforms are the configured ones, with their placeholders resolved.
func (t *Telephony) platforms(from written) ([]telephony.Platform, error) {
	var platforms []telephony.Platform
	if t == nil {
		return nil, nil
	}
	if t.Webhook != nil {
		webhook, err := t.Webhook.platform(from)
		if err != nil {
			return nil, err
		}
		platforms = append(platforms, webhook)
	}
	return platforms, nil
}

func (w *TelephonyWebhook) platform(from written) (telephony.Platform, error) {
	if err := checkOrders(w.URL); err != nil {
		return nil, err
	}
	resolved := make([]string, len(w.Secrets))
	for i, secret := range w.Secrets {
		var err error
		if resolved[i], err = caddy.NewReplacer().ReplaceOrErr(secret, true, true); err != nil {
			return nil, from.at(secret, fmt.Errorf("telephony webhook: secret: %w", err))
		}
		if _, err := telephony.NewWebhook(resolved[i]); err != nil {
			return nil, from.at(secret, fmt.Errorf("telephony webhook: %w", err))
		}
	}
	webhook, err := telephony.NewWebhook(resolved...)
	if err != nil {
		return nil, fmt.Errorf("telephony webhook: %w", err)
	}
	return webhook, nil
}

// checkOrders refuses an address where a platform cannot take orders.
func checkOrders(address string) error {
	if address == "" || hasPlaceholder(address) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("telephony webhook: expected an address with https or http, or none")
	}
	return nil
}

// unmarshalCaddyfile reads a line of the option frontdesk:
//
//	telephony webhook [<url>] {
//		secret <secret>
//	}
func (t *Telephony) unmarshalCaddyfile(d *caddyfile.Dispenser, from *written) error {
	const expected = "expected: telephony webhook { secret SECRET }"
	if !d.NextArg() {
		return d.Err(expected)
	}
	switch d.Val() {
	case "webhook":
		if t.Webhook != nil {
			return d.Err("telephony webhook is configured already: expected one, with two secrets if need be")
		}
		t.Webhook = new(TelephonyWebhook)
		return t.Webhook.unmarshalCaddyfile(d, from)
	}
	return d.Errf("unknown telephone platform %q: %s", d.Val(), expected)
}

func (w *TelephonyWebhook) unmarshalCaddyfile(d *caddyfile.Dispenser, from *written) error {
	if d.NextArg() {
		w.URL = d.Val()
		if err := checkOrders(w.URL); err != nil {
			return d.Err(err.Error())
		}
		if d.NextArg() {
			return d.ArgErr()
		}
	}
	plain := true
	for d.NextBlock(1) {
		if d.Val() != "secret" {
			return d.Errf("unknown option %q of telephony webhook: expected secret", d.Val())
		}
		if !d.NextArg() || d.Val() == "" {
			return d.Err("expected: secret SECRET")
		}
		secret := d.Val()
		from.note(d, secret)
		if d.NextArg() {
			return d.Err("expected one secret on a line")
		}
		w.Secrets = append(w.Secrets, secret)
		plain = plain && !hasPlaceholder(secret)
		if !hasPlaceholder(secret) {
			if _, err := telephony.NewWebhook(secret); err != nil {
				return d.Err(err.Error())
			}
		}
		if len(w.Secrets) > telephony.MaxSecrets {
			return d.Errf("expected one secret, or %d while one takes the other's place", telephony.MaxSecrets)
		}
	}
	if len(w.Secrets) == 0 {
		return d.Err("telephony webhook: expected a block with a secret; make one with: openssl rand -base64 32")
	}
	if plain {
		if _, err := telephony.NewWebhook(w.Secrets...); err != nil {
			return d.Err(err.Error())
		}
	}
	return nil
}
