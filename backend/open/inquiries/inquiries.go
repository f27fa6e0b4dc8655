// Package inquiries is the part of the public API about everybody who got in touch: leads, calls, conversations and
// callbacks.
package inquiries

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Subjects are what the operations tell of.
type Subjects struct {
	Leads     *lead.Leads
	Inbox     *inbox.Inbox
	Refused   *refused.Refusals
	Calls     *call.Calls
	Chats     *chat.Chats
	Callbacks *callback.Callbacks
	Operators *operator.Operators
	Groups    *group.Groups
	Visits    *visit.Visits
	Limits    *limit.Uses
	// Effective are the settings in effect for a site, and Region the country of its numbers.
	Effective func(site.Site) site.Settings
	Region    func(ctx context.Context, siteID int64) string
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the operations.
func Mount(f *frame.Frame, s Subjects) {
	r := &room{f, s}
	r.mountLeads()
	r.mountNewLead()
	r.mountRefused()
	r.mountLeadWork()
	r.mountCalls()
	r.mountChats()
	r.mountChatWork()
	r.mountFiles()
	r.mountCallbacks()
}

// id is the id of a visitor, a visit or a view in public form; empty for none.
func id(of visit.ID) string {
	if of == 0 {
		return ""
	}
	return strconv.FormatInt(int64(of), 10)
}

// some is the list, which is never null.
func some[T any](list []T) []T { return append([]T{}, list...) }

// among are the sites of the caller, or the one of them that the key names.
func (r *room) among(ctx context.Context, key string) (scope.Sites, error) {
	sites := frame.Caller(ctx).Sites
	if key == "" {
		return sites, nil
	}
	s, err := r.Site(ctx, key)
	return sites.Only(s.ID), err
}

var (
	errOperator = errors.New("there is no such operator who answers visitors of the site")
	errGroup    = errors.New("the site has no such group")
)

// colleague is the operator of the id who answers the visitors of the site.
func (r *room) colleague(ctx context.Context, siteID, id int64) (operator.Operator, error) {
	o, err := r.Operators.Get(ctx, id)
	if errors.Is(err, operator.ErrUnknown) || err == nil && (o.Disabled || !o.SeesPersons() || !o.Sites.Has(siteID)) {
		return operator.Operator{}, frame.Wrong("body.operator_id", errOperator, id)
	}
	return o, err
}

// team is the group of the site.
func (r *room) team(ctx context.Context, siteID, id int64) (group.Group, error) {
	g, err := r.Groups.Get(ctx, siteID, id)
	if errors.Is(err, group.ErrUnknown) {
		return group.Group{}, frame.Wrong("body.group_id", errGroup, id)
	}
	return g, err
}

// leadMade is the lead that something has become.
type leadMade struct {
	Body struct {
		LeadID int64 `json:"lead_id" doc:"The number of the lead, made now or before."`
	}
}

const (
	notFound = http.StatusNotFound
	conflict = http.StatusConflict
	wrong    = http.StatusUnprocessableEntity
)

var errTaken = errors.New("somebody else has it by now")

// taken is the error, in which who has a lead by now is [errTaken].
func taken(err error) error {
	if errors.As(err, new(lead.TakenError)) {
		return errTaken
	}
	return err
}
