package caddymodule

import (
	"fmt"
	"net/url"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// Telephony are the telephone platforms that report calls.
type Telephony struct {
	// Any platform that sends signed webhooks.
	Webhook *TelephonyWebhook `json:"webhook,omitempty"`

	// Twilio, which asks where to connect calls.
	Twilio *TelephonyTwilio `json:"twilio,omitempty"`

	// A SIP trunk.
	SIP *TelephonySIP `json:"sip,omitempty"`
}

// TelephonyTwilio takes calls from Twilio and says where to connect them.
type TelephonyTwilio struct {
	// The SID of the account: `AC` and 32 hexadecimal digits.
	Account string `json:"account"`

	// The account's auth token, usually a placeholder such as `{env.NAME}` or
	// `{file./path}`.
	AuthToken string `json:"auth_token"`

	// The number to connect calls to while it is not known which printed number the called one replaces.
	Destination string `json:"destination"`

	// One of the account's numbers, which people see when they are called back. Default: none, and Twilio calls
	// nobody back.
	From string `json:"from,omitempty"`

	// The public address of the service on one of its sites, such as `https://shop.example/frontdesk/`. Twilio
	// reports there how callbacks go on.
	Address string `json:"address,omitempty"`

	// The base of the REST API's addresses. Default: `https://api.twilio.com`.
	API string `json:"api,omitempty"`
}

// TelephonyWebhook takes calls from any platform, by webhooks that are signed according to Standard Webhooks 1.0.
type TelephonyWebhook struct {
	// Where the platform accepts orders to call people back; http or https. Default: it calls nobody back.
	URL string `json:"url,omitempty"`

	// The secret with which the platform signs, or two while you replace it: `whsec_` and the key in base64, or the
	// key itself, of 16 to 256 bytes. Usually a placeholder such as `{env.NAME}` or `{file./path}`.
	Secrets []string `json:"secrets"`
}

// platforms are the configured ones, with their placeholders resolved.
func (t *Telephony) platforms(from placeholder.Places) ([]telephony.Platform, error) {
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
	if t.Twilio != nil {
		twilio, err := t.Twilio.platform()
		if err != nil {
			return nil, from.At(t.Twilio.AuthToken, fmt.Errorf("telephony twilio: %w", err))
		}
		platforms = append(platforms, twilio)
	}
	return platforms, nil
}

func (w *TelephonyWebhook) platform(from placeholder.Places) (telephony.Platform, error) {
	if err := checkOrders(w.URL); err != nil {
		return nil, fmt.Errorf("telephony webhook: %w", err)
	}
	resolved := make([]string, len(w.Secrets))
	for i, secret := range w.Secrets {
		var err error
		if resolved[i], err = caddy.NewReplacer().ReplaceOrErr(secret, true, true); err != nil {
			return nil, from.At(secret, fmt.Errorf("telephony webhook: secret: %w", err))
		}
		if _, err := telephony.NewWebhook(resolved[i]); err != nil {
			return nil, from.At(secret, fmt.Errorf("telephony webhook: %w", err))
		}
	}
	webhook, err := telephony.NewWebhook(resolved...)
	if err != nil {
		return nil, fmt.Errorf("telephony webhook: %w", err)
	}
	return webhook, nil
}

// platform is made when the configuration is loaded. All of it may be placeholders.
func (t *TelephonyTwilio) platform() (telephony.Platform, error) {
	values := []string{t.Account, t.AuthToken, t.Destination}
	for i, value := range values {
		var err error
		if values[i], err = caddy.NewReplacer().ReplaceOrErr(value, true, true); err != nil {
			return nil, err
		}
	}
	return telephony.NewTwilio(values[0], values[1], values[2])
}

func (t *TelephonyTwilio) unmarshalCaddyfile(d *caddyfile.Dispenser, from *placeholder.Places) error {
	if d.NextArg() {
		return d.Errf("unexpected %q: expected a block with account, auth_token and destination", d.Val())
	}
	type field struct {
		to    *string
		check func(string) error
	}
	fields := map[string]field{
		"account":     {&t.Account, telephony.CheckAccount},
		"auth_token":  {&t.AuthToken, telephony.CheckToken},
		"destination": {&t.Destination, telephony.CheckDestination},
		"from":        {&t.From, telephony.CheckFrom},
		"address":     {&t.Address, telephony.CheckAddress},
		"api":         {&t.API, checkOrders},
	}
	for d.NextBlock(1) {
		name := d.Val()
		f, known := fields[name]
		if !known {
			return d.Errf("unknown option %q of telephony twilio: expected account, auth_token, destination, from, address or api", name)
		}
		if *f.to != "" {
			return d.Errf("%s is given already: expected one", name)
		}
		if !d.AllArgs(f.to) || *f.to == "" {
			return d.Errf("expected: %s VALUE; in quotation marks when there are spaces", name)
		}
		from.Note(d, *f.to)
		if !placeholder.In(*f.to) { // else it is checked when the configuration is loaded
			if err := f.check(*f.to); err != nil {
				return d.Err(err.Error())
			}
		}
	}
	if t.Account == "" || t.AuthToken == "" || t.Destination == "" {
		return d.Err("telephony twilio: expected a block with account, auth_token and destination")
	}
	if err := t.checkOrders(); err != nil {
		return d.Err(err.Error())
	}
	return nil
}

// checkOrders refuses an address to which no order can be sent. An empty one is none.
func checkOrders(address string) error {
	if address == "" || placeholder.In(address) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("%q: expected an address with https or http, or none", address)
	}
	return nil
}

