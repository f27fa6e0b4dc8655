package backend

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/api/conversation"
	"github.com/seed-3405227d/frontdesk/backend/api/leads"
	"github.com/seed-3405227d/frontdesk/backend/bulletin"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/letter"
	"github.com/seed-3405227d/frontdesk/backend/chat/live"
	"github.com/seed-3405227d/frontdesk/backend/chat/rating"
	"github.com/seed-3405227d/frontdesk/backend/chat/reply"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/conversion"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/incident"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/lead/inbox"
	"github.com/seed-3405227d/frontdesk/backend/lead/refused"
	"github.com/seed-3405227d/frontdesk/backend/lead/submission"
	"github.com/seed-3405227d/frontdesk/backend/lease"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/number/inventory"
	"github.com/seed-3405227d/frontdesk/backend/open"
	"github.com/seed-3405227d/frontdesk/backend/open/once"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/group"
	"github.com/seed-3405227d/frontdesk/backend/operator/invitation"
	"github.com/seed-3405227d/frontdesk/backend/operator/passkey"
	"github.com/seed-3405227d/frontdesk/backend/operator/presence"
	"github.com/seed-3405227d/frontdesk/backend/operator/signin"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/preview"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/report"
	"github.com/seed-3405227d/frontdesk/backend/report/cost"
	"github.com/seed-3405227d/frontdesk/backend/report/keeper"
	"github.com/seed-3405227d/frontdesk/backend/report/link"
	"github.com/seed-3405227d/frontdesk/backend/report/saved"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/sighting"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/card"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/backend/visit/days"
	"github.com/seed-3405227d/frontdesk/backend/visit/key"
	"github.com/seed-3405227d/frontdesk/backend/visit/onsite"
	"github.com/seed-3405227d/frontdesk/backend/visit/place"
	"github.com/seed-3405227d/frontdesk/backend/visit/quota"
	"github.com/seed-3405227d/frontdesk/backend/visit/retain"
)

// Desk is the open service: the subjects, and what serves them over HTTP.
type Desk struct {
	DB          *db.DB
	Journal     *journal.Journal
	Sites       *site.Sites
	Sightings   *sighting.Sightings
	Limits      *limit.Uses
	Operators   *operator.Operators
	SignIns     *signin.SignIns
	Invitations *invitation.Invitations
	TwoStep     *twostep.Steps
	Passkeys    *passkey.Passkeys
	Groups      *group.Groups
	Presence    *presence.Presence
	Numbers     *inventory.Inventory
	Leases      *lease.Leases
	Previews    *preview.Previews
	Keys        *key.Keys
	Texts       *quota.Texts
	Days        *days.Days
	Visits      *visit.Visits
	Cards       *card.Cards
	Onsite      *onsite.Visitors
	Retention   *retain.Retention
	Networks    *place.Networks
	Reports     *report.Reports
	Saved       *saved.Reports
	ReportLinks *link.Links
	Figures     *keeper.Keeper
	Costs       *cost.Costs
	Leads       *lead.Leads
	Inbox       *inbox.Inbox
	Refused     *refused.Refusals
	Chats       *chat.Chats
	Chatting    *live.Pages
	Transcripts *letter.Transcripts
	Answers     *letter.Answers
	Ratings     *rating.Ratings
	Replies     *reply.Replies
	Calls       *call.Calls
	Queue       *queue.Queue
	Forwards    *forward.Forwards
	Deliveries  *notify.Deliveries
	Clients     *client.Clients
	Conversions *conversion.Conversions
	Bulletins   *bulletin.Bulletins
	Persons     *person.Persons
	Forms       *form.Forms
	Incidents   *incident.Incidents
	Captchas    *captcha.Captchas
	Callbacks   *callback.Callbacks
	API         *api.API
	Console     *console.Console
	Tokens      *token.Tokens
	OpenAnswers *once.Answers
	Open        *open.API

	configured atomic.Pointer[Configuration] // this node's; one that says nothing before the first

	declaring sync.Mutex     // held while something is being declared
	declared  *Configuration // what was declared last; nil before
}

// Open opens and migrates the database and makes the subjects.
func Open(ctx context.Context, settings db.Settings, logger *zap.Logger, observer Observer) (*Desk, error) {
	d, err := db.Open(ctx, settings, logger)
	if err != nil {
		return nil, conceal(settings, err)
	}
	desk, err := furnish(ctx, d, logger, observer)
	if err != nil {
		d.Close()
		return nil, conceal(settings, err)
	}
	return desk, nil
}

