package sites

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// Incident is something that is wrong with a site.
type Incident struct {
	Site    string    `json:"site" doc:"The key of the site."`
	Kind    string    `json:"kind" enum:"pool,endpoint,form,limit" doc:"A pool has no number left, nothing arrives at an endpoint, the site answers a form with errors, or it has used up a limit."`
	About   string    `json:"about" doc:"The name of the pool, the number of the endpoint, the path of the form, or the name of the limit."`
	Name    string    `json:"name" doc:"What people know it by."`
	Status  int       `json:"status" doc:"That of the site's last answer to a form; else 0."`
	BegunAt time.Time `json:"begun_at"`
	LastAt  time.Time `json:"last_at" doc:"When it was noted last."`
}

type incidentsInput struct {
	Site string `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
}

type incidentsOutput struct {
	Body struct {
		Incidents []Incident `json:"incidents" nullable:"false" doc:"The latest first, at most 1,000."`
		IsCut     bool       `json:"is_cut" doc:"There are more."`
	}
}

const maxIncidents = 1000

func (r *room) mountIncidents() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "incidents", ID: "listIncidents", Subject: "Sites", Opens: token.ReadSites, Summary: "List what is wrong", Description: "What is wrong with the sites now.",
	}, func(ctx context.Context, in *incidentsInput) (*incidentsOutput, error) {
		among := frame.Caller(ctx).Sites
		if in.Site != "" {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			among = among.Only(s.ID)
		}
		now, err := r.Incidents.Now(ctx, among)
		if err != nil {
			return nil, err
		}
		out := new(incidentsOutput)
		if out.Body.IsCut = len(now) > maxIncidents; out.Body.IsCut {
			now = now[:maxIncidents]
		}
		out.Body.Incidents = make([]Incident, len(now))
		for i, of := range now {
			key, err := r.Key(ctx, of.SiteID)
			if err != nil {
				return nil, err
			}
			out.Body.Incidents[i] = Incident{Site: key, Kind: string(of.Kind), About: of.About, Name: of.Name, Status: of.Status, BegunAt: of.BegunAt.UTC(), LastAt: of.LastAt.UTC()}
		}
		return out, nil
	})
}
