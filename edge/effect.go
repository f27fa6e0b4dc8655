package edge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// effect is what is in effect for one site: the block's settings, and over them the site's own settings of one version.
// It is immutable.
type effect struct {
	block       *Block
	id, version int64 // of the site; both are 0 if the service does not know it
	code        *snippet.Code
	script      *snippet.Script
	consent     api.Consent
	origins     []string
	region      string // as set, or else that of the configured numbers; may be empty
	maskRegion  string // region of the mask; may be empty
	numbers     *numbers
	captures    []capture.Rule // the site's own, then those of the configuration
	prerender   string
	attribution attribution.Model
	callback    callback.Settings
	widget      *api.Widget
}

// newConsent returns the rules by which a visitor agrees, or refuses by a signal.
func newConsent(c site.Consent, signals []string) (api.Consent, error) {
	made := api.Consent{Cookie: c.Cookie}
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

// compile prepares the effect for the site.
func (b *Block) compile(s site.Site) (*effect, error) {
	own, numbers := s.Settings.Over(b.settings.Defaults()), b.numbersOf(s)
	f := &effect{
		block: b, id: s.ID, version: s.Version, origins: own.Origins, numbers: numbers,
		region: cmp.Or(*own.Region, numbers.region), maskRegion: regionOfMask(*own.PhoneMask),
		prerender: *own.Prerender, attribution: *own.Attribution, widget: api.NewWidget(own.Widget, *own.PhoneMask), callback: *own.Callback,
	}
	if b.settings.remote != nil { // the service elsewhere has the numbers
		f.numbers, f.prerender = b.numbers, ""
	}
	var err error
	for _, rule := range s.Settings.Captures {
		if err := rule.Complete(); err != nil {
			return nil, err
		}
		f.captures = append(f.captures, rule)
	}
	f.captures = append(f.captures, b.settings.Captures...)
	if f.code, err = snippet.New(snippet.Settings{
		SiteKey: s.Key, Prefix: b.settings.Prefix, DynamicalReplacement: own.DynamicalReplacement, PhoneMask: *own.PhoneMask,
		Credentials: b.settings.Credentials, Object: b.settings.Objects[0],
	}); err != nil {
		return nil, err
	}
	if f.script, err = b.edge.script(snippet.ScriptSettings{
		Objects: [2]string(b.settings.Objects), Variant: b.settings.Variant, Tracking: f.hasTracking(), Launcher: own.Widget.HasLauncher(),
		ConsentCookie: own.Consent.Cookie, ConsentValue: own.Consent.Value,
	}); err != nil {
		return nil, err
	}
	if f.consent, err = newConsent(*own.Consent, b.settings.Respect); err != nil {
		return nil, fmt.Errorf("consent value: %w", err)
	}
	return f, nil
}

// maxEffects is how many effects a block keeps.
const maxEffects = 1 << 14

// effectFor returns the effect for the site. told is false while the service does not tell the site's settings. Then
// effectFor returns the last effect, or one of the block's settings.
func (b *Block) effectFor(s site.Site, told bool) (*effect, error) {
	f, _ := b.effects.Get(s.Key)
	if f != nil && (!told || f.id == s.ID && f.version == s.Version) {
		return f, nil
	}
	if !b.compiling.TryLock() {
		if f != nil && f.id == s.ID { // another request compiles it; this one uses the last effect
			return f, nil
		}
		b.compiling.Lock()
	}
	defer b.compiling.Unlock()
	if f, _ = b.effects.Get(s.Key); f != nil && f.id == s.ID && f.version == s.Version {
		return f, nil
	}
	f, err := b.compile(s)
	if err != nil {
		return nil, err
	}
	b.effects.Add(s.Key, f)
	return f, nil
}

// regionNow returns the country by whose rules numbers without a country code are read. It is the one that is set or
// configured, or that of the numbers on the site's pages, or that of the mask. It is empty if there is none.
func (f *effect) regionNow(ctx context.Context, shown *inventory.Inventory) string {
	if f.region != "" {
		return f.region
	}
	// If the region cannot be read now, it is the one before, or the mask decides.
	seen, _ := shown.Region(ctx, f.id)
	return cmp.Or(seen, f.maskRegion)
}

// served returns the request's site in the form that the API needs.
func (q *Request) served(desk *backend.Desk, r *http.Request) api.Site {
	f := q.effect
	settings := &f.block.settings
	known := api.Site{
		ID:             q.site.ID,
		Key:            q.site.Key,
		Signed:         settings.Variant == snippet.VariantA,
		Prefix:         settings.Prefix,
		Origins:        f.origins,
		Consent:        f.consent,
		WholeAddresses: f.block.edge.WholeAddresses,
		Callback:       f.callback,
		Widget:         f.widget,
		Ending:         f.block.edge.Ending,
		Region:         func(ctx context.Context) string { return f.regionNow(ctx, desk.Numbers) },
	}
	if settings.Quota != nil {
		known.Quota = *settings.Quota
	}
	if f.hasTracking() {
		known.Numbers = func(ctx context.Context, hit visit.Hit) (json.RawMessage, error) {
			return f.records(ctx, desk, r, hit)
		}
	}
	return known
}
