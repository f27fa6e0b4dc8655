package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// maxRefused is how many refused submissions a page of the list has, and refusedFields how many bytes of HTML the fields of one.
const maxRefused, refusedFields = 50, 16 << 10

// refusedRow is a refused submission as a row of the list.
type refusedRow struct {
	refused.Refusal
	Site        string
	Why         string // in the operator's language, or as the sender was told
	Who         string // who it may be from, and how to reach him; empty when the fields do not say
	Reach       rows.Reach
	rows.Values        // the fields as they were sent
	Text        string // address of all of them
	Action      string // address that makes a lead of it; empty when nothing in it can be one
	Lead        string // link to the lead that was made of it
	Gone        bool   // it was sent to the service that has the site's leads
	Page        words.Address
}

// refusals are the names of the words for the codes of what was refused.
var refusals = map[string]string{
	"empty": "refused.whyEmpty", "foreign_ids": "refused.whyForeign", "forged": "refused.whyForged", "missing": "refused.whyMissing",
	"sale_cost_without_sale": "refused.whyCost", "unknown_site": "refused.whySite", "wrong_content_type": "refused.whyContent", "wrong_type": "refused.whyType",
	"form_broken": "refused.whyBroken", "form_failed": "refused.whyFailed", "form_trapped": "refused.whyTrapped", "form_nobody": "refused.whyNobody", "limit_reached": "refused.whyLimit",
}

// happenings are the names of the words for what has happened to somebody who has sent a form, by the codes.
var happenings = map[string]string{"form_failed": "refused.failedTo", "form_broken": "refused.brokenBy"}

func refusedRowOf(f frame.Page, r refused.Refusal) refusedRow {
	row := refusedRow{Refusal: r, Site: f.SiteKey(r.SiteID), Why: r.Reason, Values: rows.ValuesWithin(sentFields(r.Sent), refusedFields), Text: fmt.Sprintf("/leads/refused/%d/%d/text", r.SiteID, r.ID), Page: words.AddressOf(r.URL)}
	if name := refusals[r.Code]; name != "" {
		row.Why = f.Words.Text(name)
	}
	if strings.HasPrefix(r.Address, refused.HiddenAddress) {
		row.Address = ""
	}
	if s, err := submission.FromObject(r.Sent); err == nil {
		phone := contact.ReadPhone(s.Phone, r.Region)
		row.Reach = rows.Reach{PhoneDigits: phone.Digits, Email: s.Email}
		who := []string{s.Name, f.Words.Phone(phone.Digits, phone.Extension, s.Phone), s.Email}
		row.Who = strings.Join(slices.DeleteFunc(who, func(one string) bool { return one == "" }), ", ")
		if name := happenings[r.Code]; name != "" && row.Who != "" {
			row.Why, row.Who = f.Words.Text(name, "who", row.Who), ""
		}
		cost := s.SaleCost
		if s.SaleCost = ""; s.Check() == nil || cost != "" {
			row.Action = fmt.Sprintf("/leads/refused/%d/%d", r.SiteID, r.ID)
		}
	}
	if r.LeadID == refused.Forwarded {
		row.Action, row.Gone = "", true
	} else if r.LeadID != 0 {
		row.Action, row.Lead = "", fmt.Sprintf("/leads/%d/%d", r.SiteID, r.LeadID)
	}
	return row
}

// sentFields are the fields as they were sent, by their names.
func sentFields(sent json.RawMessage) (fields []rows.Field) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		fields = append(fields, rows.Field{Name: name, Value: fieldText(object[name])})
	}
	return fields
}

// fieldText is a field's text; several, as forms have them, stand one below the other.
func fieldText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		lines := make([]string, len(v))
		for i := range v {
			lines[i] = fieldText(v[i])
		}
		return strings.Join(lines, "\n")
	}
	text, err := json.Marshal(value)
	if err != nil { // what was JSON is JSON again
		return ""
	}
	return string(text)
}

// refusedPage is a part of the list of refused submissions.
type refusedPage struct {
	Rows  []template.HTML
	Older string // address of the next part; empty at the end
	Lost  int    // how many more were not kept
	Takes bool   // leads can be made of some at once
}

func (c *room) showRefused(w http.ResponseWriter, r *http.Request) error {
	return c.listRefused(w, r, http.StatusOK, "")
}

func (c *room) listRefused(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "refused")
	if err != nil {
		return err
	}
	f.Problem, f.Here = problem, "/leads/refused"
	list, err := c.Refused.List(r.Context(), f.Scope, lead.Cursor(frame.CursorOf(r.URL.Query())), maxRefused+1)
	if err != nil {
		return err
	}
	var body refusedPage
	if body.Lost, err = c.Refused.Lost(r.Context(), f.Scope); err != nil {
		return err
	}
	found, _, err := c.Refused.Reachable(r.Context(), f.Scope, lead.Cursor{}, maxRefused)
	if err != nil {
		return err
	}
	body.Takes = len(found) > 1
	room := frame.ListRoom
	if body.Rows, err = frame.Within(c.Frame, f.Words, "refused-row", frame.Rows(f, list[:min(len(list), maxRefused)], refusedRowOf), &room); err != nil {
		return err
	}
	if shown := len(body.Rows); shown > 0 && shown < len(list) {
		body.Older = frame.Cursor(list[shown-1].Cursor()).Behind("/leads/refused")
	}
	f.Body = body
	return c.Show(w, status, f)
}

// takeOver makes a lead of a refused submission and goes to it.
func (c *room) takeOver(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, "site", "refused")
	if err != nil {
		return err
	}
	made, err := c.Refused.TakeOver(r.Context(), siteID, id)
	var invalid submission.Invalid
	switch {
	case errors.As(err, &invalid):
		return c.listRefused(w, r, http.StatusUnprocessableEntity, c.Words(r).Text("refused.nothing"))
	case err != nil:
		return err
	case made.ID == refused.Forwarded:
		return c.Back(w, r, "/leads/refused", "refused.sentOn")
	default:
		return c.Back(w, r, fmt.Sprintf("/leads/%d/%d", siteID, made.ID), "refused.taken")
	}
}

// takenAtOnce is how many refused submissions one press makes leads of, and takingTime how long it goes on at most.
const (
	takenAtOnce = 200
	takingTime  = 3 * time.Second
)

// takeOverAll makes leads of the refused submissions of the page's sites that say how to reach their sender, the newest
// first.
func (c *room) takeOverAll(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	until, taken, notice := time.Now().Add(takingTime), 0, "refused.allTaken"
	for behind := (lead.Cursor{}); ; {
		found, next, err := c.Refused.Reachable(r.Context(), f.Scope, behind, maxRefused)
		if err != nil {
			return err
		}
		for _, one := range found {
			if taken == takenAtOnce || time.Now().After(until) {
				return c.Back(w, r, "/leads/refused", "refused.someTaken")
			}
			var invalid submission.Invalid
			switch _, err := c.Refused.TakeOver(r.Context(), one.SiteID, one.ID); {
			case errors.As(err, &invalid), errors.Is(err, refused.ErrUnknown): // erased meanwhile
			case err != nil:
				return err
			default:
				taken++
			}
		}
		if behind = next; behind == (lead.Cursor{}) {
			return c.Back(w, r, "/leads/refused", notice)
		}
	}
}
