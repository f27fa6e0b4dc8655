package reports

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/figures"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/pace"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// outsideAtOnce is how many reports are made at a time for those who have a link: operators come first.
const outsideAtOnce = 2

// links are links to reports, and what is shown to those who have one.
type links struct {
	*room
	turns chan struct{} // held while a report is made for somebody outside
}

// outsidePage is a report for somebody without an account.
type outsidePage struct {
	reportPage
	link.Link
	Site string
	File string // address of the table
}

// opened answers by the handler for who has a link. What it shows leaves no trace of the address elsewhere.
func (c *links) opened(h func(w http.ResponseWriter, r *http.Request, p frame.Page, body outsidePage) error) frame.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Referrer-Policy", "no-referrer")
		l, err := c.Links.OpenFor(r.Context(), pace.Client(r.RemoteAddr), r.PathValue("shared"))
		var wait link.Wait
		switch {
		case errors.As(err, &wait):
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(time.Duration(wait).Seconds()))))
			return frame.Fail(http.StatusTooManyRequests, "fail.later")
		case errors.Is(err, link.ErrUnknown):
			return frame.Fail(http.StatusNotFound, "links.unknown")
		case errors.Is(err, link.ErrEnded):
			return frame.Fail(http.StatusGone, "links.over")
		case err != nil:
			return err
		}
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
		case <-r.Context().Done():
			return r.Context().Err()
		}
		r = table.While(r, func(ctx context.Context) error {
			_, err := c.Links.Open(ctx, r.PathValue("shared"))
			return err
		})
		p, body, err := c.outside(r, l)
		if err != nil {
			return err
		}
		return h(w, r, p, body)
	}
}

// outside is the page of the link's report, of which nothing is asked yet. It is of the link's site alone, whoever looks.
func (c *links) outside(r *http.Request, l link.Link) (p frame.Page, body outsidePage, err error) {
	if p, err = c.Page(r, "shared"); err != nil {
		return p, body, err
	}
	all, err := c.Sites.List(r.Context())
	if err != nil {
		return p, body, err
	}
	of := slices.IndexFunc(all, func(s site.Site) bool { return s.ID == l.SiteID })
	query, wrong := url.ParseQuery(l.Query)
	if of < 0 || wrong != nil {
		return p, body, frame.Fail(http.StatusGone, "links.over")
	}
	p.Sites, p.SiteID, p.Title = all[of:of+1], l.SiteID, l.Name
	query.Set("page", r.URL.Query().Get("page"))
	a, err := c.read(p, query)
	if figures.Mistake(err) != "" || err == nil && !a.outside() { // what an earlier release knew
		return p, body, frame.Fail(http.StatusGone, "links.over")
	}
	a.Opens, a.Outside = false, true
	path := "/r/" + r.PathValue("shared")
	return p, outsidePage{reportPage: reportPage{asked: a}, Link: l, Site: all[of].Key, File: path + "/export"}, err
}

func (c *links) showOutside(w http.ResponseWriter, r *http.Request, p frame.Page, body outsidePage) error {
	if err := c.fill(r.Context(), p, &body.reportPage); err != nil {
		return err
	}
	at := func(page int) string { return "/r/" + r.PathValue("shared") + "?page=" + strconv.Itoa(page) }
	if body.Earlier != "" {
		body.Earlier = at(body.Page - 1)
	}
	if body.Later != "" {
		body.Later = at(body.Page + 1)
	}
	p.Body, p.Charts = body, true
	return c.Show(w, http.StatusOK, p)
}

func (c *links) exportOutside(w http.ResponseWriter, r *http.Request, p frame.Page, body outsidePage) error {
	return c.send(w, r, p, body.asked)
}
