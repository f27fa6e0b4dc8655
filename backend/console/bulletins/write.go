package bulletins

import (
	"bytes"
	"context"
	"embed"
	htmltemplate "html/template"
	"net/url"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/credit"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
	"github.com/seed-3405227d/frontdesk/backend/scope"
)

// told are the figures of a bulletin.
var told = []string{"visits", "visitors", "inquiries", figures.Rate, "calls", "requests", "chats", "callbacks", "persons", "missed", "sales", "revenue"}

const (
	// bestOf is how many rows a list of the best has.
	bestOf = 5
	// longest is how many characters of a name a bulletin shows.
	longest = 60
)

// usual is how the console divides inquiries where nobody has chosen another way.
var usual = credit.Rule{Model: credit.LastNotDirect, Window: 30 * 24 * time.Hour}

// Sources are what a bulletin is written of.
type Sources struct {
	Reports   *report.Reports
	Incidents *incident.Incidents
	// Key is that of the site.
	Key func(ctx context.Context, siteID int64) (string, error)
	// Console is the console's URL with a slash at the end; empty if it is not known.
	Console func() string
}

// Writer writes bulletins. It is safe for concurrent use.
type Writer struct {
	Sources
	tongues map[string]*words.Tongue
}

// NewWriter returns a writer of bulletins in all languages.
func NewWriter(s Sources, now func() time.Time) *Writer {
	w := &Writer{s, make(map[string]*words.Tongue)}
	for _, t := range words.All(now) {
		w.tongues[t.Code] = t
	}
	return w
}

// paper is what the templates of a bulletin show: texts alone, in the reader's language.
type paper struct {
	Language, Subject string
	Site, Span        string
	Heads             [3]string // of the figures: what, how many, before
	Figures           []line
	Bests             []best
	Needs             string // the title of what needs somebody
	Waiting           []string
	Calm              string // said where nothing waits
	Report, Link      string // the name of the link to the report, and its address; empty where the console's is not known
	Zone, Why         string
	Stop, StopLink    string
}

type line struct{ Name, Value, Change, Before string }

// best is a list of the sources, campaigns or pages that bring most.
type best struct {
	Heads [3]string // of its columns: what, visits, inquiries
	Rows  [][3]string
	None  string
}

//go:embed letter
var letters embed.FS

var (
	asHTML = htmltemplate.Must(htmltemplate.ParseFS(letters, "letter/letter.html"))
	asText = template.Must(template.ParseFS(letters, "letter/letter.txt"))
)

// Write writes the issue, in the language of its reader. Nothing in it names a person.
func (w *Writer) Write(ctx context.Context, i bulletin.Issue) (written bulletin.Written, err error) {
	t := w.tongues[i.Language]
	key, err := w.Key(ctx, i.SiteID)
	if err != nil {
		return written, err
	}
	p := paper{
		Language: t.Code, Site: named(words.Host(key)), Span: spanOf(t, i),
		Heads: [3]string{"", "", t.Text("course.before")}, Needs: t.Text("overview.needs"), Calm: t.Text("overview.calm"),
		Zone: t.Text("reports.zone", "zone", i.Covers.Zone.String()), Why: t.Text("bulletin.why", "address", i.Address), Stop: t.Text("bulletin.stop"), StopLink: i.Stop,
	}
	if at := w.Console(); at != "" {
		query := url.Values{"site": {strconv.FormatInt(i.SiteID, 10)}, "span": {wanted.Own}, "from": {i.Covers.First.String()}, "to": {i.Covers.Last.String()}}
		p.Report, p.Link = t.Text("bulletin.report"), strings.TrimSuffix(at, "/")+figures.Address("/reports", query)
	}
	if err := w.fill(ctx, t, i, &p); err != nil {
		return written, err
	}
	var text, html bytes.Buffer
	if err := asText.Execute(&text, p); err != nil {
		return written, err
	}
	if err := asHTML.Execute(&html, p); err != nil {
		return written, err
	}
	return bulletin.Written{Subject: p.Subject, Text: text.String(), HTML: html.String()}, nil
}

