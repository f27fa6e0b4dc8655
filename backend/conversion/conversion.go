// Package conversion sends what visitors have done on to advertising and analytics platforms: leads, sales, calls and
// conversations.
//
// A destination is an endpoint of package notify, whose deliveries, log and repetitions it has. What is sent is made when it
// is sent, of the subject as it is then. What a platform has been told stands in a table, so that nothing is told twice, and
// that it is taken back when it turns out to be spam, or no sale.
package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/aside"
	"github.com/seed-3405227d/frontdesk/backend/call"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/conversion/feed"
	"github.com/seed-3405227d/frontdesk/backend/conversion/ga4"
	"github.com/seed-3405227d/frontdesk/backend/conversion/matomo"
	"github.com/seed-3405227d/frontdesk/backend/conversion/meta"
	"github.com/seed-3405227d/frontdesk/backend/conversion/platform"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
	"github.com/seed-3405227d/frontdesk/backend/visit/client"
	"github.com/seed-3405227d/frontdesk/locales"
)

// The kinds of destinations.
const (
	GA4       notify.Kind = "ga4"
	Meta      notify.Kind = "meta"
	Matomo    notify.Kind = "matomo"
	GoogleAds notify.Kind = "google_ads"
	Yandex    notify.Kind = "yandex"
)

// Kinds are all of them, in the order in which they are offered.
var Kinds = []notify.Kind{GA4, GoogleAds, Meta, Yandex, Matomo}

// Subjects are what conversions are made of.
type Subjects struct {
	DB         *db.DB
	Deliveries *notify.Deliveries
	Sites      *site.Sites
	Leads      *lead.Leads
	Calls      *call.Calls
	Chats      *chat.Chats
	Visits     *visit.Visits
	Clients    *client.Clients
}

// Conversions sends conversions. It is safe for concurrent use.
type Conversions struct {
	Subjects
	platforms map[notify.Kind]platform.Platform
	now       func() time.Time
	logger    *zap.Logger
}

// New returns the conversions of the database, and has them sent by the deliveries.
func New(s Subjects, now func() time.Time, logger *zap.Logger) *Conversions {
	poster := s.Deliveries.Poster()
	c := &Conversions{Subjects: s, now: now, logger: logger, platforms: map[notify.Kind]platform.Platform{
		GA4: &ga4.GA4{Base: ga4.Base, Poster: poster, Now: now}, Meta: &meta.Meta{Base: meta.Base, Poster: poster, Now: now}, Matomo: &matomo.Matomo{Poster: poster},
		GoogleAds: feed.Platform{Kind: feed.GoogleAds}, Yandex: feed.Platform{Kind: feed.Yandex},
	}}
	s.Deliveries.Use(c, Kinds...)
	return c
}

// lookEvery is how often it is looked for sites that have destinations.
const lookEvery = 5 * time.Second

// Run has the ids of visitors kept at the sites that have destinations, until ctx ends.
func (c *Conversions) Run(ctx context.Context) {
	for again := true; again; again = aside.Sleep(ctx, lookEvery) {
		sites, err := c.Deliveries.Endpoints.Sites(ctx)
		if err == nil {
			c.Clients.Want(sites)
		} else if ctx.Err() == nil {
			c.logger.Warn("looking for destinations failed", zap.Error(err))
		}
	}
}

// Names are what goals are called at a kind of destinations unless somebody says otherwise.
func Names(kind notify.Kind) map[platform.Goal]string {
	return usualNames[kind]
}

var usualNames = map[notify.Kind]map[platform.Goal]string{
	GA4: ga4.Names, Meta: meta.Names, Matomo: matomo.Names, GoogleAds: feed.Names[feed.GoogleAds], Yandex: feed.Names[feed.Yandex],
}

// eventsOf are the events that have a destination look at a goal. A lead that comes as a sale is both.
var eventsOf = map[platform.Goal][]notify.Event{
	platform.Lead: {notify.LeadAdded, notify.SaleAdded}, platform.Sale: {notify.SaleAdded}, platform.Call: {notify.CallEnded}, platform.Answered: {notify.CallEnded}, platform.Chat: {notify.ChatBegun},
}

// Of is the destination of the endpoint.
func Of(e notify.Endpoint) (d platform.Destination) {
	d.Address, d.Credential = e.Address, e.Credential
	// What does not parse was checked when it was stored.
	_ = json.Unmarshal([]byte(e.Settings), &d.Settings)
	return d
}

