package backend

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/api"
	"github.com/seed-3405227d/frontdesk/backend/callback"
	"github.com/seed-3405227d/frontdesk/backend/captcha"
	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/console"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/backend/form"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/journal"
	"github.com/seed-3405227d/frontdesk/backend/lead"
	"github.com/seed-3405227d/frontdesk/backend/notify"
	"github.com/seed-3405227d/frontdesk/backend/number"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/person"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/spool"
	"github.com/seed-3405227d/frontdesk/backend/telephony"
	"github.com/seed-3405227d/frontdesk/backend/visit"
)

// Configuration is what a configuration declares for the database to know.
type Configuration struct {
	// Name is under which it declares: what it has declared before under the same
	// name, and does not declare now, is retired unless others declare it. Nodes with
	// the same configuration may share a name. See package declarer.
	Name string
	// Sites are the keys of the sites that it names.
	Sites []string
	// Numbers are the telephone numbers that it has for these sites, by their keys.
	Numbers map[string][]number.Declared
	// Settings are what it says for these sites, by their keys.
	Settings map[string]site.Settings
	// Hosts are those at which it serves these sites, by their keys.
	Hosts map[string][]string
	// Pools are those that the sites may use.
	Pools number.ConfiguredPools
	// Operators are its accounts.
	Operators []Operator
	// Retention is for how long visits are kept; 0 for ever.
	Retention time.Duration
	// Spool tells what waits on the disk for the database. It may be nil.
	Spool func() spool.State
	// WholeAddresses has the addresses of clients logged whole.
	WholeAddresses bool
	// Console is the console's URL with a slash at the end, or empty when the
	// configuration does not tell.
	Console string
	// Mail is the server that takes mail; nil for none.
	Mail *notify.MailServer
	// Callers are the telephone platforms that call people, the one that is taken where a site
	// names none first. They tell of what they do by [Service.Progress].
	Callers []telephony.Caller
	// Webhooks are the ranges of addresses that webhooks may go to beside public ones.
	Webhooks []netip.Prefix
}

// Operator is a declared account.
type Operator struct {
	Login        string
	PasswordHash string // argon2id in PHC string form
	// Sites are the keys of the sites that the account administers; none for all. They
	// become known sites.
	Sites []string
}

// Check tells what is wrong with the account.
func (o Operator) Check() error {
	if err := operator.ValidLogin(o.Login); err != nil {
		return fmt.Errorf("operator %q: %w", o.Login, err)
	}
	if err := operator.CheckHash(o.PasswordHash); err != nil {
		return fmt.Errorf("password hash of operator %q: %w", o.Login, err)
	}
	return o.CheckSites()
}

// CheckSites tells what is wrong with the keys of the account's sites.
func (o Operator) CheckSites() error {
	for _, key := range o.Sites {
		if err := site.ValidKey(key); err != nil {
			return fmt.Errorf("sites of operator %q: %w", o.Login, err)
		}
	}
	return nil
}

