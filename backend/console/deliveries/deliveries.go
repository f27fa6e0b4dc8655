package deliveries

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// maxDeliveries is how many rows a part of the log of deliveries has.
const maxDeliveries = 50

// deliveriesPage is the content of the page of a site's deliveries.
type deliveriesPage struct {
	site.Site
	Endpoints []endpointRow
	NoMail    bool // there are mail addresses, and no server
	Rows      []deliveryRow
	Chosen    string // state to which the log is narrowed
	At        int64  // endpoint to which it is narrowed
	States    []frame.Option
	Older     string // address of the next part; empty at the end
	May       bool   // one more endpoint
}

// endpointRow is an endpoint as a row of the list.
type endpointRow struct {
	notify.Endpoint
	Host          string // or what a destination is
	Link          string
	State         string // name of the words
	Tone          string
	Names         string // of its events
	Waiting, Held int
	Failed        int
}

// deliveryRow is a delivery as a row of the log.
type deliveryRow struct {
	notify.Delivery
	Name   string // of the event
	Link   string // to what it is about
	Host   string // of the endpoint
	Answer string
	Tone   string
	Again  bool // may be sent again
}

func deliveriesLink(siteID int64) string { return frame.SiteLink(siteID) + "/deliveries" }

func endpointLink(siteID, id int64) string {
	return fmt.Sprintf("%s/endpoints/%d", frame.SiteLink(siteID), id)
}

// nameOf is where the endpoint is, or which platform it is.
func nameOf(w *words.Tongue, e notify.Endpoint) string {
	if e.IsOut() {
		return w.Text("destination.kind." + string(e.Kind))
	}
	return e.Host()
}

// destinationLink is the page of an endpoint that is a destination of conversions, in another room.
func destinationLink(e notify.Endpoint) string {
	return fmt.Sprintf("%s/conversions/%d", frame.SiteLink(e.SiteID), e.ID)
}

// tones are how the states of deliveries are to be taken, as for sites.
var tones = map[notify.State]string{"waiting": "away", "held": "none", "failed": "bad", "dropped": "none"}

func endpointRowOf(w *words.Tongue, e notify.Endpoint, counts []notify.Count) endpointRow {
	row := endpointRow{Endpoint: e, Host: nameOf(w, e), Link: endpointLink(e.SiteID, e.ID), State: "endpoint.active"}
	if e.IsOut() {
		row.Link = destinationLink(e)
	}
	switch {
	case e.Gone:
		row.State, row.Tone = "endpoint.gone", "bad"
	case !e.PausedAt.IsZero():
		row.State, row.Tone = "endpoint.paused", "none"
	}
	names := make([]string, len(e.Events))
	for i, event := range e.Events {
		names[i] = w.Text("event." + string(event))
	}
	row.Names = strings.Join(names, ", ")
	for _, c := range counts {
		if c.EndpointID != e.ID {
			continue
		}
		switch c.State {
		case "waiting":
			row.Waiting = c.Number
		case "held":
			row.Held = c.Number
		case "failed":
			row.Failed = c.Number
		}
	}
	if row.Failed > 0 && row.Tone == "" {
		row.Tone = "away"
	}
	return row
}

func deliveryRowOf(w *words.Tongue, d notify.Delivery, endpoints []notify.Endpoint) deliveryRow {
	row := deliveryRow{Delivery: d, Name: w.Text("event." + string(d.Event)), Tone: tones[d.State], Again: d.State == "delivered" || d.State == "failed"}
	if i := slices.IndexFunc(endpoints, func(e notify.Endpoint) bool { return e.ID == d.EndpointID }); i >= 0 {
		row.Host = nameOf(w, endpoints[i])
	}
	switch d.Event {
	case notify.LeadAdded, notify.SaleAdded, notify.TakenBack, notify.GivenBack:
		row.Link = fmt.Sprintf("/leads/%d/%d", d.SiteID, d.Subject)
	}
	row.Answer = answerOf(w, d)
	return row
}

// answerOf says what was answered last.
func answerOf(w *words.Tongue, d notify.Delivery) string {
	var parts []string
	if d.Reason != "" || d.State == "dropped" {
		parts = append(parts, w.Text("delivery.reason."+cmp.Or(d.Reason, "erased")))
	}
	if d.Status != 0 {
		parts = append(parts, strconv.Itoa(d.Status))
	}
	if d.Detail != "" {
		parts = append(parts, d.Detail)
	}
	return strings.Join(parts, " · ")
}

