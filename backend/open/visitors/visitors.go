// Package visitors is the part of the public API about those who visit sites: who is there now, which visits there were,
// and what is known of one visitor.
package visitors

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Visits    *visit.Visits
	Cards     *card.Cards
	Onsite    *onsite.Visitors
	Chats     *chat.Chats
	Operators *operator.Operators
	// Region is the country of the numbers of a site.
	Region func(ctx context.Context, siteID int64) string
}

type room struct {
	*frame.Frame
	Subjects
}

type hereInput struct {
	Site string `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
}

type hereOutput struct {
	Body struct {
		Visitors []VisitorHere `json:"visitors" nullable:"false" doc:"Those who did something last come first; at most 200."`
		IsCut    bool          `json:"is_cut" doc:"There are more."`
	}
}

type visitsInput struct {
	frame.SiteInput
	Since time.Time `query:"since" doc:"Visits in which something happened at this time or later."`
	Until time.Time `query:"until" doc:"Visits in which nothing happened at this time or later."`
	frame.PageInput
}

type visitsOutput struct {
	Body struct {
		Visits []VisitSummary `json:"visits" nullable:"false" doc:"Those in which something happened last come first."`
		Next   string         `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type visitorOutput struct{ Body Visitor }

// Correction replaces one value by another.
type Correction struct {
	Was string `json:"was,omitempty" maxLength:"256" doc:"The value that is replaced, as it is told; empty for none."`
	Is  string `json:"is,omitempty" maxLength:"256" doc:"What it is to be; empty takes it away."`
}

type correctInput struct {
	frame.ThingInput
	Body struct {
		Name  Correction `json:"name,omitzero"`
		Email Correction `json:"email,omitzero" doc:"Other e-mails of the visitor stay."`
		Phone Correction `json:"phone,omitzero" doc:"In any writing. Other phones of the visitor stay."`
	}
}

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	add := func(method, path, id, summary, description string, opens token.Scope) frame.Operation {
		return frame.Operation{
			Method: method, Path: path, ID: id, Subject: "Visitors", Opens: opens, Summary: summary, Description: description,
			Mistakes: frame.Mistakes{visit.ErrUnknown: http.StatusNotFound, visit.ErrTooMany: http.StatusConflict, errNothing: http.StatusUnprocessableEntity},
		}
	}
	frame.Add(f, add("GET", "visitors/here", "listVisitorsHere", "List who is there", "Those who are on the sites now.", token.ReadVisitors), r.here)
	frame.Add(f, add("GET", "sites/{site}/visits", "listVisits", "List visits",
		"The visits of a site. One moves to the top when something happens in it, also while a program reads the list. Those of bots are left out.", token.ReadVisitors), r.visits)
	frame.Add(f, add("GET", "sites/{site}/visitors/{id}", "getVisitor", "Get a visitor", "What is known of a visitor, with the latest visits.", token.ReadVisitors),
		func(ctx context.Context, in *frame.ThingInput) (*visitorOutput, error) { return r.visitor(ctx, *in) })
	frame.Add(f, add("PUT", "sites/{site}/visitors/{id}/contacts", "correctVisitor", "Correct a visitor's contacts", "What is left out stays as it is.", token.WriteVisitors), r.correct)
	r.mountFirst()
}

func id(of visit.ID) string { return strconv.FormatInt(int64(of), 10) }

