package frame

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/text/language"

	"github.com/seed-3405227d/frontdesk/backend/console/session"
	"github.com/seed-3405227d/frontdesk/backend/console/table"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/locales"
)

// Cursor is a position in a list, the newest first.
type Cursor struct {
	At time.Time
	ID int64
}

// CursorOf reads the position in the list from the query; without a good one it is
// the top.
func CursorOf(query url.Values) Cursor {
	at, errAt := strconv.ParseInt(query.Get("at"), 10, 64)
	id, errID := strconv.ParseInt(query.Get("id"), 10, 64)
	if errAt != nil || errID != nil {
		return Cursor{}
	}
	return Cursor{At: time.UnixMilli(at), ID: id}
}

// Behind is the address of the part of a list behind the cursor, which CursorOf reads.
func (c Cursor) Behind(path string) string {
	return path + "?" + url.Values{"at": {strconv.FormatInt(c.At.UnixMilli(), 10)}, "id": {strconv.FormatInt(c.ID, 10)}}.Encode()
}

// Option is a value of a select with its name.
type Option struct{ Value, Name string }

// OpenSessions are where an account is signed in, as the template "open-sessions" shows it.
type OpenSessions struct {
	Open []signin.Open
	Here string // the name of the reader's own session; empty on pages of other accounts
	Link string // of the account's page
}

// FaceForm is where the photo of an operator is changed, as the template "face-form" shows it.
type FaceForm struct {
	Face string // the name of the one that there is; empty for none
	Link string // to which another one is sent
}

// Tab is a choice of what a list shows.
type Tab struct {
	Option
	Link    string
	Current bool
}

// IDs are the two that the address has under the names. The error is notFound.
func IDs(r *http.Request, first, second string) (a, b int64, err error) {
	a, errA := strconv.ParseInt(r.PathValue(first), 10, 64)
	b, errB := strconv.ParseInt(r.PathValue(second), 10, 64)
	if errA != nil || errB != nil {
		err = NotFound
	}
	return a, b, err
}

// AllowRecordings lets the page play recordings, which stand on the hosts of telephone
// platforms. Nothing is loaded before somebody presses the button.
func AllowRecordings(h http.Header) {
	const policy = "Content-Security-Policy"
	h.Set(policy, h.Get(policy)+"; media-src http: https:")
}

// SiteField is what a site is called wherever a request names one: in the pattern of a
// route, in the query, and in forms. The door looks for it there, and nowhere else.
const SiteField = "site"

// FirstPage is where operators go who have not said where to.
const FirstPage = "/overview"

// entry is what the door knows of a request that it has let in.
type entry struct {
	operator operator.Operator
	sites    scope.Sites // that the request may be about
}

type entryKey struct{}

// Admit is the request of the operator, let in by the door, which may be about the sites. still tells by an error that it would not
// be let in any more; files ask it while they are sent.
func Admit(r *http.Request, o operator.Operator, sites scope.Sites, still func(context.Context) error) *http.Request {
	return table.While(r.WithContext(context.WithValue(r.Context(), entryKey{}, entry{o, sites})), still)
}

// Current is the operator of a request that was let in; otherwise nobody.
func Current(r *http.Request) (operator.Operator, bool) {
	e, found := r.Context().Value(entryKey{}).(entry)
	return e.operator, found
}

// Permitted are the sites that the request may be about: the one that it names, or all
// that the operator sees. They are none for a request that was not let in.
func Permitted(r *http.Request) scope.Sites {
	e, _ := r.Context().Value(entryKey{}).(entry)
	return e.sites
}

// Local returns the address when it is a page of the console, and otherwise
// the first page, so that a link cannot send anybody elsewhere.
func Local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || len(address) < 2 || address[0] != '/' || address[1] == '/' || address[1] == '\\' {
		return FirstPage
	}
	return u.RequestURI()
}

// Absolute is the address of the page as the browser of the request knows the console, to hand on to somebody else.
func Absolute(r *http.Request, page string) string {
	scheme := "http://"
	if session.Secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host + page
}

// LanguageCookie keeps the language of a browser in which nobody has signed in.
const LanguageCookie = "frontdesk_language"

// Words chooses the language: the account's, else the browser's chosen one,
// else the one that it asks for.
func (f *Frame) Words(r *http.Request) *words.Tongue {
	if o, found := Current(r); found {
		if w := f.Tongue(o.Language); w != nil {
			return w
		}
	}
	if cookie, err := r.Cookie(LanguageCookie); err == nil {
		if w := f.Tongue(cookie.Value); w != nil {
			return w
		}
	}
	tags, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return f.Tongues[0]
	}
	_, i, _ := locales.Matcher.Match(tags...)
	return f.Tongues[i]
}

func (f *Frame) Tongue(code string) *words.Tongue {
	for _, w := range f.Tongues {
		if w.Code == code {
			return w
		}
	}
	return nil
}
