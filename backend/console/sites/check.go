package sites

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// AtWork says which parts of a site's installation were seen at work, and when last. Times are zero for never.
type AtWork struct {
	Script   time.Time // a browser has loaded it
	Replaced time.Time // a number, before its page left the server
	Given    time.Time // a number, to the script of a visitor
	Form     time.Time // on its way to the site
	Call     time.Time
	Tracked  bool // some number has another that is shown in its place
	OnPages  bool // such a number stands on the pages
	Rivals   []Rival
}

// Rival is the code of another service as it was seen on the pages; see [sighting.Rival].
type Rival struct {
	Loader, Account, Path string
	At                    time.Time
	Looks                 int64
}

// The states of a part of the installation, by the names of their words.
const (
	partWell    = "check.well"
	partOld     = "check.old"     // it was seen earlier
	partMissing = "check.missing" // it was not seen
	partUnset   = "check.unset"   // nothing is set up for it
)

// checkedPart is a part of the installation as the check shows it.
type checkedPart struct {
	Name string // of the words
	At   time.Time
	Hint string // what to do, by the name of the words; empty if nothing is to be done
	Link string // where
	Log  string // what to look for in the server's log
	rare bool   // some sites go weeks without
	off  bool   // nothing is set up for it
	now  time.Time
}

// These bound for how long a part counts as at work that is not seen again.
const checkedOften, checkedRarely = 7 * 24 * time.Hour, 30 * 24 * time.Hour

// accessLine begins the lines of the access log.
const accessLine = "handled request"

// IsAccess says whether the line is one of the access log, which has to be switched on.
func (p checkedPart) IsAccess() bool { return strings.HasPrefix(p.Log, accessLine) }

// State is that of the part.
func (p checkedPart) State() string {
	lasting := checkedOften
	if p.rare {
		lasting = checkedRarely
	}
	switch {
	case !p.At.IsZero() && p.now.Sub(p.At) < lasting:
		return partWell
	case p.off:
		return partUnset
	case !p.At.IsZero():
		return partOld
	}
	return partMissing
}

// Tone is how the state is to be taken; see siteRow.Tone.
func (p checkedPart) Tone() string {
	return map[string]string{partOld: "away", partMissing: "bad", partUnset: "none"}[p.State()]
}

// checkPage is the content of the page of the check.
type checkPage struct {
	siteRow
	Parts  []checkedPart
	Rivals []Rival
	// Superseded says that Frontdesk's code takes the place of other services'.
	Superseded bool
}

// Missing is how many parts are not at work that should be.
func (p checkPage) Missing() (n int) {
	for _, part := range p.Parts {
		if state := part.State(); state == partMissing || state == partOld {
			n++
		}
	}
	return n
}

// Bare are the reasons for which pages went out without the code, if none went out with it later.
func (p checkPage) Bare() []passed {
	return slices.DeleteFunc(slices.Clone(p.Passed), func(w passed) bool { return w.LastAt.Before(p.LastPage) })
}

// showCheck shows which parts of a site's installation were seen at work.
func (c *room) showCheck(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	rows, err := c.siteRows(r, []site.Site{named}, site.PagesKept)
	if err != nil {
		return err
	}
	body := checkPage{siteRow: rows[0]}
	var seen AtWork
	if c.AtWork != nil {
		if seen, err = c.AtWork(r.Context(), named.ID); err != nil {
			return err
		}
	}
	body.Parts, body.Rivals = c.parts(body.siteRow, seen), seen.Rivals
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

// parts are the parts of the installation, in the order in which one needs the other.
func (c *room) parts(s siteRow, seen AtWork) []checkedPart {
	prefix := "/frontdesk/"
	if c.Prefix != nil {
		prefix = cmp.Or(c.Prefix(s.Key), prefix)
	}
	access := func(path string) string { return accessLine + " … " + path }
	of, page := "?site="+strconv.FormatInt(s.ID, 10), frame.SiteLink(s.ID)
	lastPage := s.LastPage
	for _, p := range s.Passed {
		if p.LastAt.After(lastPage) {
			lastPage = p.LastAt
		}
	}
	number := seen.Replaced
	if seen.OnPages && seen.Given.After(number) { // the script shows it there
		number = seen.Given
	}
	parts := []checkedPart{
		{Name: "check.page", At: lastPage, Hint: "check.pageHint", Log: access(`"host":"` + s.Key + `"`)},
		{Name: "check.code", At: s.LastPage, Hint: "check.codeHint", Link: page, Log: "the settings of a site cannot be put into effect"},
		{Name: "check.script", At: seen.Script, Hint: "check.scriptHint", Log: access(prefix + "svc.js")},
		{Name: "check.hit", At: s.LastSeen, Hint: "check.hitHint", Log: access(prefix + "v1/hit")},
		{Name: "check.number", At: number, Hint: "check.numberHint", Link: "/numbers" + of, Log: "numbers of a visitor could not be chosen", rare: true, off: !seen.Tracked},
		{Name: "check.form", At: seen.Form, Hint: "check.formHint", Link: "/leads/forms" + of, Log: "a form was not kept", rare: true},
		{Name: "check.call", At: seen.Call, Hint: "check.callHint", Link: "/calls" + of, Log: "what a telephone platform tells could not be stored or looked up", rare: true, off: !seen.Tracked},
	}
	for i := range parts {
		p := &parts[i]
		switch p.now = c.Now(); {
		case p.State() == partWell:
			p.Hint, p.Link, p.Log = "", "", ""
		case p.Name == "check.number" && p.off:
			p.Hint, p.Log = "check.noNumber", ""
		case p.Name == "check.number" && !seen.OnPages:
			p.Hint = "check.notOnPages"
		case p.Name == "check.call" && p.off:
			p.Hint, p.Log = "check.noCalls", ""
		case p.Name == "check.page" && s.Others > 0:
			p.Hint = "check.othersHint"
		case p.Name == "check.script" && s.Seen() && c.Now().Sub(s.LastSeen) < checkedOften:
			p.Hint = "check.scriptElsewhere"
		}
	}
	return parts
}
