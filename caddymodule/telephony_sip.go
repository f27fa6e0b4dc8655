package caddymodule

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/seed-3405227d/frontdesk/backend/telephony/sip/trunk"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// TelephonySIP is a SIP trunk: it calls operators and visitors and joins them, and tells callers of
// tracking numbers whom to call instead.
type TelephonySIP struct {
	// Where to listen: `udp/192.0.2.1:5060` or `tcp/192.0.2.1:5060`.
	Listen []string `json:"listen"`

	// The host, and perhaps the port, by which the trunk reaches this side. Default: the address
	// that is listened at.
	Public string `json:"public,omitempty"`

	// The host, and perhaps the port, of the trunk.
	Trunk string `json:"trunk"`

	// How the trunk is reached: `udp` or `tcp`. Default: `udp`.
	Transport string `json:"transport,omitempty"`

	// The domain of addresses at the trunk. Default: the trunk's host.
	Domain string `json:"domain,omitempty"`

	// Who the trunk is told is calling, when it asks.
	User string `json:"user,omitempty"`

	// The user's password, usually a placeholder such as `{env.NAME}` or `{file./path}`.
	Password string `json:"password,omitempty"`

	// The realm that the password is for. Default: any.
	Realm string `json:"realm,omitempty"`

	// Whether the trunk is asked to send the user's calls here. Default: no.
	Register bool `json:"register,omitempty"`

	// For how long it is asked to at a time, from a minute to a day. Default: ten minutes.
	Expires caddy.Duration `json:"expires,omitempty"`

	// The networks of the trunk, beside the addresses of its host. Nobody else is answered.
	Trusted []string `json:"trusted,omitempty"`

	// The number that called persons are shown, in international form. Default: the user.
	CallerID string `json:"caller_id,omitempty"`

	// The number that callers are sent to while it cannot be told for which one the called number
	// stands. Default: none.
	Destination string `json:"destination,omitempty"`

	// What is dialled before numbers with a country's code, such as `+`. Default: nothing.
	Prefix string `json:"prefix,omitempty"`

	// The country of numbers that the trunk tells without a country's code: two letters.
	Region string `json:"region,omitempty"`

	// How many callbacks are carried out at once. Default: 20.
	Calls int `json:"calls,omitempty"`

	// After which time a call is ended, from a minute to a day. Default: two hours.
	Duration caddy.Duration `json:"duration,omitempty"`
}

// settings are those of the trunk, with placeholders resolved.
func (t *TelephonySIP) settings(from placeholder.Places) (trunk.Settings, error) {
	s := trunk.Settings{
		Register: t.Register, Expires: time.Duration(t.Expires), Calls: t.Calls, Duration: time.Duration(t.Duration),
		Transport: t.Transport,
	}
	resolve := func(text string) (string, error) {
		resolved, err := placeholder.Fill(text)
		if err != nil {
			return "", from.At(text, fmt.Errorf("telephony sip: %w", err))
		}
		return resolved, nil
	}
	for _, field := range t.texts() {
		text, err := resolve(*field.written)
		if err != nil {
			return s, err
		}
		if text != "" && field.check != nil {
			if err := field.check(text); err != nil {
				return s, from.At(*field.written, fmt.Errorf("telephony sip: %s: %w", field.name, err))
			}
		}
		*field.of(&s) = text
	}
	for _, written := range t.Listen {
		text, err := resolve(written)
		if err != nil {
			return s, err
		}
		address, err := trunk.ParseAddress(text)
		if err != nil {
			return s, from.At(written, fmt.Errorf("telephony sip: %w", err))
		}
		s.Listen = append(s.Listen, address)
	}
	for _, written := range t.Trusted {
		text, err := resolve(written)
		if err != nil {
			return s, err
		}
		network, err := networkOf(text)
		if err != nil {
			return s, from.At(written, fmt.Errorf("telephony sip: %w", err))
		}
		s.Trusted = append(s.Trusted, network)
	}
	s, err := s.Complete()
	if err != nil {
		return s, fmt.Errorf("telephony sip: %w", err)
	}
	return s, nil
}

// networkOf reads a network, or an address alone.
func networkOf(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("trust %q: expected an address or a network, such as 192.0.2.0/24", text)
	}
	return network.Masked(), nil
}

// sipText is an option that is a text.
type sipText struct {
	name    string
	written *string
	of      func(*trunk.Settings) *string
	check   func(string) error
}

