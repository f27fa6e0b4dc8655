// Package trunk is a SIP trunk: its settings, its addresses, its registration, and the dialogs with the phones behind
// it (RFC 3261). It does not know orders. Package sip asks it to call a phone, and gives it the requests of a phone
// that it calls.
package trunk

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"
)

// The transports of SIP for a trunk.
const (
	UDP = "udp"
	TCP = "tcp"
)

const (
	// defaultPort is the port of SIP (RFC 3261, section 19.1.2).
	defaultPort = 5060
	// defaultExpires is how long a registration lasts, and the others bound that.
	defaultExpires = 10 * time.Minute
	minExpires     = time.Minute
	maxExpires     = 24 * time.Hour
	// defaultCalls is how many orders are carried out at once.
	defaultCalls = 20
	maxCalls     = 1000
	// defaultDuration is the time after which a call is ended, and the others bound that.
	defaultDuration = 2 * time.Hour
	minDuration     = time.Minute
	maxDuration     = 24 * time.Hour
	// maxText bounds a user's name, a password and a realm, in bytes.
	maxText = 128
	// maxTrusted bounds the networks of a trunk.
	maxTrusted = 64
)

// Address is an address at which SIP is received.
type Address struct {
	Transport string // UDP or TCP
	At        netip.AddrPort
}

// String returns the address as [ParseAddress] reads it.
func (a Address) String() string { return a.Transport + "/" + a.At.String() }

// ParseAddress reads an address such as udp/192.0.2.1:5060. UDP and port 5060 are optional.
func ParseAddress(text string) (Address, error) {
	a := Address{Transport: UDP}
	rest := text
	if transport, after, found := strings.Cut(text, "/"); found {
		a.Transport, rest = transport, after
	}
	if a.Transport != UDP && a.Transport != TCP {
		return Address{}, fmt.Errorf("listen %q: expected udp/ADDRESS:PORT or tcp/ADDRESS:PORT", text)
	}
	if ip, err := netip.ParseAddr(rest); err == nil {
		a.At = netip.AddrPortFrom(ip, defaultPort)
		return a, nil
	}
	var err error
	if a.At, err = netip.ParseAddrPort(rest); err != nil || a.At.Port() == 0 {
		return Address{}, fmt.Errorf("listen %q: expected an IP address and a port, such as udp/192.0.2.1:5060", text)
	}
	return a, nil
}

// Settings are the settings of a trunk. Their zero values mean the defaults.
type Settings struct {
	// Listen are the addresses of this side. One of them has the trunk's transport.
	Listen []Address
	// Public is the host, and optionally the port, by which the trunk reaches this side. Empty means the address of
	// Listen.
	Public string
	// Trunk is the host, and optionally the port, of the trunk: its registrar and proxy. Transport is UDP or TCP.
	Trunk, Transport string
	// Domain is the domain of addresses at the trunk. Empty means the trunk's host.
	Domain string
	// User and Password go to the trunk when it asks, only for Realm unless that is empty.
	User, Password, Realm string
	// Register asks the trunk to send calls here, each time for Expires.
	Register bool
	Expires  time.Duration
	// Trusted are the networks of the trunk besides the addresses of its host. Nobody else gets an answer.
	Trusted []netip.Prefix
	// CallerID is the number that called people see, as digits. Empty means the user.
	CallerID string
	// Destination is where callers are redirected if it is not known which printed number the called one replaces, as
	// digits. Empty means nowhere.
	Destination string
	// Prefix is put before numbers with a country code: a plus sign, or what an exchange wants dialled.
	Prefix string
	// Region is the country of numbers without a country code, in ISO 3166-1 alpha-2.
	Region string
	// Calls bounds how many orders are carried out at once, and Duration how long one may take.
	Calls    int
	Duration time.Duration
}

var (
	hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
	userName = regexp.MustCompile(`^[A-Za-z0-9_.!~*'()&=+$,;?/-]{1,64}$`)
	prefix   = regexp.MustCompile(`^\+?[0-9*#]{0,8}$`)
)

// CheckHost returns an error for a text that is not a host with an optional port.
func CheckHost(text string) error {
	host, port := splitHost(text)
	if _, err := netip.ParseAddr(host); err != nil && !hostName.MatchString(host) || port < 1 || port > 65535 {
		return fmt.Errorf("%q: expected a host, or a host and a port, such as sip.example.com:5060", text)
	}
	return nil
}

// splitHost returns the host without brackets, and the port. The port is 0 if it cannot be read.
func splitHost(text string) (host string, port int) {
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		return text[1 : len(text)-1], defaultPort
	}
	host, after, err := net.SplitHostPort(text)
	if err != nil {
		return text, defaultPort
	}
	port, err = strconv.Atoi(after)
	if err != nil {
		return host, 0
	}
	return host, port
}

