package sites

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// InstallPart is a part of a site's installation.
type InstallPart struct {
	Name   string     `json:"name" enum:"page,code,script,hit,number,form,call" doc:"A page has passed, it has got the code, a browser has loaded the script, a visitor was counted, a number was replaced, a form has passed, a call was received."`
	State  string     `json:"state" enum:"well,old,missing,unset" doc:"It is at work, it was seen earlier, it was not seen, or nothing is set up for it. Numbers, forms and calls count as at work for 30 days, all else for seven."`
	SeenAt *time.Time `json:"seen_at" doc:"When it was seen at work last; null for never. That of the script and of a number may be an hour early."`
	Advice string     `json:"advice" enum:",open_page,open_browser,find_cause,open_script,script_kept,visit,add_number,compare_number,follow_campaign,send_form,no_calls,call_number" doc:"What to do; empty for nothing. open_page: open a page of the site, for nothing has passed. open_browser: only what is no page has passed, so open one in a browser. find_cause: pages go out as the site sends them, and bare has why. open_script: open the script's address, where something else may answer. script_kept: visitors are counted, and browsers may have kept the script. visit: open a page in a browser, and agree if the site asks for consent. add_number: track a number if calls are to tell where they came from. compare_number: the tracked number stands on none of the pages seen, so compare how they write it. follow_campaign: open a page by an address that a campaign is for. send_form: send a form of the site. no_calls: nothing, for no number is tracked. call_number: call a tracking number."`
	Log    string     `json:"log" doc:"What to look for in the server's log, or in the access log where it begins with handled request; empty for nothing."`
}

// BarePages are pages that went out without the code.
type BarePages struct {
	Reason string    `json:"reason" doc:"Why, such as csp, no_place or error."`
	Pages  int64     `json:"pages" doc:"How many in the last 30 days."`
	LastAt time.Time `json:"last_at"`
}

// OtherService is the code of another service on the site's pages.
type OtherService struct {
	Script  string    `json:"script" doc:"The address of its script; empty where only the key was recognised."`
	Account string    `json:"account" doc:"Its key; empty where it was not recognised."`
	Path    string    `json:"path" doc:"The path of the page on which it was seen last."`
	LastAt  time.Time `json:"last_at"`
}

type checkOutput struct {
	Body struct {
		Missing       int            `json:"missing" doc:"How many parts are not at work that should be. Begin with the first of them."`
		Parts         []InstallPart  `json:"parts" nullable:"false" doc:"In the order in which one needs the other."`
		Bare          []BarePages    `json:"bare" nullable:"false" doc:"Why pages went out without the code, if none went out with it later."`
		OtherServices []OtherService `json:"other_services" nullable:"false" doc:"At most eight, the one that was seen last first. With the setting supersede, Frontdesk's code takes their place."`
	}
}

func (r *room) mountCheck() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/check", ID: "getCheck", Subject: "Sites", Opens: token.ReadSites, Summary: "Check the installation of a site",
		Description: "Which parts of the installation were seen at work on any server, and what to do about those that were not.",
	}, func(ctx context.Context, in *frame.SiteInput) (*checkOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		found, err := r.Checks.Of(ctx, s)
		if err != nil {
			return nil, err
		}
		out := new(checkOutput)
		out.Body.Missing, out.Body.Parts = found.Missing(), make([]InstallPart, len(found.Parts))
		for i, p := range found.Parts {
			out.Body.Parts[i] = InstallPart{Name: string(p.Name), State: string(p.State), Advice: string(p.Advice), Log: p.Log}
			if !p.At.IsZero() {
				out.Body.Parts[i].SeenAt = new(p.At.UTC())
			}
		}
		out.Body.Bare = make([]BarePages, len(found.Bare))
		for i, p := range found.Bare {
			out.Body.Bare[i] = BarePages{p.Outcome, p.Number, p.LastAt.UTC()}
		}
		out.Body.OtherServices = make([]OtherService, len(found.Rivals))
		for i, of := range found.Rivals {
			out.Body.OtherServices[i] = OtherService{of.Loader, of.Account, of.Path, of.At.UTC()}
		}
		return out, nil
	})
}
