package reports

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/period"
)

// FigureRow is a visit or an inquiry that is counted in a figure.
type FigureRow struct {
	Site    string    `json:"site" doc:"The key of the site."`
	Kind    string    `json:"kind" enum:"call,request,chat,callback,visit,event" doc:"A request is a lead."`
	ID      int64     `json:"id" doc:"The number of the call, the lead, the conversation or the callback; 0 for a visit or an event."`
	VisitID string    `json:"visit_id" doc:"The visit, or that of the event, as in the browser interface; empty for an inquiry."`
	At      time.Time `json:"at"`
	Share   float64   `json:"share" doc:"How much of it counts: 1, or less where an inquiry is shared among visits."`
	Amount  float64   `json:"amount" doc:"What it adds to the figure: its views, its money or its share."`
}

type rowsInput struct {
	QuestionInput
	Figure string    `query:"figure" required:"true" enum:"visits,visitors,views,new,bots,inquiries,calls,requests,chats,callbacks,persons,missed,unanswered,sales,revenue,spam,scriptless,numberless,events,value" doc:"The figure."`
	Values []string  `query:"value,explode" maxItems:"2" doc:"The values of the row that has the figure, one for each dimension in its order; without them, the figure of the total."`
	Part   time.Time `query:"part" doc:"The start of the part that has the figure; without it, the figure of the whole time."`
	Path   string    `query:"path" maxLength:"32" doc:"The id of a path: what is behind its sales or its inquiries, by one dimension."`
	Limit  int       `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"How many there are at most. Ask for a shorter time where that is not all."`
}

type rowsOutput struct {
	Body struct {
		Rows  []FigureRow `json:"rows" nullable:"false" doc:"The newest first. Their amounts together are the figure, when they are all."`
		Count int         `json:"count" doc:"How many there are, those behind the limit too."`
	}
}

var (
	errValues = errors.New("expected a value for each dimension, or none")
	errPart   = errors.New("expected the start of a part of the time, for a figure without values")
	errWhole  = errors.New("expected neither values nor a part with a path")
)

func (r *room) mountRows() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "reports/rows", ID: "listReportRows", Subject: "Reports", Opens: token.ReadReports, Dear: true, Summary: "List what is behind a figure",
		Description: "The visits and inquiries that are counted in a figure of a report, or of a path. They are told by their numbers: read each by its own operation.", Mistakes: askMistakes,
	}, r.rows)
}

func (r *room) rows(ctx context.Context, in *rowsInput) (*rowsOutput, error) {
	q, err := r.question(ctx, &in.QuestionInput)
	if err != nil {
		return nil, err
	}
	key := report.FigureKey{Values: in.Values, Part: in.Part}
	key.Metric, _ = report.MetricOf(in.Figure)
	if err := in.check(q); err != nil {
		return nil, err
	}
	var refs []report.Ref
	out := new(rowsOutput)
	if in.Path != "" {
		refs, out.Body.Count, err = r.Reports.BehindPath(ctx, q, key.Metric, in.Path, in.Limit)
	} else {
		refs, out.Body.Count, err = r.Reports.Behind(ctx, q, key, in.Limit)
	}
	if err != nil {
		return nil, err
	}
	out.Body.Rows = make([]FigureRow, len(refs))
	for i, ref := range refs {
		told := FigureRow{Kind: ref.Kind, At: ref.At.UTC(), Share: ref.Share, Amount: ref.Amount}
		if told.Site, err = r.Key(ctx, ref.SiteID); err != nil {
			return nil, err
		}
		if ref.Kind == "visit" || ref.Kind == "event" {
			told.VisitID = strconv.FormatInt(ref.ID, 10)
		} else {
			told.ID = ref.ID
		}
		out.Body.Rows[i] = told
	}
	return out, nil
}

// check tells what is wrong with which figure of the question is meant.
func (in *rowsInput) check(q report.Question) error {
	isPart := func(part period.Part) bool { return part.Start.Equal(in.Part) }
	switch {
	case in.Path != "" && (len(in.Values) > 0 || !in.Part.IsZero()):
		return frame.Wrong("query.path", errWhole, in.Path)
	case len(in.Values) > 0 && len(in.Values) != len(q.By):
		return frame.Wrong("query.value", errValues, in.Values)
	case !in.Part.IsZero() && (len(in.Values) > 0 || !slices.ContainsFunc(q.Period.Parts(), isPart)):
		return frame.Wrong("query.part", errPart, in.Part)
	}
	return nil
}