// Desk is the open service: the subjects, and what serves them over HTTP.
type Desk struct {
	DB         *db.DB
	Journal    *journal.Journal
	Sites      *site.Sites
	Operators  *operator.Operators
	Numbers    *number.Shown
	Leases     *number.Leases
	Previews   *number.Previews
	Visits     *visit.Visits
	Leads      *lead.Leads
	Chats      *chat.Chats
	Chatting   *chat.Live
	Calls      *number.Calls
	Queue      *queue.Queue
	Forwards   *forward.Forwards
	Deliveries *notify.Deliveries
	Persons    *person.Persons
	Forms      *form.Forms
	Captchas   *captcha.Captchas
	Callbacks  *callback.Callbacks
	API        *api.API
	Console    *console.Console

	configured atomic.Pointer[Configuration] // this node's

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
	visits, err := visit.Open(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	previews, err := number.OpenPreviews(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	captchas, err := captcha.Open(ctx, d, time.Now)
	if err != nil {
		return nil, err
	}
	leads := lead.New(d, visits, time.Now)
	operators := operator.New(d, time.Now)
	sites := site.New(d, time.Now, logger.Named("sites"))
	numbers := number.NewShown(d, time.Now)
	leases := number.NewLeases(d, time.Now, observer)
	visits.OnPresence(leases.Prolong)
	leads.OnNumbers(leases.ShownAt)
	chats := chat.New(d, visits, time.Now)
	calls := number.NewCalls(d, visits, leases, time.Now)
	entries := journal.New(d)
	jobs := queue.New(d, logger.Named("queue"))
	forms := form.New(d, time.Now)
	desk := &Desk{
		DB:        d,
		Journal:   entries,
		Sites:     sites,
		Operators: operators,
		Numbers:   numbers,
		Leases:    leases,
		Previews:  previews,
		Visits:    visits,
		Leads:     leads,
		Chats:     chats,
		Chatting:  chat.NewLive(d, entries, operators.Online),
		Calls:     calls,
		Queue:     jobs,
		Forwards:  forward.New(d, jobs, observer),
		Forms:     forms,
		Captchas:  captchas,
		API:       api.New(visits, leads, operators, logger.Named("api"), observer),
	}
	desk.Callbacks, err = callback.Open(ctx, callback.Subjects{
		DB: d, Queue: jobs, Visits: visits, Captchas: captchas, Groups: operators, Callers: desk.callers, Key: sites.Key,
	}, time.Now, logger.Named("callbacks"))
	if err != nil {
		return nil, err
	}
	desk.API.TakeCaptchas(captchas)
	desk.API.TakeChats(api.ChatDesk{Chats: chats, Live: desk.Chatting, Name: desk.operatorName})
	chats.Handle(jobs, leads, desk.regionOf)
	chats.HandleTranscripts(jobs, desk.letters())
	desk.API.TakeCallbacks(desk.Callbacks)
	leads.OnElsewhere(func(ctx context.Context, r lead.Refused, s lead.Submission) error {
		item, err := api.Elsewhere(r, s)
		if err != nil {
			return err
		}
		return desk.Forwards.Add(ctx, r.SiteID, item)
	})
	// All that keeps traces of persons. What refers to others' rows stands before them.
	desk.Persons, err = person.New(ctx, d, time.Now, logger.Named("persons"), desk.regions, visits.Traces(), desk.Forwards.Traces(), chats.Traces(), leads.Traces(), desk.Callbacks.Traces(), calls.Traces(), numbers.Traces(), form.Traces(), notify.Traces(), journal.Traces())
	if err != nil {
		return nil, err
	}
	sites.OnOwn(desk.keepOwn)
	desk.Deliveries = notify.New(notify.Subjects{
		DB:      d,
		Journal: entries,
		Queue:   desk.Queue,
		Sites:   sites,
		Leads:   leads,
		Calls:   calls,
	}, desk.deliverySettings, observer, time.Now, logger.Named("deliveries"))
	desk.Console = console.New(console.Subjects{
		DB:         d,
		Journal:    entries,
		Sites:      sites,
		Visits:     visits,
		Leads:      leads,
		Chats:      chats,
		Operators:  operators,
		Numbers:    numbers,
		Calls:      calls,
		Callbacks:  desk.Callbacks,
		Region:     desk.regionOf,
		Leases:     leases,
		Previews:   previews,
		Deliveries: desk.Deliveries,
		Persons:    desk.Persons,
		Forms:      forms,
		Configured: desk.configuredFor,
		Hosts:      desk.configuredHosts,
		Pools:      desk.configuredPools,
		Spool:      desk.spool,
		WholeAddresses: func() bool {
			c := desk.configured.Load()
			return c != nil && c.WholeAddresses
		},
	}, time.Now, logger.Named("console"))
	return desk, nil
}

// configuredFor is what this node's configuration says for the site of the key.
func (d *Desk) configuredFor(key string) (set site.Settings, known bool) {
	if c := d.configured.Load(); c != nil {
		set, known = c.Settings[key]
	}
	return set, known
}

// configuredHosts are the hosts at which this node's configuration serves the site of the key.
func (d *Desk) configuredHosts(key string) (hosts []string) {
	if c := d.configured.Load(); c != nil {
		hosts = c.Hosts[key]
	}
	return hosts
}

// spool is what waits on this node's disk for the database.
func (d *Desk) spool() (state spool.State) {
	if c := d.configured.Load(); c != nil && c.Spool != nil {
		state = c.Spool()
	}
	return state
}

// configuredPools are the pools of this node's configuration.
func (d *Desk) configuredPools() (pools number.ConfiguredPools) {
	if c := d.configured.Load(); c != nil {
		pools = c.Pools
	}
	return pools
}

// callers are the telephone platforms of this node's configuration.
func (d *Desk) callers() []telephony.Caller {
	if c := d.configured.Load(); c != nil {
		return c.Callers
	}
	return nil
}

// deliverySettings are those of this node's configuration.
func (d *Desk) deliverySettings() (s notify.Settings) {
	if c := d.configured.Load(); c != nil {
		s = notify.Settings{Allowed: c.Webhooks, Mail: c.Mail, Console: c.Console}
	}
	return s
}

// regions are the countries in whose way the visitors of the sites write numbers, as far as that can be told.
func (d *Desk) regions(ctx context.Context) (regions []string) {
	sites, err := d.Sites.List(ctx)
	if err != nil {
		return nil
	}
	add := func(region string) {
		if region != "" && !slices.Contains(regions, region) {
			regions = append(regions, region)
		}
	}
	for _, s := range sites {
		set, _ := d.configuredFor(s.Key)
		for _, own := range []site.Settings{s.Settings, set} {
			if own.Region != nil {
				add(*own.Region)
			}
		}
		shown, _ := d.Numbers.Region(ctx, s.ID) // or as if no page had been seen
		add(shown)
		for _, n := range slices.Concat(s.Settings.Numbers, set.Numbers) {
			add(visit.RegionOf(visit.Digits(n.Number)))
		}
	}
	return regions
}

// regionOf is the country in whose way the visitors of the site write numbers.
func (d *Desk) regionOf(ctx context.Context, siteID int64) string {
	if key, err := d.Sites.Key(ctx, siteID); err == nil {
		set, _ := d.configuredFor(key)
		stored, _ := d.Sites.ByKey(ctx, key)
		for _, own := range []site.Settings{stored.Settings, set} {
			if own.Region != nil && *own.Region != "" {
				return *own.Region
			}
		}
	}
	region, _ := d.Numbers.Region(ctx, siteID)
	return region
}

// operatorName is what visitors may know of an operator: the name, and never the login.
func (d *Desk) operatorName(ctx context.Context, id int64) (string, error) {
	o, err := d.Operators.Get(ctx, id)
	if errors.Is(err, operator.ErrUnknown) {
		return "", nil
	}
	return o.Name, err
}

// letters are how transcripts of conversations are sent.
func (d *Desk) letters() chat.Letters {
	return chat.Letters{
		Check: notify.CheckMailbox,
		Can:   func() bool { return d.Deliveries.Sends() },
		Send: func(ctx context.Context, l chat.Letter) (never bool, err error) {
			return d.Deliveries.Send(ctx, notify.Letter(l))
		},
		Site: d.Sites.Key,
		Name: d.operatorName,
	}
}

// keepOwn notes what a site has of its own, see [site.Sites.OnOwn].
func (d *Desk) keepOwn(ctx context.Context, tx db.Tx, siteID int64, own number.Own) error {
	if err := declarer.Wait(ctx, tx); err != nil {
		return err
	}
	return d.Numbers.KeepOwn(ctx, tx, siteID, own, d.configuredPools().Named)
}

// pruneEvery is how often what is old is deleted.
const pruneEvery = time.Hour

// pruneAgain is how soon the journal is looked at again of which old entries are still to be read.
const pruneAgain = 10 * time.Second

// pruneJournal deletes old entries of the journal, until ctx ends.
func (d *Desk) pruneJournal(ctx context.Context, logger *zap.Logger) {
	for again := true; again; {
		pruned, unread, err := d.Journal.Prune(ctx, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			logger.Warn("pruning the journal failed", zap.Error(err))
		case pruned > 0:
			logger.Info("pruned the journal", zap.Int("entries", pruned))
		}
		pause := pruneEvery
		if unread {
			pause = pruneAgain
		}
		again = sleep(ctx, pause)
	}
}

// prune deletes what else is old, until ctx ends. Before it does, leads of an older program are made
// known to the search.
func (d *Desk) prune(ctx context.Context, logger *zap.Logger) {
	if indexed, err := d.Leads.IndexOlder(ctx); err != nil && ctx.Err() == nil {
		logger.Warn("making older leads known to the search failed", zap.Error(err))
	} else if indexed > 0 {
		logger.Info("made older leads known to the search", zap.Int("leads", indexed))
	}
	for again := true; again; again = sleep(ctx, pruneEvery) {
		if _, err := d.Leads.PruneRefused(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning refused submissions failed", zap.Error(err))
		}
		if err := d.Deliveries.Prune(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning deliveries failed", zap.Error(err))
		}
		if err := d.Visits.PruneTexts(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning how much was stored failed", zap.Error(err))
		}
		if err := d.Sites.PrunePages(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning what became of pages failed", zap.Error(err))
		}
		if err := d.Captchas.Prune(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning captchas failed", zap.Error(err))
		}
		if err := d.Callbacks.Prune(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning the networks of callbacks failed", zap.Error(err))
		}
		if err := d.Forms.Prune(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("pruning what became of forms failed", zap.Error(err))
		}
	}
}

// Close ends the console's and the visitors' streams and closes the database.
func (d *Desk) Close() error {
	d.Console.Close()
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

// conceal takes the settings' secrets out of an error's text. Of the error's kind
// it keeps whether it is a [db.Trouble].
func conceal(settings db.Settings, err error) error {
	if err == nil || settings.Engine != db.Postgres {
		return err
	}
	var trouble *db.Trouble
	if errors.As(err, &trouble) {
		return &db.Trouble{Err: conceal(settings, trouble.Err), Since: trouble.Since}
	}
	text := strings.ReplaceAll(err.Error(), settings.Source, "(connection string)")
	if source, parseErr := url.Parse(settings.Source); parseErr == nil && source.User != nil {
		if password, ok := source.User.Password(); ok && password != "" {
			text = strings.ReplaceAll(text, password, "(password)")
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
