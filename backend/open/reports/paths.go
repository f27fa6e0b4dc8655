package reports

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report"
)

// PathStep is visits with the same value, one after the other.
type PathStep struct {
	Value string `json:"value" doc:"Of the dimension. What is not known is a text that begins with the character U+0000."`
	Times int    `json:"times"`
}

// ReportPath is the visits that stood before some inquiries or sales.
type ReportPath struct {
	ID             string     `json:"id" doc:"By which the rows behind it are asked for, with the same question; empty for all paths together."`
	Steps          []PathStep `json:"steps" nullable:"false" doc:"The first visit first; none for all paths together."`
	Count          int        `json:"count" doc:"How many inquiries or sales it led to."`
	Sales          int        `json:"sales"`
	Revenue        float64    `json:"revenue" doc:"In the site's currency."`
	BetweenSeconds int64      `json:"between_seconds" doc:"The mean time from the first visit to the last."`
	Visits         float64    `json:"visits" doc:"How many visits it has in the mean."`
}

func pathOf(p report.Path) ReportPath {
	told := ReportPath{ID: p.ID, Steps: make([]PathStep, len(p.Steps)), Count: p.Count, Sales: p.Sales, Revenue: p.Revenue, BetweenSeconds: int64(p.Between / time.Second), Visits: p.Visits}
	for i, step := range p.Steps {
		told.Steps[i] = PathStep(step)
	}
	return told
}

type pathsInput struct {
	Sites   []string `query:"site" maxItems:"50" doc:"The keys of sites, with commas between them; without them, all that the token opens."`
	First   string   `query:"first" required:"true" maxLength:"10" doc:"The first day." example:"2026-10-01"`
	Last    string   `query:"last" required:"true" maxLength:"10" doc:"The last day, which is within the time." example:"2026-10-31"`
	Zone    string   `query:"zone" maxLength:"64" doc:"The time zone in which days begin, as for figures."`
	By      string   `query:"by" enum:"channel,source,medium,campaign,content,keyword,referrer,landing,device,browser,language,country,area,city" default:"source" doc:"The dimension of the visits."`
	Filters []string `query:"filter,explode" maxItems:"50" doc:"A dimension and a value, as for figures."`
	Goal    string   `query:"goal" enum:"sales,inquiries" default:"sales" doc:"What the paths lead to."`
	Window  int      `query:"window" minimum:"1" maximum:"90" default:"30" doc:"How many days before it its visits count."`
	Limit   int      `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many paths there are at most."`
}

type pathsOutput struct {
	Body struct {
		Total ReportPath   `json:"total" doc:"All paths together."`
		Paths []ReportPath `json:"paths" nullable:"false" doc:"The most frequent first."`
		Count int          `json:"count" doc:"How many there are, those behind the limit too."`
	}
}

// Waits is how long visitors have waited for answers in conversations.
type Waits struct {
	Site           string `json:"site" doc:"The key of the group's site; empty for an operator."`
	GroupID        int64  `json:"group_id" doc:"The group; 0 for none."`
	OperatorID     int64  `json:"operator_id" doc:"The operator; 0 for a group."`
	Answers        int64  `json:"answers" doc:"How many answers somebody has waited for."`
	Prompt         int64  `json:"prompt" doc:"Those of them that came within a minute."`
	MeanSeconds    int64  `json:"mean_seconds"`
	LongestSeconds int64  `json:"longest_seconds"`
}

type waitsInput struct {
	Site  string    `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	Since time.Time `query:"since" doc:"Answers of this time or later; without it, of the last 7 days."`
}

type waitsOutput struct {
	Body struct {
		Operators []Waits `json:"operators" nullable:"false" doc:"Who has answered most comes first; at most 200."`
		Groups    []Waits `json:"groups" nullable:"false" doc:"The same for groups."`
	}
}

func (r *room) mountPaths() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "reports/paths", ID: "listPaths", Subject: "Reports", Opens: token.ReadReports, Dear: true, Summary: "List paths",
		Description: "The visits that stood before sales or inquiries.", Mistakes: askMistakes,
	}, r.paths)
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "reports/waits", ID: "listWaits", Subject: "Reports", Opens: token.ReadReports, Dear: true, Summary: "List waits",
		Description: "How long visitors have waited for answers in conversations, by operators and by groups.",
	}, r.waits)
}

func (r *room) paths(ctx context.Context, in *pathsInput) (*pathsOutput, error) {
	q, err := r.question(ctx, &QuestionInput{
		Sites: in.Sites, First: in.First, Last: in.Last, Step: "day", Zone: in.Zone, By: []string{in.By}, Filters: in.Filters, Model: "last_nondirect", Window: in.Window,
	})
	if err != nil {
		return nil, err
	}
	goal, _ := report.MetricOf(in.Goal)
	found, all, err := r.Reports.Paths(ctx, q, goal)
	if err != nil {
		return nil, err
	}
	out := new(pathsOutput)
	out.Body.Total, out.Body.Count, out.Body.Paths = pathOf(all), len(found), make([]ReportPath, min(len(found), in.Limit))
	for i := range out.Body.Paths {
		out.Body.Paths[i] = pathOf(found[i])
	}
	return out, nil
}

func (r *room) waits(ctx context.Context, in *waitsInput) (*waitsOutput, error) {
	among := frame.Caller(ctx).Sites
	if in.Site != "" {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		among = among.Only(s.ID)
	}
	since := in.Since
	if since.IsZero() {
		since = r.Now().Add(-7 * 24 * time.Hour)
	}
	operators, err := r.Overview.WaitsByOperator(ctx, among, since)
	if err != nil {
		return nil, err
	}
	groups, err := r.Overview.WaitsByGroup(ctx, among, since)
	if err != nil {
		return nil, err
	}
	out := new(waitsOutput)
	for _, some := range []struct {
		found []overview.Waits
		to    *[]Waits
	}{{operators, &out.Body.Operators}, {groups, &out.Body.Groups}} {
		*some.to = make([]Waits, len(some.found))
		for i, w := range some.found {
			told := Waits{
				GroupID: w.GroupID, OperatorID: w.OperatorID, Answers: w.Answers, Prompt: w.Prompt, MeanSeconds: int64(w.Mean() / time.Second), LongestSeconds: int64(w.Most() / time.Second),
			}
			if w.SiteID != 0 {
				if told.Site, err = r.Key(ctx, w.SiteID); err != nil {
					return nil, err
				}
			}
			(*some.to)[i] = told
		}
	}
	return out, nil
}
