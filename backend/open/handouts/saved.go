package handouts

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// NamedReport is a report under a name.
type NamedReport struct {
	Name     string         `json:"name" minLength:"1" maxLength:"100"`
	Question ReportQuestion `json:"question"`
}

// SavedReport is a report that an operator shares with all who see its site.
type SavedReport struct {
	ID         int64  `json:"id"`
	Site       string `json:"site" doc:"The key of the site; empty for all sites."`
	OperatorID int64  `json:"operator_id" doc:"Whose it is."`
	NamedReport
	SavedAt time.Time `json:"saved_at"`
}

type savedListInput struct {
	Site string `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	frame.PageInput
}

type savedListOutput struct {
	Body struct {
		Reports []SavedReport `json:"reports" nullable:"false" doc:"The latest first."`
		Next    string        `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type savedInput struct {
	ID int64 `path:"id" minimum:"1" doc:"Its number."`
}

type savedOutput struct {
	ETag string `header:"ETag"`
	Body SavedReport
}

type newSavedInput struct {
	Body struct {
		Site       string `json:"site,omitempty" maxLength:"64" doc:"The key of its site; without it, it is of all sites, which only a token for all sites saves."`
		OperatorID int64  `json:"operator_id" minimum:"1" doc:"Whose it is: an operator who sees the site."`
		NamedReport
	}
}

type putSavedInput struct {
	ID int64 `path:"id" minimum:"1" doc:"Its number."`
	frame.Match
	Body NamedReport
}

var (
	errAll      = errors.New("only a token for all sites saves a report of all sites")
	errOperator = errors.New("there is no such operator who sees the site")
)

func (r *room) mountSaved() {
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: "saved-reports" + path, ID: id, Subject: "Reports", Opens: opens, Summary: summary, Description: description,
			Mistakes: frame.Mistakes{
				saved.ErrUnknown: notFound, saved.ErrChanged: http.StatusPreconditionFailed, saved.ErrTaken: conflict, saved.ErrMany: conflict, saved.ErrName: wrong, saved.ErrQuery: wrong,
				errAll: http.StatusForbidden,
			},
		}
	}
	frame.Add(r.Frame, add("GET", "", "listSavedReports", "List saved reports", "The reports that operators share. Those that an operator keeps to herself are not among them.", token.ReadReports), r.listSaved)
	frame.Add(r.Frame, add("GET", "/{id}", "getSavedReport", "Get a saved report", "One report that an operator shares.", token.ReadReports),
		func(ctx context.Context, in *savedInput) (*savedOutput, error) { return r.saved(ctx, in.ID) })
	frame.Add(r.Frame, add("POST", "", "saveReport", "Save a report", "All who see the site find it in the console.", token.WriteReports), r.addSaved)
	frame.Add(r.Frame, add("PUT", "/{id}", "setSavedReport", "Change a saved report", "It has this name and asks this afterwards. Its site and its operator stay.", token.WriteReports), r.setSaved)
	frame.Add(r.Frame, add("DELETE", "/{id}", "removeSavedReport", "Remove a saved report", "Nobody finds it any more.", token.WriteReports),
		func(ctx context.Context, in *savedInput) (*struct{}, error) {
			return nil, r.Saved.Remove(ctx, operator.Operator{Role: operator.Admin, Sites: frame.Caller(ctx).Sites}, in.ID)
		})
}

func (r *room) told(ctx context.Context, s saved.Report) (SavedReport, error) {
	told := SavedReport{ID: s.ID, OperatorID: s.Operator, NamedReport: NamedReport{s.Name, questionOf(s.Query)}, SavedAt: s.SavedAt.UTC()}
	var err error
	if s.SiteID != 0 {
		told.Site, err = r.Key(ctx, s.SiteID)
	}
	return told, err
}

func (r *room) saved(ctx context.Context, id int64) (*savedOutput, error) {
	s, err := r.Saved.Shared(ctx, frame.Caller(ctx).Sites, id)
	if err != nil {
		return nil, err
	}
	told, err := r.told(ctx, s)
	return &savedOutput{frame.Tag(told), told}, err
}

func (r *room) listSaved(ctx context.Context, in *savedListInput) (*savedListOutput, error) {
	sites := frame.Caller(ctx).Sites
	if in.Site != "" {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		sites = sites.Only(s.ID)
	}
	list := frame.ListOf("saved reports", in.Site)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	found, err := r.Saved.SharedAt(ctx, sites, behind[0], in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(savedListOutput)
	found, out.Body.Next = frame.Cut(list, found, in.Limit, func(s saved.Report) frame.Place { return frame.Place{s.ID} })
	out.Body.Reports = make([]SavedReport, len(found))
	for i, s := range found {
		if out.Body.Reports[i], err = r.told(ctx, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *room) addSaved(ctx context.Context, in *newSavedInput) (*savedOutput, error) {
	var of site.Site
	var err error
	if in.Body.Site != "" {
		of, err = r.Site(ctx, in.Body.Site)
	} else if !frame.Caller(ctx).Sites.All() {
		err = errAll
	}
	if err != nil {
		return nil, err
	}
	o, err := r.Operators.Get(ctx, in.Body.OperatorID)
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Disabled || of.ID == 0 && !o.Sites.All() || of.ID != 0 && !o.Sites.Has(of.ID)) {
		err = frame.Wrong("body.operator_id", errOperator, in.Body.OperatorID)
	}
	if err != nil {
		return nil, err
	}
	query, err := r.query(of, in.Body.Question, false)
	if err != nil {
		return nil, err
	}
	id, err := r.Saved.Add(ctx, o, saved.Report{SiteID: of.ID, Name: in.Body.Name, Query: query, Shared: true})
	if err != nil {
		return nil, err
	}
	return r.saved(ctx, id)
}

func (r *room) setSaved(ctx context.Context, in *putSavedInput) (*savedOutput, error) {
	before, err := r.Saved.Shared(ctx, frame.Caller(ctx).Sites, in.ID)
	if err != nil {
		return nil, err
	}
	told, err := r.told(ctx, before)
	if err == nil {
		err = in.Holds(frame.Tag(told))
	}
	if err != nil {
		return nil, err
	}
	var of site.Site
	if before.SiteID != 0 {
		if of, err = r.Site(ctx, told.Site); err != nil {
			return nil, err
		}
	}
	query, err := r.query(of, in.Body.Question, false)
	if err == nil {
		err = r.Saved.Replace(ctx, before, in.Body.Name, query)
	}
	if err != nil {
		return nil, err
	}
	return r.saved(ctx, in.ID)
}
