package console

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/snippet"
)

//go:embed templates/*.html
var templates embed.FS

// pageNames are the pages, each in a template of that name, around which
// layout.html stands. All of them share the lists of parts.html.
var pageNames = []string{"visitors", "card", "leads", "lead", "refused", "forms", "calls", "callbacks", "callback", "newcallback", "chats", "numbers", "number", "who", "pools", "pool", "sites", "site", "settings", "widget", "deliveries", "endpoint", "groups", "group", "replies", "operators", "operator", "history", "person", "account", "door", "failure"}

// pages are the templates by language and page.
type pages map[string]map[string]*template.Template

// parsePages parses the templates of the named pages, in each language.
func parsePages(all []*words, names ...string) pages {
	parsed := make(pages)
	for _, w := range all {
		shared := template.Must(template.New("").Funcs(functions(w)).ParseFS(templates, "templates/layout.html", "templates/parts.html", "templates/keeping.html", "templates/call.html", "templates/callback_parts.html", "templates/chat.html"))
		parsed[w.Code] = map[string]*template.Template{"parts": shared}
		for _, name := range names {
			parsed[w.Code][name] = template.Must(template.Must(shared.Clone()).ParseFS(templates, "templates/"+name+".html"))
		}
	}
	return parsed
}

func functions(w *words) template.FuncMap {
	return template.FuncMap{
		"t":        w.text,
		"icon":     func(name string) (template.HTML, error) { return drawing(name) },
		"asset":    func(name string) string { return addresses[name] },
		"ago":      w.ago,
		"exactly":  w.exactly,
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":     w.span,
		"money":    w.money,
		"number":   w.number,
		"phone":    phone,
		"unbroken": unbroken,
		"called":   w.phone,
		"taken":    taken,
		"dial":     func(digits string) template.URL { return dialing(digits) },
		"mailbox":  mailbox,
		"page":     pageOf,
		"said":     said,
		"bytes":    w.bytes,
		"plainly":  plainly,
		"listed":   func(names []string) string { return strings.Join(names, ", ") },
		"phrased":  func(p phrase, label string, most int) phrased { return phrased{p, label, most} },
		"panels":   func() string { return "/assets/" + snippet.PanelsAsset() },
		"place":    func(i int) int { return i + 1 },
		"field":    w.field,
		"how":      func(how string) string { return w.text(howWords[how]) },
		"since":    func(t time.Time) time.Duration { return w.now().Sub(t) },
	}
}

func drawing(name string) (template.HTML, error) {
	drawn, found := icons[name]
	if !found {
		return "", fmt.Errorf("there is no icon %q", name)
	}
	return drawn, nil
}

// dialing is a tel: link, of digits alone, or nothing.
func dialing(digits string) template.URL {
	if number := dial(digits); number != "" {
		return template.URL("tel:" + number)
	}
	return ""
}

// frame is what stands around each page and its own content.
type frame struct {
	Words    *words
	Tongues  []*words
	Operator operator.Operator
	Inside   bool // signed in
	Page     string
	Title    string
	Here     string              // address at which this page is shown again
	Stream   string              // address of the events that keep it up to date
	Unread   []lead.Name         // of the Scope
	Calling  int                 // conversations of the Scope that call for the operator
	Sites    []site.Site         // that the operator sees
	SiteID   int64               // to which lists are narrowed; 0 for all of them
	Scope    scope.Sites         // whose lists are shown
	Staff    []operator.Operator // by whose names those are called who have leads
	Notice   string
	Alarms   []string // what is wrong with the server
	Problem  string   // why what was sent was not accepted
	Body     any

	end journal.Position // when the page was begun
}

// SiteKey is the key of the site, shown where there are several.
func (f frame) SiteKey(id int64) string {
	if len(f.Sites) < 2 {
		return ""
	}
	for _, s := range f.Sites {
		if s.ID == id {
			return s.Key
		}
	}
	return strconv.FormatInt(id, 10)
}

// frame begins a page.
func (c *Console) frame(r *http.Request, name string) (frame, error) {
	w := c.wordsFor(r)
	f := frame{Words: w, Tongues: c.words, Page: name, Here: r.URL.RequestURI(), Title: w.text(name + ".title")}
	if r.Method == http.MethodPost { // shown again for a form that was not accepted
		f.Here = "/" + name
	}
	o, found := current(r)
	if !found {
		return f, nil
	}
	f.Operator, f.Inside = o, true
	if r.Header.Get("Console-Look") == "" { // else it is for the page that comes next
		f.Notice = c.sessions.of(r).PopString(r.Context(), sessionNotice)
	}
	f.Alarms = c.alarmsFor(o, w)
	all, err := c.Sites.List(r.Context())
	if err != nil {
		return f, err
	}
	f.Sites = seenOf(all, o.Sites)
	f.SiteID = c.narrowed(r, f.Sites)
	f.Scope = o.Sites.Only(f.SiteID)
	if f.end, err = c.Journal.End(r.Context()); err != nil {
		return f, err
	}
	f.Stream = f.streamAddress("other", f.SiteID)
	if f.Unread, err = c.unread(r.Context(), o, f.Scope, f.end); err != nil {
		return f, err
	}
	called, err := c.callingAll(r.Context(), f.Scope)
	if err != nil {
		return f, err
	}
	calling, err := c.calling(r.Context(), o, called)
	f.Calling = len(calling)
	return f, err
}

