package reports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
)

// CampaignCost is what a campaign has cost by a file.
type CampaignCost struct {
	Name   string `json:"name"`
	Amount string `json:"amount" doc:"Of all days: a decimal with a point."`
	Days   int64  `json:"days" doc:"For how many days there are costs."`
}

// LineLeft is a line of a file that was not taken.
type LineLeft struct {
	Line   int    `json:"line" doc:"From 1."`
	Reason string `json:"reason" doc:"A code."`
}

// CostFile is a file of costs, or an entry, with what is in it.
type CostFile struct {
	Cost
	Platform  string         `json:"platform" doc:"Which has written the file, as far as its heads tell; empty for unknown."`
	Currency  string         `json:"currency" doc:"As the file tells it: ISO 4217; empty for untold."`
	Rows      int64          `json:"rows" doc:"How many costs of a campaign on a day it has."`
	Campaigns []CampaignCost `json:"campaigns" nullable:"false" doc:"The dearest first, at most 1,000."`
	Left      []LineLeft     `json:"left" nullable:"false" doc:"The first lines that were not taken."`
	LeftOut   int64          `json:"left_out" doc:"How many there are."`
	Replaces  int            `json:"replaces" doc:"How many costs that count now a draft takes the place of."`
}

type costFileOutput struct{ Body CostFile }

type costFileInput struct {
	frame.SiteInput
	Name    string `query:"name" maxLength:"200" doc:"The file's name."`
	Order   string `query:"order" enum:"day,month" doc:"Whether the day or the month comes first in dates such as 03/04/2026."`
	RawBody []byte `doc:"The file: CSV or a table with tabs, as the platform exports it."`
}

type confirmInput struct {
	frame.ThingInput
	Body struct {
		Source   string `json:"source" minLength:"1" maxLength:"200" doc:"The utm_source of the visits that the costs were for."`
		Medium   string `json:"medium,omitempty" maxLength:"200"`
		Platform string `json:"platform,omitempty" maxLength:"40" doc:"The one that has written the file, where that is not known."`
	}
}

const maxCampaigns = 1000

var errForeign = errors.New("the file has another currency than the site")

// fileMistakes are those of files.
var fileMistakes = frame.Mistakes{
	cost.ErrUnknown: http.StatusNotFound, cost.ErrTwice: http.StatusConflict, cost.ErrSource: wrong,
}

func (r *room) mountCostFiles() {
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: "sites/{site}/costs" + path, ID: id, Subject: "Reports", Opens: opens, Summary: summary, Description: description, Does: path != "/files", Mistakes: fileMistakes,
		}
	}
	send := add("POST", "/files", "addCostFile", "Send a file of costs", "It is a draft, which counts for nothing until it is confirmed.", token.WriteReports)
	send.Dear, send.MaxBody = true, cost.MaxBytes+1
	frame.Add(r.Frame, send, r.addCostFile)
	frame.Add(r.Frame, add("GET", "/{id}", "getCost", "Get costs", "A file with its campaigns and the lines that were not taken, or an entry.", token.ReadReports),
		func(ctx context.Context, in *frame.ThingInput) (*costFileOutput, error) { return r.costFile(ctx, *in) })
	frame.Add(r.Frame, add("POST", "/{id}/confirm", "confirmCost", "Confirm a file of costs", "The draft counts from then on, in the place of what the same platform has cost on the same days.", token.WriteReports),
		func(ctx context.Context, in *confirmInput) (*costFileOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err == nil {
				err = platformMistake(in.Body.Platform)
			}
			if err == nil {
				err = r.Costs.Confirm(ctx, s.ID, in.ID, frame.Actor(ctx).By, cost.Platform(in.Body.Platform), in.Body.Source, in.Body.Medium)
			}
			if err != nil {
				return nil, err
			}
			return r.costFile(ctx, in.ThingInput)
		})
}

var errPlatform = errors.New("expected a platform whose files are known")

func platformMistake(name string) error {
	if name != "" && !slices.Contains(cost.Platforms, cost.Platform(name)) {
		return frame.Wrong("body.platform", errPlatform, name)
	}
	return nil
}

// wrongFiles are what is wrong with files.
var wrongFiles = []error{cost.ErrLarge, cost.ErrTable, cost.ErrColumns, cost.ErrDayOrder, cost.ErrLines, cost.ErrCurrency, cost.ErrEmpty, cost.ErrSum, errForeign}

func (r *room) addCostFile(ctx context.Context, in *costFileInput) (*costFileOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	f, err := cost.Read(bytes.NewReader(in.RawBody), cost.Order(in.Order))
	set := r.Effective(s)
	own := ""
	if set.Currency != nil {
		own = *set.Currency
	}
	if err == nil && own == "" {
		own, err = r.Costs.Currency(ctx, s.ID)
	}
	if err == nil && own != "" && f.Currency != "" && own != f.Currency {
		err = errForeign
	}
	var kept cost.Import
	if err == nil {
		digest := sha256.Sum256(in.RawBody)
		kept, err = r.Costs.Keep(ctx, s.ID, frame.Actor(ctx).By, in.Name, hex.EncodeToString(digest[:]), f)
	}
	if slices.ContainsFunc(wrongFiles, func(m error) bool { return errors.Is(err, m) }) {
		return nil, frame.Wrong("body", err, nil)
	}
	if err != nil {
		return nil, err
	}
	return r.costFile(ctx, frame.ThingInput{Site: in.Site, ID: kept.ID})
}

func (r *room) costFile(ctx context.Context, in frame.ThingInput) (*costFileOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	of, err := r.Costs.Get(ctx, s.ID, in.ID)
	if err != nil {
		return nil, err
	}
	campaigns, replaced, err := r.Costs.Campaigns(ctx, of)
	if err != nil {
		return nil, err
	}
	told := CostFile{Cost: costOf(of), Platform: string(of.Platform), Currency: of.Currency, Rows: of.Rows, Campaigns: []CampaignCost{}, Left: []LineLeft{}, LeftOut: of.LeftOut}
	if of.State == cost.Draft {
		told.Replaces = replaced
	}
	for _, c := range campaigns[:min(len(campaigns), maxCampaigns)] {
		told.Campaigns = append(told.Campaigns, CampaignCost{c.Name, amountOf(c.Amount), c.Days})
	}
	for _, l := range of.Left {
		told.Left = append(told.Left, LineLeft{l.Line, string(l.Reason)})
	}
	return &costFileOutput{told}, nil
}
