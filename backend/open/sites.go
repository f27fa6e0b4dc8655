package open

import (
	"context"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Site is a site as the API tells of it.
type Site struct {
	Key       string     `json:"key" doc:"The key that names the site in the configuration and in every call." example:"shop.example"`
	CreatedAt time.Time  `json:"created_at"`
	RetiredAt *time.Time `json:"retired_at" doc:"Since when nothing is done for the site; null while it is served."`
}

func siteOf(s site.Site) Site {
	told := Site{Key: s.Key, CreatedAt: s.CreatedAt.UTC()}
	if !s.RetiredAt.IsZero() {
		at := s.RetiredAt.UTC()
		told.RetiredAt = &at
	}
	return told
}

type sitesInput struct {
	After string `query:"after" maxLength:"64" doc:"The key behind which the list goes on: the last of the page before."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

type sitesOutput struct {
	Body struct {
		Sites []Site `json:"sites" nullable:"false" doc:"In the order of their keys."`
		Next  string `json:"next" doc:"The value of after for the next page; empty at the end."`
	}
}

type siteInput struct {
	Site string `path:"site" maxLength:"64" doc:"The key of a site." example:"shop.example"`
}

type siteOutput struct{ Body Site }

func (a *API) mountSites() {
	huma.Register(a.huma, operation("sites", "listSites", "List sites", "The sites that the token opens.", token.ReadSites),
		func(ctx context.Context, in *sitesInput) (*sitesOutput, error) {
			some, err := a.Sites.Behind(ctx, callerOf(ctx).Sites, in.After, in.Limit+1)
			if err != nil {
				return nil, a.failed("sites could not be listed", err)
			}
			out := new(sitesOutput)
			if len(some) > in.Limit {
				some = some[:in.Limit]
				out.Body.Next = some[in.Limit-1].Key
			}
			out.Body.Sites = make([]Site, len(some))
			for i, s := range some {
				out.Body.Sites[i] = siteOf(s)
			}
			return out, nil
		})
	huma.Register(a.huma, operation("sites/{site}", "getSite", "Get a site", "One of the sites that the token opens.", token.ReadSites),
		func(ctx context.Context, in *siteInput) (*siteOutput, error) {
			s, err := a.site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			return &siteOutput{siteOf(s)}, nil
		})
}

// site is the site of the key, retired or not. One that the token does not open is not there.
func (a *API) site(ctx context.Context, key string) (site.Site, error) {
	s, err := a.Sites.OfKey(ctx, key)
	switch {
	case errors.Is(err, site.ErrUnknown), err == nil && !callerOf(ctx).Sites.Has(s.ID):
		return site.Site{}, huma.Error404NotFound("there is no site of this key, or the token does not open it")
	case err != nil:
		return site.Site{}, a.failed("a site could not be read", err)
	}
	return s, nil
}
