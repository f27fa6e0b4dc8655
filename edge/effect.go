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
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/snippet"
)

// effect is what is in effect for one site: the block's settings, and above them the
// site's own, of one version. It does not change.
type effect struct {
	block       *Block
	id, version int64 // of the site
	code        *snippet.Code
	script      *snippet.Script
	consent     api.Consent
	origins     []string
	region      string // as is set, or of the configured numbers; may be empty
	maskRegion  string // of the mask; may be empty
	numbers     *numbers
	captures    []capture.Rule // the site's own, then those of the configuration
	prerender   string
	attribution number.Attribution
	callback    callback.Settings
	widget      *api.Widget
}

// newConsent is how a visitor says yes, or no by one of the signals.
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

// compile prepares what is in effect for the site.
func (b *Block) compile(s site.Site) (*effect, error) {
	own, numbers := s.Settings.Over(b.settings.Defaults()), b.numbersOf(s)
	f := &effect{
		block: b, id: s.ID, version: s.Version, origins: own.Origins, numbers: numbers,
		region: cmp.Or(*own.Region, numbers.region), maskRegion: regionOfMask(*own.PhoneMask),
		prerender: *own.Prerender, attribution: *own.Attribution, widget: api.NewWidget(own.Widget, *own.PhoneMask), callback: *own.Callback,
	}
	if b.settings.remote != nil { // which has the numbers
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

// maxEffects is how many sites' effects a block keeps at hand.
const maxEffects = 1 << 14

// effectFor is what is in effect for the site. While the service does not tell of its
// settings, those hold that held before, or the block's.
func (b *Block) effectFor(s site.Site, told bool) (*effect, error) {
	b.mu.RLock()
	f := b.effects[s.Key]
	b.mu.RUnlock()
	if f != nil && (!told || f.id == s.ID && f.version == s.Version) {
		return f, nil
	}
	if !b.compiling.TryLock() {
		if f != nil && f.id == s.ID { // it is being done: this request follows what held before
			return f, nil
		}
		b.compiling.Lock()
	}
	defer b.compiling.Unlock()
	b.mu.RLock()
	f = b.effects[s.Key]
	b.mu.RUnlock()
	if f != nil && f.id == s.ID && f.version == s.Version {
		return f, nil
	}
	f, err := b.compile(s)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.effects) >= maxEffects {
		clear(b.effects)
	}
	b.effects[s.Key] = f
	return f, nil
}

// regionNow is the country by which numbers without a country's code are read: by
// what is set or configured, else by the numbers that the site's pages show, else by
// the mask. It is empty where none of them tells.
func (f *effect) regionNow(ctx context.Context, shown *number.Shown) string {
	if f.region != "" {
		return f.region
	}
	// Where it cannot be read now, it is as if no page had been seen.
	seen, _ := shown.Region(ctx, f.id)
	return cmp.Or(seen, f.maskRegion)
}

// site is the site as the API has to know it, for one request.
func (f *effect) site(s site.Site, desk *backend.Desk, r *http.Request) api.Site {
	settings := &f.block.settings
	known := api.Site{
		ID:             s.ID,
		Key:            s.Key,
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
	if f.hasTracking() {
		known.Numbers = func(ctx context.Context, hit visit.Hit) (json.RawMessage, error) {
			return f.records(ctx, desk, r, hit)
		}
	}
	return known
}
