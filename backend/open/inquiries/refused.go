package inquiries

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// RefusedLead is what was sent as a lead and became none.
type RefusedLead struct {
	Site      string    `json:"site" doc:"The key of the site."`
	ID        int64     `json:"id"`
	At        time.Time `json:"at" doc:"When it came last."`
	Times     int       `json:"times" doc:"How often the very same came."`
	Origin    string    `json:"origin" enum:"script,server,form"`
	Code      string    `json:"code" doc:"Why it was refused, as the sender was told."`
	Reason    string    `json:"reason"`
	URL       string    `json:"url" doc:"The address of the page."`
	SiteError int       `json:"site_error" doc:"The status, 400 or more, with which the site answered the form; 0 for none."`
	LeadID    int64     `json:"lead_id" doc:"The lead that somebody has made of it; 0 for none, and -1 for one that is elsewhere."`
}

// WholeRefusedLead is all of it.
type WholeRefusedLead struct {
	RefusedLead
	Sent json.RawMessage `json:"sent" doc:"The fields as they were sent, without the secret ones. Long texts are cut."`
}

func refusedOf(f refused.Refusal, key string) RefusedLead {
	return RefusedLead{Site: key, ID: f.ID, At: f.At.UTC(), Times: f.Times, Origin: f.Origin, Code: f.Code, Reason: f.Reason, URL: f.URL, SiteError: f.SiteError, LeadID: f.LeadID}
}

type refusedListInput struct {
	Site string `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	frame.PageInput
}

type refusedListOutput struct {
	Body struct {
		Refused []RefusedLead `json:"refused" nullable:"false" doc:"Newest first. They are kept for 30 days."`
		Next    string        `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type refusedOutput struct{ Body WholeRefusedLead }

func (r *room) mountRefused() {
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: path, ID: id, Subject: "Leads", Opens: opens, Summary: summary, Description: description, Does: true, Mistakes: frame.Mistakes{refused.ErrUnknown: notFound},
		}
	}
	frame.Add(r.Frame, add("GET", "refused-leads", "listRefused", "List refused leads", "What was sent as a lead and became none, with the reason.", token.ReadLeads), r.listRefused)
	frame.Add(r.Frame, add("GET", "sites/{site}/refused-leads/{id}", "getRefused", "Get a refused lead", "One with all that was sent.", token.ReadLeads),
		func(ctx context.Context, in *frame.ThingInput) (*refusedOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			f, err := r.Refused.Get(ctx, s.ID, in.ID)
			return &refusedOutput{WholeRefusedLead{refusedOf(f, s.Key), f.Sent}}, err
		})
	frame.Add(r.Frame, add("POST", "sites/{site}/refused-leads/{id}/lead", "makeLeadOfRefused", "Make a lead of a refused one", "With all that is usable of it. One that is a lead already stays that lead.", token.WriteLeads),
		func(ctx context.Context, in *frame.ThingInput) (*leadMade, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			made, err := r.Refused.TakeOver(ctx, s.ID, in.ID)
			if invalid, is := errors.AsType[submission.Invalid](err); is {
				return nil, frame.Wrong("path.id", invalid, nil)
			}
			out := new(leadMade)
			out.Body.LeadID = made.ID
			return out, err
		})
}

func (r *room) listRefused(ctx context.Context, in *refusedListInput) (*refusedListOutput, error) {
	sites, err := r.among(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list := frame.ListOf("refused leads", in.Site)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	at, id := behind.At()
	found, err := r.Refused.List(ctx, sites, lead.Cursor{At: at, ID: id}, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(refusedListOutput)
	found, out.Body.Next = frame.Cut(list, found, in.Limit, func(f refused.Refusal) frame.Place { return frame.PlaceAt(f.At, f.ID) })
	out.Body.Refused = make([]RefusedLead, len(found))
	for i, f := range found {
		key, err := r.Key(ctx, f.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Refused[i] = refusedOf(f, key)
	}
	return out, nil
}
