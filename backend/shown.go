package backend

import (
	"github.com/seed-3405227d/frontdesk/backend/chat/overview"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/open"
	"github.com/seed-3405227d/frontdesk/backend/operator/twostep"
	"github.com/seed-3405227d/frontdesk/backend/site/check"
)

// checksOf are those that look at the installation of sites.
func checksOf(d *Desk) *check.Checks {
	return check.New(check.Subjects{
		Sites: d.Sites, Days: d.Days, Sightings: d.Sightings, Numbers: d.Numbers, Forms: d.Forms, Calls: d.Calls,
		Service: func(key string) string { return d.configured.Load().Services[key] },
	}, d.DB.Now)
}

// forConsole are what the console shows.
func (d *Desk) forConsole() console.Subjects {
	return console.Subjects{
		DB: d.DB, Journal: d.Journal, Sites: d.Sites, Checks: checksOf(d), Limits: d.Limits, Visits: d.Visits, Cards: d.Cards, Onsite: d.Onsite, Days: d.Days, Leads: d.Leads, Inbox: d.Inbox, Refused: d.Refused, Chats: d.Chats, Replies: d.Replies, Ratings: d.Ratings,
		Operators: d.Operators, SignIns: d.SignIns, Groups: d.Groups, Presence: d.Presence, Numbers: d.Numbers, Invitations: d.Invitations, TwoStep: d.TwoStep, Passkeys: d.Passkeys,
		Calls: d.Calls, Callbacks: d.Callbacks, Leases: d.Leases, Previews: d.Previews, Deliveries: d.Deliveries, Conversions: d.Conversions, Persons: d.Persons, Forms: d.Forms, Incidents: d.Incidents, Reports: d.Reports, Saved: d.Saved, ReportLinks: d.ReportLinks, Bulletins: d.Bulletins, Costs: d.Costs, Tokens: d.Tokens,
		Region: d.regionOf, Configured: d.configuredFor, Fixed: d.fixedFor, Platforms: d.platforms, Spool: d.spool,
		Service:        func(key string) string { return d.configured.Load().Services[key] },
		Hosts:          func(key string) []string { return d.configured.Load().Hosts[key] },
		Pools:          func() number.ConfiguredPools { return d.configured.Load().Pools },
		Required:       func() twostep.Rule { return d.configured.Load().TwoStep },
		WholeAddresses: func() bool { return d.configured.Load().WholeAddresses },
	}
}

// forOpen are what the public API tells of.
func (d *Desk) forOpen() open.Subjects {
	return open.Subjects{
		Hosts:  func(key string) []string { return d.configured.Load().Hosts[key] },
		Tokens: d.Tokens, Answers: d.OpenAnswers, Limits: d.Limits, Sites: d.Sites, Checks: checksOf(d), Visits: d.Visits, Cards: d.Cards, Onsite: d.Onsite, Leads: d.Leads, Inbox: d.Inbox, Refused: d.Refused, Calls: d.Calls, Chats: d.Chats, Overview: overview.New(d.DB, d.Chats), Callbacks: d.Callbacks, Numbers: d.Numbers, Leases: d.Leases, Forms: d.Forms, Incidents: d.Incidents,
		SignIns: d.SignIns, TwoStep: d.TwoStep, Operators: d.Operators, Groups: d.Groups, Replies: d.Replies, Deliveries: d.Deliveries, Conversions: d.Conversions, Persons: d.Persons, Reports: d.Reports, Saved: d.Saved, Links: d.ReportLinks, Bulletins: d.Bulletins, Costs: d.Costs, Journal: d.Journal,
		Configured: d.configuredFor, Pools: func() number.ConfiguredPools { return d.configured.Load().Pools }, Region: d.regionOf,
	}
}
