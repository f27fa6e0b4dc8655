package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// maxCardLeads is how many leads a visitor's card shows.
const maxCardLeads = 50

// presence is who is on the sites now.
type presence struct {
	Guests []guest
	More   bool // than are shown
	Known  int  // whose name or contacts are known
	Paid   int  // whom advertising brought
}

// visitorsPage is the list of those who are there.
type visitorsPage struct {
	presence
	Rows []template.HTML
}

// guest is a visitor on a site now, as a row of the list.
type guest struct {
	Key     string // of the row
	Link    string // to the card
	Label   string
	Known   bool
	Mobile  bool
	Site    string
	Title   string
	Now     page
	Trail   []page // the pages before, oldest first
	Source  source
	Started time.Time
	Seen    time.Time
	Hits    int

	state string // changes when the row does
}

// presenceOf shows who is there, those who came last first. Rows keep their places
// as visitors go from page to page.
func presenceOf(w *words, sites []site.Site, live visit.Live) presence {
	p := presence{More: live.More}
	for _, v := range live.Visits {
		g := guestOf(w, frame{Sites: sites}, v)
		if g.Known {
			p.Known++
		}
		if v.Source.Paid() {
			p.Paid++
		}
		p.Guests = append(p.Guests, g)
	}
	slices.SortStableFunc(p.Guests, func(a, b guest) int { return b.Started.Compare(a.Started) })
	return p
}

func (c *Console) showVisitors(w http.ResponseWriter, r *http.Request) {
	f, err := c.frame(r, "visitors")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Stream = f.streamAddress("visitors", f.SiteID)
	live, err := c.Visits.Live(r.Context(), f.Scope)
	if err != nil {
		c.failed(w, r, err)
		return
	}
	body := visitorsPage{presence: presenceOf(f.Words, f.Sites, live)}
	room := listRoom
	if body.Rows, err = within(c, f.Words, "guest", body.Guests, &room); err != nil {
		c.failed(w, r, err)
		return
	}
	body.More = body.More || len(body.Rows) < len(body.Guests)
	f.Body = body
	c.show(w, r, http.StatusOK, f)
}

// showCard shows all that is known of a visitor.
func (c *Console) showCard(w http.ResponseWriter, r *http.Request) {
	siteID, visitor, ok := twoNumbers(r, "site", "visitor")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	f, err := c.frame(r, "card")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Stream = f.streamAddress("card", siteID) + "&visitor=" + strconv.FormatInt(visitor, 10)
	found, err := c.Visits.Card(r.Context(), siteID, visit.ID(visitor))
	if errors.Is(err, visit.ErrUnknown) {
		c.fail(w, r, http.StatusNotFound, "fail.noVisitor")
		return
	}
	var body card
	if err == nil {
		body, err = c.filledCard(r.Context(), f, siteID, found)
	}
	if err == nil {
		err = c.callbacksOf(r.Context(), f, siteID, &body)
	}
	if err == nil && body.Reach.PhoneDigits != "" {
		var can bool
		if can, err = c.callsBack(r.Context(), f, siteID); can {
			body.Reach.Back = fmt.Sprintf("/callbacks/new?site=%d&visitor=%d", siteID, visitor)
		}
	}
	if err == nil {
		chosen, _ := strconv.ParseInt(r.URL.Query().Get("visit"), 10, 64) // 0 for none
		behind, _ := strconv.Atoi(r.URL.Query().Get("behind"))
		err = c.walk(f.Words, &body, visit.ID(chosen), behind)
	}
	if err != nil {
		c.failed(w, r, err)
		return
	}
	allowRecordings(w.Header())
	f.Title, f.Body = body.Label, body
	f.SiteID = siteID
	c.show(w, r, http.StatusOK, f)
}

// filledCard is the visitor's card with the leads, the numbers that were shown, and the calls.
func (c *Console) filledCard(ctx context.Context, f frame, siteID int64, found visit.Card) (shown card, err error) {
	leads, err := c.Leads.OfVisitor(ctx, siteID, found.Visitor, maxCardLeads)
	if err != nil {
		return shown, err
	}
	leases, err := c.Leases.OfVisitor(ctx, siteID, found.Visitor)
	if err != nil {
		return shown, err
	}
	shown = cardOf(f.Words, siteID, found, rowsOf(f, leads, leadRowOf), leases)
	err = c.callsOf(ctx, f, siteID, &shown)
	return shown, err
}

func twoNumbers(r *http.Request, first, second string) (a, b int64, ok bool) {
	a, errA := strconv.ParseInt(r.PathValue(first), 10, 64)
	b, errB := strconv.ParseInt(r.PathValue(second), 10, 64)
	return a, b, errA == nil && errB == nil
}
