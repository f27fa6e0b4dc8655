package people

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

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
	Now     words.Address
	Trail   []words.Address // the pages before, oldest first
	Source  rows.Source
	Started time.Time
	Seen    time.Time
	Views   int

	state string // changes when the row does
}

// presenceOf shows who is there, those who came last first. Rows keep their places
// as visitors go from page to page.
func presenceOf(w *words.Tongue, sites []site.Site, live onsite.Live) presence {
	p := presence{More: live.More}
	for _, v := range live.Visits {
		g := guestOf(w, frame.Page{Sites: sites}, v)
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

func (c *room) showVisitors(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	f.Stream = f.StreamAddress("visitors", f.SiteID)
	live, err := c.Cards.Onsite.Live(r.Context(), f.Scope)
	if err != nil {
		return err
	}
	body := visitorsPage{presence: presenceOf(f.Words, f.Sites, live)}
	room := frame.ListRoom
	if body.Rows, err = frame.Within(c.Frame, f.Words, "guest", body.Guests, &room); err != nil {
		return err
	}
	body.More = body.More || len(body.Rows) < len(body.Guests)
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

func guestOf(w *words.Tongue, f frame.Page, v onsite.LiveVisit) guest {
	g := guest{
		Key:     fmt.Sprintf("visit-%d-%d", v.SiteID, v.Visit),
		Link:    rows.CardLink(v.SiteID, int64(v.Visitor)),
		Known:   true,
		Mobile:  strings.Contains(v.UserAgent, "Mobi"),
		Site:    f.SiteKey(v.SiteID),
		Title:   v.Title,
		Now:     words.AddressOf(v.URL),
		Source:  rows.SourceOf(w, v.Source),
		Started: v.StartedAt,
		Seen:    v.LastAt,
		Views:   v.Views,
	}
	g.Label = rows.FirstOf(v.Name, rows.ContactPhoneOf(v.Phone).Text(w), v.Email)
	if g.Label == "" {
		g.Known, g.Label = false, rows.VisitorLabel(w, int64(v.Visitor))
	}
	for i, p := range v.Path {
		if i < len(v.Path)-1 { // the last is the page that is looked at
			g.Trail = append(g.Trail, words.AddressOf(p.URL))
		}
	}
	if most := 3; len(g.Trail) > most {
		g.Trail = g.Trail[len(g.Trail)-most:]
	}
	g.state = fmt.Sprint(g.Label, v.Title, v.URL, v.Views, v.LastAt.UnixMilli())
	return g
}
