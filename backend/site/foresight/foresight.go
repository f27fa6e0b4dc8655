// Package foresight tells which numbers a visitor would see who comes to a site from somewhere, and by which rule.
package foresight

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/numbering"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Foresight looks ahead for sites.
type Foresight struct {
	Sites  *site.Sites
	Leases *lease.Leases
	// Hosts are those at which this server's configuration serves the site of a key. It may be nil.
	Hosts func(key string) []string
	Now   func() time.Time
}

// Arrival is how a visitor comes.
type Arrival struct {
	Address  string // of the first page of the visit, with its scheme and host
	Referrer string // the page before; may be empty
	Again    string // of the first page of a visit on the next day; empty for none
	// Attribution says which visit decides; empty for what the site has.
	Attribution attribution.Model
}

// Foreseen is what the visitor would see.
type Foreseen struct {
	Attribution attribution.Model // that has decided
	Source      source.Source     // of the visit that decides
	Numbers     []Number          // in the order of the site's numbers
	// IsElsewhere says that the page is at no host of the site.
	IsElsewhere bool
}

// Number is what the visitor would see in the place of a printed number.
type Number struct {
	number.Verdict
	// Tracking is the rule that holds, as it was set; empty if none does.
	Tracking number.Tracking
	// Free is how many numbers of the pool nobody has now.
	Free int
}

// maxAddress is how long an address may be, in bytes.
const maxAddress = 4000

// ErrAddress is returned for an address of a page that is none, or is too long.
var ErrAddress = errors.New("expected the address of a page, with https:// or http://, of at most 4,000 bytes")

// Of tells what the visitor would see of the site's numbers. effective are the settings in effect for the site. The error
// is [ErrAddress] for an arrival that cannot be.
func (f *Foresight) Of(ctx context.Context, n *numbering.Numbering, effective site.Settings, by Arrival) (*Foreseen, error) {
	found := &Foreseen{Attribution: by.Attribution}
	if found.Attribution == "" {
		found.Attribution = ModelOf(effective)
	}
	var hosts []string
	if f.Hosts != nil {
		hosts = f.Hosts(n.Key)
	}
	pages, err := f.pages(source.OwnOf(effective.Origins, hosts), by)
	if err != nil {
		return nil, err
	}
	plan := n.Effective.Plan()
	var remembered *attribution.Remembered
	var choice number.Choice
	for _, page := range pages {
		choice, remembered, _ = found.Attribution.Follow(plan, remembered, page)
		if found.Source = page.Source; remembered != nil {
			found.Source = remembered.Source
		}
	}
	list := n.Effective.Numbers()
	for i, verdict := range plan.Verdicts(choice) {
		seen := Number{Verdict: verdict}
		if verdict.Rule > 0 {
			seen.Tracking = list[i].Tracking[verdict.Rule-1]
		}
		if verdict.Pool != nil {
			if seen.Free, err = f.free(ctx, verdict.Pool); err != nil {
				return nil, err
			}
		}
		found.Numbers = append(found.Numbers, seen)
	}
	found.IsElsewhere = !f.isAt(n.Site, effective.Origins, hosts, by.Address)
	return found, nil
}

// ModelOf says which of a visitor's visits decides under the settings.
func ModelOf(effective site.Settings) attribution.Model {
	if effective.Attribution == nil {
		return attribution.LastNonDirect
	}
	return *effective.Attribution
}

// pages are the first pages of the visits to a site with these hosts of its own.
func (f *Foresight) pages(own source.Own, by Arrival) (pages []attribution.Page, err error) {
	referrer := by.Referrer
	for i, text := range []string{by.Address, by.Again} {
		if text == "" && i > 0 {
			break
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(text) > maxAddress || len(referrer) > maxAddress {
			return nil, ErrAddress
		}
		pages = append(pages, attribution.PageAt(u, referrer, own, false, f.Now().Add(time.Duration(i)*24*time.Hour)))
		referrer = "" // the later visit comes by the address alone
	}
	return pages, nil
}

// free is how many numbers of the pool nobody has now, and do not rest.
func (f *Foresight) free(ctx context.Context, pool *number.Pool) (int, error) {
	held, err := f.Leases.Held(ctx, pool.Digits)
	if err != nil {
		return 0, err
	}
	free, now := len(pool.Digits), f.Now()
	for _, l := range held {
		if !l.Until.Before(now) {
			free--
		}
	}
	resting, err := f.Leases.Resting(ctx, pool)
	return free - len(resting), err
}

// isAt tells whether the address is at a host of the site: the one that is its key, those of its
// origins, and those that this server's configuration names. Where it names none, those count at
// which this server has served the site's pages.
func (f *Foresight) isAt(s site.Site, origins, hosts []string, address string) bool {
	page, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := page.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // as browsers send it
		host = ascii
	}
	isHost := func(of string) bool { return strings.EqualFold(of, host) }
	isOrigin := func(of string) bool {
		u, err := url.Parse(of)
		return err == nil && isHost(u.Hostname())
	}
	return isHost(s.Key) || slices.ContainsFunc(origins, isOrigin) || slices.ContainsFunc(hosts, isHost) ||
		len(hosts) == 0 && f.Sites.Serves(s.ID, host)
}
