package conversions

import (
	"net/http"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// listPage is the content of the page of a site's destinations.
type listPage struct {
	site.Site
	Destinations []row
	Kinds        []notify.Kind // that may be added
}

// row is a destination as a row of the list.
type row struct {
	notify.Endpoint
	Place                 string // the account, or the host; empty where the platform comes here
	State, Tone           string
	Goals                 string
	Waiting, Held, Failed int
}

func listLink(siteID int64) string { return frame.SiteLink(siteID) + "/conversions" }

func rowOf(w *words.Tongue, e notify.Endpoint, counts []notify.Count) row {
	r := row{Endpoint: e, State: "endpoint.active"}
	if !conversion.IsFetched(e.Kind) {
		r.Place = e.Host()
	}
	switch {
	case e.Gone:
		r.State, r.Tone = "endpoint.gone", "bad"
	case !e.PausedAt.IsZero():
		r.State, r.Tone = "endpoint.paused", "none"
	}
	var goals []string
	to := conversion.Of(e)
	for _, goal := range platform.Goals {
		if to.Names[goal] != "" {
			goals = append(goals, w.Text("goal."+string(goal)))
		}
	}
	r.Goals = strings.Join(goals, ", ")
	for _, c := range counts {
		if c.EndpointID != e.ID {
			continue
		}
		switch c.State {
		case "waiting":
			r.Waiting = c.Number
		case "held":
			r.Held = c.Number
		case "failed":
			r.Failed = c.Number
		}
	}
	if r.Failed > 0 && r.Tone == "" {
		r.Tone = "away"
	}
	return r
}

func (c *room) showConversions(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	f.Title = f.Words.Text("conversions.title")
	body := listPage{Site: named}
	deliveries := c.Conversions.Deliveries
	all, err := deliveries.Endpoints.List(r.Context(), named.ID)
	var counts []notify.Count
	if err == nil {
		counts, err = deliveries.Counts(r.Context(), named.ID)
	}
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.IsOut() {
			body.Destinations = append(body.Destinations, rowOf(f.Words, e, counts))
		}
	}
	if len(all) < notify.MaxEndpoints {
		body.Kinds = conversion.Kinds
	}
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}
