package edge

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// previewCookie holds the token of the preview that is open. It ends with the browser's session.
const previewCookie api.HostCookie = "svc_preview"

// The parameter by which the console opens a preview of a page, and its value that ends a preview.
const (
	previewParameter = preview.Parameter + "="
	endPreview       = "end"
)

// previewOver is the answer to an old link, by language.
var previewOver = map[string]string{
	"en": "This preview is over, or is one of another site. Make a new one in the console.",
	"ru": "Этот просмотр закончился или относится к другому сайту. Создайте новый в консоли.",
}

// turnPreview begins or ends a preview if the request's URL says so, and redirects the browser to the URL without the
// parameter. It returns false if the token is not signed: the parameter may be the site's own.
func (b *Block) turnPreview(w http.ResponseWriter, r *http.Request, q *Request) (answered bool) {
	token, rest, found := cutParameter(q.URL.RawQuery, previewParameter)
	if !found || r.Method != http.MethodGet || q.effect == nil {
		return false
	}
	cookie := http.Cookie{
		Name: previewCookie.Name(q.Secure), Path: "/", Value: token, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: q.Secure,
	}
	if token == endPreview {
		cookie.Value, cookie.MaxAge = "", -1
	} else {
		asked, err := b.edge.readPreview(q.site.ID, token)
		switch {
		case errors.Is(err, preview.ErrOver):
			refusePreview(w, asked.Language)
			return true
		case err != nil:
			return false
		}
	}
	address := "/" + strings.TrimLeft(q.URL.EscapedPath(), `/\`) // the slash keeps the redirect on this host
	if rest != "" {
		address += "?" + rest
	}
	h := w.Header()
	h.Set("Location", address)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the page need not know the console
	h.Add("Set-Cookie", cookie.String())
	w.WriteHeader(http.StatusSeeOther)
	return true
}

func refusePreview(w http.ResponseWriter, language string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusGone)
	text, known := previewOver[language]
	if !known {
		text = previewOver["en"]
	}
	w.Write([]byte(text + "\n"))
}

// cutParameter removes each parameter with this name from a query, and returns the last one's value. name ends with
// "=". The rest of the query stays as it is written.
func cutParameter(query, name string) (value, rest string, found bool) {
	if !strings.Contains(query, name) { // true for nearly all queries
		return "", query, false
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if after, is := strings.CutPrefix(pair, name); is {
			value, found = after, true
		} else {
			kept = append(kept, pair)
		}
	}
	return value, strings.Join(kept, "&"), found
}

func (e *Edge) readPreview(siteID int64, token string) (preview.Preview, error) {
	desk, done, err := e.Service.Use()
	if err != nil {
		return preview.Preview{}, err
	}
	defer done()
	return desk.Previews.Read(siteID, token)
}

// previewing returns the preview of the site that a request's cookie names, or nil.
func (e *Edge) previewing(siteID int64, h http.Header) *preview.Preview {
	if !slices.ContainsFunc(h["Cookie"], func(field string) bool { return strings.Contains(field, string(previewCookie)) }) {
		return nil
	}
	for token := range previewCookie.Values(h) {
		if asked, err := e.readPreview(siteID, token); err == nil {
			return &asked
		}
	}
	return nil
}

// previewed returns what a visitor of the previewed source sees. It leases no number, and shows the first number of
// each pool.
func (f *effect) previewed(beside page.Visit, asked *preview.Preview) page.Visit {
	plan, source := f.numbers.plan, asked.Source()
	choice := plan.Choose(source)
	until := time.Unix(asked.Until, 0)
	digits, lasting := plan.Shown(choice), make([]time.Duration, f.numbers.many)
	for place, pool := range plan.Pools(choice) {
		digits[place], lasting[place] = pool.Digits[0], time.Until(until)
	}
	shown := f.numbers.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(lasting)
	return page.Visit{
		Purpose: beside.Purpose, Shown: shown, ByCookie: true,
		Preview: &snippet.Preview{
			Address: asked.Address, Referrer: asked.Referrer, Language: asked.Language, Until: until,
			End: "?" + previewParameter + endPreview,
		},
	}
}
