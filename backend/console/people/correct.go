package people

import (
	"net/http"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/clip"
	"github.com/seed-3405227d/frontdesk/backend/visit/contact"
)

// maxContact is how many bytes of a name or a contact are kept.
const maxContact = 256

// correct replaces the name and the contacts of a visitor by those of the form.
func (c *room) correct(w http.ResponseWriter, r *http.Request) error {
	siteID, visitor, err := frame.IDs(r, frame.SiteField, "visitor")
	if err != nil {
		return err
	}
	known, err := c.Cards.Visitors.Card(r.Context(), siteID, visit.ID(visitor))
	if err != nil {
		return err
	}
	var phone, email contact.Contact
	if len(known.Phones) > 0 {
		phone = known.Phones[0]
	}
	if len(known.Emails) > 0 {
		email = known.Emails[0]
	}
	var correction visit.Correction
	correction.Name, correction.NameWas = corrected(r, "name", known.Name, known.Name)
	correction.Phone, correction.PhoneWas = corrected(r, "phone", phone.Written, phone.Value)
	correction.Email, correction.EmailWas = corrected(r, "email", email.Written, email.Value)
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

// corrected is what the form has in the field, and the value that it replaces, which is written so. Both are empty where
// the field was left as it was. What the form has not shown is not replaced.
func corrected(r *http.Request, field, written, value string) (now, was string) {
	now, shown := clip.Text(r.PostFormValue(field), maxContact), r.PostFormValue(field+"Was")
	switch {
	case now == shown:
		return "", ""
	case shown != words.Bare(written):
		value = ""
	}
	return now, value
}
