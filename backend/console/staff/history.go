package staff

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// maxHistory is how many entries a page of the history has.
const maxHistory = 100

// deeds are the names of the words for what the entries say was done.
var deeds = map[string]string{
	operator.Added: "history.added", operator.PasswordChanged: "history.password", operator.PasswordReset: "history.reset",
	operator.Renamed: "history.renamed", operator.RoleChanged: "history.role", operator.FaceChanged: "history.face", operator.EmailChanged: "history.email", operator.Invited: "history.invited",
	operator.TwoStepOn: "history.twoStepOn", operator.TwoStepOff: "history.twoStepOff", operator.RecoveryUsed: "history.recoveryUsed", operator.RecoveryRenewed: "history.recoveryRenewed", passkey.Added: "history.passkeyAdded", passkey.Removed: "history.passkeyRemoved", passkey.Copied: "history.passkeyCopied", signin.SessionsEnded: "history.sessionsEnded", operator.Given: "history.given", operator.Withdrawn: "history.withdrawn",
	operator.Disabled: "history.disabled", operator.Enabled: "history.enabled", operator.Removed: "history.removed",
	operator.Exported: "history.exported", operator.PersonLooked: "history.personLooked", operator.PersonErased: "history.personErased",
	group.Added: "history.groupAdded", group.Changed: "history.groupChanged", group.Removed: "history.groupRemoved",
	site.Added: "history.siteAdded", site.Changed: "history.siteChanged", site.Retired: "history.siteRetired", site.Restored: "history.siteRestored", site.Suspended: "history.siteSuspended", site.Resumed: "history.siteResumed",
	cost.Stored: "history.costsStored", cost.Undone: "history.costsUndone",
	notify.EndpointAdded: "history.endpointAdded", notify.EndpointChanged: "history.endpointChanged", notify.EndpointPaused: "history.endpointPaused",
	notify.EndpointResumed: "history.endpointResumed", notify.EndpointGone: "history.endpointGone", notify.EndpointRemoved: "history.endpointRemoved",
	link.Made: "history.linkMade", link.Ended: "history.linkEnded",
	token.Made: "history.tokenMade", token.Revoked: "history.tokenRevoked",
	notify.SecretChanged: "history.endpointSecret", notify.EndpointTested: "history.endpointTested",
	bulletin.Added: "history.bulletinAdded", bulletin.PausedBy: "history.bulletinPaused", bulletin.ResumedBy: "history.bulletinResumed", bulletin.Tested: "history.bulletinTested",
	bulletin.Removed: "history.bulletinRemoved", bulletin.StoppedBy: "history.bulletinStopped", bulletin.RefusedFor: "history.bulletinRefused",
}

// historyPage is a part of the history, newest first.
type historyPage struct {
	Rows  []historyRow
	Older string // address of the next part; empty at the end
}

// historyRow is what somebody did.
type historyRow struct {
	At      time.Time
	By      string // login; empty for whoever runs the server
	Deed    string // name of the words
	Login   string // whose account; empty for a site
	Details []string
	Keys    []string // of the sites that it is about; none for all of them

	about [2]any // with At, tells which entries are of one deed
}

