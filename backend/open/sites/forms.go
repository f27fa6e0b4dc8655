package sites

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Form is a form that the visitors of a site send.
type Form struct {
	Path   string    `json:"path" doc:"Where it is sent. Segments that number something are *."`
	Fields []string  `json:"fields" nullable:"false" doc:"The names of its fields."`
	Times  int       `json:"times" doc:"How often it came in the last 30 days."`
	Errors int       `json:"errors" doc:"How often the site answered with a status of 400 or more."`
	LastAt time.Time `json:"last_at"`
}

type formsOutput struct {
	Body struct {
		Forms []Form `json:"forms" nullable:"false" doc:"Those that came in the last 30 days, at most 200."`
	}
}

// Capture says which forms of a site are kept, and as what.
type Capture capture.Rule

type capturesOutput struct {
	ETag string `header:"ETag"`
	Body struct {
		Own        []Capture `json:"own" nullable:"false" doc:"The site's own rules, which come first."`
		Configured []Capture `json:"configured" nullable:"false" doc:"Those of this server's configuration, which come after."`
	}
}

type putCapturesInput struct {
	frame.SiteInput
	frame.Match
	Body struct {
		Own []Capture `json:"own" nullable:"false" maxItems:"100" doc:"All of the site's own rules, in their order."`
	}
}

func (r *room) mountForms() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/forms", ID: "listForms", Subject: "Forms", Opens: token.ReadSites, Summary: "List forms",
		Description: "The forms that the site's visitors send, whether they are kept or not. Nothing of what people wrote is in it.",
	}, r.listForms)
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/captures", ID: "getCaptures", Subject: "Forms", Opens: token.ReadSites, Summary: "Get the rules for forms",
		Description: "By these rules forms are kept as leads, or as information about their visitors.",
	}, func(ctx context.Context, in *frame.SiteInput) (*capturesOutput, error) {
		s, err := r.Site(ctx, in.Site)
		return r.captures(s), err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "PUT", Path: "sites/{site}/captures", ID: "setCaptures", Subject: "Forms", Opens: token.WriteSites, Summary: "Set the rules for forms",
		Description: "The site has these rules of its own afterwards, and no others.",
	}, func(ctx context.Context, in *putCapturesInput) (*capturesOutput, error) {
		s, err := r.served(ctx, in.Site)
		if err == nil {
			err = in.Holds(frame.VersionTag(s.Version))
		}
		if err != nil {
			return nil, err
		}
		to := s.Settings
		to.Captures = nil
		for _, rule := range in.Body.Own {
			to.Captures = append(to.Captures, capture.Rule(rule))
		}
		if s, err = r.Sites.Change(ctx, s.Key, s.Version, to, frame.Actor(ctx).By); err != nil {
			return nil, settingsMistake(err)
		}
		return r.captures(s), nil
	})
}

func (r *room) captures(s site.Site) *capturesOutput {
	out := &capturesOutput{ETag: frame.VersionTag(s.Version)}
	of := func(rules []capture.Rule) []Capture {
		told := make([]Capture, len(rules))
		for i, rule := range rules {
			told[i] = Capture(rule)
		}
		return told
	}
	s.Settings.Captures, out.Body.Own = nil, of(s.Settings.Captures)
	out.Body.Configured = of(r.Effective(s).Captures)
	return out
}

func (r *room) listForms(ctx context.Context, in *frame.SiteInput) (*formsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	forms, err := r.Forms.List(ctx, scope.Of(s.ID))
	out := new(formsOutput)
	out.Body.Forms = make([]Form, len(forms))
	for i, f := range forms {
		out.Body.Forms[i] = Form{Path: f.Path, Fields: append([]string{}, f.Fields...), Times: f.Times, Errors: f.Errors, LastAt: f.LastAt.UTC()}
	}
	return out, err
}