// CheckUser returns an error for a text that is not a user of a SIP address.
func CheckUser(user string) error {
	if !userName.MatchString(user) {
		return errors.New("user: expected 1 to 64 letters, digits and signs that a SIP address may have before its @")
	}
	return nil
}

// CheckSecret returns an error for a password or a realm that cannot be sent.
func CheckSecret(name, text string) error {
	if text == "" || len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%s must have 1 to %d characters, and no control characters", name, maxText)
	}
	return nil
}

// CheckNumber returns an error for a text that is not a number in international form.
func CheckNumber(name, number string) error {
	if digits := Digits(number); len(digits) < minDigits || len(digits) > maxDigits {
		return fmt.Errorf("%s: expected a number in international form, such as 74951234567", name)
	}
	return nil
}

// CheckPrefix returns an error for a text that cannot be dialled.
func CheckPrefix(text string) error {
	if text == "" || !prefix.MatchString(text) {
		return errors.New("prefix: expected a plus sign, or up to 8 digits, * and #")
	}
	return nil
}

// CheckRegion returns an error for a text that is not a country with telephone numbers.
func CheckRegion(region string) error {
	if phonenumbers.GetCountryCodeForRegion(region) == 0 {
		return fmt.Errorf("region %q: expected a country's two letters, such as RU", region)
	}
	return nil
}

// Complete fills in the defaults and checks the settings.
func (s Settings) Complete() (Settings, error) {
	if s.Transport == "" {
		s.Transport = UDP
	}
	if s.Expires == 0 {
		s.Expires = defaultExpires
	}
	if s.Calls == 0 {
		s.Calls = defaultCalls
	}
	if s.Duration == 0 {
		s.Duration = defaultDuration
	}
	if err := s.check(); err != nil {
		return Settings{}, err
	}
	s.CallerID, s.Destination = Digits(s.CallerID), Digits(s.Destination)
	if s.Domain == "" {
		s.Domain, _ = splitHost(s.Trunk)
	}
	return s, nil
}

func (s Settings) check() error {
	own := slices.IndexFunc(s.Listen, func(a Address) bool { return a.Transport == s.Transport })
	switch {
	case s.Trunk == "":
		return errors.New("expected the trunk's host")
	case s.Transport != UDP && s.Transport != TCP:
		return fmt.Errorf("transport %q: expected udp or tcp", s.Transport)
	case own < 0:
		return fmt.Errorf("expected a %s address in listen, because the trunk uses that", s.Transport)
	case s.Public == "" && slices.ContainsFunc(s.Listen, func(a Address) bool { return a.At.Addr().IsUnspecified() }):
		return errors.New("expected public HOST, because the trunk cannot reach the address of listen")
	case s.Register && s.User == "":
		return errors.New("register: expected a user to register")
	case (s.User == "") != (s.Password == "") && (s.Password != "" || s.Register):
		return errors.New("expected a user and a password")
	case s.Expires < minExpires || s.Expires > maxExpires:
		return fmt.Errorf("register: expected a time from %s to %s", minExpires, maxExpires)
	case s.Calls < 1 || s.Calls > maxCalls:
		return fmt.Errorf("calls: expected a number from 1 to %d", maxCalls)
	case s.Duration < minDuration || s.Duration > maxDuration:
		return fmt.Errorf("duration: expected a time from %s to %s", minDuration, maxDuration)
	case len(s.Trusted) > maxTrusted:
		return fmt.Errorf("trust: expected at most %d networks", maxTrusted)
	}
	for i, a := range s.Listen {
		if slices.Contains(s.Listen[:i], a) {
			return fmt.Errorf("listen %s: expected each address once", a)
		}
	}
	return errors.Join(s.checkTexts()...)
}

func (s Settings) checkTexts() (wrong []error) {
	check := func(text string, of func(string) error) {
		if text != "" {
			if err := of(text); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	check(s.Trunk, CheckHost)
	check(s.Public, CheckHost)
	check(s.Domain, CheckHost)
	check(s.User, CheckUser)
	check(s.Password, func(text string) error { return CheckSecret("password", text) })
	check(s.Realm, func(text string) error { return CheckSecret("realm", text) })
	check(s.CallerID, func(text string) error { return CheckNumber("caller_id", text) })
	check(s.Destination, func(text string) error { return CheckNumber("destination", text) })
	check(s.Prefix, CheckPrefix)
	check(s.Region, CheckRegion)
	return wrong
}
