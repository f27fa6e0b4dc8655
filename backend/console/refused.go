package console

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

	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// maxRefused is how many refused submissions a page of the list has, and refusedFields how many bytes of HTML the fields of one.
const maxRefused, refusedFields = 50, 16 << 10

// refusedRow is a refused submission as a row of the list.
type refusedRow struct {
	lead.Refused
	Site   string
	Why    string // in the operator's language, or as the sender was told
	Label  string // who it may be from; empty when the fields do not say
	values        // the fields as they were sent
	Text   string // address of all of them
	Action string // address that makes a lead of it; empty when nothing in it can be one
	Lead   string // link to the lead that was made of it
	Page   page
}

// refusals are the names of the words for the codes of what was refused.
var refusals = map[string]string{
	"empty": "refused.whyEmpty", "foreign_ids": "refused.whyForeign", "forged": "refused.whyForged", "missing": "refused.whyMissing",
	"sale_cost_without_sale": "refused.whyCost", "unknown_site": "refused.whySite", "wrong_content_type": "refused.whyContent", "wrong_type": "refused.whyType",
	"form_broken": "refused.whyBroken", "form_failed": "refused.whyFailed", "form_trapped": "refused.whyTrapped", "form_nobody": "refused.whyNobody",
}

func refusedRowOf(f frame, r lead.Refused) refusedRow {
	row := refusedRow{Refused: r, Site: f.SiteKey(r.SiteID), Why: r.Reason, values: valuesWithin(sentFields(r.Sent), refusedFields), Text: fmt.Sprintf("/leads/refused/%d/%d/text", r.SiteID, r.ID), Page: pageOf(r.URL)}
	if name := refusals[r.Code]; name != "" {
		row.Why = f.Words.text(name)
	}
	if strings.HasPrefix(r.Address, lead.HiddenAddress) {
		row.Address = ""
	}
	if s, err := lead.FromObject(r.Sent); err == nil {
		row.Label = firstOf(s.Name, s.Phone, s.Email)
		cost := s.SaleCost
		if s.SaleCost = ""; s.Check() == nil || cost != "" {
			row.Action = fmt.Sprintf("/leads/refused/%d/%d", r.SiteID, r.ID)
		}
	}
	if r.LeadID != 0 {
		row.Action, row.Lead = "", fmt.Sprintf("/leads/%d/%d", r.SiteID, r.LeadID)
	}
	return row
}

// sentFields are the fields as they were sent, by their names.
func sentFields(sent json.RawMessage) (fields []field) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		fields = append(fields, field{name, fieldText(object[name])})
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
}

func (c *Console) showRefused(w http.ResponseWriter, r *http.Request) {
	c.listRefused(w, r, http.StatusOK, "")
}

func (c *Console) listRefused(w http.ResponseWriter, r *http.Request, status int, problem string) {
	f, err := c.frame(r, "refused")
	if err != nil {
		c.failed(w, r, err)
		return
	}
	f.Problem, f.Here = problem, "/leads/refused"
	list, err := c.Leads.ListRefused(r.Context(), f.Scope, cursorOf(r.URL.Query()), maxRefused+1)
	if err != nil {
		c.failed(w, r, err)
		return
	}
	var body refusedPage
	if body.Lost, err = c.Leads.LostRefused(r.Context(), f.Scope); err != nil {
		c.failed(w, r, err)
		return
	}
	room := listRoom
	if body.Rows, err = within(c, f.Words, "refused-row", rowsOf(f, list[:min(len(list), maxRefused)], refusedRowOf), &room); err != nil {
		c.failed(w, r, err)
		return
	}
	if shown := len(body.Rows); shown > 0 && shown < len(list) {
		body.Older = behindAddress("/leads/refused", list[shown-1].Cursor())
	}
	f.Body = body
	c.show(w, r, status, f)
}

// takeOver makes a lead of a refused submission and goes to it.
func (c *Console) takeOver(w http.ResponseWriter, r *http.Request) {
	siteID, id, ok := twoNumbers(r, "site", "refused")
	if !ok {
		c.fail(w, r, http.StatusNotFound, "fail.notFound")
		return
	}
	made, err := c.Leads.TakeOver(r.Context(), siteID, id)
	var invalid lead.Invalid
	switch {
	case errors.Is(err, lead.ErrUnknownRefused):
		c.fail(w, r, http.StatusNotFound, "fail.noRefused")
	case errors.As(err, &invalid):
		c.listRefused(w, r, http.StatusUnprocessableEntity, c.wordsFor(r).text("refused.nothing"))
	case err != nil:
		c.failed(w, r, err)
	default:
		c.back(w, r, fmt.Sprintf("/leads/%d/%d", siteID, made.ID), "refused.taken")
	}
}
