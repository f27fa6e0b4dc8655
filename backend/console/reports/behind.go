package reports

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
)

// refsOfPage is how many of the visits and inquiries behind a figure a page shows.
const refsOfPage = 50

// behindPage is what is behind a figure.
type behindPage struct {
	asked
	Name           string   // the figure's
	Of             []string // values of the row
	Chips          []Chip
	Rows           []behindRow
	Count          int
	Earlier, Later string
	First, Last    string // days
	Back           string // address of the report
	Export         string // address of all of them as a file
}

// behindRow is a visit or an inquiry.
type behindRow struct {
	report.Ref
	Icon, What, Who string
	Link            string // empty for what is no longer stored
	Source          *rows.Source
	Site            string
	Part            string // how much of it counts; empty for all
	Adds            string // what it adds to the figure; empty where it counts as one
}

// looked is what is looked into: a figure of the report, or of a path.
type looked struct {
	report.FigureKey
	path string
}

// look reads what is looked into.
func (c *room) look(p frame.Page, query url.Values) (a asked, into looked, err error) {
	if a, err = c.read(p, query); err != nil {
		return a, into, err
	}
	into.path = query.Get(pathField)
	var known bool
	if into.path == "" {
		into.Metric, known = report.MetricOf(query.Get("figure"))
		into.Values = query[figures.Value]
		known = known && into.Metric != report.Cost && (len(into.Values) == 0 || len(into.Values) == len(a.dimensions()))
	} else {
		a.And = ""
		into.Metric, known = a.goal()
		known = known && len(into.path) <= longestPath && slices.Contains(report.OfVisits, report.Dimension(a.By))
	}
	if at := query.Get(figures.Part); at != "" && known {
		into.Part, known = a.PartAt(at)
		known = known && into.path == "" && len(into.Values) == 0
	}
	if !known {
		return a, into, frame.NotFound
	}
	a.Figure = into.Metric.String()
	return a, into, nil
}

// longestPath is how many signs the name of a path has at most.
const longestPath = 32

// refs are what is counted there, the newest first: at most limit, and how many there are.
func (c *room) refs(ctx context.Context, a asked, into looked, limit int) (refs []report.Ref, count int, err error) {
	if into.path != "" {
		return c.Reports.BehindPath(ctx, a.question(), into.Metric, into.path, limit)
	}
	return c.Reports.Behind(ctx, a.question(), into.FigureKey, limit)
}

// address is the address under the path of what is looked into.
func (a asked) address(path string, into looked, pairs ...string) string {
	query := maps.Clone(a.query)
	if len(into.Values) > 0 {
		query[figures.Value] = into.Values
	}
	if !into.Part.IsZero() {
		query.Set(figures.Part, figures.PartOf(into.Part))
	}
	if into.path != "" {
		query.Set(pathField, into.path)
	}
	return figures.Address(path, query, append(pairs, "figure", a.Figure)...)
}

// showRows serves what is counted in a figure of a report.
func (c *room) showRows(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	a, into, err := c.look(p, r.URL.Query())
	if err != nil {
		return c.refuseRows(w, p, a, err)
	}
	refs, count, err := c.refs(r.Context(), a, into, a.Page*refsOfPage)
	if err != nil {
		return err
	}
	names, err := c.names(r.Context(), p, a)
	if err != nil {
		return err
	}
	body := behindPage{asked: a, Name: p.Words.Text("figure." + a.Figure), Chips: a.chips(names), Count: count, First: a.Period.First.String(), Last: a.Period.Last.String(), Back: a.Link(), Export: a.address("/reports/rows/export", into)}
	if into.path != "" {
		body.Of, body.Back = []string{p.Words.Text("paths.path")}, a.Paths()
	}
	if !into.Part.IsZero() {
		body.Of = []string{figures.PartName(a.Period, into.Part)}
	}
	for i, v := range into.Values {
		body.Of = append(body.Of, names.Of(a.dimensions()[i], v))
	}
	from := min((a.Page-1)*refsOfPage, len(refs))
	p.Words = p.Words.In(a.Currency)
	if body.Rows, err = c.refRows(r.Context(), p, into.Metric, refs[from:]); err != nil {
		return err
	}
	if a.Page > 1 {
		body.Earlier = a.address("/reports/rows", into, "page", strconv.Itoa(a.Page-1))
	}
	if a.Page*refsOfPage < count {
		body.Later = a.address("/reports/rows", into, "page", strconv.Itoa(a.Page+1))
	}
	p.Body, p.Charts = body, true
	return c.Show(w, http.StatusOK, p)
}

// refuseRows says what is wrong with what was asked, on the page of the report.
func (c *room) refuseRows(w http.ResponseWriter, p frame.Page, a asked, err error) error {
	p.Page = "reports"
	return c.refuse(w, p, reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}, err)
}

// adding are the metrics to which a row may add more than one.
var adding = []report.Metric{report.Views, report.Revenue, report.Value}

