package console

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// configuredOf is what this server's configuration says for the site of the key, if it names the site.
func (f *Frame) configuredOf(key string) (set site.Settings, known bool) {
	if f.Configured != nil {
		set, known = f.Configured(key)
	}
	return set, known
}

// effective are the settings in effect for the site, as far as this server's configuration
// tells.
func (f *Frame) effective(s site.Site) site.Settings {
	configured, known := f.configuredOf(s.Key)
	if !known && f.Configured == nil {
		return s.Settings
	}
	return s.Settings.Over(configured)
}

func siteLink(id int64) string { return "/sites/" + strconv.FormatInt(id, 10) }

// siteAt begins the page of that name, about the site that the address names.
func (f *Frame) siteAt(r *http.Request, page string) (p frame, named site.Site, err error) {
	if p, err = f.page(r, page); err != nil {
		return p, named, err
	}
	for _, s := range p.Sites {
		if r.PathValue(siteField) == strconv.FormatInt(s.ID, 10) {
			return p, s, nil
		}
	}
	return p, named, notFound
}

// servedAt is siteAt for what a retired site has no more.
func (f *Frame) servedAt(r *http.Request, page string) (p frame, named site.Site, err error) {
	p, named, err = f.siteAt(r, page)
	if err == nil && !named.RetiredAt.IsZero() {
		err = notFound
	}
	return p, named, err
}

// staffOf are the operators who see one of the page's sites.
func (f *Frame) staffOf(ctx context.Context, p frame) ([]operator.Operator, error) {
	return f.Operators.List(ctx, p.ByID())
}

// groupName is the name of a group of the site; empty for 0, and for one that there is not.
func (f *Frame) groupName(ctx context.Context, siteID, id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	g, err := f.Operators.Group(ctx, siteID, id)
	if errors.Is(err, operator.ErrGroup) {
		return "", nil
	}
	return g.Name, err
}

// hostKey is a site's key that is a host.
var hostKey = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
