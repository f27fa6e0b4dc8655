// Package effect says what is in effect for a site: the settings of a block, and above them the site's own, compiled
// once for each version, and what a visitor sees because of them. It owns what a configuration says about its sites,
// and the pictures of their numbers. The edge finds the effect of a request once, at its door, and passes it on with
// the request.
package effect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/api/widget"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
	"github.com/seed-3405227d/frontdesk/edge/region"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// effect is what is in effect for one site: the block's settings, and over them the site's own settings of one version.
// It is immutable.
type effect struct {
	Of          *Effects
	id, version int64 // of the site; both are 0 if the service does not know it
	Code        *snippet.Code
	Script      *snippet.Script
	Consent     gate.Consent
	origins     []string
	own         source.Own // the hosts of the site; in the defaults of a block, those of its origins
	region      string     // as set, or else that of the configured numbers; may be empty
	maskRegion  string     // region of the mask; may be empty
	numbers     *numbers
	Captures    []capture.Rule // the site's own, then those of the configuration
	IgnoreForms bool           // that no rule keeps
	Prerender   string
	attribution attribution.Model
	callback    callback.Settings
	widget      *widget.Widget
}

// signalFields are the header fields of the signals.
var signalFields = map[string]string{site.GPC: "Sec-Gpc", site.DNT: "Dnt"}

// newConsent returns the rules by which a visitor agrees, or refuses by a signal.
func newConsent(c site.Consent, signals []string) (gate.Consent, error) {
	made := gate.Consent{Cookie: c.Cookie}
	for _, signal := range signals {
		made.Refusals = append(made.Refusals, signalFields[signal])
	}
	expression := snippet.ConsentExpression(c.Value)
	if expression == "" {
		return made, nil
	}
	var err error
	made.Value, err = regexp.Compile(expression)
	return made, err
}

// compile prepares the effect for the site, which the configuration serves at the hosts.
func (b *Effects) compile(s site.Site, hosts []string) (*effect, error) {
	own, numbers := s.Settings.Over(b.Settings.Defaults()), b.numbersOf(s)
	f := &effect{
		Of: b, id: s.ID, version: s.Version, origins: own.Origins, own: source.OwnOf(own.Origins, hosts), numbers: numbers,
		region: cmp.Or(*own.Region, numbers.region), maskRegion: region.OfMask(*own.PhoneMask),
		IgnoreForms: *own.IgnoreForms, Prerender: *own.Prerender, attribution: *own.Attribution, widget: widget.New(own.Widget, *own.PhoneMask), callback: *own.Callback,
	}
	if b.Settings.elsewhere != nil { // the service elsewhere has the numbers
		f.numbers, f.Prerender = b.numbers, ""
	}
	var err error
	for _, rule := range s.Settings.Captures {
		if err := rule.Complete(); err != nil {
			return nil, err
		}
		f.Captures = append(f.Captures, rule)
	}
	f.Captures = append(f.Captures, b.Settings.Captures...)
	if f.Code, err = snippet.New(snippet.Settings{
		SiteKey: s.Key, Prefix: b.Settings.Prefix, DynamicalReplacement: own.DynamicalReplacement, PhoneMask: *own.PhoneMask,
		Credentials: *own.Credentials, Object: b.Settings.Objects[0], Supersede: *own.Supersede,
	}); err != nil {
		return nil, err
	}
	if f.Script, err = b.script(snippet.ScriptSettings{
		Objects: [2]string(b.Settings.Objects), Variant: b.Settings.Variant, Tracking: f.HasTracking(), Launcher: own.Widget.HasLauncher(),
		ConsentCookie: own.Consent.Cookie, ConsentValue: own.Consent.Value, Domains: domainsOf(f.own, len(hosts) > 0),
	}); err != nil {
		return nil, err
	}
	if f.Consent, err = newConsent(*own.Consent, own.Respect); err != nil {
		return nil, fmt.Errorf("consent value: %w", err)
	}
	return f, nil
}

// RegionNow returns the country by whose rules numbers without a country code are read. It is the one that is set or
// configured, or that of the numbers on the site's pages, or that of the mask. It is empty if there is none.
func (f *effect) RegionNow(ctx context.Context, shown *inventory.Inventory) string {
	if f.region != "" {
		return f.region
	}
	// If the region cannot be read now, it is the one before, or the mask decides.
	seen, _ := shown.Region(ctx, f.id)
	return cmp.Or(seen, f.maskRegion)
}

// Served returns the request's site in the form that the API needs.
func (q *Request) Served(desk *backend.Desk, r *http.Request) gate.Site {
	f := q.Effect
	settings := &f.Of.Settings
	known := gate.Site{
		ID:             q.Site.ID,
		Key:            q.Site.Key,
		Signed:         settings.Variant == snippet.VariantA,
		Prefix:         settings.Prefix,
		Origins:        f.origins,
		Own:            f.own,
		SharedCookies:  f.Shared(),
		Consent:        f.Consent,
		Uses:           desk.Limits,
		WholeAddresses: f.Of.WholeAddresses,
		Callback:       f.callback,
		Widget:         f.widget,
		Ending:         f.Of.Ending,
		Region:         func(ctx context.Context) string { return f.RegionNow(ctx, desk.Numbers) },
	}
	if settings.Quota != nil {
		known.Quota = *settings.Quota
	}
	if f.HasTracking() {
		known.Numbers = func(ctx context.Context, view visit.View) (json.RawMessage, error) {
			return f.records(ctx, desk, r, view)
		}
	}
	return known
}