// unread are the leads of the sites that the operator has not read, up to the place
// in the journal.
func (c *Console) unread(ctx context.Context, o operator.Operator, sites scope.Sites, upto journal.Position) ([]lead.Name, error) {
	return c.Leads.Unread(ctx, o.ID, sites, o.CreatedAt, upto)
}

// seenOf are those of the sites that may be seen.
func seenOf(all []site.Site, sites scope.Sites) (seen []site.Site) {
	for _, s := range all {
		if sites.Has(s.ID) {
			seen = append(seen, s)
		}
	}
	return seen
}

// narrowed is the site that the operator has chosen to look at, now or earlier.
func (c *Console) narrowed(r *http.Request, sites []site.Site) int64 {
	m := c.sessions.of(r)
	chosen := m.GetInt64(r.Context(), sessionSite)
	if query := r.URL.Query(); query.Has("site") {
		asked, err := strconv.ParseInt(query.Get("site"), 10, 64)
		known := asked == 0 || slices.ContainsFunc(sites, func(s site.Site) bool { return s.ID == asked })
		if err == nil && known && asked != chosen {
			chosen = asked
			m.Put(r.Context(), sessionSite, chosen)
		}
	}
	for _, s := range sites {
		if s.ID == chosen && len(sites) > 1 {
			return chosen
		}
	}
	return 0
}

// streamAddress is where the page's events come from: all that has happened since
// it was begun.
func (f frame) streamAddress(view string, siteID int64) string {
	return "/stream/" + view + "?" + url.Values{"site": {strconv.FormatInt(siteID, 10)}, "after": {f.end.String()}}.Encode()
}

func (c *Console) show(w http.ResponseWriter, r *http.Request, status int, f frame) {
	var body held
	if err := c.pages[f.Words.Code][f.Page].ExecuteTemplate(&body, "layout", f); err != nil {
		c.logger.Error("rendering page of the console", zap.String("page", f.Page), zap.Error(err))
		http.Error(w, f.Words.text("fail.internal"), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", f.Words.Code)
	h.Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	body.WriteTo(w)
}

// failure is the content of a page that says what went wrong.
type failure struct {
	Status int
	Hint   string // what to do; may be empty
}

// hints say what to do about failures.
var hints = map[string]string{"fail.notFound": "hint.notFound", "fail.unavailable": "hint.unavailable"}

// fail shows a page that says what went wrong and what to do next. It stands where
// the page would have stood: an operator keeps the console around it.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, status int, text string) {
	words := c.wordsFor(r)
	f := frame{Words: words, Tongues: c.words, Page: "failure", Here: r.URL.RequestURI(), Title: words.text("failure.title")}
	f.Operator, f.Inside = current(r)
	if status < http.StatusInternalServerError { // else it is the database that fails
		if whole, err := c.frame(r, "failure"); err == nil {
			f = whole
		}
	}
	f.Problem = words.text(text)
	if r.Method == http.MethodPost { // there is nothing to see at the address of a form
		f.Here = local(r.PostFormValue("back"))
	}
	if status == http.StatusServiceUnavailable && !f.Inside { // who it is cannot be known
		_, err := r.Cookie(sessionCookie(r))
		f.Inside = err == nil
	}
	body := failure{Status: status}
	if hint := hints[text]; hint != "" {
		body.Hint = words.text(hint)
	}
	f.Body = body
	c.show(w, r, status, f)
}

// failed is for what is not the client's fault: the database does not answer.
func (c *Console) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil { // else nobody waits any more
		c.logger.Error("the console cannot show a page", zap.String("path", r.URL.Path), zap.Error(err))
	}
	c.unavailable(w, r)
}

func (c *Console) unavailable(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "5")
	c.fail(w, r, http.StatusServiceUnavailable, "fail.unavailable")
}

// back answers a form that was accepted: with the page to go to, and what it
// says there.
func (c *Console) back(w http.ResponseWriter, r *http.Request, to, notice string) {
	if notice != "" {
		c.sessions.of(r).Put(r.Context(), sessionNotice, c.wordsFor(r).text(notice))
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
