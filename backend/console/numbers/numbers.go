package numbers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

const (
	// maxNumberSites is of how many sites the numbers are shown on one page.
	maxNumberSites = 20
	// maxShownWritings is how many writings of a number are shown.
	maxShownWritings = 6
)

// numbersPage is the content of the page of numbers.
type numbersPage struct {
	Sites []siteNumbers // that have any
	More  bool          // sites than are shown
}

// siteNumbers are the numbers that a site shows, or that are declared for it.
type siteNumbers struct {
	site.Site
	Rows    []numberRow
	May     bool   // change them
	Problem string // why the site's own numbers are not in effect
}

// The states of a number, by the names of their words.
const (
	stateConfigured = "numbers.configured"
	stateOwn        = "numbers.own"
	stateTracking   = "numbers.tracking"
	stateOther      = "numbers.other"
)

// numberRow is a number as a row of the list.
type numberRow struct {
	Digits   string
	Link     string // to its page; empty for one that nobody tracks
	Track    string // where it is made a number of the site; empty where it cannot be
	Rules    int    // by which visitors are shown another
	Valid    bool   // a number of its country's plan
	State    string
	Replaces string   // digits of the number that a tracking number stands for
	Writings []string // as people read them; in links only where there is nothing else
	Places   []string // kinds of places, by the names of their words
	Pages    int
	Many     bool // more pages than are counted
	Example  string
	Seen     time.Time
}

// places are the names of the words for the kinds of places.
var places = map[string]string{
	"text": "place.text", "attribute": "place.attribute", "tel": "place.call", "callto": "place.call", "sms": "place.message", "messenger": "place.messenger",
}

func (c *room) showNumbers(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	having, err := c.Numbers.Sites(r.Context())
	if err != nil {
		return err
	}
	var body numbersPage
	for _, s := range f.Sites {
		alone := (f.SiteID == s.ID || len(f.Sites) == 1) && s.RetiredAt.IsZero()
		if f.SiteID != 0 && f.SiteID != s.ID || !having[s.ID] && !alone {
			continue
		}
		if len(body.Sites) == maxNumberSites {
			body.More = true
			break
		}
		printed, err := c.Numbers.List(r.Context(), s.ID)
		if err != nil {
			return err
		}
		declared, err := c.Numbers.Declared(r.Context(), s.ID)
		if err != nil {
			return err
		}
		n, err := c.Of(r.Context(), s)
		if err != nil {
			return err
		}
		listed := siteNumbers{Site: s, Rows: numberRows(printed, declared), May: f.Admin() && s.RetiredAt.IsZero()}
		for i := range listed.Rows {
			listed.Rows[i].lead(n, listed.May)
		}
		if n.Conflict != nil {
			listed.Problem = rows.NumberMistake(f.Words, n.Conflict)
		}
		body.Sites = append(body.Sites, listed)
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// lead says where the row leads to.
func (row *numberRow) lead(n *rows.Numbering, may bool) {
	of, isOwn := n.Own(row.Digits)
	if isOwn {
		row.State = stateOwn
	} else {
		of, _ = n.ConfiguredNumber(row.Digits)
	}
	row.Rules = len(of.Tracking)
	switch {
	case !n.RetiredAt.IsZero(): // whose pages pass untouched
	case isOwn || row.State == stateConfigured:
		row.Link = rows.NumberLink(n.ID, row.Digits)
	case row.State == stateOther && row.Valid && may:
		row.Track = "/numbers/" + strconv.FormatInt(n.ID, 10) + "/new?" + url.Values{"number": {row.Digits}}.Encode()
	}
}

// numberRows are what needs to be looked at first, then what the pages show, then
// what the configuration has and no page.
func numberRows(printed []inventory.PrintedNumber, declared []number.Declared) []numberRow {
	states, replaced := make(map[string]string), make(map[string]string)
	for _, d := range declared {
		states[d.Digits] = stateConfigured
		for _, tracking := range d.Tracking {
			states[tracking], replaced[tracking] = stateTracking, d.Digits
		}
	}
	var alarming, others []numberRow
	seen := make(map[string]bool)
	for _, n := range printed {
		seen[n.Digits] = true
		row := numberRowOf(n)
		row.Replaces = replaced[n.Digits]
		if row.State = states[n.Digits]; row.State == "" {
			row.State = stateOther
		}
		if row.State == stateTracking {
			alarming = append(alarming, row)
		} else {
			others = append(others, row)
		}
	}
	for _, d := range declared {
		if !seen[d.Digits] {
			others = append(others, numberRow{Digits: d.Digits, Valid: words.Dial(d.Digits) != "", State: stateConfigured})
		}
	}
	return append(alarming, others...)
}

func numberRowOf(n inventory.PrintedNumber) numberRow {
	row := numberRow{Digits: n.Digits, Valid: words.Dial(n.Digits) != "", Pages: n.Pages, Many: n.Pages == inventory.MaxPages, Example: n.Example, Seen: n.LastAt}
	known := make(map[string]bool)
	var read, called []string
	for _, w := range n.Writings {
		if !known[w.Text] {
			known[w.Text] = true
			if w.Place == "text" || w.Place == "attribute" {
				read = append(read, w.Text)
			} else {
				called = append(called, w.Text)
			}
		}
		if name := places[w.Place]; name != "" && !known[name] {
			known[name] = true
			row.Places = append(row.Places, name)
		}
	}
	if len(read) == 0 {
		read = called
	}
	row.Writings = read[:min(len(read), maxShownWritings)]
	return row
}
