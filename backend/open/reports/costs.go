package reports

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// Cost is what advertising has cost: a file, or an entry.
type Cost struct {
	ID       int64      `json:"id"`
	State    string     `json:"state"`
	Name     string     `json:"name" doc:"That of the file, or of the campaign of an entry."`
	Source   string     `json:"source" doc:"Of the visits that it was for."`
	Medium   string     `json:"medium"`
	First    string     `json:"first" doc:"The first day."`
	Last     string     `json:"last" doc:"The last day."`
	Amount   string     `json:"amount" doc:"Of all days: a decimal with a point, in the site's currency."`
	MadeBy   string     `json:"made_by"`
	StoredAt time.Time  `json:"stored_at"`
	GoneAt   *time.Time `json:"gone_at" doc:"Since when it counts no more; null while it counts."`
}

type costsOutput struct {
	Body struct {
		Costs []Cost `json:"costs" nullable:"false" doc:"The newest first, at most 1,000."`
	}
}

type newCostInput struct {
	frame.SiteInput
	Body struct {
		Source   string `json:"source" minLength:"1" maxLength:"200" doc:"The utm_source of the visits that it was for."`
		Medium   string `json:"medium,omitempty" maxLength:"200"`
		Campaign string `json:"campaign,omitempty" maxLength:"200"`
		First    string `json:"first" maxLength:"10" doc:"The first day." example:"2026-10-01"`
		Last     string `json:"last" maxLength:"10" doc:"The last day."`
		Amount   string `json:"amount" maxLength:"40" doc:"Of all days, which is spread evenly over them: a decimal with a point." example:"1500.50"`
	}
}

var errAmount = errors.New("expected an amount such as 1500 or 1500.50")

func (r *room) mountCosts() {
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/costs" + path, ID: id, Subject: "Reports", Opens: opens, Summary: summary, Description: description, Does: true,
			Mistakes: frame.Mistakes{
				cost.ErrUnknown: http.StatusNotFound, cost.ErrTwice: http.StatusConflict, cost.ErrSource: wrong, cost.ErrCampaign: wrong, cost.ErrAmount: wrong,
				cost.ErrPeriod: wrong, cost.ErrSum: wrong, period.ErrDate: wrong,
			},
		}
	}
	frame.Add(r.Frame, add("GET", "", "listCosts", token.ReadReports, "List costs", "What advertising has cost, as it was entered or read from files."), r.listCosts)
	frame.Add(r.Frame, add("POST", "", "addCost", token.WriteReports, "Enter costs", "What a campaign has cost from a day to a day."), r.addCost)
	frame.Add(r.Frame, add("DELETE", "/{id}", "undoCost", token.WriteReports, "Undo costs", "What they had replaced counts again."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = r.Costs.Undo(ctx, s.ID, in.ID, frame.Actor(ctx).By)
			}
			return nil, err
		})
}

func (r *room) listCosts(ctx context.Context, in *frame.SiteInput) (*costsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	imports, err := r.Costs.List(ctx, s.ID, 1000)
	out := new(costsOutput)
	out.Body.Costs = make([]Cost, len(imports))
	for i, of := range imports {
		out.Body.Costs[i] = costOf(of)
	}
	return out, err
}

func costOf(of cost.Import) Cost {
	told := Cost{
		ID: of.ID, State: string(of.State), Name: of.Name, Source: of.Source, Medium: of.Medium, First: of.First.String(), Last: of.Last.String(),
		Amount: amountOf(of.Amount), MadeBy: of.MadeBy, StoredAt: of.StoredAt.UTC(),
	}
	if !of.GoneAt.IsZero() {
		told.GoneAt = new(of.GoneAt.UTC())
	}
	return told
}

func amountOf(millionths int64) string {
	return strconv.FormatFloat(float64(millionths)/cost.Unit, 'f', -1, 64)
}

func (r *room) addCost(ctx context.Context, in *newCostInput) (*struct{}, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	amount, ok := cost.ReadAmount(in.Body.Amount)
	if !ok {
		return nil, frame.Wrong("body.amount", errAmount, in.Body.Amount)
	}
	e := cost.Entry{Source: in.Body.Source, Medium: in.Body.Medium, Campaign: in.Body.Campaign, Amount: amount}
	if e.First, err = period.ReadDate(in.Body.First); err != nil {
		return nil, frame.Wrong("body.first", err, in.Body.First)
	}
	if e.Last, err = period.ReadDate(in.Body.Last); err != nil {
		return nil, frame.Wrong("body.last", err, in.Body.Last)
	}
	return nil, r.Costs.Enter(ctx, s.ID, frame.Actor(ctx).By, e)
}