// fill asks for the figures, and writes them.
func (w *Writer) fill(ctx context.Context, t *words.Tongue, i bulletin.Issue, p *paper) error {
	ask := func(by ...report.Dimension) report.Question {
		return report.Question{SiteIDs: []int64{i.SiteID}, Period: i.Covers, Credit: usual, By: by, PersonWindow: i.PersonWindow}
	}
	now, err := w.Reports.Ask(ctx, ask(report.Source, report.Campaign)) // counted at once
	if err != nil {
		return err
	}
	pages, err := w.Reports.Ask(ctx, ask(report.Landing))
	if err != nil {
		return err
	}
	before := ask()
	before.Period = i.Covers.Before()
	was, err := w.Reports.Ask(ctx, before)
	if err != nil {
		return err
	}
	for _, key := range told {
		f := figures.New(t, key, now.Total, &was.Total)
		p.Figures = append(p.Figures, line{t.Text("figure." + key), f.Value, changeOf(t, f), f.Before})
	}
	count := func(m report.Metric) int { return int(now.Total[m]) }
	p.Subject = p.Site + ": " + p.Span + ": " + t.Text("bulletin.visits", "n", count(report.Visits)) + ", " + t.Text("bulletin.inquiries", "n", count(report.Inquiries))
	p.Bests = []best{
		bestIn(t, "overview.sources", report.Source, now.Rows, 0),
		bestIn(t, "overview.campaigns", report.Campaign, now.Rows, 1),
		bestIn(t, "overview.pages", report.Landing, pages.Rows, 0),
	}
	if n := count(report.Unanswered); n > 0 {
		p.Waiting = append(p.Waiting, t.Text("overview.callBack", "n", n))
	}
	wrong, err := w.Incidents.Now(ctx, scope.Of(i.SiteID))
	if n := len(wrong); n > 0 {
		p.Waiting = append(p.Waiting, t.Text("bulletin.problems", "n", n))
	}
	return err
}

// spanOf is the period of the issue as people read it.
func spanOf(t *words.Tongue, i bulletin.Issue) string {
	first, last := i.Covers.First.String(), i.Covers.Last.String()
	switch i.Every {
	case bulletin.Week:
		return t.Text("bulletin.week", "from", first, "to", last)
	case bulletin.Month:
		return t.Text("bulletin.month", "month", first[:len("2006-01")])
	}
	return first
}

// changeOf is how the figure has changed, in signs that need no colour.
func changeOf(t *words.Tongue, f figures.Figure) string {
	switch f.Trend {
	case "up":
		return strings.TrimSpace("▲ " + f.Change)
	case "down":
		return strings.TrimSpace("▼ " + f.Change)
	}
	return t.Text("figure.same")
}

func bestIn(t *words.Tongue, title string, by report.Dimension, rows []report.Row, at int) best {
	b := best{Heads: [3]string{t.Text(title), t.Text("figure.visits"), t.Text("figure.inquiries")}, None: t.Text("overview.none")}
	names := figures.Names{Words: t}
	for _, r := range figures.Best(by, rows, at, bestOf) {
		written := func(m report.Metric) string { return figures.Written(t, m.String(), r.Figures[m]) }
		b.Rows = append(b.Rows, [3]string{named(names.Of(by, r.Values[0])), written(report.Visits), written(report.Inquiries)})
	}
	return b
}

// named is what a stranger may have written, such as the name of a campaign, on a line of its own. Mail programs make links
// of addresses in texts; they make none of this.
func named(text string) string {
	text = strings.Join(strings.Fields(words.Plainly(text)), " ")
	if signs := []rune(text); len(signs) > longest {
		text = string(signs[:longest-1]) + "…"
	}
	return strings.ReplaceAll(text, "://", ":\u2060/\u2060/")
}
