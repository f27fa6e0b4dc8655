package people

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
)

// maxContact is how many bytes of a name or a contact are kept.
const maxContact = 256

// correct replaces the name and the contacts of a visitor by those of the form.
func (c *room) correct(w http.ResponseWriter, r *http.Request) error {
	siteID, visitor, err := frame.IDs(r, frame.SiteField, "visitor")
	if err != nil {
		return err
	}
	typed := func(name string) string { return clip.Text(r.PostFormValue(name), maxContact) }
	correction := visit.Correction{
		Info:    visit.Info{Name: typed("name"), Phone: typed("phone"), Email: typed("email")},
		NameWas: r.PostFormValue("nameWas"), PhoneWas: r.PostFormValue("phoneWas"), EmailWas: r.PostFormValue("emailWas"),
	}
	if c.Region != nil {
		correction.Region = c.Region(r.Context(), siteID)
	}
	if err := c.Visits.Correct(r.Context(), siteID, visit.ID(visitor), correction); err != nil {
		return err
	}
	back := rows.CardLink(siteID, visitor)
	if to := r.PostFormValue("back"); to != "" {
		back = frame.Local(to)
	}
	return c.Back(w, r, back, "contact.corrected")
}
