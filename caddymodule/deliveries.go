package caddymodule

import (
	"fmt"
	"net/netip"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// Mail is the server that takes the mails which tell of leads and calls.
type Mail struct {
	// Its address: `smtp://user@host:587`, which speaks TLS after STARTTLS, or
	// `smtps://user@host:465`. A server on this machine, `smtp://localhost:25`, needs
	// neither TLS nor a user.
	Server string `json:"server"`

	// The user's password, usually a placeholder such as `{env.NAME}` or `{file./path}`.
	Password string `json:"password,omitempty"`

	// The sender, such as `Shop <desk@shop.example>`.
	From string `json:"from"`
}

// Webhooks say where the webhooks of sites may go.
type Webhooks struct {
	// Ranges of addresses that are allowed beside public ones, such as `10.1.0.0/16`. Only
	// these may be reached without TLS.
	Allow []string `json:"allow,omitempty"`
}

// server is the mail server, with the placeholders resolved; nil for none.
func (m *Mail) server(from placeholder.Places) (*mail.Server, error) {
	if m == nil {
		return nil, nil
	}
	values := []string{m.Server, m.Password, m.From}
	for i, value := range values {
		var err error
		if values[i], err = placeholder.Fill(value); err != nil {
			return nil, from.At(value, fmt.Errorf("mail: %w", err))
		}
	}
	server, err := mail.ParseServer(values[0], values[1], values[2])
	if err != nil {
		return nil, from.At(m.Server, fmt.Errorf("mail: %w", err))
	}
	return &server, nil
}

// ranges are those that webhooks may reach.
func (w *Webhooks) ranges() ([]netip.Prefix, error) {
	if w == nil {
		return nil, nil
	}
	var ranges []netip.Prefix
	for _, text := range w.Allow {
		one, err := netip.ParsePrefix(text)
		if err != nil {
			var address netip.Addr
			if address, err = netip.ParseAddr(text); err == nil {
				one, err = address.Prefix(address.BitLen())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("webhooks: %q is not a range of addresses: expected one such as 10.1.0.0/16, or an address", text)
		}
		ranges = append(ranges, one.Masked())
	}
	return ranges, nil
}

// readMail reads an option of the app:
//
//	mail <address> {
//		password <password>
//		from     <sender>
//	}
func readMail(a *App, d *caddyfile.Dispenser) error {
	if a.Mail != nil {
		return d.Err("mail is configured already: expected one server")
	}
	a.Mail = new(Mail)
	if !d.AllArgs(&a.Mail.Server) || a.Mail.Server == "" {
		return d.Err("expected: mail smtp://USER@HOST:PORT { password PASSWORD, from SENDER }")
	}
	a.WrittenAt.Note(d, a.Mail.Server)
	fields := map[string]*string{"password": &a.Mail.Password, "from": &a.Mail.From}
	for d.NextBlock(1) {
		name := d.Val()
		to, known := fields[name]
		if !known {
			return d.Errf("unknown option %q of mail: expected password or from", name)
		}
		if *to != "" {
			return d.Errf("%s is given already: expected one", name)
		}
		if !d.AllArgs(to) || *to == "" {
			return d.Errf("expected: %s VALUE; in quotation marks when there are spaces", name)
		}
		a.WrittenAt.Note(d, *to)
	}
	if a.Mail.From == "" {
		return d.Err("mail: expected a block with from, and password when the address has a user")
	}
	if placeholder.In(a.Mail.Server) || placeholder.In(a.Mail.Password) || placeholder.In(a.Mail.From) {
		return nil // it is checked when the configuration is loaded
	}
	if _, err := mail.ParseServer(a.Mail.Server, a.Mail.Password, a.Mail.From); err != nil {
		return d.Errf("mail: %v", err)
	}
	return nil
}

// readWebhooks reads an option of the app:
//
//	webhooks {
//		allow <range>...
//	}
func readWebhooks(a *App, d *caddyfile.Dispenser) error {
	if a.Webhooks != nil {
		return d.Err("webhooks is configured already: expected one block")
	}
	a.Webhooks = new(Webhooks)
	if d.NextArg() {
		return d.Errf("unexpected %q: expected a block with allow", d.Val())
	}
	for d.NextBlock(1) {
		if d.Val() != "allow" {
			return d.Errf("unknown option %q of webhooks: expected allow", d.Val())
		}
		ranges := d.RemainingArgs()
		if len(ranges) == 0 {
			return d.Err("expected: allow RANGE..., such as allow 10.1.0.0/16")
		}
		a.Webhooks.Allow = append(a.Webhooks.Allow, ranges...)
	}
	if _, err := a.Webhooks.ranges(); err != nil {
		return d.Err(err.Error())
	}
	return nil
}
