// Package inbox is the room of leads: the list, a lead with its story, the export, what was refused, and the forms that
// visitors send.
package inbox

import (
	"context"
	"embed"

	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/console/frame"
	"github.com/seed-3405227d/frontdesk/backend/console/live"
	"github.com/seed-3405227d/frontdesk/backend/console/rows"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
)

//go:embed templates
var templates embed.FS

// Subjects are what the room shows.
type Subjects struct {
	Leads     *lead.Leads
	Inbox     *inbox.Inbox
	Refused   *refused.Refusals
	Forms     *form.Forms
	Callbacks *callback.Callbacks
	Calls     *call.Calls
	Cards     *rows.Cards
}

type room struct {
	*live.Live
	Subjects
	unread *frame.Once[[]lead.Key] // of the page's sites, by the operator
	told   live.Things[lead.Lead]
}

// unreadBadge is the badge of the inbox in the menu.
const unreadBadge = "unread"

// Mount adds the room to the console.
func Mount(l *live.Live, subjects Subjects) {
	c := &room{Live: l, Subjects: subjects, told: live.NewThings(l, subjects.Leads.Outline)}
	c.unread = frame.AskOnce(func(ctx context.Context, p *frame.Page) ([]lead.Key, error) {
		return c.Inbox.Unread(ctx, p.Operator.ID, p.Scope, p.Operator.CreatedAt, p.Begun)
	})
	l.Room(frame.Room{
		Templates: templates,
		Menu: []frame.MenuEntry{{Link: "/leads", Icon: "inbox", Title: "leads.title", Pages: []string{"leads", "lead", "refused"}, Badge: unreadBadge,
			Count: func(ctx context.Context, p *frame.Page) (int, error) {
				unread, err := c.unread.Of(ctx, p)
				return len(unread), err
			}}},
		Unknown: map[error]string{lead.ErrUnknown: "fail.noLead", refused.ErrUnknown: "fail.noRefused"},
	})
	l.SignedIn("GET /leads", c.With("leads", c.showLeads))
	l.SignedIn("POST /leads/read", c.readLeads)
	l.SignedIn("GET /leads/export", c.exportLeads)
	l.SignedIn("GET /leads/{site}/{lead}", c.showLead)
	l.SignedIn("GET /leads/{site}/{lead}/text", c.sendLead)
	work := func(path string, h frame.Handler) {
		l.SignedIn("POST "+path, h)
		l.SaysTooLarge("POST " + path)
	}
	work("/leads/state/{site}/{lead}", c.work(c.setLeadState, ""))
	work("/leads/owner/{site}/{lead}", c.work(c.giveLead, ""))
	work("/leads/notes/{site}/{lead}", c.work(c.addNote, ""))
	work("/leads/tags/{site}/{lead}", c.work(c.setTags, ""))
	work("/leads/sale/{site}/{lead}", c.work(c.setSale, ""))
	work("/leads/parts/{site}/{lead}", c.work(ofPart(c.Leads.Merge), "lead.mergeDone"))
	work("/leads/parts/{site}/{lead}/removal", c.work(ofPart(c.Leads.Split), "lead.splitDone"))
	l.SignedIn("GET /leads/refused", c.showRefused)
	l.SignedIn("POST /leads/refused", c.With("refused", c.takeOverAll))
	l.SignedIn("POST /leads/refused/{site}/{refused}", c.takeOver)
	l.SignedIn("GET /leads/refused/{site}/{refused}/text", c.sendRefused)
	l.SignedIn("GET /leads/forms", c.showForms)
	l.Admin("POST /leads/forms/{site}", c.captureForm)
	l.Feed("leads", c.openLeads)
	l.Feed("lead", c.openLead)
	l.Announce(c.announce, inbox.Read)
}
