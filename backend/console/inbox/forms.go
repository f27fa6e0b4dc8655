package inbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/capture"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// formRow is a form that visitors send, as a row of the list.
type formRow struct {
	form.Form
	Site   string
	Names  string // of the fields
	Kept   bool   // it becomes leads
	Own    bool   // by a rule of the site's own, which can be removed here
	Action string // address that keeps it, or does so no longer; empty where the operator may not
}

// formsPage is the list of forms.
type formsPage struct {
	Rows    []formRow
	Failing []failingForm
}

// failingForm is a form that is kept and that the site answers with an error.
type failingForm struct {
	form.Failing
	Site string
	Link string // to what has become of them
}

// rules are those by which forms of the site are kept: its own, then those of this server's
// configuration.
func (c *room) rules(s site.Site) (own, configured []capture.Rule) {
	set, _ := c.ConfiguredOf(s.Key)
	return completed(s.Settings.Captures), completed(set.Captures)
}

// completed are the rules that hold.
func completed(rules []capture.Rule) []capture.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r capture.Rule) bool { return r.Complete() != nil })
}

// keeper is the first of the rules that keeps what is posted to the path; nil where there is none.
func keeper(rules []capture.Rule, path string) *capture.Rule {
	for _, r := range rules {
		if r.Complete() == nil && (r.Matches(http.MethodPost, path) || r.Matches(http.MethodPut, path) || r.Matches(http.MethodPatch, path)) {
			return &r
		}
	}
	return nil
}

// keeps tells whether one of the rules keeps what is posted to the path.
func keeps(rules []capture.Rule, path string) bool { return keeper(rules, path) != nil }

// failingForms are the kept forms of the frame's sites that fail today.
func (c *room) failingForms(ctx context.Context, f frame.Page) ([]failingForm, error) {
	byID := make(map[int64][]capture.Rule)
	for _, s := range f.Sites {
		own, configured := c.rules(s)
		byID[s.ID] = append(own, configured...)
	}
	found, err := c.Forms.FailingOf(ctx, f.Scope, func(siteID int64, path string) bool { return keeps(byID[siteID], path) })
	failing := make([]failingForm, len(found))
	for i, one := range found {
		failing[i] = failingForm{one, f.SiteKey(one.SiteID), leadForm{Failed: only}.With("")}
		if rule := keeper(byID[one.SiteID], one.Path); rule.Kind == capture.KindVisitor || rule.On == capture.OnSuccess {
			failing[i].Link = "/leads/refused" // else leads are made of most
		}
	}
	return failing, err
}

func (c *room) showForms(w http.ResponseWriter, r *http.Request) error {
	return c.listForms(w, r, http.StatusOK, "")
}

func (c *room) listForms(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	f, err := c.Page(r, "forms")
	if err != nil {
		return err
	}
	f.Problem, f.Here = problem, "/leads/forms"
	forms, err := c.Forms.List(r.Context(), f.Scope)
	var body formsPage
	if err == nil {
		body.Failing, err = c.failingForms(r.Context(), f)
	}
	if err != nil {
		return err
	}
	for _, one := range forms {
		at := slices.IndexFunc(f.Sites, func(s site.Site) bool { return s.ID == one.SiteID })
		if at < 0 || !f.Sites[at].RetiredAt.IsZero() {
			continue
		}
		own, configured := c.rules(f.Sites[at])
		row := formRow{Form: one, Site: f.SiteKey(one.SiteID), Names: strings.Join(one.Fields, ", ")}
		row.Own = slices.ContainsFunc(own, func(r capture.Rule) bool { return r.Path == one.Path })
		row.Kept = row.Own || keeps(own, one.Path) || keeps(configured, one.Path)
		if f.Admin() && (row.Own || !row.Kept) {
			row.Action = fmt.Sprintf("/leads/forms/%d", one.SiteID)
		}
		body.Rows = append(body.Rows, row)
	}
	f.Body = body
	return c.Show(w, status, f)
}

// captureForm has a form kept from now on, or no longer, by a rule of the site's own.
func (c *room) captureForm(w http.ResponseWriter, r *http.Request) error {
	f, named, err := c.ServedAt(r, "forms")
	if err != nil {
		return err
	}
	rule, set := capture.Rule{Path: r.PostFormValue("path")}, named.Settings
	set.Captures = slices.DeleteFunc(slices.Clone(set.Captures), func(own capture.Rule) bool { return own.Path == rule.Path })
	notice := "forms.unkept"
	if r.PostFormValue("keep") == "yes" {
		set.Captures = append(set.Captures, rule)
		notice = "forms.kept"
	}
	if len(set.Captures) == 0 {
		set.Captures = nil
	}
	if set.Check() != nil {
		return c.listForms(w, r, http.StatusUnprocessableEntity, f.Words.Text("problem.form"))
	}
	_, err = c.Sites.Change(r.Context(), named.Key, named.Version, set, f.Operator.Login)
	switch {
	case errors.Is(err, site.ErrChanged):
		return c.listForms(w, r, http.StatusConflict, f.Words.Text("problem.changed"))
	case err != nil:
		return err
	default:
		return c.Back(w, r, "/leads/forms", notice)
	}
}
