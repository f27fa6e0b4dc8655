// Package certificates looks for certificates that Caddy has not renewed in time.
package certificates

import (
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddytls"
)

// A certificate has been renewed if all is well when less is left of it than renewedBefore, and than one part in
// renewedShare of its life.
const renewedBefore, renewedShare = 7 * 24 * time.Hour, 6

// Ending counts the hosts whose certificates, of those that are loaded, end soon or have ended, and returns when the
// first of them ends.
func Ending(hosts []string, now time.Time) (count int, first time.Time) {
	seen := make(map[string]struct{})
	for _, host := range hosts {
		if _, again := seen[host]; again {
			continue
		}
		seen[host] = struct{}{}
		var latest, began time.Time
		for _, c := range caddytls.AllMatchingCertificates(host) {
			if c.Leaf != nil && c.Leaf.NotAfter.After(latest) {
				latest, began = c.Leaf.NotAfter, c.Leaf.NotBefore
			}
		}
		if latest.IsZero() || latest.Sub(now) >= min(renewedBefore, latest.Sub(began)/renewedShare) {
			continue
		}
		if count++; first.IsZero() || latest.Before(first) {
			first = latest
		}
	}
	return count, first
}
