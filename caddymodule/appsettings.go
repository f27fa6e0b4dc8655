package caddymodule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/declarer"
	"github.com/seed-3405227d/frontdesk/caddymodule/metrics"
	"github.com/seed-3405227d/frontdesk/caddymodule/placeholder"
)

// Database names where the service keeps its data.
type Database struct {
	// `sqlite`, for one machine, or `postgres`, for several nodes.
	Engine string `json:"engine"`

	// The path of the SQLite file, or PostgreSQL's connection string (an URL,
	// or pairs of key=value). Placeholders such as `{env.NAME}` and
	// `{file./path}` are resolved when the configuration is loaded and are not
	// written back, so a password belongs into one.
	Source string `json:"source"`

	// PostgreSQL's own connection string, where the source is that of a pooler that gives
	// each transaction another connection, such as PgBouncer in transaction mode. Nodes
	// listen to each other by it, and change the schema.
	Direct string `json:"direct,omitempty"`

	// The connection string of replicas of the PostgreSQL server, one or more hosts. They are
	// asked what may be some seconds old: reports, exports and searches.
	Read string `json:"read,omitempty"`
}

// Operator is an account of the console.
type Operator struct {
	// The name to sign in with.
	Login string `json:"login"`

	// The argon2id hash of the password in its PHC form (`$argon2id$v=19$…`),
	// usually a placeholder such as `{env.NAME}` or `{file./path}`.
	PasswordHash string `json:"password_hash"`

	// The keys of the sites that the account administers, and beside which it sees
	// nothing. They become known sites. Default: all sites.
	Sites []string `json:"sites,omitempty"`
}

// resolve checks what the configuration says, and fills in defaults and placeholders.
func (a *App) resolve() (err error) {
	if a.settings, err = a.Database.resolve(a.WrittenAt); err != nil {
		return err
	}
	if a.spool, err = a.Spool.settings(a.settings, a.WrittenAt); err != nil {
		return err
	}
	if a.name, err = resolveName(a.Name, a.settings.Engine); err != nil {
		return a.WrittenAt.At(a.Name, err)
	}
	if a.operators, err = resolveOperators(a.Operators, a.WrittenAt); err != nil {
		return err
	}
	if a.telephones, err = a.Telephony.platforms(a.WrittenAt); err != nil {
		return err
	}
	if a.diallers, err = a.Telephony.diallers(a.WrittenAt); err != nil {
		return err
	}
	if a.pools, err = resolvePools(a.Pools); err != nil {
		return err
	}
	if a.mail, err = a.Mail.server(a.WrittenAt); err != nil {
		return err
	}
	if a.allowed, err = a.Webhooks.ranges(); err != nil {
		return err
	}
	file := a.WrittenAt.At(a.Networks.Path(), a.Networks.Resolve(placeholder.Fill))
	if err := cmp.Or(checkRetention(a.Retention), checkAddresses(a.Addresses), a.Limits.Check(), checkSiteMetrics(a.SiteMetrics), a.TwoStep.Check(), file); err != nil {
		return err
	}
	a.pooled = make(pooled)
	for _, pool := range a.pools {
		if err := a.claim(pool); err != nil {
			return err
		}
	}
	return nil
}

// resolve fills in the default and the placeholders, and checks the result.
func (d *Database) resolve(from placeholder.Places) (db.Settings, error) {
	if d == nil {
		d = &Database{Engine: db.SQLite, Source: filepath.Join(caddy.AppDataDir(), "frontdesk.db")}
	}
	settings, err := d.Resolve()
	return settings, from.At(d.Source, err)
}

// Resolve fills in the placeholders, and checks the result.
func (d *Database) Resolve() (db.Settings, error) {
	source, err := placeholder.Fill(d.Source)
	if err != nil {
		return db.Settings{}, fmt.Errorf("database source: %w", err)
	}
	direct, err := placeholder.Fill(d.Direct)
	if err != nil {
		return db.Settings{}, fmt.Errorf("database's direct: %w", err)
	}
	read, err := placeholder.Fill(d.Read)
	if err != nil {
		return db.Settings{}, fmt.Errorf("database's read: %w", err)
	}
	settings := db.Settings{Engine: d.Engine, Source: source, Direct: direct, Read: read}
	if err := settings.Check(); err != nil {
		return db.Settings{}, fmt.Errorf("database: %w", err)
	}
	if settings.Engine == db.SQLite {
		if settings.Source, err = filepath.Abs(settings.Source); err != nil {
			return db.Settings{}, fmt.Errorf("database: %w", err)
		}
	}
	return settings, nil
}

// DatabaseOf is the database of a configuration, which is JSON and need not be provisioned.
func DatabaseOf(configuration []byte) (db.Settings, error) {
	var parsed struct {
		Apps struct {
			Frontdesk struct {
				Database  *Database          `json:"database"`
				WrittenAt placeholder.Places `json:"written_at"`
			} `json:"frontdesk"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(configuration, &parsed); err != nil {
		return db.Settings{}, fmt.Errorf("reading configuration: %w", err)
	}
	app := &parsed.Apps.Frontdesk
	return app.Database.resolve(app.WrittenAt)
}

// resolveName fills in the default and the placeholders, and checks the result.
func resolveName(name, engine string) (string, error) {
	if name == "" && engine == db.SQLite { // one machine, one configuration
		return "", nil
	}
	var err error
	if name == "" {
		name, err = os.Hostname()
	} else {
		name, err = placeholder.Fill(name)
	}
	if err == nil {
		err = declarer.ValidName(name)
	}
	if err != nil {
		return "", fmt.Errorf("name: %w", err)
	}
	return name, nil
}

func resolveOperators(declared []Operator, from placeholder.Places) ([]backend.Operator, error) {
	var operators []backend.Operator
	for _, o := range declared {
		hash, err := placeholder.Fill(o.PasswordHash)
		if err != nil {
			return nil, from.At(o.PasswordHash, fmt.Errorf("password hash of operator %q: %w", o.Login, err))
		}
		operator := backend.Operator{Login: o.Login, PasswordHash: hash, Sites: o.Sites}
		if err := operator.Check(); err != nil {
			return nil, from.At(o.PasswordHash, err)
		}
		operators = append(operators, operator)
	}
	return operators, nil
}

// wholeAddresses is the value of Addresses that truncates none.
const wholeAddresses = "whole"

func checkAddresses(addresses string) error {
	if addresses != "" && addresses != "truncated" && addresses != wholeAddresses {
		return fmt.Errorf("addresses %s: expected truncated or whole", addresses)
	}
	return nil
}

// checkSiteMetrics refuses so many that Prometheus would suffer.
func checkSiteMetrics(most int) error {
	if most < 0 || most > metrics.MaxSites {
		return fmt.Errorf("site_metrics %d: expected 1 to %d sites", most, metrics.MaxSites)
	}
	return nil
}

// checkRetention refuses what is hardly meant: visits that are gone before anybody has read of them.
func checkRetention(retention caddy.Duration) error {
	if retention != 0 && time.Duration(retention) < 24*time.Hour {
		return fmt.Errorf("retention %s: expected at least a day, such as 800d", time.Duration(retention))
	}
	return nil
}
