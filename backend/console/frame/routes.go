package frame

import (
	"html/template"
	"io/fs"
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Handler answers a request, or returns why it has not. The frame says what has failed: see [Failure].
type Handler func(w http.ResponseWriter, r *http.Request) error

// With begins the page of that name for a handler.
func (f *Frame) With(page string, h func(w http.ResponseWriter, r *http.Request, p Page) error) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := f.Page(r, page)
		if err != nil {
			return err
		}
		return h(w, r, p)
	}
}

// WithSite begins the page of that name for a handler, about the site that the address names.
func (f *Frame) WithSite(page string, h func(w http.ResponseWriter, r *http.Request, p Page, named site.Site) error) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, named, err := f.SiteAt(r, page)
		if err != nil {
			return err
		}
		return h(w, r, p, named)
	}
}

// Who may use a route.
type Who int

// They are for everybody, for all who have signed in, for those of them who see persons, for admins, and for admins of all
// sites.
const (
	everybody Who = iota
	Readers
	Operators
	Admins
	Chiefs
)

// IsChief tells whether the operator is an admin of all sites.
func IsChief(o operator.Operator) bool { return o.Role == operator.Admin && o.Sites.All() }

// Routes is the table of a console's routes.
type Routes struct {
	all     []route
	uploads map[string]int64 // bytes, by pattern
	saying  map[string]bool  // patterns; see SaysTooLarge
}

type route struct {
	pattern string
	who     Who
	handler Handler
	files   http.Handler // in place of all else
}

// Everybody adds a route for everybody, with a session.
func (t *Routes) Everybody(pattern string, h Handler) { t.add(pattern, everybody, h) }

// Reader adds a route for all who have signed in, analysts among them: it shows no visitor, and nothing that one has sent.
func (t *Routes) Reader(pattern string, h Handler) { t.add(pattern, Readers, h) }

// SignedIn adds a route for operators: those who see persons.
func (t *Routes) SignedIn(pattern string, h Handler) { t.add(pattern, Operators, h) }

// Admin adds a route for admins.
func (t *Routes) Admin(pattern string, h Handler) { t.add(pattern, Admins, h) }

// Chief adds a route for admins of all sites.
func (t *Routes) Chief(pattern string, h Handler) { t.add(pattern, Chiefs, h) }

// Upload adds a route for operators, to which up to so many bytes are sent. Its handler reads them.
func (t *Routes) Upload(pattern string, most int64, h Handler) {
	t.uploads[pattern] = most
	t.SignedIn(pattern, h)
}

// AdminUpload is [Routes.Upload] for admins.
func (t *Routes) AdminUpload(pattern string, most int64, h Handler) {
	t.uploads[pattern] = most
	t.Admin(pattern, h)
}

// SaysTooLarge has the handler of the pattern answer forms that are larger than [MaxForm], too. It must not read them.
func (t *Routes) SaysTooLarge(pattern string) { t.saying[pattern] = true }

// Files adds a route for everybody, which has no session.
func (t *Routes) Files(pattern string, h http.Handler) {
	t.all = append(t.all, route{pattern: pattern, files: h})
}

func (t *Routes) add(pattern string, who Who, h Handler) {
	t.all = append(t.all, route{pattern: pattern, who: who, handler: h})
}

// Patterns are those of all routes, as [http.ServeMux] reads them.
func (t *Routes) Patterns() []string {
	patterns := make([]string, len(t.all))
	for i, one := range t.all {
		patterns[i] = one.pattern
	}
	return patterns
}

// Room is what a room brings with it, beside its routes.
type Room struct {
	// Templates has a folder of that name, with the file of parts that all rooms share and one for each page.
	Templates fs.FS
	Menu      []MenuEntry
	// Functions are those of its templates, in a language. It may be nil.
	Functions func(w *words.Tongue) template.FuncMap
	// Help are the addresses at which the console shows what the documentation says of a page, by the names of pages.
	Help map[string]string
	// Unknown are the errors that an address names what there is not, with the names of the words.
	Unknown map[error]string
}

// Room adds a room.
func (f *Frame) Room(r Room) { f.rooms = append(f.rooms, r) }

// Handler answers requests by what the rooms have added. Guard lets those pass to a route who may use it.
func (f *Frame) Handler(guard func(Who, Handler) Handler) http.Handler {
	f.pages = f.parse()
	mux := http.NewServeMux()
	for _, one := range f.Routes.all {
		switch {
		case one.files != nil:
			mux.Handle(one.pattern, one.files)
		case one.who == everybody:
			mux.Handle(one.pattern, f.Sessions.Loaded(f.Answering(one.handler)))
		default:
			mux.Handle(one.pattern, f.Sessions.Loaded(f.Answering(guard(one.who, one.handler))))
		}
	}
	var crossing http.CrossOriginProtection
	crossing.SetDenyHandler(f.Answering(func(http.ResponseWriter, *http.Request) error {
		return Fail(http.StatusForbidden, "fail.crossing")
	}))
	return f.taking(mux, crossing.Handler(mux))
}

// Unavailable answers every request as one that has to wait for the database.
func (f *Frame) Unavailable() http.HandlerFunc {
	f.pages = f.parse()
	return f.unavailable
}
