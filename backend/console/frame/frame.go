// Package frame is what stands around every page of the console: routes and who may use them, the menu, templates and
// files, and what is said when something fails. Rooms add themselves to it; it knows none of them. Of the subjects it
// asks for operators and sites alone, and the journal for its end, behind which a page hears what happens.
package frame

import (
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Subjects are what every page needs.
type Subjects struct {
	Sites     *site.Sites
	Operators *operator.Operators
	SignIns   *signin.SignIns
	Groups    *group.Groups
	Presence  *presence.Presence
	Journal   *journal.Journal
	// Configured tells what this server's configuration says for the site of a key, if
	// it names the site. It may be nil.
	Configured func(key string) (site.Settings, bool)
	// Alarms are what is wrong with the server, in words, for those who can do something about it. It may be nil.
	Alarms func(o operator.Operator, w *words.Tongue) []string
}

// Frame is what stands around the pages of all rooms. Each room adds its routes, its entries of the menu and its
// templates to it.
type Frame struct {
	Subjects
	Now      func() time.Time
	Logger   *zap.Logger
	Tongues  []*words.Tongue
	Sessions session.Sessions
	Tables   *table.Files
	rooms    []Room
	pages    map[string]func() *template.Template // by language
	Routes
}

// New returns a frame without rooms.
func New(subjects Subjects, now func() time.Time, logger *zap.Logger) *Frame {
	f := &Frame{Subjects: subjects, Now: now, Logger: logger, Tongues: words.All(now), Tables: table.New(logger), Routes: Routes{uploads: make(map[string]int64), saying: make(map[string]bool)}}
	if subjects.SignIns != nil {
		f.Sessions = session.New(subjects.SignIns, f.failed)
	}
	return f
}

// Page is a page: what stands around it, and its own content.
type Page struct {
	Words    *words.Tongue
	Tongues  []*words.Tongue
	Operator operator.Operator
	Inside   bool // signed in
	Menu     []menuLine
	Counts   map[string]int // of the menu, by badge
	Page     string
	Title    string
	Here     string              // address at which this page is shown again
	Help     string              // where the documentation tells of the page; empty for one of which it tells nothing
	Stream   string              // address of the events that keep it up to date
	Sites    []site.Site         // that the operator sees
	About    site.Site           // the site that the page is about; zero for none
	SiteID   int64               // to which lists are narrowed; 0 for all of them
	Scope    scope.Sites         // whose lists are shown
	Staff    []operator.Operator // by whose names those are called who have leads
	Charts   bool                // it has figures, whose styles and script are its own
	Notice   string
	Alarms   []string // what is wrong with the server
	Problem  string   // why what was sent was not accepted
	Body     any
	Begun    journal.Position       // when the page was begun
	Currency func(site.Site) string // that of the site's sums, as [Frame.CurrencyOf]; it may be nil

	asked map[any]any // by Once
}

// SiteKey is the key of the site, shown where there are several.
func (p Page) SiteKey(id int64) string {
	if len(p.Sites) < 2 {
		return ""
	}
	if s, found := p.Site(id); found {
		return words.Host(s.Key)
	}
	return strconv.FormatInt(id, 10)
}

// Site is the site of the id, of those that the operator sees.
func (p Page) Site(id int64) (site.Site, bool) {
	at := slices.IndexFunc(p.Sites, func(s site.Site) bool { return s.ID == id })
	if at < 0 {
		return site.Site{}, false
	}
	return p.Sites[at], true
}

// ByID are the sites of the page's lists by their ids, so that each can be looked through by itself.
func (p Page) ByID() scope.Sites {
	if !p.Scope.All() {
		return p.Scope
	}
	ids := make([]int64, len(p.Sites))
	for i, s := range p.Sites {
		ids[i] = s.ID
	}
	return scope.Of(ids...)
}

// Admin tells whether the operator may change what is the site's.
func (p Page) Admin() bool { return p.Operator.Role == operator.Admin }

// SeesPersons tells whether the page may show visitors and what they have sent, or lead to them.
func (p Page) SeesPersons() bool { return p.Operator.SeesPersons() }

// StreamAddress is where the page's events come from: all that has happened since
// it was begun.
func (p Page) StreamAddress(view string, siteID int64) string {
	return "/stream/" + view + "?" + url.Values{"site": {strconv.FormatInt(siteID, 10)}, "after": {p.Begun.String()}}.Encode()
}

// begin is the page of that name as far as nobody has to be asked.
func (f *Frame) begin(r *http.Request, name string) Page {
	w := f.Words(r)
	p := Page{Words: w, Tongues: f.Tongues, Page: name, Here: r.URL.RequestURI(), Title: w.Text(name + ".title"), Counts: make(map[string]int), asked: make(map[any]any), Currency: f.CurrencyOf}
	if p.Operator, p.Inside = Current(r); p.Inside {
		p.Menu = f.menuOf(p)
		p.Help = f.helpOf(name)
	}
	return p
}

// Page begins the page of that name.
func (f *Frame) Page(r *http.Request, name string) (Page, error) {
	p := f.begin(r, name)
	if r.Method == http.MethodPost { // shown again for a form that was not accepted
		p.Here = "/" + name
	}
	if !p.Inside {
		return p, nil
	}
	if r.Header.Get("Console-Look") == "" { // else it is for the page that comes next
		p.Notice = f.Sessions.TakeNotice(r)
	}
	if f.Alarms != nil {
		p.Alarms = f.Alarms(p.Operator, p.Words)
	}
	all, err := f.Sites.List(r.Context())
	if err != nil {
		return p, err
	}
	p.Sites = SeenOf(all, p.Operator.Sites)
	var known bool
	if p.SiteID, known = narrowed(r, f.Sessions, p.Sites); !known {
		p.Alarms = append(p.Alarms, p.Words.Text("filter.noSite", "host", r.URL.Query().Get(hostField)))
	}
	p.Scope = p.Operator.Sites.Only(p.SiteID)
	if p.Begun, err = f.Journal.End(r.Context()); err != nil {
		return p, err
	}
	if p.SeesPersons() { // else there is nothing to hear of
		p.Stream = p.StreamAddress("other", p.SiteID)
	}
	return p, f.count(r.Context(), &p)
}

// SeenOf are those of the sites that may be seen.
func SeenOf(all []site.Site, sites scope.Sites) (seen []site.Site) {
	for _, s := range all {
		if sites.Has(s.ID) {
			seen = append(seen, s)
		}
	}
	return seen
}

// narrowed is the site that the operator has chosen to look at, now or earlier. known is false if the host of no site was typed.
func narrowed(r *http.Request, s session.Sessions, sites []site.Site) (id int64, known bool) {
	chosen := s.Site(r)
	query := r.URL.Query()
	id, asked, known := typed(query, sites)
	if asked && known && id != chosen {
		chosen = id
		s.Narrow(r, chosen)
	}
	if query.Has("site") {
		asked, err := strconv.ParseInt(query.Get("site"), 10, 64)
		known := asked == 0 || slices.ContainsFunc(sites, func(s site.Site) bool { return s.ID == asked })
		if err == nil && known && asked != chosen {
			chosen = asked
			s.Narrow(r, chosen)
		}
	}
	for _, s := range sites {
		if s.ID == chosen && len(sites) > 1 {
			return chosen, known
		}
	}
	return 0, known
}

// Template writes what the template of that name makes of the data.
func (f *Frame) Template(words *words.Tongue, w io.Writer, name string, data any) error {
	return f.pages[words.Code]().ExecuteTemplate(w, name, data)
}

// Show answers with the page.
func (f *Frame) Show(w http.ResponseWriter, status int, p Page) error {
	var body held
	if err := f.Template(p.Words, &body, layoutOf(p.Page), p); err != nil {
		f.Logger.Error("rendering page of the console", zap.String("page", p.Page), zap.Error(err))
		http.Error(w, p.Words.Text("fail.internal"), http.StatusInternalServerError)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", p.Words.Code)
	h.Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	body.WriteTo(w)
	return nil
}

// Back answers a form that was accepted: with the page to go to, and what it
// says there.
func (f *Frame) Back(w http.ResponseWriter, r *http.Request, to, notice string) error {
	if notice != "" {
		f.Sessions.KeepNotice(r, f.Words(r).Text(notice))
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
