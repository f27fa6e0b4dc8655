package console

import (
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
)

// leadRow is a lead as a row of a list.
type leadRow struct {
	lead.Lead
	Key       string // of the row
	Link      string
	Label     string
	Site      string
	Digest    string // the message on one line
	Source    source
	Page      page
	Unread    bool   // by the operator
	OwnerName string // empty for nobody
	Parts     int    // how many others have been merged into it
	Changed   bool   // the row is on the list already, or is not to be there
}

func leadRowOf(f frame, l lead.Lead) leadRow {
	w := f.Words
	row := leadRow{
		Lead:      l,
		Key:       fmt.Sprintf("lead-%d-%d", l.SiteID, l.ID),
		Link:      fmt.Sprintf("/leads/%d/%d", l.SiteID, l.ID),
		Site:      f.SiteKey(l.SiteID),
		Digest:    digest(l.Message),
		Source:    sourceOf(w, l.Source),
		Page:      pageOf(l.URL),
		OwnerName: ownerName(w, f.Staff, l.Owner),
	}
	for _, label := range []string{l.Name, w.phone(l.PhoneDigits, l.PhoneExtension, l.Phone), l.Email} {
		if strings.TrimSpace(label) != "" {
			row.Label = label
			break
		}
	}
	if row.Label == "" {
		row.Label = visitorLabel(w, int64(l.Visitor))
	}
	return row
}

// digest is the beginning of a text on one line.
func digest(text string) string {
	const most = 4 << 10 // bytes, of which few are shown
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// All is how many leads the row stands for.
func (r leadRow) All() int { return r.Parts + 1 }

// Act is the address of something that is done with the lead.
func (r leadRow) Act(what string) string { return fmt.Sprintf("/leads/%s/%d/%d", what, r.SiteID, r.ID) }

// ownerName is who has a lead.
func ownerName(w *words, staff []operator.Operator, id int64) string {
	if id == 0 {
		return ""
	}
	for _, o := range staff {
		if o.ID == id {
			return o.Label()
		}
	}
	return w.text("lead.somebody") // whose account is gone, or sees other sites
}
