package inquiries

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/capture/naming"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/source"
)

// NewLead is what is said of a lead.
type NewLead struct {
	Name       string            `json:"name,omitempty" maxLength:"1024"`
	Email      string            `json:"email,omitempty" maxLength:"1024"`
	Phone      string            `json:"phone,omitempty" maxLength:"1024" doc:"In any writing."`
	Message    string            `json:"message,omitempty"`
	IsSale     bool              `json:"is_sale,omitempty"`
	SaleCost   string            `json:"sale_cost,omitempty" maxLength:"40" doc:"Only of a sale: a decimal with a point." example:"1500.50"`
	GroupID    int64             `json:"group_id,omitempty" minimum:"0" doc:"The group of operators that it is for; 0 for none."`
	FormName   string            `json:"form_name,omitempty" maxLength:"1024" doc:"By what it came, for reports." example:"In the shop"`
	UserFields map[string]string `json:"user_fields,omitempty" nullable:"false" maxProperties:"200" doc:"Fields of your own by their names."`
	URL        string            `json:"url,omitempty" maxLength:"2048" doc:"The address of the page, if there was one."`
	VisitorID  string            `json:"visitor_id,omitempty" pattern:"^[0-9]{1,19}$" doc:"The visitor of the site who it is, as in the browser interface. The lead is then one of the visitor's latest visit."`
	Campaign   Campaign          `json:"campaign,omitzero" doc:"What brought somebody who is no visitor."`
	At         *time.Time        `json:"at,omitempty" doc:"When it came, within the last 30 days; without it, now."`
}

// Campaign are the marks of a campaign.
type Campaign struct {
	Source  string `json:"source,omitempty" maxLength:"200" example:"leaflet"`
	Medium  string `json:"medium,omitempty" maxLength:"200"`
	Name    string `json:"name,omitempty" maxLength:"200"`
	Term    string `json:"term,omitempty" maxLength:"200"`
	Content string `json:"content,omitempty" maxLength:"200"`
}

// source is what the campaign is for reports, as if somebody had come by a link with these marks.
func (c Campaign) source() source.Source {
	if c == (Campaign{}) {
		return source.Source{}
	}
	marks := url.Values{"utm_source": {c.Source}, "utm_medium": {c.Medium}, "utm_campaign": {c.Name}, "utm_term": {c.Term}, "utm_content": {c.Content}}
	return source.Of("?"+marks.Encode(), "", source.Own{})
}

type newLeadInput struct {
	frame.SiteInput
	Body NewLead
}

const maxLeadAge = 30 * 24 * time.Hour

var (
	errVisitor = errors.New("the site has no such visitor")
	errAge     = errors.New("expected a time within the last 30 days")
	errSecret  = errors.New("the value of a field that protects a form or an account is not kept: leave it out")
	errAmount  = errors.New("expected an amount such as 1500 or 1500.50")
	errLong    = errors.New("expected a text without NUL, of at most 1024 bytes if it is not the message, and a megabyte of them together")
	errClosed  = errors.New("nothing is done for the site: it is retired or suspended")
)

func (r *room) mountNewLead() {
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/leads", ID: "addLead", Subject: "Leads", Opens: token.WriteLeads, Summary: "Add a lead",
		Description: "A lead that came in person, by mail, or in another program. With an Idempotency-Key it is one lead for 30 days, and else the same within ten minutes is one.",
		Mistakes:    frame.Mistakes{errClosed: conflict, errFull[limit.Leads]: conflict},
	}, r.addLead)
}

func (r *room) addLead(ctx context.Context, in *newLeadInput) (*leadOutput, error) {
	s, err := r.Site(ctx, in.Site)
	if err == nil && (!s.RetiredAt.IsZero() || !s.SuspendedAt.IsZero()) {
		err = errClosed
	}
	if err != nil {
		return nil, err
	}
	sub, err := r.submitted(ctx, s, in.Body)
	if err != nil {
		return nil, err
	}
	if err := r.within(ctx, s.ID, limit.Leads, 1); err != nil {
		return nil, err
	}
	made, repeated, err := r.Leads.Add(ctx, sub)
	if invalid, is := errors.AsType[submission.Invalid](err); is {
		return nil, frame.Wrong("body", invalid, nil)
	}
	if err == nil && !repeated {
		r.Limits.Add(s.ID, limit.Leads, 1)
		r.Limits.Add(s.ID, limit.Disk, int64(sub.Size())+limit.RowSize)
	}
	return wholeLead(made, s.Key), err
}

// submitted is what is said, as it is stored whole, or why it cannot be.
func (r *room) submitted(ctx context.Context, s site.Site, said NewLead) (sub submission.Submission, err error) {
	sub = submission.Submission{
		SiteID: s.ID, Origin: lead.Program, By: frame.Actor(ctx).By, Region: r.Region(ctx, s.ID), Name: said.Name, Email: said.Email, Phone: said.Phone, Message: said.Message,
		IsSale: said.IsSale, GroupID: said.GroupID, FormName: said.FormName, UserFields: said.UserFields, URL: said.URL, Source: said.Campaign.source(),
	}
	if key := frame.Key(ctx); key != "" {
		sub.IdempotencyKey = fmt.Sprintf("%d:%s", frame.Caller(ctx).ID, key)
	}
	var known bool
	if sub.SaleCost, known = submission.Amount(said.SaleCost); !known {
		return sub, frame.Wrong("body.sale_cost", errAmount, said.SaleCost)
	}
	for name := range said.UserFields {
		if naming.IsSecret(name) {
			return sub, frame.Wrong("body.user_fields", errSecret, name)
		}
	}
	if said.At != nil {
		if sub.At = *said.At; sub.At.After(r.Now().Add(time.Minute)) || r.Now().Sub(sub.At) > maxLeadAge {
			return sub, frame.Wrong("body.at", errAge, nil)
		}
	}
	if said.GroupID != 0 {
		if _, err := r.team(ctx, s.ID, said.GroupID); err != nil {
			return sub, err
		}
	}
	if said.VisitorID != "" {
		id, _ := strconv.ParseInt(said.VisitorID, 10, 64)
		if sub.Ref, _, known, err = r.Visits.LastView(ctx, s.ID, visit.ID(id), said.URL); err == nil && !known {
			err = frame.Wrong("body.visitor_id", errVisitor, said.VisitorID)
		}
		if err != nil {
			return sub, err
		}
	}
	err = sub.Check()
	if invalid, is := errors.AsType[submission.Invalid](err); is {
		return sub, frame.Wrong("body", invalid, nil)
	}
	if len(sub.Notes) > 0 { // it would be cut
		return sub, frame.Wrong("body."+sub.Notes[0].Field, errLong, nil)
	}
	return sub, err
}

// errFull are what whoever hosts the sites does not let them have more of.
var errFull = map[limit.Kind]error{
	limit.Leads: errors.New("the site has used up the leads of the day"), limit.Disk: errors.New("the site has used up the room for its data"),
}

// within returns the error if n more would be more than the site may have.
func (r *room) within(ctx context.Context, siteID int64, k limit.Kind, n int64) error {
	if r.Limits.Exceeded(ctx, siteID, k, n) {
		return errFull[k]
	}
	return nil
}
