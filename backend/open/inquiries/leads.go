package inquiries

import (
	"context"
	"errors"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/search"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// Lead is a lead as lists of the API tell of it.
type Lead struct {
	Site string    `json:"site" doc:"The key of the site." example:"shop.example"`
	ID   int64     `json:"id" doc:"The lead's number. No number is used twice."`
	At   time.Time `json:"at" doc:"When it came."`
	// Origin and Also are of [lead.Origins].
	Origin string   `json:"origin" enum:"script,server,form,chat,missed,call,program" doc:"The way by which it came."`
	Also   []string `json:"also" nullable:"false" doc:"Further ways by which the same request came."`
	State  string   `json:"state" enum:"new,work,done,spam"`
	// OwnerID is an operator's.
	OwnerID int64    `json:"owner_id" doc:"The number of the operator who has it; 0 for nobody."`
	Tags    []string `json:"tags" nullable:"false"`

	Name           string `json:"name" doc:"As the sender wrote it, like all texts: it may have HTML in it."`
	Email          string `json:"email"`
	Phone          string `json:"phone" doc:"As written."`
	PhoneDigits    string `json:"phone_digits" doc:"The same number in international form without a plus; empty where it is not known which is meant."`
	PhoneExtension string `json:"phone_extension"`
	Message        string `json:"message" doc:"In lists the first 1,000 characters."`
	IsSale         bool   `json:"is_sale"`
	SaleCost       string `json:"sale_cost" doc:"A decimal with a point; empty where it is not known." example:"1500.50"`
	GroupID        int64  `json:"group_id" doc:"The group of operators that it is for; 0 for none."`
	FormName       string `json:"form_name"`
	URL            string `json:"url" doc:"The address of the page, if the sender told it."`

	VisitorID string        `json:"visitor_id" doc:"As in the browser interface; empty where there was no page view."`
	VisitID   string        `json:"visit_id"`
	ViewID    string        `json:"view_id"`
	Source    source.Source `json:"source" doc:"What brought the visitor."`
	Marks     []string      `json:"marks" nullable:"false" doc:"What speaks for its being made by a program."`
	SiteError int           `json:"site_error" doc:"The status, 400 or more, with which the site answered the form; 0 for none."`
	// MergedInto is the number of a lead of the same site.
	MergedInto int64 `json:"merged_into" doc:"The lead that it is a part of; 0 for none."`
}

// WholeLead is all of a lead.
type WholeLead struct {
	Lead
	UserFields map[string]string `json:"user_fields" nullable:"false" doc:"The site's own fields by their names."`
}

func leadOf(l lead.Lead, key string) Lead {
	return Lead{
		Site: key, ID: l.ID, At: l.At.UTC(), Origin: l.Origin, Also: some(l.Also), State: l.State.String(), OwnerID: l.Owner, Tags: some(l.Tags),
		Name: l.Name, Email: l.Email, Phone: l.Phone, PhoneDigits: l.PhoneDigits, PhoneExtension: l.PhoneExtension, Message: l.Message,
		IsSale: l.IsSale, SaleCost: l.SaleCost, GroupID: l.GroupID, FormName: l.FormName, URL: l.URL,
		VisitorID: id(l.Visitor), VisitID: id(l.Visit), ViewID: id(l.View), Source: l.Source, Marks: some(l.Marks), SiteError: l.SiteError, MergedInto: l.MergedInto,
	}
}

type leadsInput struct {
	Site   string    `query:"site" maxLength:"64" doc:"The key of one site; without it, all that the token opens."`
	State  string    `query:"state" enum:"new,work,done,spam" doc:"Without it, all but spam; with q, all."`
	Form   string    `query:"form" maxLength:"300" doc:"The name of the form."`
	Source string    `query:"source" maxLength:"40" doc:"The kind of the visitor's source."`
	Tag    string    `query:"tag" maxLength:"200"`
	Since  time.Time `query:"since" doc:"Leads that came at this time or later."`
	Until  time.Time `query:"until" doc:"Leads that came before this time."`
	Search string    `query:"q" maxLength:"200" doc:"Words that begin words of the lead's texts, or parts of its contacts."`
	frame.PageInput
}

type leadsOutput struct {
	Body struct {
		Leads []Lead `json:"leads" nullable:"false" doc:"Newest first. A page may have fewer than asked for, or none, though there are more behind it."`
		Next  string `json:"next" doc:"The value of cursor for the next page; empty at the end."`
	}
}

type leadOutput struct{ Body WholeLead }

// leadMistakes are those of who asks for one lead.
var leadMistakes = frame.Mistakes{lead.ErrUnknown: notFound, lead.ErrMerged: conflict}

func (r *room) mountLeads() {
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "leads", ID: "listLeads", Subject: "Leads", Opens: token.ReadLeads, Summary: "List leads",
		Description: "The leads of the sites that the token opens, newest first. Leads that are parts of others are left out.",
	}, r.listLeads)
	frame.Add(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/leads/{id}", ID: "getLead", Subject: "Leads", Opens: token.ReadLeads, Summary: "Get a lead", Description: "All of one lead.",
		Mistakes: leadMistakes,
	}, r.getLead)
}

func (r *room) getLead(ctx context.Context, in *frame.ThingInput) (*leadOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	l, err := r.Leads.Get(ctx, s.ID, in.ID)
	if err != nil {
		return nil, err
	}
	return wholeLead(l, s.Key), nil
}

func wholeLead(l lead.Lead, key string) *leadOutput {
	whole := WholeLead{leadOf(l, key), l.UserFields}
	if whole.UserFields == nil {
		whole.UserFields = map[string]string{}
	}
	return &leadOutput{whole}
}

func (r *room) listLeads(ctx context.Context, in *leadsInput) (*leadsOutput, error) {
	sites, err := r.among(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	f := inbox.Filter{Sites: sites, Source: in.Source, Form: in.Form, Tag: in.Tag, Since: in.Since, Until: in.Until, Search: in.Search}
	if state, is := lead.StateOf(in.State); is {
		f.State = &state
	}
	list := frame.ListOf("leads", in.Site, in.State, in.Form, in.Source, in.Tag, in.Since, in.Until, in.Search)
	behind, err := list.Read(in.Cursor)
	if err != nil {
		return nil, err
	}
	at, id := behind.At()
	page, err := r.Inbox.List(ctx, f, lead.Cursor{At: at, ID: id}, in.Limit)
	if errors.Is(err, search.ErrLong) || errors.Is(err, search.ErrShort) {
		return nil, frame.Wrong("query.q", err, in.Search)
	}
	if err != nil {
		return nil, err
	}
	out := new(leadsOutput)
	out.Body.Leads, out.Body.Next = make([]Lead, 0, len(page.Leads)), list.Write(frame.PlaceAt(page.Next.At, page.Next.ID))
	for _, l := range page.Leads {
		key, err := r.Key(ctx, l.SiteID)
		if err != nil {
			return nil, err
		}
		out.Body.Leads = append(out.Body.Leads, leadOf(l, key))
	}
	return out, nil
}
