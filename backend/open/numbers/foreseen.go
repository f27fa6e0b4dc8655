package numbers

import (
	"context"
	"errors"

	"github.com/seed-3405227d/frontdesk/backend/attribution"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site/foresight"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// ForeseenNumber is what a visitor would see in the place of a printed number.
type ForeseenNumber struct {
	Printed string        `json:"printed" doc:"The printed number: digits in international form."`
	Rule    int           `json:"rule" doc:"The place of the rule that holds among those of the number, from 1; 0 where none does, and the visitor sees the printed number."`
	Name    string        `json:"name" doc:"That of the rule; may be empty."`
	When    []string      `json:"when" nullable:"false" doc:"Its conditions; none for all visitors."`
	Number  string        `json:"number" doc:"The tracking number that all visitors of the rule see, as digits; empty where it is one of a pool, or where no rule holds."`
	Pool    *ForeseenPool `json:"pool,omitempty" doc:"The pool of which the visitor gets a number. It is there for such numbers alone."`
}

// ForeseenPool is what a pool has left.
type ForeseenPool struct {
	Name      string `json:"name" doc:"The pool's name at the site."`
	Size      int    `json:"size" doc:"How many numbers it has."`
	Free      int    `json:"free" doc:"How many of them nobody has now."`
	Exhausted string `json:"exhausted" enum:"original,reserve,shared" doc:"What visitors see when none is free."`
	Reserve   string `json:"reserve" doc:"The number for exhausted: reserve, as digits; else empty."`
}

type foreseenInput struct {
	frame.SiteInput
	Address     string `query:"address" required:"true" maxLength:"4000" doc:"The page to which the visitor comes, as the browser has it, with the parameters of campaigns." example:"https://shop.example/?utm_source=news"`
	Referrer    string `query:"referrer" maxLength:"4000" doc:"The page before it; empty for none." example:"https://www.google.com/"`
	Again       string `query:"again" maxLength:"4000" doc:"The page to which the same visitor comes on the next day by its address alone; empty for no other visit."`
	Attribution string `query:"attribution" enum:"first,last,last_non_direct" doc:"Which of the visits decides; without it, what is set for the site."`
}

type foreseenOutput struct {
	Body struct {
		Attribution string           `json:"attribution" enum:"first,last,last_non_direct" doc:"Which of the visits has decided."`
		Source      source.Source    `json:"source" doc:"Of the visit that has decided."`
		IsElsewhere bool             `json:"is_elsewhere" doc:"The page is at no host of the site that this server knows."`
		Numbers     []ForeseenNumber `json:"numbers" nullable:"false"`
	}
}

func (r *room) mountForeseen() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/foreseen-numbers", ID: "foreseeNumbers", Subject: "Numbers", Opens: token.ReadNumbers,
		Summary: "Ask who would see what", Description: "Which numbers a new visitor would see who comes to a page from somewhere, and by which rules. Nobody gets a number by the call.",
	}, r.foresee)
}

func (r *room) foresee(ctx context.Context, in *foreseenInput) (*foreseenOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	n, err := r.numbering(ctx, s)
	if err != nil {
		return nil, err
	}
	set, _ := r.Configured(s.Key)
	found, err := r.Foresight.Of(ctx, n, s.Settings.Over(set), foresight.Arrival{
		Address: in.Address, Referrer: in.Referrer, Again: in.Again, Attribution: attribution.Model(in.Attribution),
	})
	if errors.Is(err, foresight.ErrAddress) {
		return nil, frame.Wrong("query.address", err, in.Address)
	}
	if err != nil {
		return nil, err
	}
	out := new(foreseenOutput)
	out.Body.Attribution, out.Body.Source, out.Body.IsElsewhere = string(found.Attribution), found.Source, found.IsElsewhere
	out.Body.Numbers = make([]ForeseenNumber, len(found.Numbers))
	for i, of := range found.Numbers {
		told := ForeseenNumber{Printed: of.Printed, Rule: of.Rule, Name: of.Tracking.Name, When: append([]string{}, of.Tracking.When...), Number: of.Digits}
		if p := of.Pool; p != nil {
			told.Pool = &ForeseenPool{Name: p.Title(), Size: len(p.Digits), Free: of.Free, Exhausted: string(p.Exhausted), Reserve: p.Reserve}
		}
		out.Body.Numbers[i] = told
	}
	return out, nil
}