func furnish(ctx context.Context, d *db.DB, logger *zap.Logger, observer Observer) (*Desk, error) {
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	desk := &Desk{
		DB: d, Journal: journal.New(d), Queue: queue.New(d, logger.Named("queue")), Operators: operator.New(d, d.Now), Groups: group.New(d, d.Now),
		Numbers: inventory.New(d, d.Now), Leases: lease.New(d, d.Now, observer), Forms: form.New(d, d.Now), Incidents: incident.New(d, d.Now), Sightings: sighting.New(d, d.Now),
	}
	desk.SignIns, desk.Tokens, desk.Presence = signin.New(d, desk.Operators, d.Now), token.New(d, d.Now), presence.New(d, desk.Operators, desk.Groups, d.Now)
	desk.configured.Store(new(Configuration))
	var err error
	if desk.Keys, err = key.Open(ctx, d, d.Now); err != nil {
		return nil, err
	}
	desk.Texts, desk.Days, desk.Cards, desk.Retention = quota.New(d, desk.Keys, d.Now), days.New(d), card.New(d, desk.Keys), retain.New(d, desk.Keys.Parts)
	desk.Networks = place.New(logger.Named("networks"))
	desk.Reports, desk.Saved, desk.ReportLinks, desk.Costs = report.New(d, desk.Keys, d.Now), saved.New(d, d.Now), link.New(d, d.Now), cost.New(d, d.Now)
	if desk.Figures, err = keeper.Open(ctx, d, desk.Keys, d.Now); err != nil {
		return nil, err
	}
	desk.Onsite = onsite.New(d, desk.Keys, desk.Cards, d.Now, desk.Leases.Prolong)
	if desk.Visits, err = visit.Open(ctx, visit.Subjects{DB: d, Keys: desk.Keys, Texts: desk.Texts, Days: desk.Days, Where: desk.Networks.Of}, d.Now); err != nil {
		return nil, err
	}
	desk.Leases.Tell(desk.Visits.FoundNoNumberTx)
	if desk.Previews, err = preview.Open(ctx, d, d.Now); err != nil {
		return nil, err
	}
	if desk.Captchas, err = captcha.Open(ctx, d, d.Now); err != nil {
		return nil, err
	}
	desk.Sites = site.New(d, d.Now, logger.Named("sites"), desk.keepOwn)
	desk.Forwards = forward.New(d, desk.Queue, observer)
	told := toldTo(observer)
	desk.Leads = lead.New(lead.Subjects{DB: d, Visits: desk.Visits, Texts: desk.Texts, Numbers: desk.Leases.ShownAt, Stored: told.lead}, d.Now)
	desk.Inbox = inbox.New(d, desk.Leads, d.Now)
	desk.Refused = refused.New(d, desk.Leads, desk.forwardRefused, d.Now)
	desk.Calls = call.New(call.Subjects{DB: d, Visits: desk.Visits, Leases: desk.Leases, Leads: desk.Leads, Queue: desk.Queue, Ended: told.call}, d.Now)
	desk.Deliveries = notify.New(notify.Subjects{
		DB: d, Journal: desk.Journal, Queue: desk.Queue, Sites: desk.Sites, Leads: desk.Leads, Calls: desk.Calls, Mails: desk.mails,
	}, desk.deliverySettings, observer, d.Now, logger.Named("deliveries"))
	desk.Bulletins = bulletin.New(desk.forBulletins(), d.Now, logger.Named("bulletins"))
	desk.Chats = chat.New(chat.Subjects{
		DB: d, Visits: desk.Visits, Texts: desk.Texts, Cards: desk.Cards, Queue: desk.Queue, Leads: desk.Leads, Region: desk.regionOf, There: desk.Presence.There,
		Answered: func(ctx context.Context, tx db.Tx, of chat.Conversation) error {
			return desk.Answers.Answered(ctx, tx, of)
		},
		Said: told.chat,
	}, d.Now)
	if desk.Limits, err = limit.Open(ctx, desk.forLimits(logger, told), d.Now); err != nil {
		return nil, err
	}
	desk.Clients = client.New(d, desk.Keys, logger.Named("visits"))
	desk.Conversions = conversion.New(conversion.Subjects{
		DB: d, Deliveries: desk.Deliveries, Sites: desk.Sites, Leads: desk.Leads, Calls: desk.Calls, Chats: desk.Chats, Visits: desk.Visits, Clients: desk.Clients,
	}, d.Now, logger.Named("conversions"))
	desk.Transcripts = letter.NewTranscripts(d, desk.Chats, desk.Queue, desk.letters(), d.Now)
	desk.Answers = letter.NewAnswers(desk.forAnswers(), desk.Queue, d.Now)
	desk.Invitations, desk.TwoStep, desk.Passkeys, desk.Replies, desk.Ratings = invitation.New(forInvitations(desk), desk.Queue, d.Now), twostep.New(d, d.Now), passkey.New(d, desk.Operators, d.Now), reply.New(d), rating.New(d, d.Now)
	desk.Chatting = live.New(d, desk.Chats, desk.Journal, desk.Presence.Online)
	if desk.Callbacks, err = callback.Open(ctx, callback.Subjects{
		DB: d, Queue: desk.Queue, Visits: desk.Visits, Captchas: desk.Captchas, Groups: desk.Groups, Key: desk.Sites.Key,
		Diallers: func() []telephony.Dialler { return desk.configured.Load().Diallers },
	}, d.Now, logger.Named("callbacks")); err != nil {
		return nil, err
	}
	// All that keeps traces of persons. What refers to others' rows stands before them.
	if desk.Persons, err = person.New(ctx, d, d.Now, logger.Named("persons"), desk.regions, desk.Visits.Traces(), desk.Clients.Traces(), desk.Conversions.Traces(), desk.Forwards.Traces(), rating.Traces(), desk.Chats.Traces(),
		desk.Leads.Traces(), inbox.Traces(), refused.Traces(), desk.Callbacks.Traces(), desk.Calls.Traces(), lease.Traces(), desk.Numbers.Traces(), form.Traces(), sighting.Traces(), incident.Traces(), notify.Traces(), desk.Journal.Traces()); err != nil {
		return nil, err
	}
	desk.API = api.New(api.Subjects{
		Keys: desk.Keys, Sightings: desk.Sightings, Texts: desk.Texts, Visits: desk.Visits, Clients: desk.Clients, Onsite: desk.Onsite, Leads: desk.Leads, Refused: desk.Refused, Presence: desk.Presence, Captchas: desk.Captchas, Callbacks: desk.Callbacks,
		Chats: desk.Chats, Live: desk.Chatting, Transcripts: desk.Transcripts, Answers: desk.Answers, Ratings: desk.Ratings, Bulletins: desk.Bulletins, Now: d.Now, Who: desk.who, Face: desk.face,
	}, logger.Named("api"), observer)
	desk.Console = console.New(desk.forConsole(), d.Now, logger.Named("console"))
	desk.OpenAnswers = once.New(d, d.Now)
	desk.Open = open.New(desk.forOpen(), d.Now, logger.Named("open"))
	return desk, nil
}

