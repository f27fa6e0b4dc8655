package notify

import (
	"crypto/x509"
	"net"
	"net/netip"
	"time"
)

// MayDial is mayDial.
func MayDial(ip netip.Addr, plain bool, allowed []netip.Prefix) bool {
	return mayDial(ip, plain, allowed)
}

// Trust has webhooks sent to servers with these certificates.
func (d *Deliveries) Trust(roots *x509.CertPool) { d.poster.transport.TLSClientConfig.RootCAs = roots }

// Resolve has the resolver asked for names.
func (d *Deliveries) Resolve(r *net.Resolver) { d.poster.dialer.Resolver = r }

// GiveUpAfter has attempts end earlier.
func (d *Deliveries) GiveUpAfter(timeout time.Duration) { d.timeout = timeout }

// RetryAfter is retryAfter.
func RetryAfter(text string, now time.Time) time.Duration { return retryAfter(text, now) }

// Next is next.
func Next(attempts int) (time.Duration, bool) { return next(attempts) }

// Fill is fill.
func Fill(text, contentType string, v map[string]string) (string, error) {
	return fill(text, contentType, v)
}
