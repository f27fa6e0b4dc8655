package people

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// stepsRoom is for the steps of all visits on a card, in bytes of HTML.
const stepsRoom = 200 << 10

// walk renders the steps of the visits as far as there is room for them, those of the chosen visit first and behind as many as
// have been shown of it.
func (c *room) walk(w *words.Tongue, shown *rows.Card, chosen visit.ID, behind int) error {
	order := make([]*rows.Stay, 0, len(shown.Visits))
	for i := range shown.Visits {
		s := &shown.Visits[i]
		if s.Visit == chosen {
			s.Open, s.Steps = true, s.Steps[max(0, min(behind, len(s.Steps))):]
			order = slices.Insert(order, 0, s)
		} else {
			order = append(order, s)
		}
	}
	room := stepsRoom
	for _, s := range order {
		var err error
		if s.Shown, err = frame.Within(c.Frame, w, "step", s.Steps, &room); err != nil {
			return err
		}
		if n := len(s.Shown); n < len(s.Steps) {
			if s.Visit == chosen {
				n += max(0, behind)
			}
			s.More = fmt.Sprintf("%s?visit=%d&behind=%d", rows.CardLink(shown.SiteID, shown.ID), s.Visit, n)
		}
	}
	return nil
}

// showCard shows all that is known of a visitor.
func (c *room) showCard(w http.ResponseWriter, r *http.Request) error {
	siteID, visitor, err := frame.IDs(r, "site", "visitor")
	if err != nil {
		return err
	}
	f, err := c.Page(r, "card")
	if err != nil {
		return err
	}
	f.Stream = f.StreamAddress("card", siteID) + "&visitor=" + strconv.FormatInt(visitor, 10)
	found, err := c.Cards.Visitors.Card(r.Context(), siteID, visit.ID(visitor))
	var body rows.Card
	if err == nil {
		body, err = c.Cards.Of(r.Context(), f, siteID, found)
	}
	if err == nil && body.Reach.PhoneDigits != "" {
		var can bool
		if can, err = rows.CallsBack(r.Context(), c.Frame, f, c.Callbacks, siteID); can {
			body.Reach.Back = fmt.Sprintf("/callbacks/new?site=%d&visitor=%d", siteID, visitor)
		}
	}
	if err == nil {
		chosen, _ := strconv.ParseInt(r.URL.Query().Get("visit"), 10, 64) // 0 for none
		behind, _ := strconv.Atoi(r.URL.Query().Get("behind"))
		err = c.walk(f.Words, &body, visit.ID(chosen), behind)
	}
	if err != nil {
		return err
	}
	frame.AllowRecordings(w.Header())
	f.Title, f.Body = body.Label, body
	f.SiteID = siteID
	return c.Show(w, http.StatusOK, f)
}
