package frame

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// ConfiguredOf is what this server's configuration says for the site of the key, if it names the site.
func (f *Frame) ConfiguredOf(key string) (set site.Settings, known bool) {
	if f.Configured != nil {
		set, known = f.Configured(key)
	}
	return set, known
}

// Effective are the settings in effect for the site, as far as this server's configuration
// tells.
func (f *Frame) Effective(s site.Site) site.Settings {
	configured, known := f.ConfiguredOf(s.Key)
	if !known && f.Configured == nil {
		return s.Settings
	}
	return s.Settings.Over(configured)
}

// Zone is the time zone of the page's sites; UTC where they have several.
func (f *Frame) Zone(p Page) *time.Location {
	var zone *time.Location
	for _, s := range p.Sites {
		if p.SiteID != 0 && p.SiteID != s.ID {
			continue
		}
		of := f.Effective(s).Zone()
		if zone != nil && zone.String() != of.String() {
			return time.UTC
		}
		zone = of
	}
	return cmp.Or(zone, time.UTC)
}

// HeadOf is the head of the page's file of the name, with the columns of the names.
func (f *Frame) HeadOf(p Page, name string, columns []string) table.Head {
	return table.Head{Name: name, Columns: columns, Words: p.Words, Now: f.Now(), Zone: f.Zone(p)}
}

// CurrencyOf is the currency of the site's sums, as far as this server's configuration tells; empty where none is told.
func (f *Frame) CurrencyOf(s site.Site) string {
	if code := f.Effective(s).Currency; code != nil {
		return *code
	}
	return ""
}

// SumsOf are the page's words, with sums in the currency of the site of the id.
func (p Page) SumsOf(siteID int64) *words.Tongue {
	if s, found := p.Site(siteID); found && p.Currency != nil {
		return p.Words.In(p.Currency(s))
	}
	return p.Words
}

func SiteLink(id int64) string { return "/sites/" + strconv.FormatInt(id, 10) }

// SiteAt begins the page of that name, about the site that the address names.
func (f *Frame) SiteAt(r *http.Request, page string) (p Page, named site.Site, err error) {
	if p, err = f.Page(r, page); err != nil {
		return p, named, err
	}
	for _, s := range p.Sites {
		if r.PathValue(SiteField) == strconv.FormatInt(s.ID, 10) {
			p.About = s
			return p, s, nil
		}
	}
	return p, named, NotFound
}

// ServedAt is siteAt for what a retired site has no more.
func (f *Frame) ServedAt(r *http.Request, page string) (p Page, named site.Site, err error) {
	p, named, err = f.SiteAt(r, page)
	if err == nil && !named.RetiredAt.IsZero() {
		err = NotFound
	}
	return p, named, err
}

// StaffOf are the operators who see one of the page's sites.
func (f *Frame) StaffOf(ctx context.Context, p Page) ([]operator.Operator, error) {
	return f.Operators.List(ctx, p.ByID())
}

// HostKey is a site's key that is a host.
var HostKey = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
