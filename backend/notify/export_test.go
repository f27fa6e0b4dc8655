package notify

import (
	"crypto/x509"
	"net"
	"time"
)

// Trust has webhooks sent to servers with these certificates.
func (d *Deliveries) Trust(roots *x509.CertPool) { d.poster.Transport.TLSClientConfig.RootCAs = roots }

// Resolve has the resolver asked for names.
func (d *Deliveries) Resolve(r *net.Resolver) { d.poster.Dialer.Resolver = r }

// GiveUpAfter has attempts end earlier.
func (d *Deliveries) GiveUpAfter(timeout time.Duration) { d.timeout = timeout }

// Next is next.
func Next(attempts int) (time.Duration, bool) { return next(attempts) }
