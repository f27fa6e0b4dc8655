package caddymodule

import (
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/caddymodule/limits"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
	"github.com/seed-3405227d/frontdesk/caddymodule/networks"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("frontdesk", parseGlobalOption)
}

func parseGlobalOption(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		d.Next()
		return nil, d.Err("frontdesk is configured already: expected one block of it in the global options")
	}
	app := new(App)
	if err := app.UnmarshalCaddyfile(d); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "frontdesk", Value: caddyconfig.JSON(app, nil)}, nil
}

// UnmarshalCaddyfile sets up the app from the global option:
//
//	frontdesk {
//		database sqlite   <path>
//		database postgres <connection string> {
//			direct <connection string>
//		}
//		name     <name>
//		retention <duration>
//		addresses truncated|whole
//		networks <path> [<language>]
//		operator <login> <password hash> [<site key>...]
//		two_step admins|all
//		telephony <platform> {
//			...
//		}
//		pool     <name> <number>... {
//			hold      <duration>
//			exhausted original|shared
//			exhausted reserve <number>
//		}
//		mail     <address> {
//			password <password>
//			from     <sender>
//		}
//		webhooks {
//			allow <range>...
//		}
//		site_metrics <count>
//		limits {
//			views <number>
//			...
//		}
//		spool {
//			file <path>
//			size <size>
//		}
//	}
//
// There may be several operators and pools.
func (a *App) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the option's name
	if d.NextArg() {
		return d.Errf("unexpected %q: expected a block with database, limits, mail, name, networks, retention, addresses, operator, pool, site_metrics, spool, telephony, two_step and webhooks", d.Val())
	}
	for d.NextBlock(0) {
		read, known := appOptions[d.Val()]
		if !known {
			return d.Errf("unknown option %q of frontdesk: expected database, limits, mail, name, networks, retention, addresses, operator, pool, site_metrics, spool, telephony, two_step or webhooks", d.Val())
		}
		if err := read(a, d); err != nil {
			return err
		}
		if d.NextBlock(1) {
			return d.Errf("unexpected block: %s takes none", d.Val())
		}
	}
	return nil
}

// appOptions read the options of the app, each from behind its name to the end of its block.
var appOptions = map[string]func(*App, *caddyfile.Dispenser) error{
	"addresses":    readAddresses,
	"database":     readDatabase,
	"limits":       readLimitsOfAll,
	"mail":         readMail,
	"name":         readName,
	"networks":     readNetworks,
	"operator":     readOperator,
	"pool":         readPool,
	"retention":    readRetention,
	"site_metrics": readSiteMetrics,
	"spool":        readSpool,
	"telephony":    readTelephony,
	"two_step":     readTwoStep,
	"webhooks":     readWebhooks,
}

// readDatabase reads an option of the app: database sqlite <path>, or database postgres <connection string> with a block of
// direct and read.
func readDatabase(a *App, d *caddyfile.Dispenser) error {
	if a.Database != nil {
		return d.Err("the database is configured already: expected one")
	}
	a.Database = new(Database)
	if !d.AllArgs(&a.Database.Engine, &a.Database.Source) {
		return d.Err("expected: database sqlite PATH, or: database postgres CONNECTION_STRING")
	}
	a.WrittenAt.Note(d, a.Database.Source)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name, into := d.Val(), map[string]*string{"direct": &a.Database.Direct, "read": &a.Database.Read}[d.Val()]
		if into == nil {
			return d.Errf("unknown option %q of database: expected direct or read", name)
		}
		if *into != "" {
			return d.Errf("%s is given already: expected one", name)
		}
		if !d.AllArgs(into) || *into == "" {
			return d.Errf("expected: %s CONNECTION_STRING", name)
		}
		a.WrittenAt.Note(d, *into)
	}
	if engine := a.Database.Engine; engine != db.SQLite && engine != db.Postgres {
		return d.Errf("unknown database engine %q: expected sqlite or postgres", engine)
	}
	if !placeholder.In(a.Database.Source) && !placeholder.In(a.Database.Direct) && !placeholder.In(a.Database.Read) {
		if _, err := a.Database.Resolve(); err != nil {
			return d.Err(err.Error())
		}
	}
	return nil
}