func (c *room) showHistory(w http.ResponseWriter, r *http.Request, f frame.Page) error {
	var before journal.Position
	var err error
	if text := r.URL.Query().Get("before"); text != "" {
		if before, err = journal.ParsePosition(text); err != nil {
			return frame.NotFound
		}
	}
	entries, err := c.Journal.Administration(r.Context(), f.Scope, before, maxHistory+1)
	if err != nil {
		return err
	}
	var body historyPage
	if len(entries) > maxHistory {
		entries = entries[:maxHistory]
		body.Older = "/history?" + url.Values{"before": {entries[maxHistory-1].Position.String()}}.Encode()
	}
	for _, e := range entries {
		body.add(f, e)
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// add adds the entry. What was done at several sites at once has an entry at each, and
// is one row.
func (p *historyPage) add(f frame.Page, e journal.Entry) {
	deed := deeds[e.Kind]
	if deed == "" { // of a newer program
		return
	}
	row := historyRow{At: e.At, Deed: deed, about: [2]any{e.Kind, e.SubjectID}}
	var said struct {
		By, Login string
		Name      string // of an endpoint
		From, To  any
		Settings  map[string]any
		Numbers   number.Deeds
		Pools     number.Deeds
	}
	if json.Unmarshal(e.Data, &said) == nil {
		row.By, row.Login = said.By, said.Login
		if said.Name != "" {
			row.Details = []string{said.Name}
		}
	}
	switch e.Kind {
	case operator.Exported, operator.PersonLooked, operator.PersonErased:
		var h operator.Handled
		if json.Unmarshal(e.Data, &h) == nil {
			row.Details = handledDetails(f.Words, h)
		}
	case operator.Renamed:
		row.Details = []string{textOf(said.From) + " → " + textOf(said.To)}
	case operator.RoleChanged:
		row.Details = []string{roleName(f.Words, said.From) + " → " + roleName(f.Words, said.To)}
	case site.Changed:
		for _, name := range slices.Sorted(maps.Keys(said.Settings)) {
			if ownThings[name] == "" {
				row.Details = append(row.Details, settingName(f.Words, name))
			}
		}
		row.Details = append(row.Details, thingsDone(f.Words, "number", said.Numbers)...)
		row.Details = append(row.Details, thingsDone(f.Words, "pool", said.Pools)...)
	}
	for _, s := range f.Sites {
		if s.ID == e.SiteID {
			row.Keys = []string{s.Key}
		}
	}
	if n := len(p.Rows); n > 0 && p.Rows[n-1].about == row.about && p.Rows[n-1].At.Equal(row.At) && row.Keys != nil {
		p.Rows[n-1].Keys = append(p.Rows[n-1].Keys, row.Keys...)
		return
	}
	p.Rows = append(p.Rows, row)
}

// ownThings are the settings of which the entries tell by themselves what was done.
var ownThings = map[string]string{"numbers": "number", "pools": "pool"}

// deedWords are the names of the words for what was done to a number or a pool.
var deedWords = map[string][3]string{
	"number": {"history.numberAdded", "history.numberChanged", "history.numberRemoved"},
	"pool":   {"history.poolAdded", "history.poolChanged", "history.poolRemoved"},
}

func thingsDone(w *words.Tongue, kind string, d number.Deeds) (details []string) {
	for i, names := range [][]string{d.Added, d.Changed, d.Removed} {
		for _, name := range names {
			details = append(details, w.Text(deedWords[kind][i], "name", words.Written(name)))
		}
	}
	return details
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

func roleName(w *words.Tongue, role any) string {
	switch operator.Role(textOf(role)) {
	case operator.Admin:
		return w.Text("role.admin")
	case operator.Agent:
		return w.Text("role.operator")
	case operator.Analyst:
		return w.Text("role.analyst")
	}
	return textOf(role)
}

// settingNames are the names of the words for a site's settings.
var settingNames = map[string]string{
	"phone_mask": "setting.mask", "dynamical_replacement": "setting.dynamical", "messengers": "setting.messengers", "supersede": "setting.supersede", "prerender": "setting.prerender",
	"attribution": "setting.attribution", "consent": "setting.consent", "origins": "setting.origins", "region": "setting.region", "timezone": "setting.timezone", "person_days": "setting.personDays", "currency": "setting.currency", "numbers": "setting.numbers", "pools": "setting.pools", "captures": "setting.captures",
	"respect": "setting.respect", "retention_days": "setting.retention", "ignore_forms": "setting.ignoreForms", "credentials": "setting.credentials", "callback": "setting.callback",
	"widget": "setting.widget", "guide_hidden": "setting.guide",
}

func settingName(w *words.Tongue, name string) string {
	if words := settingNames[name]; words != "" {
		return w.Text(words)
	}
	return name
}

// handledDetails tell what was handled, in the history.
func handledDetails(w *words.Tongue, h operator.Handled) []string {
	var details []string
	switch h.What {
	case "leads":
		details = append(details, w.Text("history.leads"))
	case "calls":
		details = append(details, w.Text("history.calls"))
	case "inquiries":
		details = append(details, w.Text("history.inquiries"))
	case "behind":
		details = append(details, w.Text("history.behind"))
	}
	if h.Rows > 0 {
		details = append(details, w.Text("history.rows", "n", int(h.Rows)))
	}
	if h.Person != "" {
		details = append(details, w.Text("history.person", "hash", h.Person))
	}
	return details
}
