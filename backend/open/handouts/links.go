package handouts

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// ReportLink opens a report of a site for whoever has its address.
type ReportLink struct {
	ID int64 `json:"id"`
	NamedReport
	By     string     `json:"by" doc:"The login of who has made it, or the name of the program."`
	MadeAt time.Time  `json:"made_at"`
	EndsAt time.Time  `json:"ends_at"`
	UsedAt *time.Time `json:"used_at" doc:"When it was opened last; null for never."`
}

func linkOf(l link.Link) ReportLink {
	told := ReportLink{ID: l.ID, NamedReport: NamedReport{l.Name, questionOf(l.Query)}, By: l.By, MadeAt: l.MadeAt.UTC(), EndsAt: l.EndsAt.UTC()}
	if !l.UsedAt.IsZero() {
		told.UsedAt = new(l.UsedAt.UTC())
	}
	return told
}

type linksOutput struct {
	Body struct {
		Links []ReportLink `json:"links" nullable:"false" doc:"Those that have not ended, the latest first; at most 100."`
	}
}

type newLinkInput struct {
	frame.SiteInput
	Body struct {
		NamedReport
		Days int `json:"days" minimum:"1" maximum:"365" doc:"For how many days it opens the report."`
	}
}

type newLinkOutput struct {
	Body struct {
		ReportLink
		Address string `json:"address" doc:"Whoever has it sees the report. It is not shown again."`
	}
}

func (r *room) mountLinks() {
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/report-links" + path, ID: id, Subject: "Reports", Opens: opens, Summary: summary, Description: description,
			Mistakes: frame.Mistakes{link.ErrUnknown: notFound, link.ErrMany: conflict, link.ErrDays: wrong, saved.ErrName: wrong, saved.ErrQuery: wrong},
		}
	}
	frame.Add(r.Frame, add("GET", "", "listReportLinks", "List links to reports", "The links that open reports of a site to people without an account.", token.ReadReports),
		func(ctx context.Context, in *frame.SiteInput) (*linksOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			links, err := r.Links.Of(ctx, scope.Of(s.ID), link.Max)
			out := new(linksOutput)
			out.Body.Links = make([]ReportLink, len(links))
			for i, l := range links {
				out.Body.Links[i] = linkOf(l)
			}
			return out, err
		})
	frame.Add(r.Frame, add("POST", "", "makeReportLink", "Make a link to a report", "Its address is shown once. The report has the site's figures as they are when it is opened.", token.WriteReports), r.makeLink)
	frame.Add(r.Frame, add("DELETE", "/{id}", "endReportLink", "End a link to a report", "Its address opens nothing any more.", token.WriteReports),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = r.Links.End(ctx, frame.Actor(ctx).By, s.ID, in.ID)
			}
			return nil, err
		})
}

func (r *room) makeLink(ctx context.Context, in *newLinkInput) (*newLinkOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	query, err := r.query(s, in.Body.Question, true)
	if err != nil {
		return nil, err
	}
	made, secret, err := r.Links.Make(ctx, link.Link{SiteID: s.ID, Name: in.Body.Name, Query: query, By: frame.Actor(ctx).By}, in.Body.Days)
	if err != nil {
		return nil, err
	}
	out := new(newLinkOutput)
	out.Body.ReportLink, out.Body.Address = linkOf(made), frame.Absolute(ctx, "/r/"+secret)
	return out, nil
}
