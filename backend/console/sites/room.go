// Package sites is the room of sites: what reaches them and what is wrong with them, groups and canned replies.
package sites

import (
	"context"
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Days      *days.Days
	Incidents *incident.Incidents
	Leads     *lead.Leads
	Replies   *reply.Replies
	Checks    *check.Checks
	// Limits count what the sites use of theirs. They may be nil.
	Limits *limit.Uses
	// There tells what there is of a site. It may be nil.
	There func(ctx context.Context, siteID int64) (There, error)
}

type room struct {
	*live.Live
	Subjects
	wrong *frame.Once[[]incident.Incident] // with the sites of the operator
}

// Mount adds the room to the console.
func Mount(f *live.Live, subjects Subjects) {
	c := &room{Live: f, Subjects: subjects}
	c.wrong = frame.AskOnce(func(ctx context.Context, p *frame.Page) ([]incident.Incident, error) {
		return c.Incidents.Now(ctx, p.Operator.Sites)
	})
	f.Announce(c.announce)
	f.Room(frame.Room{
		Templates: templates,
		Menu: []frame.MenuEntry{{Link: "/sites", Icon: "globe", Title: "sites.title", Admin: true, Badge: "incidents", Count: c.countIncidents,
			Pages: []string{"sites", "site", "check", "settings", "captures", "capture", "widget", "deliveries", "endpoint", "groups", "group", "replies"}}},
		Unknown: map[error]string{site.ErrUnknown: "fail.notFound", group.ErrUnknown: "fail.notFound", reply.ErrUnknown: "fail.notFound"},
	})
	f.Admin("GET /sites", c.showSites)
	f.Chief("POST /sites", c.addSite)
	f.Admin("GET /sites/{site}", c.WithSite("site", c.showSite))
	f.Admin("GET /sites/{site}/check", c.WithSite("check", c.showCheck))
	f.Admin("POST /sites/{site}/supersede", c.WithSite("check", c.supersede))
	f.Admin("POST /sites/{site}/retired", c.retireSite)
	f.Chief("POST /sites/{site}/suspended", c.suspendSite)
	f.Admin("POST /sites/{site}/guide", c.WithSite("site", c.hideGuide))
	f.Admin("GET /sites/{site}/groups", c.WithSite("groups", c.showGroups))
	f.Admin("GET /sites/{site}/groups/new", c.WithSite("group", c.showNewGroup))
	f.Admin("POST /sites/{site}/groups", c.WithSite("group", c.keepGroup))
	f.Admin("GET /sites/{site}/groups/{group}", c.WithSite("group", c.showGroup))
	f.Admin("POST /sites/{site}/groups/{group}/removal", c.removeGroup)
	f.Admin("GET /sites/{site}/replies", c.showReplies)
	f.Admin("POST /sites/{site}/replies", c.keepReply)
	f.Admin("POST /sites/{site}/replies/{reply}/removal", c.removeReply)
}
