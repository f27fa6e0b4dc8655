package sites

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
)

// hints say what to do, by the names of their words.
var hints = map[check.Advice]string{
	check.OpenPage: "check.pageHint", check.OpenBrowser: "check.othersHint", check.FindCause: "check.codeHint", check.OpenScript: "check.scriptHint",
	check.ScriptKept: "check.scriptElsewhere", check.Visit: "check.hitHint", check.AddNumber: "check.noNumber", check.CompareNumber: "check.notOnPages",
	check.FollowCampaign: "check.numberHint", check.SendForm: "check.formHint", check.NoCalls: "check.noCalls", check.CallNumber: "check.callHint",
}

// checkedPart is a part of the installation as the check shows it.
type checkedPart struct {
	check.Part
	Link string // where something is to be done; empty for nowhere
}

// Hint is what to do, by the name of the words; empty if nothing is to be done.
func (p checkedPart) Hint() string { return hints[p.Advice] }

// IsAccess says whether the line is one of the access log, which has to be switched on.
func (p checkedPart) IsAccess() bool { return strings.HasPrefix(p.Log, check.AccessLine) }

// Tone is how the state is to be taken; see siteRow.Tone.
func (p checkedPart) Tone() string {
	return map[check.State]string{check.Old: "away", check.Missing: "bad", check.Unset: "none"}[p.State]
}

// checkPage is the content of the page of the check.
type checkPage struct {
	siteRow
	check.Check
	// Superseded says that Frontdesk's code takes the place of other services'.
	Superseded bool
}

// Linked are the parts with the pages on which something is to be done.
func (p checkPage) Linked() []checkedPart {
	of := "?site=" + strconv.FormatInt(p.ID, 10)
	links := map[check.Name]string{check.Code: frame.SiteLink(p.ID), check.Number: "/numbers" + of, check.Form: "/leads/forms" + of, check.Call: "/calls" + of}
	linked := make([]checkedPart, len(p.Parts))
	for i, part := range p.Parts {
		linked[i] = checkedPart{part, links[part.Name]}
	}
	return linked
}

// Without are the pages that went out without the code, if none went out with it later.
func (p checkPage) Without() (all []passed) {
	for _, of := range p.Bare {
		all = append(all, passedOf(of))
	}
	return all
}

// showCheck shows which parts of a site's installation were seen at work.
func (c *room) showCheck(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	rows, err := c.siteRows(r, []site.Site{named}, site.PagesKept)
	if err != nil {
		return err
	}
	body := checkPage{siteRow: rows[0]}
	if body.Check, err = c.Checks.Of(r.Context(), named); err != nil {
		return err
	}
	if of := c.Effective(named).Supersede; of != nil {
		body.Superseded = *of
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// supersede has Frontdesk's code take the place of other services' on the site's pages, or no longer.
func (c *room) supersede(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	settings := named.Settings
	settings.Supersede = new(r.PostFormValue("on") == "yes")
	if _, err := c.Sites.Change(r.Context(), named.Key, named.Version, settings, f.Operator.Login); err != nil {
		return err
	}
	return c.Back(w, r, frame.SiteLink(named.ID)+"/check", "")
}