func (t *TelephonySIP) texts() []sipText {
	number := func(name string) func(string) error {
		return func(text string) error { return trunk.CheckNumber(name, text) }
	}
	secret := func(name string) func(string) error {
		return func(text string) error { return trunk.CheckSecret(name, text) }
	}
	return []sipText{
		{"public", &t.Public, func(s *trunk.Settings) *string { return &s.Public }, trunk.CheckHost},
		{"trunk", &t.Trunk, func(s *trunk.Settings) *string { return &s.Trunk }, trunk.CheckHost},
		{"domain", &t.Domain, func(s *trunk.Settings) *string { return &s.Domain }, trunk.CheckHost},
		{"user", &t.User, func(s *trunk.Settings) *string { return &s.User }, trunk.CheckUser},
		{"password", &t.Password, func(s *trunk.Settings) *string { return &s.Password }, secret("password")},
		{"realm", &t.Realm, func(s *trunk.Settings) *string { return &s.Realm }, secret("realm")},
		{"caller_id", &t.CallerID, func(s *trunk.Settings) *string { return &s.CallerID }, number("caller_id")},
		{"destination", &t.Destination, func(s *trunk.Settings) *string { return &s.Destination }, number("destination")},
		{"prefix", &t.Prefix, func(s *trunk.Settings) *string { return &s.Prefix }, trunk.CheckPrefix},
		{"region", &t.Region, func(s *trunk.Settings) *string { return &s.Region }, trunk.CheckRegion},
	}
}

const sipOptions = "expected listen, public, trunk, domain, user, password, realm, register, trust, caller_id, destination, prefix, region, calls or duration"

// unmarshalCaddyfile reads the block of telephony sip:
//
//	listen      <transport>/<address>:<port>...
//	public      <host>[:<port>]
//	trunk       <host>[:<port>] [udp|tcp]
//	domain      <host>
//	user        <name>
//	password    <password>
//	realm       <realm>
//	register    on|off|<duration>
//	trust       <network>...
//	caller_id   <number>
//	destination <number>
//	prefix      <text>
//	region      <country>
//	calls       <count>
//	duration    <duration>
func (t *TelephonySIP) unmarshalCaddyfile(d *caddyfile.Dispenser, from *placeholder.Places) error {
	if d.NextArg() {
		return d.Errf("unexpected %q: expected a block with listen and trunk", d.Val())
	}
	given := make(map[string]bool)
	placeholders := false
	for d.NextBlock(1) {
		name, values := d.Val(), d.RemainingArgs()
		if given[name] {
			return d.Errf("%s is given already: expected one line of it", name)
		}
		given[name] = true
		if len(values) == 0 {
			return d.Errf("expected: %s VALUE", name)
		}
		for _, value := range values {
			placeholders = placeholders || placeholder.In(value)
			from.Note(d, value)
		}
		if err := t.readLine(d, name, values, from); err != nil {
			return err
		}
	}
	if len(t.Listen) == 0 || t.Trunk == "" {
		return d.Err("telephony sip: expected a block with listen and trunk")
	}
	if !placeholders { // else it is checked when the configuration is loaded
		if _, err := t.settings(nil); err != nil {
			return d.Err(err.Error())
		}
	}
	return nil
}

func (t *TelephonySIP) readLine(d *caddyfile.Dispenser, name string, values []string, from *placeholder.Places) error {
	one := func() error {
		if len(values) != 1 {
			return d.Errf("expected: %s VALUE; in quotation marks when there are spaces", name)
		}
		return nil
	}
	switch name {
	case "listen":
		for _, value := range values {
			if _, err := trunk.ParseAddress(value); err != nil && !placeholder.In(value) {
				return d.Err(err.Error())
			}
			from.Keep(d, value)
		}
		t.Listen = values
	case "trust":
		for _, value := range values {
			if _, err := networkOf(value); err != nil && !placeholder.In(value) {
				return d.Err(err.Error())
			}
		}
		t.Trusted = values
	case "register":
		if err := one(); err != nil {
			return err
		}
		expires, err := caddy.ParseDuration(values[0])
		switch {
		case values[0] == "on" || values[0] == "off":
			t.Register = values[0] == "on"
		case err == nil && expires > 0:
			t.Register, t.Expires = true, caddy.Duration(expires)
		default:
			return d.Errf("register %q: expected on, off, or a time such as 10m", values[0])
		}
	case "calls":
		calls, err := strconv.Atoi(values[0])
		if err != nil || len(values) > 1 || calls < 1 {
			return d.Err("expected: calls COUNT, such as calls 20")
		}
		t.Calls = calls
	case "duration":
		duration, err := caddy.ParseDuration(values[0])
		if err != nil || len(values) > 1 || duration <= 0 {
			return d.Err("expected: duration DURATION, such as duration 2h")
		}
		t.Duration = caddy.Duration(duration)
	default:
		if name == "trunk" && len(values) == 2 {
			if t.Transport = values[1]; t.Transport != trunk.UDP && t.Transport != trunk.TCP {
				return d.Errf("trunk by %q: expected udp or tcp", t.Transport)
			}
			values = values[:1]
		}
		for _, field := range t.texts() {
			if field.name != name {
				continue
			}
			if err := one(); err != nil {
				return err
			}
			*field.written = values[0]
			if values[0] == "" {
				return d.Errf("%s is empty", name)
			}
			if placeholder.In(values[0]) {
				return nil
			}
			if err := field.check(values[0]); err != nil {
				return d.Err(err.Error())
			}
			return nil
		}
		return d.Errf("unknown option %q of telephony sip: "+sipOptions, name)
	}
	return nil
}
