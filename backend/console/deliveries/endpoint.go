package deliveries

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/console/words"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/notify/template"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// What a new endpoint may be made as.
const (
	asWebhook  = "webhook"
	asMail     = "mail"
	asTelegram = "telegram"
)

// endpointPage is the content of the page of an endpoint.
type endpointPage struct {
	site.Site
	Endpoint  notify.Endpoint
	As        string // of a new one
	Row       endpointRow
	Secret    string // that was made with this request
	Two       bool   // an earlier secret signs, too
	NoMail    bool
	Choices   []eventChoice
	Types     []frame.Option // content types
	Languages []*words.Tongue
	Names     []string // of placeholders
	Preview   *notify.Written
	Wrong     map[string]string // what is wrong, by the names of fields
	Spans     []spanChoice
}

type eventChoice struct {
	Value, Text string
	Chosen      bool
}

type spanChoice struct {
	Hours int
	Text  string
}

// typeNames are the names of the words for content types.
var typeNames = map[string]string{template.JSON: "endpoint.type.json", template.Form: "endpoint.type.form", template.Text: "endpoint.type.text"}

// telegram is the endpoint that Telegram's sendMessage takes
// (https://core.telegram.org/bots/api#sendmessage). Without parse_mode its text is text.
func telegram(w *words.Tongue) notify.Endpoint {
	return notify.Endpoint{
		Kind: notify.Webhook, Address: "https://api.telegram.org/bot<TOKEN>/sendMessage", ContentType: template.JSON, Template: `{
  "chat_id": "<CHAT>",
  "text": "` + w.Text("endpoint.telegramText", "event", "{{.event}}", "site", "{{.site}}", "who", "{{.name}}{{.caller}}", "phone", "{{.phone}}", "message", "{{.message}}", "link", "{{.link}}") + `",
  "link_preview_options": {"is_disabled": true}
}`}
}

func (c *room) showNewEndpoint(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	e := notify.Endpoint{Kind: notify.Webhook}
	as := r.URL.Query().Get("as")
	switch as {
	case asMail:
		e.Kind = notify.Mail
	case asTelegram:
		e = telegram(f.Words)
	default:
		as = asWebhook
	}
	e.SiteID, e.Language = named.ID, f.Words.Code
	e.Events = []notify.Event{notify.LeadAdded, notify.SaleAdded, notify.Begun, notify.Over}
	if as == asWebhook {
		e.Events = notify.Events
	}
	return c.endpointPage(w, r, http.StatusOK, f, named, endpointPage{Endpoint: e, As: as})
}

func (c *room) showEndpoint(w http.ResponseWriter, r *http.Request) error {
	return c.endpointAgain(w, r, http.StatusOK, "", "")
}

// endpointAgain shows the endpoint that the address names, as it is stored.
func (c *room) endpointAgain(w http.ResponseWriter, r *http.Request, status int, problem, secret string) error {
	f, named, err := c.SiteAt(r, "endpoint")
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(r.PathValue("endpoint"), 10, 64)
	e, err := c.Deliveries.Endpoints.Get(r.Context(), named.ID, id)
	if err != nil {
		return err
	}
	if e.IsOut() {
		http.Redirect(w, r, destinationLink(e), http.StatusSeeOther)
		return nil
	}
	if problem != "" {
		f.Problem = f.Words.Text(problem)
	}
	return c.endpointPage(w, r, status, f, named, endpointPage{Endpoint: e, Secret: secret})
}

// endpointPage completes the page and shows it.
func (c *room) endpointPage(w http.ResponseWriter, r *http.Request, status int, f frame.Page, named site.Site, body endpointPage) error {
	e := body.Endpoint
	body.Site, body.Languages, body.Names = named, c.Tongues, template.Placeholders
	for _, contentType := range template.ContentTypes {
		body.Types = append(body.Types, frame.Option{Value: contentType, Name: f.Words.Text(typeNames[contentType])})
	}
	for _, event := range notify.Events {
		body.Choices = append(body.Choices, eventChoice{string(event), f.Words.Text("event." + string(event)), slices.Contains(e.Events, event)})
	}
	body.NoMail = e.Kind == notify.Mail && !c.Deliveries.HasMail()
	f.Title = f.Words.Text("endpoint.new." + rows.FirstOf(body.As, string(e.Kind)))
	f.Here = frame.SiteLink(named.ID) + "/endpoints/new?as=" + rows.FirstOf(body.As, string(e.Kind))
	if e.ID != 0 {
		counts, err := c.Deliveries.Counts(r.Context(), named.ID)
		if err != nil {
			return err
		}
		body.Row = endpointRowOf(f.Words, e, counts)
		body.Two = c.Now().Before(e.EarlierUntil)
		f.Title, f.Here = e.Host(), endpointLink(named.ID, e.ID)
		for _, hours := range spans {
			body.Spans = append(body.Spans, spanChoice{hours, f.Words.Text("deliveries.since", "n", max(hours/24, 1))})
		}
		body.Spans[0].Text = f.Words.Text("deliveries.sinceHour")
	}
	if e.Kind == notify.Mail && body.Preview == nil {
		if written, err := c.Deliveries.Preview(e, named.Key); err == nil {
			body.Preview = &written
		}
	}
	f.Body = body
	return c.Show(w, status, f)
}