func (r *room) here(ctx context.Context, in *hereInput) (*hereOutput, error) {
	sites := frame.Caller(ctx).Sites
	if in.Site != "" {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		sites = sites.Only(s.ID)
	}
	live, err := r.Onsite.Live(ctx, sites)
	if err != nil {
		return nil, err
	}
	out := new(hereOutput)
	out.Body.IsCut, out.Body.Visitors = live.More, make([]VisitorHere, len(live.Visits))
	for i, v := range live.Visits {
		key, err := r.Key(ctx, v.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Visitors[i] = VisitorHere{Site: key, ViewID: id(v.View), URL: v.URL, Title: v.Title, VisitSummary: VisitSummary{
			VisitorID: id(v.Visitor), VisitID: id(v.Visit), Name: v.Name, Email: v.Email, Phone: v.Phone.Written, StartedAt: v.StartedAt.UTC(), LastAt: v.LastAt.UTC(), Views: v.Views,
			Source: v.Source, UserAgent: v.UserAgent, Language: v.Language,
		}}
	}
	return out, nil
}

func (r *room) visits(ctx context.Context, in *visitsInput) (*visitsOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	list := frame.ListOf("visits", in.Site, in.Since, in.Until)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	at, last := behind.At()
	found, err := r.Cards.Latest(ctx, s.ID, in.Since, in.Until, card.Place{LastAt: at, Visit: visit.ID(last)}, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := new(visitsOutput)
	found, out.Body.Next = frame.Cut(list, found, in.Limit, func(v card.Stayed) frame.Place { return frame.PlaceAt(v.Place().LastAt, int64(v.ID)) })
	of := make([]card.Of, len(found))
	for i, v := range found {
		of[i] = card.Of{SiteID: s.ID, Visitor: v.Visitor}
	}
	people, err := r.Cards.People(ctx, of)
	if err != nil {
		return nil, err
	}
	out.Body.Visits = make([]VisitSummary, len(found))
	for i, v := range found {
		who := people[of[i]]
		out.Body.Visits[i] = VisitSummary{
			VisitorID: id(v.Visitor), VisitID: id(v.ID), Name: who.Name, Email: who.Email, Phone: who.Phone.Written, StartedAt: v.StartedAt.UTC(), LastAt: v.LastAt.UTC(), Views: v.Views,
			Source: v.Source, UserAgent: v.UserAgent, Language: v.Language,
		}
	}
	return out, nil
}

func (r *room) visitor(ctx context.Context, in frame.ThingInput) (*visitorOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	known, err := r.Cards.Card(ctx, s.ID, visit.ID(in.ID))
	if err != nil {
		return nil, err
	}
	isHere, err := r.Onsite.Here(ctx, s.ID, known.Visitor)
	if err != nil {
		return nil, err
	}
	told := Visitor{
		Site: s.Key, VisitorID: id(known.Visitor), FirstAt: known.FirstAt.UTC(), LastAt: known.LastAt.UTC(), IsHere: isHere, Name: known.Name,
		Emails: contactsOf(known.Emails), Phones: contactsOf(known.Phones), Properties: []Property{}, Visits: []Visit{},
	}
	for _, p := range known.Properties {
		told.Properties = append(told.Properties, Property{p.Name, p.Value, p.At.UTC()})
	}
	left := mostTold
	for _, v := range known.Visits {
		told.Visits = append(told.Visits, visitOf(v, &left))
	}
	return &visitorOutput{told}, nil
}

var errNothing = errors.New("there is nothing to correct")

func (r *room) correct(ctx context.Context, in *correctInput) (*visitorOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	said := in.Body
	if said.Name == (Correction{}) && said.Email == (Correction{}) && said.Phone == (Correction{}) {
		return nil, errNothing
	}
	for name, text := range map[string]string{"name": said.Name.Is, "email": said.Email.Is, "phone": said.Phone.Is} {
		if strings.ContainsRune(text, 0) {
			return nil, frame.Wrong("body."+name, errControl, nil)
		}
	}
	c := visit.Correction{
		Info:    visit.Info{Name: said.Name.Is, Email: said.Email.Is, Phone: said.Phone.Is, Region: r.Region(ctx, s.ID)},
		NameWas: said.Name.Was, EmailWas: said.Email.Was, PhoneWas: said.Phone.Was,
	}
	if err := r.Visits.Correct(ctx, s.ID, visit.ID(in.ID), c); err != nil {
		return nil, err
	}
	return r.visitor(ctx, in.ThingInput)
}

var errControl = errors.New("expected a text without NUL")
