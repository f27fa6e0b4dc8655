package rows

import (
	"fmt"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/incident"
)

// IncidentLine is an incident in words.
type IncidentLine struct {
	incident.Incident
	Text string
	Link string // to where it can be mended
	Site string // empty where there is one alone
	Over bool
}

// IncidentName is how people call what an incident is about.
func IncidentName(w *words.Tongue, kind incident.Kind, name string) any {
	if kind == incident.Limit {
		return w.Text("limit." + name)
	}
	return words.Written(name)
}

// IncidentLineOf is the incident as the page shows it.
func IncidentLineOf(f frame.Page, i incident.Incident) IncidentLine {
	line := IncidentLine{Incident: i, Site: f.SiteKey(i.SiteID)}
	line.Text = f.Words.Text("incident."+string(i.Kind), "name", IncidentName(f.Words, i.Kind, i.Name), "status", i.Status)
	switch i.Kind {
	case incident.Pool:
		line.Link = PoolLink(i.SiteID, i.Name)
	case incident.Endpoint:
		line.Link = frame.SiteLink(i.SiteID) + "/endpoints/" + i.About
	case incident.Limit:
		line.Link = frame.SiteLink(i.SiteID)
	default:
		line.Link = fmt.Sprintf("/leads/forms?site=%d", i.SiteID)
	}
	return line
}