// sentEndpoint is the endpoint as the form has it.
func sentEndpoint(r *http.Request, siteID int64) (e notify.Endpoint, as string) {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	text := strings.ReplaceAll(r.PostFormValue("template"), "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	e = notify.Endpoint{SiteID: siteID, Kind: notify.Kind(value("kind")), Address: value("address"), Language: value("language"), Subject: value("subject"), Template: text}
	if e.Kind == notify.Webhook && e.Template != "" {
		e.ContentType = value("content_type")
	}
	for _, event := range r.PostForm["events"] {
		e.Events = append(e.Events, notify.Event(event))
	}
	e.ID, _ = strconv.ParseInt(value("endpoint"), 10, 64)
	e.Version, _ = strconv.ParseInt(value("version"), 10, 64)
	return e, value("as")
}

// changeEndpoint stores the endpoint of the form, or shows how its mail would look.
func (c *room) changeEndpoint(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	e, as := sentEndpoint(r, named.ID)
	if e.ID != 0 { // what the form does not have
		stored, err := c.Deliveries.Endpoints.Get(r.Context(), named.ID, e.ID)
		if err != nil {
			return err
		}
		if stored.IsOut() {
			return frame.NotFound
		}
		e.Kind, e.PausedAt, e.Gone, e.EarlierUntil = stored.Kind, stored.PausedAt, stored.Gone, stored.EarlierUntil
	}
	if e.IsOut() {
		e.Kind = "" // another room adds them
	}
	body := endpointPage{Endpoint: e, As: as}
	if r.PostFormValue("preview") != "" {
		written, err := c.Deliveries.Preview(e, named.Key)
		if err == nil {
			body.Preview = &written
			return c.endpointPage(w, r, http.StatusOK, f, named, body)
		}
		return c.endpointWrong(w, r, f, named, body, err)
	}
	if e.ID != 0 {
		if err := c.Deliveries.Endpoints.Change(r.Context(), e, f.Operator.Login); err != nil {
			return c.endpointWrong(w, r, f, named, body, err)
		}
		return c.Back(w, r, endpointLink(named.ID, e.ID), "endpoint.saved")
	}
	made, secret, err := c.Deliveries.Endpoints.Add(r.Context(), e, f.Operator.Login)
	switch {
	case err != nil:
		return c.endpointWrong(w, r, f, named, body, err)
	case secret == "":
		return c.Back(w, r, endpointLink(named.ID, made.ID), "endpoint.added")
	default: // the secret is not kept for another page
		f.Notice = f.Words.Text("endpoint.added")
		return c.endpointPage(w, r, http.StatusOK, f, named, endpointPage{Endpoint: made, Secret: secret})
	}
}

// endpointWrong shows the form with what is wrong with it.
func (c *room) endpointWrong(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site, body endpointPage, err error) error {
	var invalid *notify.Invalid
	switch {
	case errors.As(err, &invalid):
		said := f.Words.Text("endpoint.wrong." + invalid.Code)
		if invalid.Code == "template" {
			said = f.Words.Text("endpoint.wrong.template", "why", invalid.Unwrap().Error())
		}
		body.Wrong = map[string]string{invalid.Field: said}
		f.Problem = said
		return c.endpointPage(w, r, http.StatusUnprocessableEntity, f, named, body)
	case errors.Is(err, notify.ErrChanged):
		f.Problem = f.Words.Text("problem.changed")
		if body.Endpoint, err = c.Deliveries.Endpoints.Get(r.Context(), named.ID, body.Endpoint.ID); err != nil {
			return err
		}
		return c.endpointPage(w, r, http.StatusConflict, f, named, body)
	case errors.Is(err, notify.ErrTooMany):
		f.Problem = f.Words.Text("endpoint.tooMany", "n", notify.MaxEndpoints)
		return c.endpointPage(w, r, http.StatusUnprocessableEntity, f, named, body)
	default:
		return err
	}
}

func (c *room) testEndpoint(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	return c.doneAt(w, r, c.Deliveries.Endpoints.Try(r.Context(), siteID, id, o.Login), deliveriesLink(siteID), "endpoint.tested")
}

func (c *room) pauseEndpoint(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	paused, notice := r.PostFormValue("paused") == "true", "endpoint.resumed"
	if paused {
		notice = "endpoint.isPaused"
	}
	return c.doneAt(w, r, c.Deliveries.Endpoints.Pause(r.Context(), siteID, id, paused, o.Login), endpointLink(siteID, id), notice)
}

// rotateSecret makes another secret, or ends the earlier one.
func (c *room) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	if r.PostFormValue("end") == "true" {
		return c.doneAt(w, r, c.Deliveries.Endpoints.EndEarlier(r.Context(), siteID, id, o.Login), endpointLink(siteID, id), "endpoint.secretEnded")
	}
	secret, err := c.Deliveries.Endpoints.Rotate(r.Context(), siteID, id, o.Login)
	if err != nil {
		return err
	}
	return c.endpointAgain(w, r, http.StatusOK, "", secret)
}

func (c *room) removeEndpoint(w http.ResponseWriter, r *http.Request) error {
	siteID, id, err := frame.IDs(r, frame.SiteField, "endpoint")
	if err != nil {
		return err
	}
	o, _ := frame.Current(r)
	return c.doneAt(w, r, c.Deliveries.Endpoints.Remove(r.Context(), siteID, id, o.Login), deliveriesLink(siteID), "endpoint.removed")
}