// refRows are the visits and inquiries behind the metric as rows of a list. Each kind is read at once.
func (c *room) refRows(ctx context.Context, p frame.Page, of report.Metric, refs []report.Ref) ([]behindRow, error) {
	found := make([]behindRow, len(refs))
	visits := make(map[int64][]visit.ID) // by site
	places := make(places)
	for i, ref := range refs {
		kind := kinds[ref.Kind]
		found[i] = behindRow{Ref: ref, Site: p.SiteKey(ref.SiteID), Icon: kind.icon, What: p.Words.Text(kind.name)}
		if ref.Share < 0.9999 { // shares that are added up may miss the whole by a hair
			found[i].Part = p.Words.Percent(ref.Share)
		}
		if slices.Contains(adding, of) {
			found[i].Adds = figures.Written(p.Words, of.String(), ref.Amount)
		}
		if ref.Kind == "visit" || ref.Kind == "event" {
			visits[ref.SiteID] = append(visits[ref.SiteID], visit.ID(ref.ID))
			continue
		}
		of := ofSite{ref.Kind, ref.SiteID}
		if places[of] == nil {
			places[of] = make(map[int64][]*behindRow)
		}
		places[of][ref.ID] = append(places[of][ref.ID], &found[i])
	}
	for of, rows := range places {
		if err := c.ofInquiries(ctx, p, of, rows); err != nil {
			return nil, err
		}
	}
	return found, c.ofVisits(ctx, p.Words, found, visits)
}

// kinds are the icons of what is behind figures, and the names of their words.
var kinds = map[string]struct{ icon, name string }{
	report.Call: {"phone-incoming", "inquiry.call"}, report.Request: {"inbox", "inquiry.request"}, report.Chat: {"message-circle", "inquiry.chat"},
	report.Callback: {"phone-outgoing", "inquiry.callback"}, "visit": {"mouse-pointer-click", "reports.visit"}, "event": {"mouse-pointer-click", "reports.event"},
}

// ofSite are the inquiries of a kind of a site.
type ofSite struct {
	kind   string
	siteID int64
}

// places are the rows of inquiries, by the ids of these. An inquiry that is shared has several.
type places map[ofSite]map[int64][]*behindRow

// ofInquiries fills in who is behind the rows, by the ids of their inquiries. Of what is no longer stored, nothing is known.
func (c *room) ofInquiries(ctx context.Context, p frame.Page, of ofSite, shown map[int64][]*behindRow) error {
	ids := slices.Collect(maps.Keys(shown))
	set := func(id int64, who, link string, from *rows.Source) {
		for _, row := range shown[id] {
			row.Who, row.Link, row.Source = who, link, from
		}
	}
	switch of.kind {
	case report.Call:
		found, err := c.Calls.Named(ctx, of.siteID, ids...)
		for _, one := range found {
			row := rows.CallRowOf(p, one)
			set(one.ID, row.Caller, rows.FirstOf(row.Link, "/calls?"+url.Values{"number": {one.Caller}}.Encode()), row.Source)
		}
		return err
	case report.Callback:
		found, err := c.Callbacks.Named(ctx, of.siteID, ids...)
		for _, one := range found {
			row := rows.CallbackRowOf(p, one)
			set(one.ID, row.Who, row.Link, nil)
		}
		return err
	case report.Chat:
		var names []chat.Key
		for _, id := range ids {
			names = append(names, chat.Key{SiteID: of.siteID, ID: id})
		}
		found, err := c.Chats.Named(ctx, names)
		for _, one := range found {
			set(one.ID, rows.VisitorLabel(p.Words, int64(one.Visitor)), rows.ChatLink(of.siteID, one.ID), nil)
		}
		return err
	}
	var names []lead.Key
	for _, id := range ids {
		names = append(names, lead.Key{SiteID: of.siteID, ID: id})
	}
	found, err := c.Leads.Outlines(ctx, names)
	for _, one := range found {
		row := rows.LeadRowOf(p, one)
		set(one.ID, row.Label, row.Link, &row.Source)
	}
	return err
}

// ofVisits fills in whose visits the rows are, and from where they came.
func (c *room) ofVisits(ctx context.Context, w *words.Tongue, shown []behindRow, visits map[int64][]visit.ID) error {
	for site, ids := range visits {
		visitors, err := c.Visitors.OfVisits(ctx, site, ids...)
		if err != nil {
			return err
		}
		var of []card.Of
		for _, visitor := range visitors {
			of = append(of, card.Of{SiteID: site, Visitor: visitor})
		}
		people, err := c.Visitors.People(ctx, of)
		if err != nil {
			return err
		}
		sources, err := c.Visits.Sources(ctx, site, ids...)
		if err != nil {
			return err
		}
		for i := range shown {
			id := visit.ID(shown[i].ID)
			visitor, is := visitors[id]
			if !is || shown[i].Kind != "visit" && shown[i].Kind != "event" || shown[i].SiteID != site {
				continue
			}
			who := people[card.Of{SiteID: site, Visitor: visitor}]
			shown[i].Who = rows.FirstOf(who.Name, words.Phone(who.Phone.Value, who.Phone.Written), who.Email, rows.VisitorLabel(w, int64(visitor)))
			shown[i].Link = rows.CardLink(site, int64(visitor))
			shown[i].Source = new(rows.SourceOf(w, sources[id]))
		}
	}
	return nil
}

// When is the time as a machine reads it.
func (r behindRow) When() string { return r.At.UTC().Format(time.RFC3339) }
