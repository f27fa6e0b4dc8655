package sites

import (
	"context"
	"time"

	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

// Hours are when a group works. No times at all means always.
type Hours struct {
	Monday    string `json:"monday,omitempty" maxLength:"60" doc:"Times such as 09:00-13:00, 14:00-18:00; at most four. One that ends before it begins goes on over midnight."`
	Tuesday   string `json:"tuesday,omitempty" maxLength:"60"`
	Wednesday string `json:"wednesday,omitempty" maxLength:"60"`
	Thursday  string `json:"thursday,omitempty" maxLength:"60"`
	Friday    string `json:"friday,omitempty" maxLength:"60"`
	Saturday  string `json:"saturday,omitempty" maxLength:"60"`
	Sunday    string `json:"sunday,omitempty" maxLength:"60"`
}

// days are the hours in the order of [time.Weekday].
func (h *Hours) days() [7]*string {
	return [7]*string{&h.Sunday, &h.Monday, &h.Tuesday, &h.Wednesday, &h.Thursday, &h.Friday, &h.Saturday}
}

// NewGroup is what is said of a group.
type NewGroup struct {
	Name     string   `json:"name" minLength:"1" maxLength:"100" doc:"No other group of the site has it."`
	Phone    string   `json:"phone,omitempty" pattern:"^[0-9]*$" maxLength:"15" doc:"The number that is called for callbacks: digits in international form."`
	Zone     string   `json:"zone,omitempty" maxLength:"64" doc:"The time zone of the hours and holidays; empty for UTC." example:"Europe/Moscow"`
	Hours    Hours    `json:"hours,omitzero"`
	Holidays []string `json:"holidays,omitempty" nullable:"false" maxItems:"100" doc:"Days such as 2026-05-08, or 01-01 for each year."`
	Routing  string   `json:"routing,omitempty" enum:"all,round_robin,least_busy" default:"all" doc:"To whom of the group a conversation goes."`
	Members  []int64  `json:"members,omitempty" nullable:"false" maxItems:"1000" doc:"The numbers of operators; none for all who see the site."`
}

// Group are operators of a site who answer together.
type Group struct {
	ID int64 `json:"id" doc:"The group_id by which pages name it."`
	NewGroup
	CreatedAt time.Time `json:"created_at"`
}

func groupOf(g group.Group) Group {
	told := Group{ID: g.ID, CreatedAt: g.CreatedAt.UTC(), NewGroup: NewGroup{
		Name: g.Name, Phone: g.Phone, Zone: g.Zone, Routing: string(g.Routing), Members: append([]int64{}, g.Members...), Holidays: []string{},
	}}
	for day, text := range told.Hours.days() {
		*text = group.FormatSpans(g.Hours[day])
	}
	for _, h := range g.Holidays {
		told.Holidays = append(told.Holidays, string(h))
	}
	return told
}

// group is the group of the site as it is kept.
func (n NewGroup) group(siteID, id int64) (group.Group, error) {
	g := group.Group{ID: id, SiteID: siteID, Name: n.Name, Phone: n.Phone, Zone: n.Zone, Routing: group.Routing(n.Routing), Members: n.Members}
	for day, text := range n.Hours.days() {
		spans, err := group.ParseSpans(*text)
		if err != nil {
			return g, frame.Wrong("body.hours", err, *text)
		}
		g.Hours[day] = spans
	}
	for _, h := range n.Holidays {
		g.Holidays = append(g.Holidays, group.Holiday(h))
	}
	return g, nil
}

type groupsOutput struct {
	Body struct {
		Groups []Group `json:"groups" nullable:"false" doc:"In the order of their names."`
	}
}

type groupOutput struct {
	ETag string `header:"ETag"`
	Body Group
}

func groupAnswer(g group.Group) *groupOutput {
	told := groupOf(g)
	return &groupOutput{ETag: frame.Tag(told), Body: told}
}

type newGroupInput struct {
	frame.SiteInput
	Body NewGroup
}

type putGroupInput struct {
	frame.ThingInput
	frame.Match
	Body NewGroup
}

func (r *room) mountGroups() {
	mistakes := frame.Mistakes{
		group.ErrUnknown: notFound, group.ErrChanged: changed, group.ErrMany: conflict,
		group.ErrName: wrong, group.ErrPhone: wrong, group.ErrZone: wrong, group.ErrHours: wrong, group.ErrHolidays: wrong, group.ErrRouting: wrong, group.ErrMembers: wrong,
	}
	add := func(method, path, id string, opens token.Scope, summary, description string) frame.Operation {
		return frame.Operation{Method: method, Path: "sites/{site}/groups" + path, ID: id, Subject: "Groups", Opens: opens, Summary: summary, Description: description, Mistakes: mistakes}
	}
	frame.Add(r.Frame, add("GET", "", "listGroups", token.ReadSites, "List groups", "The groups of operators of a site."),
		func(ctx context.Context, in *frame.SiteInput) (*groupsOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			groups, err := r.Groups.Of(ctx, s.ID)
			out := new(groupsOutput)
			out.Body.Groups = make([]Group, len(groups))
			for i, g := range groups {
				out.Body.Groups[i] = groupOf(g)
			}
			return out, err
		})
	frame.Add(r.Frame, add("GET", "/{id}", "getGroup", token.ReadSites, "Get a group", "One group of a site."),
		func(ctx context.Context, in *frame.ThingInput) (*groupOutput, error) {
			s, err := r.Site(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			g, err := r.Groups.Get(ctx, s.ID, in.ID)
			return groupAnswer(g), err
		})
	frame.Add(r.Frame, add("POST", "", "addGroup", token.WriteSites, "Add a group", "The operators in it answer together."),
		func(ctx context.Context, in *newGroupInput) (*groupOutput, error) {
			s, err := r.served(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			g, err := in.Body.group(s.ID, 0)
			if err == nil {
				g, err = r.Groups.Keep(ctx, frame.Actor(ctx), g)
			}
			return groupAnswer(g), err
		})
	frame.Add(r.Frame, add("PUT", "/{id}", "setGroup", token.WriteSites, "Change a group", "The group is as it is said here afterwards."),
		func(ctx context.Context, in *putGroupInput) (*groupOutput, error) {
			s, err := r.served(ctx, in.Site)
			if err != nil {
				return nil, err
			}
			before, err := r.Groups.Get(ctx, s.ID, in.ID)
			if err == nil {
				err = in.Holds(frame.Tag(groupOf(before)))
			}
			if err != nil {
				return nil, err
			}
			g, err := in.Body.group(s.ID, in.ID)
			g.CreatedAt = before.CreatedAt
			if err == nil {
				g, err = r.Groups.Replace(ctx, frame.Actor(ctx), before, g)
			}
			return groupAnswer(g), err
		})
	frame.Add(r.Frame, add("DELETE", "/{id}", "removeGroup", token.WriteSites, "Remove a group", "What names it stays as it is."),
		func(ctx context.Context, in *frame.ThingInput) (*struct{}, error) {
			s, err := r.served(ctx, in.Site)
			if err == nil {
				err = r.Groups.Remove(ctx, frame.Actor(ctx), s.ID, in.ID)
			}
			return nil, err
		})
}
