package rows

import (
	"fmt"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/tag"
)

// LeadRow is a lead as a row of a list.
type LeadRow struct {
	lead.Lead
	Key       string // of the row
	Link      string
	Label     string
	Site      string
	Digest    string // the message on one line
	Lines     string // the beginning of the message, in its lines
	Source    Source
	Page      words.Address
	Unread    bool   // by the operator
	OwnerName string // empty for nobody
	Sum       string // of a sale; empty where it is not told
	Parts     int    // how many others have been merged into it
	Changed   bool   // the row is on the list already, or is not to be there
}

func LeadRowOf(f frame.Page, l lead.Lead) LeadRow {
	w := f.Words
	row := LeadRow{
		Lead:      l,
		Key:       fmt.Sprintf("lead-%d-%d", l.SiteID, l.ID),
		Link:      fmt.Sprintf("/leads/%d/%d", l.SiteID, l.ID),
		Site:      f.SiteKey(l.SiteID),
		Digest:    Digest(l.Message),
		Lines:     linesOf(l.Message),
		Source:    SourceOf(w, l.Source),
		Page:      words.AddressOf(l.URL),
		OwnerName: OwnerName(w, f.Staff, l.Owner),
	}
	if l.SaleCost != "" {
		row.Sum = f.SumsOf(l.SiteID).Money(l.SaleCost)
	}
	for _, label := range []string{l.Name, w.Phone(l.PhoneDigits, l.PhoneExtension, l.Phone), l.Email} {
		if strings.TrimSpace(label) != "" {
			row.Label = label
			break
		}
	}
	if row.Label == "" && l.OfCall() && l.Visitor == 0 {
		row.Label = w.Text("call.withheld")
	}
	if row.Digest == "" && l.OfCall() {
		row.Digest = w.Text("origin." + l.Origin)
	}
	if row.Label == "" {
		row.Label = VisitorLabel(w, int64(l.Visitor))
	}
	return row
}

// mostDigested is how many bytes of a text are looked at, of which few are shown.
const mostDigested = 4 << 10

// Digest is the beginning of a text on one line.
func Digest(text string) string {
	return strings.Join(strings.Fields(begun(text)), " ")
}

// linesOf is the beginning of a text in its lines, without those that are empty.
func linesOf(text string) string {
	const most = 12
	var lines []string
	for line := range strings.Lines(begun(text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && len(lines) < most {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func begun(text string) string {
	if len(text) > mostDigested {
		text = strings.ToValidUTF8(text[:mostDigested], "")
	}
	return text
}

// Tagged are the tags, with commas between them.
func (r LeadRow) Tagged() string { return tag.Written(r.Tags) }

// All is how many leads the row stands for.
func (r LeadRow) All() int { return r.Parts + 1 }

// Act is the address of something that is done with the lead.
func (r LeadRow) Act(what string) string { return fmt.Sprintf("/leads/%s/%d/%d", what, r.SiteID, r.ID) }

// OwnerName is who has a lead.
func OwnerName(w *words.Tongue, staff []operator.Operator, id int64) string {
	if id == 0 {
		return ""
	}
	for _, o := range staff {
		if o.ID == id {
			return o.Label()
		}
	}
	return w.Text("lead.somebody") // whose account is gone, or sees other sites
}
