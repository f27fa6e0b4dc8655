package console

import (
	"context"

	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/lead"
)

// inboxSubjects are what the room shows.
type inboxSubjects struct {
	Leads     *lead.Leads
	Forms     *form.Forms
	Callbacks *callback.Callbacks
}

type inboxRoom struct {
	*Live
	inboxSubjects
	unread *Once[[]lead.Name] // of the page's sites, by the operator
	told   Things[lead.Lead]
}

// unreadBadge is the badge of the inbox in the menu.
const unreadBadge = "unread"

// mountInbox adds the room to the console.
func mountInbox(l *Live, subjects inboxSubjects) {
	c := &inboxRoom{Live: l, inboxSubjects: subjects, told: newThings(l, subjects.Leads.Outline)}
	c.unread = AskOnce(func(ctx context.Context, p *frame) ([]lead.Name, error) {
		return c.Leads.Unread(ctx, p.Operator.ID, p.Scope, p.Operator.CreatedAt, p.Begun)
	})
	l.Room(Room{
		Menu: []Entry{{Link: "/leads", Icon: "inbox", Title: "leads.title", Pages: []string{"leads", "lead", "refused"}, Badge: unreadBadge,
			Count: func(ctx context.Context, p *frame) (int, error) {
				unread, err := c.unread.Of(ctx, p)
				return len(unread), err
			}}},
		Unknown: map[error]string{lead.ErrUnknown: "fail.noLead", lead.ErrUnknownRefused: "fail.noRefused"},
	})
	l.SignedIn("GET /leads", c.showLeads)
	l.SignedIn("POST /leads/read", c.readLeads)
	l.SignedIn("GET /leads/export", c.exportLeads)
	l.SignedIn("GET /leads/{site}/{lead}", c.showLead)
	l.SignedIn("GET /leads/{site}/{lead}/text", c.sendLead)
	l.SignedIn("POST /leads/state/{site}/{lead}", c.work(c.setLeadState, ""))
	l.SignedIn("POST /leads/owner/{site}/{lead}", c.work(c.giveLead, ""))
	l.SignedIn("POST /leads/notes/{site}/{lead}", c.work(c.addNote, ""))
	l.SignedIn("POST /leads/parts/{site}/{lead}", c.work(c.mergeLead, "lead.mergeDone"))
	l.SignedIn("POST /leads/parts/{site}/{lead}/removal", c.work(c.splitLead, "lead.splitDone"))
	l.SignedIn("GET /leads/refused", c.showRefused)
	l.SignedIn("POST /leads/refused", c.takeOverAll)
	l.SignedIn("POST /leads/refused/{site}/{refused}", c.takeOver)
	l.SignedIn("GET /leads/refused/{site}/{refused}/text", c.sendRefused)
	l.SignedIn("GET /leads/forms", c.showForms)
	l.Admin("POST /leads/forms/{site}", c.captureForm)
	l.View("leads", c.openLeads)
	l.View("lead", c.openLead)
	l.Announce(c.announce)
}