// Endpoint is the endpoint of the kind for the destination, which is to be checked.
func Endpoint(kind notify.Kind, d platform.Destination) (e notify.Endpoint, err error) {
	d.Names = maps.Clone(d.Names)
	maps.DeleteFunc(d.Names, func(_ platform.Goal, name string) bool { return name == "" })
	settings, err := json.Marshal(d.Settings)
	e = notify.Endpoint{Kind: kind, Address: d.Address, Credential: d.Credential, Settings: string(settings), Language: locales.Languages[0]}
	for _, goal := range platform.Goals {
		for _, event := range eventsOf[goal] {
			if d.Names[goal] != "" && !slices.Contains(e.Events, event) {
				e.Events = append(e.Events, event)
			}
		}
	}
	return e, err
}

const (
	maxName     = 100
	maxSettings = 2000
)

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// Check returns an [notify.Invalid] for what is wrong with the destination. A credential that is empty stays as it is.
func (c *Conversions) Check(e notify.Endpoint) error {
	p, known := c.platforms[e.Kind]
	d := Of(e)
	wrong := ""
	switch {
	case !known:
		wrong = "kind"
	case len(e.Settings) > maxSettings:
		wrong = "names"
	case len(e.Events) == 0 || len(d.Names) == 0:
		wrong = "events"
	case d.Currency != "" && !currency.MatchString(d.Currency):
		wrong = "currency"
	case e.Subject != "" || e.Template != "" || e.ContentType != "":
		wrong = "template"
	}
	for goal, name := range d.Names {
		if !slices.Contains(platform.Goals, goal) || len(name) > maxName || strings.TrimSpace(name) != name {
			wrong = "names"
		}
	}
	if wrong == "" {
		wrong = p.Check(d)
	}
	if wrong == "credential" && d.Credential == "" && e.ID != 0 {
		wrong = ""
	}
	if wrong != "" {
		return &notify.Invalid{Field: wrong, Code: wrong, Err: errors.New("expected what the platform takes")}
	}
	return nil
}

// Event is what the entry tells destinations.
func (c *Conversions) Event(entry journal.Entry) notify.Event {
	var said struct {
		Origin   string         `json:"origin"`
		IsSale   bool           `json:"is_sale"`
		Deed     string         `json:"deed"`
		Was      string         `json:"was"`
		Said     string         `json:"said"`
		Event    telephony.Kind `json:"event"`
		Platform string         `json:"platform"`
		Change   string         `json:"change"`
	}
	switch entry.Kind {
	case lead.Added, lead.Changed, call.Told, chat.Changed:
		if json.Unmarshal(entry.Data, &said) != nil {
			return ""
		}
	}
	spam := lead.Spam.String()
	switch entry.Kind {
	case lead.Added:
		switch {
		case lead.CameAsSpam(entry):
		case said.IsSale:
			return notify.SaleAdded
		case isLead(said.Origin):
			return notify.LeadAdded
		}
	case lead.Changed:
		switch deed := said.Deed; {
		case deed == "sale":
			return notify.SaleAdded
		case deed == "no_sale", deed == "state" && said.Said == spam:
			return notify.TakenBack
		case deed == "state" && said.Was == spam:
			return notify.GivenBack
		}
	case call.Told:
		// Of a call that was redirected, nobody tells the end.
		if said.Event == telephony.End || said.Event == telephony.Start && said.Platform == telephony.SIP {
			return notify.CallEnded
		}
	case chat.Changed:
		if said.Change == chat.Began {
			return notify.ChatBegun
		}
	}
	return ""
}

// isLead reports whether a lead of the origin counts as one: a call or a conversation counts as what it is.
func isLead(origin string) bool {
	return origin == lead.Script || origin == lead.Server || origin == lead.Form || origin == lead.Program
}

// fetched are the kinds of destinations that fetch conversions, or to which somebody carries them.
var fetched = map[notify.Kind]feed.Kind{GoogleAds: feed.GoogleAds, Yandex: feed.Yandex}

// IsFetched reports whether destinations of the kind fetch conversions, or somebody carries them there.
func IsFetched(kind notify.Kind) bool {
	_, is := fetched[kind]
	return is
}

// clicksOf are the click ids that a kind of destinations knows, by the parameters that have them.
var clicksOf = map[notify.Kind]struct {
	name string
	form *regexp.Regexp
}{
	Meta: {"fbclid", word}, GoogleAds: {"gclid", word}, Yandex: {"yclid", regexp.MustCompile(`^[0-9]{1,20}$`)},
}

// word is the form of a click id: anybody can write one into an address.
var word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