// readName reads an option of the app: name <name>.
func readName(a *App, d *caddyfile.Dispenser) error {
	if a.Name != "" {
		return d.Err("the name is given already: expected one")
	}
	if !d.AllArgs(&a.Name) || a.Name == "" {
		return d.Err("expected: name NAME")
	}
	a.WrittenAt.Note(d, a.Name)
	if !placeholder.In(a.Name) {
		if err := declarer.ValidName(a.Name); err != nil {
			return d.Err(err.Error())
		}
	}
	return nil
}

// readRetention reads an option of the app: retention <duration>.
func readRetention(a *App, d *caddyfile.Dispenser) error {
	if a.Retention != 0 {
		return d.Err("the retention is given already: expected one")
	}
	var text string
	retention, err := time.Duration(0), error(nil)
	if d.AllArgs(&text) {
		retention, err = caddy.ParseDuration(text)
	}
	if retention <= 0 || err != nil {
		return d.Err("expected: retention DURATION, such as retention 800d")
	}
	if a.Retention = caddy.Duration(retention); checkRetention(a.Retention) != nil {
		return d.Err(checkRetention(a.Retention).Error())
	}
	return nil
}

// readAddresses reads an option of the app: addresses truncated|whole.
func readAddresses(a *App, d *caddyfile.Dispenser) error {
	if a.Addresses != "" || !d.AllArgs(&a.Addresses) || checkAddresses(a.Addresses) != nil {
		return d.Err("expected one line: addresses truncated, or: addresses whole")
	}
	return nil
}

// readTwoStep reads an option of the app: two_step admins|all.
func readTwoStep(a *App, d *caddyfile.Dispenser) error {
	if a.TwoStep != "" || !d.AllArgs((*string)(&a.TwoStep)) || a.TwoStep == "" || a.TwoStep.Check() != nil {
		return d.Err("expected one line: two_step admins, or: two_step all")
	}
	return nil
}

// readNetworks reads an option of the app: networks <path> [<language>].
func readNetworks(a *App, d *caddyfile.Dispenser) (err error) {
	a.Networks, err = networks.Read(d, a.Networks)
	a.WrittenAt.Note(d, a.Networks.Path())
	return err
}

// readLimitsOfAll reads an option of the app; see [limits.Read].
func readLimitsOfAll(a *App, d *caddyfile.Dispenser) (err error) {
	a.Limits, err = limits.Read(d, a.Limits)
	return err
}

// readSiteMetrics reads an option of the app: site_metrics <count>.
func readSiteMetrics(a *App, d *caddyfile.Dispenser) error {
	var count string
	if a.SiteMetrics != 0 || !d.AllArgs(&count) {
		return d.Err("expected one line: site_metrics COUNT, such as site_metrics 100")
	}
	most, err := strconv.Atoi(count)
	if a.SiteMetrics = most; err != nil || most < 1 || checkSiteMetrics(most) != nil {
		return d.Errf("site_metrics %.20s: expected 1 to %d sites", count, metrics.MaxSites)
	}
	return nil
}

// readOperator reads an option of the app: operator <login> <password hash> [<site key>...].
func readOperator(a *App, d *caddyfile.Dispenser) error {
	var o Operator
	if !d.Args(&o.Login, &o.PasswordHash) {
		return d.Err("expected: operator LOGIN PASSWORD_HASH [SITE_KEY...]")
	}
	a.WrittenAt.Note(d, o.PasswordHash)
	o.Sites = d.RemainingArgs()
	check := backend.Operator(o).Check
	if placeholder.In(o.PasswordHash) {
		check = backend.Operator(o).CheckSites
	}
	if err := check(); err != nil {
		return d.Err(err.Error())
	}
	for _, other := range a.Operators {
		if other.Login == o.Login {
			return d.Errf("operator %q is given already: expected each login once", o.Login)
		}
	}
	a.Operators = append(a.Operators, o)
	return nil
}

// readTelephony reads an option of the app: telephony <platform> { … }, of which there may be several.
func readTelephony(a *App, d *caddyfile.Dispenser) error {
	if a.Telephony == nil {
		a.Telephony = new(Telephony)
	}
	return a.Telephony.unmarshalCaddyfile(d, &a.WrittenAt)
}

// Interface guards
var _ caddyfile.Unmarshaler = (*App)(nil)
