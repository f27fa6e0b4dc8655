package reports

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/wanted"
)

// Why a report cannot be handed out by a link.
var (
	errOneSite = errors.New("a link is to a report of one site")
	errPersons = errors.New("a link is to no report that names people")
)

// outside tells whether a link may hand the report out.
func (a asked) outside() bool { return wanted.IsForOutside(a.dimensions(), a.Filters) }

// NotLinkable is the name of the words for why no link can hand the report out; empty if one can.
func (b reportPage) NotLinkable() string {
	switch {
	case len(b.SiteIDs) != 1:
		return savedMistakes[errOneSite]
	case !b.outside():
		return savedMistakes[errPersons]
	}
	return ""
}

// LinkDays are for how many days a link can last.
func (reportPage) LinkDays() []int { return []int{1, 7, 30, 90, 365} }

// linksPage are the links of the sites.
type linksPage struct {
	Rows []linkRow
	Made string // the address of the one that was just made, which is shown once
}

type linkRow struct {
	link.Link
	Report string // its address in the console
	Site   string
}

// mostLinks is how many links the page lists.
const mostLinks = 500

func (c *links) showLinks(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	return c.linksPage(w, r, p, "")
}

func (c *links) linksPage(w http.ResponseWriter, r *http.Request, p frame.Page, made string) error {
	links, err := c.Links.Of(r.Context(), p.Scope, mostLinks)
	if err != nil {
		return err
	}
	body := linksPage{Made: made}
	for _, l := range links {
		row := linkRow{Link: l, Report: "/reports?" + l.Query}
		if s, found := p.Site(l.SiteID); found {
			row.Site = words.Host(s.Key)
		}
		body.Rows = append(body.Rows, row)
	}
	p.Body, p.Charts, p.Here = body, true, "/reports/links"
	return c.Show(w, http.StatusOK, p)
}

// makeLink makes a link to the report of the address, and shows it once.
func (c *links) makeLink(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	reportOf := p
	reportOf.Page, reportOf.Title = "reports", p.Words.Text("reports.title")
	a, err := c.read(p, r.URL.Query())
	if err != nil {
		return c.refuse(w, reportOf, reportPage{asked: a, Options: optionsOf(p), Today: a.today(c.Now())}, err)
	}
	siteID, query := a.lasting(p)
	days, _ := strconv.Atoi(r.PostFormValue("days"))
	var token string
	switch {
	case siteID == 0:
		err = errOneSite
	case !a.outside():
		err = errPersons
	default:
		_, token, err = c.Links.Make(r.Context(), link.Link{SiteID: siteID, Name: r.PostFormValue("name"), Query: query.Encode(), By: p.Operator.Login}, days)
	}
	if mistake := savedMistake(err); mistake != "" {
		return c.report(w, r, reportOf, a, p.Words.Text(mistake))
	}
	if err != nil {
		return err
	}
	return c.linksPage(w, r, p, frame.Absolute(r, "/r/"+token))
}

func (c *links) endLink(w http.ResponseWriter, r *http.Request, p frame.Page) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "link")
	if err == nil {
		err = c.Links.End(r.Context(), p.Operator.Login, siteID, id)
	}
	if err != nil {
		return err
	}
	return c.Back(w, r, "/reports/links", "links.ended")
}
