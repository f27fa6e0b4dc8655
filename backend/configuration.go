package backend

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/mail"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/passwords"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
)

// Configuration is what a configuration declares for the database to know.
type Configuration struct {
	// Name is under which it declares: what it has declared before under the same
	// name, and does not declare now, is retired unless others declare it. Nodes with
	// the same configuration may share a name. See package declarer.
	Name string
	// Sites are the keys of the sites that it names.
	Sites []string
	// Numbers are the telephone numbers that it has for these sites, by their keys.
	Numbers map[string][]number.Declared
	// Settings are what it says for these sites, by their keys.
	Settings map[string]site.Settings
	// Fixed is what it says for these sites and what the console only shows, by their keys.
	Fixed map[string][]site.Fixed
	// Limits are what the sites may use that it serves, by their keys; nil for no limits. Those of [AnyHost] are of all
	// sites that it does not name.
	Limits map[string]*limit.Limits
	// Hosts are those at which it serves these sites, by their keys.
	Hosts map[string][]string
	// Services are the URLs under which it has the service of these sites, with a slash at the end, by their keys.
	// That of [AnyHost] is of a block for hosts that it does not name, with another host in it.
	Services map[string]string
	// Pools are those that the sites may use.
	Pools number.ConfiguredPools
	// Operators are its accounts.
	Operators []Operator
	// Retention is for how long visits are kept; 0 for ever.
	Retention time.Duration
	// Networks say by which file visitors' places are told.
	Networks place.Settings
	// Spool tells what waits on the disk for the database. It may be nil.
	Spool func() spool.State
	// TwoStep says who has to sign in to the console with two steps.
	TwoStep twostep.Rule
	// WholeAddresses has the addresses of clients logged whole.
	WholeAddresses bool
	// Console is the console's URL with a slash at the end, or empty when the
	// configuration does not tell.
	Console string
	// Mail is the server that takes mail; nil for none.
	Mail *mail.Server
	// Diallers are the telephone platforms that call people, the one that is taken where a site
	// names none first. They tell of what they do by [Service.Progress].
	Diallers []telephony.Dialler
	// Webhooks are the ranges of addresses that webhooks may go to beside public ones.
	Webhooks []netip.Prefix
}

// AnyHost stands among the keys of [Configuration.Services] for sites whose key is their host, and among those of
// [Configuration.Limits] for all that are not named.
const AnyHost = "*"

// Operator is a declared account.
type Operator struct {
	Login        string
	PasswordHash string // argon2id in PHC string form
	// Sites are the keys of the sites that the account administers; none for all. They
	// become known sites.
	Sites []string
}

// Check tells what is wrong with the account.
func (o Operator) Check() error {
	if _, err := operator.FoldLogin(o.Login); err != nil {
		return fmt.Errorf("operator %q: %w", o.Login, err)
	}
	if err := passwords.CheckHash(o.PasswordHash); err != nil {
		return fmt.Errorf("password hash of operator %q: %w", o.Login, err)
	}
	return o.CheckSites()
}

// CheckSites tells what is wrong with the keys of the account's sites.
func (o Operator) CheckSites() error {
	for _, key := range o.Sites {
		if err := site.ValidKey(key); err != nil {
			return fmt.Errorf("sites of operator %q: %w", o.Login, err)
		}
	}
	return nil
}

// configuredFor is what this node's configuration says for the site of the key.
func (d *Desk) configuredFor(key string) (set site.Settings, known bool) {
	set, known = d.configured.Load().Settings[key]
	return set, known
}

// fixedFor is what this node's configuration says for the site of the key and what the console only shows.
func (d *Desk) fixedFor(key string) []site.Fixed { return d.configured.Load().Fixed[key] }

// platforms are the names of the telephone platforms of this node's configuration.
func (d *Desk) platforms() (names []string) {
	for _, dialler := range d.configured.Load().Diallers {
		names = append(names, dialler.Name())
	}
	return names
}

// spool is what waits on this node's disk for the database.
func (d *Desk) spool() (state spool.State) {
	if of := d.configured.Load().Spool; of != nil {
		state = of()
	}
	return state
}

// deliverySettings are those of this node's configuration.
func (d *Desk) deliverySettings() notify.Settings {
	c := d.configured.Load()
	return notify.Settings{Allowed: c.Webhooks, Mail: c.Mail, Console: c.Console}
}

// regions are the countries in whose way the visitors of the sites write numbers, as far as that can be told.
func (d *Desk) regions(ctx context.Context) (regions []string) {
	sites, err := d.Sites.List(ctx)
	if err != nil {
		return nil
	}
	add := func(region string) {
		if region != "" && !slices.Contains(regions, region) {
			regions = append(regions, region)
		}
	}
	for _, s := range sites {
		set, _ := d.configuredFor(s.Key)
		for _, own := range []site.Settings{s.Settings, set} {
			if own.Region != nil {
				add(*own.Region)
			}
		}
		shown, _ := d.Numbers.Region(ctx, s.ID) // or as if no page had been seen
		add(shown)
		for _, n := range slices.Concat(s.Settings.Numbers, set.Numbers) {
			add(contact.RegionOf(contact.Digits(n.Number)))
		}
	}
	return regions
}

// regionOf is the country in whose way the visitors of the site write numbers.
func (d *Desk) regionOf(ctx context.Context, siteID int64) string {
	if key, err := d.Sites.Key(ctx, siteID); err == nil {
		set, _ := d.configuredFor(key)
		stored, _ := d.Sites.ByKey(ctx, key)
		for _, own := range []site.Settings{stored.Settings, set} {
			if own.Region != nil && *own.Region != "" {
				return *own.Region
			}
		}
	}
	region, _ := d.Numbers.Region(ctx, siteID)
	return region
}