func (c *room) showDeliveries(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	query := r.URL.Query()
	body := deliveriesPage{Site: named, Chosen: query.Get("state")}
	body.At, _ = strconv.ParseInt(query.Get("endpoint"), 10, 64)
	if !slices.Contains(notify.States, notify.State(body.Chosen)) {
		body.Chosen = ""
	}
	body.States = append(body.States, frame.Option{Value: "", Name: f.Words.Text("deliveries.allStates")})
	for _, s := range notify.States {
		body.States = append(body.States, frame.Option{Value: string(s), Name: f.Words.Text("delivery.state." + string(s))})
	}
	endpoints, err := c.Deliveries.Endpoints.List(r.Context(), named.ID)
	var counts []notify.Count
	if err == nil {
		counts, err = c.Deliveries.Counts(r.Context(), named.ID)
	}
	var log []notify.Delivery
	if err == nil {
		log, err = c.Deliveries.Log(r.Context(), named.ID, body.At, notify.State(body.Chosen), cursorOf(query), maxDeliveries+1)
	}
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		body.Endpoints = append(body.Endpoints, endpointRowOf(f.Words, e, counts))
		body.NoMail = body.NoMail || e.Kind == notify.Mail && !c.Deliveries.HasMail()
	}
	if len(log) > maxDeliveries {
		log = log[:maxDeliveries]
		last := log[maxDeliveries-1].Cursor()
		body.Older = deliveriesLink(named.ID) + "?" + url.Values{"state": {body.Chosen}, "endpoint": {strconv.FormatInt(body.At, 10)},
			"entry": {strconv.FormatInt(last.Entry, 10)}, "of": {strconv.FormatInt(last.Endpoint, 10)}}.Encode()
	}
	for _, d := range log {
		body.Rows = append(body.Rows, deliveryRowOf(f.Words, d, endpoints))
	}
	body.May = len(endpoints) < notify.MaxEndpoints
	f.Body = body
	return c.Show(w, http.StatusOK, f)
}

// cursorOf is the position in the log that the query names.
func cursorOf(query url.Values) (p notify.Cursor) {
	entry, errEntry := strconv.ParseInt(query.Get("entry"), 10, 64)
	endpoint, errEndpoint := strconv.ParseInt(query.Get("of"), 10, 64)
	if errEntry == nil && errEndpoint == nil {
		p = notify.Cursor{Entry: entry, Endpoint: endpoint}
	}
	return p
}

// sendAgain has one delivery sent again.
func (c *room) sendAgain(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	entry, wrong := strconv.ParseInt(r.PostFormValue("entry"), 10, 64)
	if err != nil || wrong != nil {
		return frame.NotFound
	}
	return c.doneAt(w, r, c.Deliveries.Again(r.Context(), siteID, id, entry), deliveriesLink(siteID), "deliveries.again")
}

// spans are the times since which deliveries that have failed may be sent again, in hours.
var spans = []int{1, 24, 24 * 7, 24 * 30}

// sendFailedAgain has all deliveries of an endpoint sent again that have failed since a time.
func (c *room) sendFailedAgain(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	hours, wrong := strconv.Atoi(r.PostFormValue("hours"))
	if err != nil || wrong != nil || !slices.Contains(spans, hours) {
		return frame.NotFound
	}
	_, err = c.Deliveries.Endpoints.Get(r.Context(), siteID, id)
	n := 0
	if err == nil {
		n, err = c.Deliveries.AgainFailed(r.Context(), siteID, id, c.Now().Add(-time.Duration(hours)*time.Hour))
	}
	if err == nil {
		c.Sessions.KeepNotice(r, c.Words(r).Text("deliveries.againMany", "n", n))
	}
	return c.doneAt(w, r, err, deliveriesLink(siteID), "")
}

// doneAt goes to the page, which says the notice, if there is no error.
func (c *room) doneAt(w http.ResponseWriter, r *http.Request, err error, to, notice string) error {
	if err != nil {
		return err
	}
	return c.Back(w, r, to, notice)
}
