package webhook

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

// ErrPrivate means that an address is none of the public ones, and not allowed.
var ErrPrivate = errors.New("expected an address that is public, or in a range that the configuration allows")

// notPublic are ranges beside those that [netip.Addr] knows: of the registries of special addresses (RFC 6890 and
// IANA's lists since), and one by which a cloud speaks to its own machines.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
}

// mayDial reports whether a webhook may be sent to the address: to all that are public, and
// to those in the allowed ranges. Without TLS only the latter may.
func mayDial(ip netip.Addr, plain bool, allowed []netip.Prefix) bool {
	ip = ip.Unmap().WithZone("")
	within := func(p netip.Prefix) bool { return p.Contains(ip) }
	if slices.ContainsFunc(allowed, within) {
		return true
	}
	return !plain && ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(notPublic, within)
}

// plainKey marks the context of a request without TLS.
type plainKey struct{}

// control is for a [net.Dialer]: it sees the address that is really dialled, whatever the
// name has led to a moment before.
func control(allowed func() []netip.Prefix) func(ctx context.Context, network, address string, _ syscall.RawConn) error {
	return func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrPrivate
		}
		if !mayDial(to.Addr(), ctx.Value(plainKey{}) != nil, allowed()) {
			return ErrPrivate
		}
		return nil
	}
}

// maxURL is how long a URL may be, in bytes.
const maxURL = 2000

// CheckURL returns an error that says what is wrong with the URL of a webhook, with a word for programs: url, https or
// private. allowed are as in [New].
func CheckURL(address string, allowed []netip.Prefix) (code string, err error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL || u.Hostname() == "" || u.User != nil || u.Fragment != "" || strings.ContainsFunc(address, unfit) {
		return "url", errors.New("expected an address such as https://crm.example/hooks/frontdesk, without a password and a fragment")
	}
	plain := u.Scheme == "http"
	if plain && len(allowed) == 0 || !plain && u.Scheme != "https" {
		return "https", errors.New("expected https")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !mayDial(ip, plain, allowed) {
		return "private", ErrPrivate
	}
	return "", nil
}

// unfit are characters that no URL has; templates of URLs have some of them.
func unfit(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`<>"{}|\^`+"`", r)
}
