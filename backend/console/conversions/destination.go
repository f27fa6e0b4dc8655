package conversions

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// destinationPage is the content of the page of a destination.
type destinationPage struct {
	site.Site
	Endpoint notify.Endpoint
	To       platform.Destination
	Row      row
	Goals    []goalChoice
	Fetched  bool // the platform fetches files
	Files    []fileOf
	Password string            // that was made with this request
	Wrong    map[string]string // what is wrong, by the names of fields
}

// goalChoice is a goal, and what the platform calls it; empty where it is not sent.
type goalChoice struct {
	Goal platform.Goal
	Name string
}

func link(siteID, id int64) string { return fmt.Sprintf("%s/%d", listLink(siteID), id) }

func (c *room) showNew(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	kind := notify.Kind(r.URL.Query().Get("as"))
	if !slices.Contains(conversion.Kinds, kind) {
		return frame.NotFound
	}
	body := destinationPage{Endpoint: notify.Endpoint{SiteID: named.ID, Kind: kind}}
	body.To.Names = conversion.Names(kind)
	return c.page(w, r, http.StatusOK, f, named, body)
}

func (c *room) show(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	e, err := c.stored(r, named.ID, r.PathValue("destination"))
	if err != nil {
		return err
	}
	return c.page(w, r, http.StatusOK, f, named, destinationPage{Endpoint: e, To: conversion.Of(e)})
}

// stored is the destination of the site.
func (c *room) stored(r *http.Request, siteID int64, written string) (notify.Endpoint, error) {
	id, _ := strconv.ParseInt(written, 10, 64)
	e, err := c.Conversions.Deliveries.Endpoints.Get(r.Context(), siteID, id)
	if err == nil && !e.IsOut() {
		err = frame.NotFound
	}
	return e, err
}

// page completes the page and shows it. Credentials are not on it.
func (c *room) page(w http.ResponseWriter, r *http.Request, status int, f frame.Page, named site.Site, body destinationPage) error {
	e := body.Endpoint
	body.Site, body.To.Credential, body.Endpoint.Credential = named, "", ""
	for _, goal := range platform.Goals {
		body.Goals = append(body.Goals, goalChoice{goal, body.To.Names[goal]})
	}
	body.Fetched = conversion.IsFetched(e.Kind)
	f.Title = f.Words.Text("destination.kind." + string(e.Kind))
	f.Here = listLink(named.ID) + "/new?as=" + string(e.Kind)
	if e.ID != 0 {
		counts, err := c.Conversions.Deliveries.Counts(r.Context(), named.ID)
		if err != nil {
			return err
		}
		body.Row, body.Files = rowOf(f.Words, e, counts), filesOf(r, e)
		f.Here = link(named.ID, e.ID)
	}
	f.Body = body
	return c.Show(w, status, f)
}

// sent is the destination as the form has it.
func sent(r *http.Request) (kind notify.Kind, to platform.Destination) {
	value := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	to = platform.Destination{Address: value("address"), Credential: value("credential"), Settings: platform.Settings{
		Currency: strings.ToUpper(value("currency")), Site: value("idsite"), Hashed: value("hashed") != "", TestCode: value("test_code"), Names: make(map[platform.Goal]string),
	}}
	for _, goal := range platform.Goals {
		to.Names[goal] = value("name_" + string(goal))
	}
	return notify.Kind(value("kind")), to
}

// change stores the destination of the form.
func (c *room) change(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site) error {
	kind, to := sent(r)
	if conversion.IsFetched(kind) {
		to.Address, to.Credential = conversion.Login, ""
	}
	endpoints, id := c.Conversions.Deliveries.Endpoints, r.PostFormValue("endpoint")
	var stored notify.Endpoint
	if id != "" && id != "0" {
		var err error
		if stored, err = c.stored(r, named.ID, id); err != nil {
			return err
		}
		kind = stored.Kind
	}
	if !slices.Contains(conversion.Kinds, kind) {
		return frame.NotFound
	}
	e, err := conversion.Endpoint(kind, to)
	if err != nil {
		return err
	}
	e.SiteID, e.ID, e.PausedAt, e.Gone = named.ID, stored.ID, stored.PausedAt, stored.Gone
	e.Version, _ = strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	if e.ID != 0 {
		if err := endpoints.Change(r.Context(), e, f.Operator.Login); err != nil {
			return c.wrong(w, r, f, named, destinationPage{Endpoint: e, To: to}, err)
		}
		return c.Back(w, r, link(named.ID, e.ID), "destination.saved")
	}
	password := ""
	if conversion.IsFetched(kind) {
		password, e.Credential = conversion.NewPassword()
	}
	made, _, err := endpoints.Add(r.Context(), e, f.Operator.Login)
	switch {
	case err != nil:
		return c.wrong(w, r, f, named, destinationPage{Endpoint: e, To: to}, err)
	case password == "":
		return c.Back(w, r, link(named.ID, made.ID), "destination.added")
	default: // the password is not kept for another page
		f.Notice = f.Words.Text("destination.added")
		return c.page(w, r, http.StatusOK, f, named, destinationPage{Endpoint: made, To: to, Password: password})
	}
}

// wrong shows the form with what is wrong with it.
func (c *room) wrong(w http.ResponseWriter, r *http.Request, f frame.Page, named site.Site, body destinationPage, err error) error {
	var invalid *notify.Invalid
	switch {
	case errors.As(err, &invalid):
		f.Problem = f.Words.Text("destination.wrong." + invalid.Code)
		body.Wrong = map[string]string{invalid.Field: f.Problem}
		return c.page(w, r, http.StatusUnprocessableEntity, f, named, body)
	case errors.Is(err, notify.ErrChanged):
		f.Problem = f.Words.Text("problem.changed")
		if body.Endpoint, err = c.Conversions.Deliveries.Endpoints.Get(r.Context(), named.ID, body.Endpoint.ID); err != nil {
			return err
		}
		body.To = conversion.Of(body.Endpoint)
		return c.page(w, r, http.StatusConflict, f, named, body)
	case errors.Is(err, notify.ErrTooMany):
		f.Problem = f.Words.Text("endpoint.tooMany", "n", notify.MaxEndpoints)
		return c.page(w, r, http.StatusUnprocessableEntity, f, named, body)
	}
	return err
}
