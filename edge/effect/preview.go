package effect

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/api/gate"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/snippet"
	"github.com/seed-3405227d/frontdesk/snippet/page"
)

// PreviewCookie holds the token of the preview that is open. It ends with the browser's session.
const PreviewCookie gate.Cookie = "svc_preview"

// The parameter by which the console opens a preview of a page, and its value that ends a preview.
const (
	PreviewParameter = preview.Parameter + "="
	EndPreview       = "end"
)

func (e *Shared) ReadPreview(siteID int64, token string) (preview.Preview, error) {
	desk, done, err := e.Service.Use()
	if err != nil {
		return preview.Preview{}, err
	}
	defer done()
	return desk.Previews.Read(siteID, token)
}

// previewing returns the preview of the site that a request's cookie names, or nil.
func (e *Shared) previewing(siteID int64, h http.Header) *preview.Preview {
	if !slices.ContainsFunc(h["Cookie"], func(field string) bool { return strings.Contains(field, string(PreviewCookie)) }) {
		return nil
	}
	for token := range PreviewCookie.Values(h, false) {
		if asked, err := e.ReadPreview(siteID, token); err == nil {
			return &asked
		}
	}
	return nil
}

// Previewed returns what a visitor of the previewed source sees. It leases no number, and shows the first number of
// each pool.
func (f *effect) Previewed(beside page.Visit, asked *preview.Preview) page.Visit {
	plan, source := f.numbers.plan, asked.Source()
	choice := plan.Choose(source)
	until := time.Unix(asked.Until, 0)
	digits, leased := plan.Shown(choice), make([]snippet.Lease, f.numbers.many)
	for place, pool := range plan.Pools(choice) {
		digits[place], leased[place] = pool.Digits[0], snippet.Lease{Lasting: time.Until(until), Alone: true}
	}
	shown := f.numbers.printed.Show(digits, snippet.ForVisitor)
	shown.Lease(leased)
	return page.Visit{
		Purpose: beside.Purpose, Shown: shown, ByCookie: true,
		Preview: &snippet.Preview{
			Address: asked.Address, Referrer: asked.Referrer, Language: asked.Language, Until: until,
			End: "?" + PreviewParameter + EndPreview,
		},
	}
}
