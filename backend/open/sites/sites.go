// Package sites is the part of the public API about sites: which there are, their settings, forms, groups of operators
// and canned replies.
package sites

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Checks    *check.Checks
	Forms     *form.Forms
	Groups    *group.Groups
	Replies   *reply.Replies
	Limits    *limit.Uses
	Incidents *incident.Incidents
	// Effective are the settings in effect for a site.
	Effective func(site.Site) site.Settings
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	r.mountSites()
	r.mountHosted()
	r.mountIncidents()
	r.mountCheck()
	r.mountSettings()
	r.mountForms()
	r.mountGroups()
	r.mountReplies()
}

const (
	notFound  = http.StatusNotFound
	forbidden = http.StatusForbidden
	conflict  = http.StatusConflict
	changed   = http.StatusPreconditionFailed
	wrong     = http.StatusUnprocessableEntity
)

// Site is a site as the API tells of it.
type Site struct {
	Key       string     `json:"key" doc:"The key that names the site in the configuration and in every call." example:"shop.example"`
	CreatedAt time.Time  `json:"created_at"`
	RetiredAt *time.Time `json:"retired_at" doc:"Since when nothing is done for the site, as its admins want; null for a site that is not retired."`
	// SuspendedAt is the same for whoever hosts the site.
	SuspendedAt *time.Time `json:"suspended_at" doc:"The same, as whoever hosts the site wants; null for a site that is not suspended."`
}

func siteOf(s site.Site) Site {
	since := func(at time.Time) *time.Time {
		if at.IsZero() {
			return nil
		}
		return new(at.UTC())
	}
	return Site{Key: s.Key, CreatedAt: s.CreatedAt.UTC(), RetiredAt: since(s.RetiredAt), SuspendedAt: since(s.SuspendedAt)}
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

type siteOutput struct{ Body Site }

type newSiteInput struct {
	Body struct {
		Key string `json:"key" minLength:"1" maxLength:"64" doc:"The host is a good key. It is kept in lower case." example:"shop.example"`
	}
}

// Limit is what a site may use of the installation, and what it uses.
type Limit struct {
	Name string `json:"name" enum:"views,leads,chats,streams,disk,mails,callbacks"`
	Most int64  `json:"most" doc:"What it may use: on a day, but for chats and streams, which are those at once, and the disk, which is in bytes of texts, numbers and files in the database."`
	Used int64  `json:"used" doc:"What it uses now. What other servers have counted may be some seconds late."`
	// CountedAt is nil for all but the disk.
	CountedAt *time.Time `json:"counted_at,omitempty" doc:"When what is stored was counted. What was written since is estimated. It is there for the disk alone, once it was counted."`
	Refused   int64      `json:"refused" doc:"How much was refused today because the limit was reached."`
}

type limitsOutput struct {
	Body struct {
		Limits []Limit `json:"limits" nullable:"false" doc:"Those that the configuration sets."`
	}
}

type suspendedInput struct {
	frame.SiteInput
	Body struct {
		IsSuspended bool `json:"is_suspended"`
	}
}

type retiredInput struct {
	frame.SiteInput
	Body struct {
		IsRetired bool `json:"is_retired"`
	}
}

func (r *room) mountSites() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites", ID: "listSites", Subject: "Sites", Opens: token.ReadSites, Summary: "List sites", Description: "The sites that the token opens.",
	}, r.list)
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}", ID: "getSite", Subject: "Sites", Opens: token.ReadSites, Summary: "Get a site",
		Description: "One of the sites that the token opens.",
	}, func(ctx context.Context, in *frame.SiteInput) (*siteOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		return &siteOutput{siteOf(s)}, nil
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites", ID: "addSite", Subject: "Sites", Opens: token.WriteSites, Summary: "Add a site",
		Description: "Only a token for all sites adds one. The site is served where a configuration names it, or takes sites by their hosts.",
		Mistakes:    frame.Mistakes{site.ErrTaken: conflict, errChief: forbidden},
	}, func(ctx context.Context, in *newSiteInput) (*siteOutput, error) {
		if !frame.Caller(ctx).Sites.All() {
			return nil, errChief
		}
		if err := site.ValidKey(in.Body.Key); err != nil {
			return nil, frame.Wrong("body.key", err, in.Body.Key)
		}
		s, err := r.Sites.Add(ctx, in.Body.Key, frame.Actor(ctx).By)
		return &siteOutput{siteOf(s)}, err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "PUT", Path: "sites/{site}/retired", ID: "retireSite", Subject: "Sites", Opens: token.WriteSites, Summary: "Retire a site, or resume it",
		Description: "Nothing is done for a retired site: its pages pass as they are. Its data stay.",
	}, func(ctx context.Context, in *retiredInput) (*siteOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err == nil {
			s, err = r.Sites.Retire(ctx, s.ID, in.Body.IsRetired, frame.Actor(ctx).By)
		}
		return &siteOutput{siteOf(s)}, err
	})
}

// mountHosted adds what concerns whoever hosts the sites.
func (r *room) mountHosted() {
	frame.Add(r.Frame, frame.Operation{
		Method: "PUT", Path: "sites/{site}/suspended", ID: "suspendSite", Subject: "Sites", Opens: token.WriteSites, Summary: "Suspend a site, or resume it",
		Description: "Nothing is done for a suspended site, and its admins cannot resume it. Only a token for all sites does it.",
		Mistakes:    frame.Mistakes{errHost: forbidden},
	}, func(ctx context.Context, in *suspendedInput) (*siteOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err == nil && !frame.Caller(ctx).Sites.All() {
			err = errHost
		}
		if err == nil {
			s, err = r.Sites.Suspend(ctx, s.ID, in.Body.IsSuspended, frame.Actor(ctx).By)
		}
		return &siteOutput{siteOf(s)}, err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/limits", ID: "listLimits", Subject: "Sites", Opens: token.ReadSites, Summary: "List what a site uses of its limits",
		Description: "What whoever hosts the site lets it use, and how much of it is used.",
	}, func(ctx context.Context, in *frame.SiteInput) (*limitsOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		uses, err := r.Limits.Of(ctx, s.ID)
		out := new(limitsOutput)
		out.Body.Limits = make([]Limit, len(uses))
		for i, u := range uses {
			out.Body.Limits[i] = Limit{Name: u.Kind.String(), Most: u.Most, Used: u.Used, Refused: u.Refused}
			if !u.CountedAt.IsZero() {
				out.Body.Limits[i].CountedAt = &u.CountedAt
			}
		}
		return out, err
	})
}

var (
	errChief = errors.New("only a token for all sites adds a site")
	errHost  = errors.New("only a token for all sites suspends a site")
)

func (r *room) list(ctx context.Context, in *sitesInput) (*sitesOutput, error) {
	some, err := r.Sites.Behind(ctx, frame.Caller(ctx).Sites, in.After, in.Limit+1)
	if err != nil {
		return nil, err
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
}

// served is the site of the key, if it is not retired: the settings of no other are changed.
func (r *room) served(ctx context.Context, key string) (site.Site, error) {
	s, err := r.Site(ctx, key)
	if err == nil && !s.RetiredAt.IsZero() {
		err = huma.Error409Conflict("the site is retired")
	}
	return s, err
}
