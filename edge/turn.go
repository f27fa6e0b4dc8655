package edge

import (
	"errors"
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/edge/effect"
	"github.com/seed-3405227d/frontdesk/locales"
)

// previewTexts has the answer to an old link, by language.
var previewTexts = locales.Read("preview")

// turnPreview begins or ends a preview if the request's URL says so, and redirects the browser to the URL without the
// parameter. It returns false if the token is not signed: the parameter may be the site's own.
func (b *Block) turnPreview(w http.ResponseWriter, r *http.Request, q *effect.Request) (answered bool) {
	token, rest, found := cutParameter(q.URL.RawQuery, effect.PreviewParameter)
	if !found || r.Method != http.MethodGet || q.Effect == nil {
		return false
	}
	cookie := effect.PreviewCookie.For(r.Host, q.Secure, false, "")
	if token != effect.EndPreview {
		cookie.Value, cookie.MaxAge = token, 0 // until the browser is closed
		asked, err := b.ReadPreview(q.Site.ID, token)
		switch {
		case errors.Is(err, preview.ErrOver):
			refusePreview(w, asked.Language)
			return true
		case err != nil:
			return false
		}
	}
	h := w.Header()
	h.Set("Referrer-Policy", "no-referrer") // the page need not know the console
	h.Add("Set-Cookie", cookie.String())
	redirect(w, q, rest)
	return true
}

// redirect sends the browser to the requested page with the query.
func redirect(w http.ResponseWriter, q *effect.Request, query string) {
	address := "/" + strings.TrimLeft(q.URL.EscapedPath(), `/\`) // the slash keeps the redirect on this host
	if query != "" {
		address += "?" + query
	}
	h := w.Header()
	h.Set("Location", address)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

func refusePreview(w http.ResponseWriter, language string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusGone)
	w.Write([]byte(previewTexts[locales.Language(language)]["preview.over"] + "\n"))
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
