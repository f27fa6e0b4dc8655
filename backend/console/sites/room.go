// Package sites is the room of sites: what reaches them, their settings, groups and canned replies.
package sites

import (
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Days    *days.Days
	Leads   *lead.Leads
	Replies *reply.Replies
}

type room struct {
	*frame.Frame
	Subjects
}

// Mount adds the room to the console.
func Mount(f *frame.Frame, subjects Subjects) {
	c := &room{Frame: f, Subjects: subjects}
	f.Room(frame.Room{
		Templates: templates,
		Menu: []frame.Entry{{Link: "/sites", Icon: "globe", Title: "sites.title", Admin: true,
			Pages: []string{"sites", "site", "settings", "widget", "deliveries", "endpoint", "groups", "group", "replies"}}},
		Unknown: map[error]string{site.ErrUnknown: "fail.notFound", group.ErrUnknown: "fail.notFound", reply.ErrUnknown: "fail.notFound"},
	})
	f.Admin("GET /sites", c.showSites)
	f.Chief("POST /sites", c.addSite)
	f.Admin("GET /sites/{site}", c.WithSite("site", c.showSite))
	f.Admin("POST /sites/{site}/retired", c.retireSite)
	f.Admin("GET /sites/{site}/settings", c.showSettings)
	f.Admin("POST /sites/{site}/settings", c.WithSite("settings", c.changeSettings))
	f.Admin("GET /sites/{site}/groups", c.WithSite("groups", c.showGroups))
	f.Admin("GET /sites/{site}/groups/new", c.WithSite("group", c.showNewGroup))
	f.Admin("POST /sites/{site}/groups", c.WithSite("group", c.keepGroup))
	f.Admin("GET /sites/{site}/groups/{group}", c.WithSite("group", c.showGroup))
	f.Admin("POST /sites/{site}/groups/{group}/removal", c.removeGroup)
	f.Admin("GET /sites/{site}/replies", c.showReplies)
	f.Admin("POST /sites/{site}/replies", c.keepReply)
	f.Admin("POST /sites/{site}/replies/{reply}/removal", c.removeReply)
}