// operatorName is by what name visitors know an operator: never by the login.
func (d *Desk) operatorName(ctx context.Context, id int64) (string, error) {
	who, err := d.who(ctx, id)
	return who.Name, err
}

// who is what visitors may know of an operator.
func (d *Desk) who(ctx context.Context, id int64) (conversation.Who, error) {
	o, err := d.Operators.Get(ctx, id)
	if errors.Is(err, operator.ErrUnknown) {
		return conversation.Who{}, nil
	}
	return conversation.Who{Name: o.Name, Face: o.Face}, err
}

// face is that of an operator of the site.
func (d *Desk) face(ctx context.Context, siteID int64, name string) ([]byte, error) {
	return d.Operators.Faces().Named(ctx, scope.Of(siteID), name)
}

// forwardRefused sends a refused form to the service elsewhere that it was for.
func (d *Desk) forwardRefused(ctx context.Context, r refused.Refusal, s submission.Submission) error {
	item, err := leads.Forward(r, s)
	if err != nil {
		return err
	}
	return d.Forwards.Add(ctx, r.SiteID, item)
}

// keepOwn notes the numbers and pools that a site has of its own; see [site.KeepOwn].
func (d *Desk) keepOwn(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
	if err := declarer.Wait(ctx, tx); err != nil {
		return err
	}
	return d.Numbers.KeepOwn(ctx, tx, siteID, own, d.configured.Load().Pools.Named)
}

// Close ends the console's and the visitors' streams and closes the database.
func (d *Desk) Close() error {
	d.Console.Close()
	d.Open.Close()
	d.Chatting.Close()
	return d.DB.Close()
}

// announceSetup logs the link by which the first operator makes an account, as
// long as there is none.
func (d *Desk) announceSetup(ctx context.Context, configuration Configuration, logger *zap.Logger) {
	token, needed, err := d.Operators.SetupToken(ctx)
	switch {
	case err != nil:
		logger.Error("making the setup link failed", zap.Error(err))
	case needed:
		link := strings.TrimSuffix(configuration.Console, "/") + "/setup?token=" + url.QueryEscape(token)
		logger.Warn("there is no operator yet: the first account is made at this link, which works once and for 24 hours", zap.String("link", link))
	}
}
