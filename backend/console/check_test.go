package console_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Each part of an installation shows whether it is at work, and what to do when it is not.
func TestInstallCheck(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.pass(-8 * 24 * time.Hour) // who signs in later does so now
		b := d.signedIn("vera")
		page := fmt.Sprint("/sites/", d.shop.ID, "/check")
		shows := func(want ...string) *goquery.Document {
			t.Helper()
			shown := b.document(page)
			var states []string
			shown.Find(".checked > li").Each(func(_ int, part *goquery.Selection) {
				states = append(states, part.AttrOr("data-state", ""))
				if part.AttrOr("data-state", "") == "well" {
					require.Zero(t, part.Find("p").Length(), "nothing is to be done: %s", part.Text())
				} else {
					require.NotZero(t, part.Find("p").Length(), "what is to be done: %s", part.Text())
				}
			})
			require.Equal(t, want, states)
			return shown
		}
		passed := func(outcome string) {
			d.Sites.Page(d.shop.ID, outcome)
			require.NoError(t, d.Sites.StorePages(t.Context()))
		}
		seen := func(part sighting.Part) {
			d.Sightings.Note(d.shop.ID, part)
			require.NoError(t, d.Sightings.Store(t.Context()))
		}
		const well, old, missing, unset = "well", "old", "missing", "unset"
		first := shows(missing, missing, missing, missing, unset, missing, unset)
		require.Equal(t, 1, first.Find("[data-looks]").Length(), "the page looks again")
		require.Contains(t, first.Text(), `handled request … "host":"shop.example"`)
		passed("not_html")
		require.Contains(t, shows(missing, missing, missing, missing, unset, missing, unset).Text(), "Only pictures")
		passed("csp")
		require.Contains(t, shows(well, missing, missing, missing, unset, missing, unset).Text(), "Content Security Policy")
		d.pass(time.Second)
		passed("woven")
		require.NotContains(t, shows(well, well, missing, missing, unset, missing, unset).Text(), "Content Security Policy")
		seen(sighting.Script)
		d.hit(visit.Arrival{})
		shows(well, well, well, well, unset, missing, unset)

		// A number that is given to scripts counts once it is on the pages.
		d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321"}})
		seen(sighting.Given)
		require.Contains(t, shows(well, well, well, well, missing, missing, missing).Text(), "on none of the pages")
		require.NoError(t, d.Numbers.Learn(t.Context(), d.shop.ID, "/", map[string][]inventory.Writing{"74951234567": {{Text: "+7 495 123-45-67", Count: 1}}}))
		shows(well, well, well, well, well, missing, missing)
		d.Forms.Note(d.shop.ID, form.Answer{Path: "/contact", Status: 200, Fields: []string{"phone"}})
		require.NoError(t, d.Forms.Store(t.Context()))
		d.call(telephony.Event{Call: "1", Kind: telephony.Start, Called: "74957654321"})
		whole := shows(well, well, well, well, well, well, well)
		require.Contains(t, whole.Text(), "Everything that is set up")
		require.Zero(t, whole.Find("[data-looks]").Length())

		d.pass(8 * 24 * time.Hour)
		b = d.signedIn("vera")
		require.Contains(t, shows(old, old, old, old, well, well, well).Text(), "Not everything has been seen at work: 4")

		// Another's site has no such page.
		other, err := d.Sites.Provision(t.Context(), "other.example")
		require.NoError(t, err)
		require.Equal(t, 7, b.document(fmt.Sprint("/sites/", other.ID, "/check")).Find(".checked > li").Length())
		require.Equal(t, 404, b.get("/sites/77/check").status)
	})
}

// The check shows the code of another service that pages have. One click has ours take its place, and another one leaves it
// as it was.
func TestInstallCheckShowsAnothersCode(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		b := d.signedIn("vera")
		page := fmt.Sprint("/sites/", d.shop.ID, "/check")
		require.Zero(t, b.document(page).Find(".rivals").Length())
		require.NoError(t, d.Sightings.SeeRivals(t.Context(), d.shop.ID, "/contacts", []sighting.Rival{{Loader: "//app.other.example/static/cs.min.js", Account: "Ab3-xY_7"}, {Account: "<b>"}}))
		shown := b.document(page).Find(".rivals")
		require.Contains(t, shown.Text(), "//app.other.example/static/cs.min.js")
		require.Contains(t, shown.Text(), "Key Ab3-xY_7")
		require.Contains(t, shown.Text(), "Seen last on /contacts")
		require.Contains(t, shown.Text(), "Only its key was recognised")
		require.Equal(t, 1, shown.Find("p.warn:contains('disturb each other')").Length())
		action := fmt.Sprint("/sites/", d.shop.ID, "/supersede")
		is := func() *bool {
			s, err := d.Sites.ByKey(t.Context(), d.shop.Key)
			require.NoError(t, err)
			return s.Settings.Supersede
		}
		for _, on := range []bool{true, false} {
			form := b.document(page).Find(`.rivals form[action="` + action + `"]`)
			require.Equal(t, http.StatusSeeOther, b.post(action, "on", form.Find("[name=on]").AttrOr("value", "")).status)
			require.Equal(t, on, *is())
			require.Equal(t, on, strings.Contains(b.document(page).Find(".rivals").Text(), "takes its place"))
		}
		require.Contains(t, b.document("/history").Text(), "Other service's code")
		require.Equal(t, 404, b.post("/sites/77/supersede", "on", "yes").status)
	})
}

// The lines of the log that the check names are those that the program writes.
func TestInstallCheckNamesLinesOfTheLog(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.declareNumbers("node", number.Declared{Digits: "74951234567", Tracking: []string{"74957654321"}})
		b, lines := d.signedIn("vera"), []string(nil)
		b.document(fmt.Sprint("/sites/", d.shop.ID, "/check")).Find(".checked code").Each(func(_ int, line *goquery.Selection) {
			if !strings.HasPrefix(line.Text(), "handled request") { // which is Caddy's own
				lines = append(lines, line.Text())
			}
		})
		require.NotEmpty(t, lines)
		found := make(map[string]bool)
		for _, folder := range []string{"../../edge", "../../backend/api", "../../backend/call"} {
			require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".go") {
					return err
				}
				program, err := os.ReadFile(path)
				for _, line := range lines {
					found[line] = found[line] || strings.Contains(string(program), `("`+line)
				}
				return err
			}))
		}
		for _, line := range lines {
			require.True(t, found[line], line)
		}
	})
}