// unmarshalCaddyfile reads a line of the option frontdesk:
//
//	telephony webhook [<url>] {
//		secret <secret>
//	}
//	telephony twilio {
//		account     <sid>
//		auth_token  <token>
//		destination <number>
//		from        <number>
//		address     <url>
//		api         <url>
//	}
//	telephony sip {
//		listen <address>...
//		trunk  <host>
//		...
//	}
func (t *Telephony) unmarshalCaddyfile(d *caddyfile.Dispenser, from *placeholder.Places) error {
	const expected = "expected: telephony webhook { secret SECRET }, or: telephony twilio { account SID, auth_token TOKEN, destination NUMBER }, or: telephony sip { listen ADDRESS, trunk HOST }"
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
	case "twilio":
		if t.Twilio != nil {
			return d.Err("telephony twilio is configured already: expected one")
		}
		t.Twilio = new(TelephonyTwilio)
		return t.Twilio.unmarshalCaddyfile(d, from)
	case "sip":
		if t.SIP != nil {
			return d.Err("telephony sip is configured already: expected one")
		}
		t.SIP = new(TelephonySIP)
		return t.SIP.unmarshalCaddyfile(d, from)
	}
	return d.Errf("unknown telephone platform %q: %s", d.Val(), expected)
}

func (w *TelephonyWebhook) unmarshalCaddyfile(d *caddyfile.Dispenser, from *placeholder.Places) error {
	if d.NextArg() {
		w.URL = d.Val()
		if err := checkOrders(w.URL); err != nil {
			return d.Errf("telephony webhook: %v", err)
		}
		if d.NextArg() {
			return d.Errf("unexpected %q: expected telephony webhook, or: telephony webhook URL", d.Val())
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
		from.Note(d, secret)
		if d.NextArg() {
			return d.Err("expected one secret on a line")
		}
		w.Secrets = append(w.Secrets, secret)
		plain = plain && !placeholder.In(secret)
		if !placeholder.In(secret) {
			if _, err := telephony.NewWebhook(secret); err != nil {
				return d.Err(err.Error())
			}
		}
		if len(w.Secrets) > telephony.MaxSecrets {
			return d.Errf("expected one secret, or %d while you replace it", telephony.MaxSecrets)
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
