package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/health"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Checks configuration, database, operators and the running server",
		Long: `
Checks the configuration, the database (the whole file of SQLite) and the operators' accounts. If Caddy runs with
this configuration, it also checks whether each site answers. Nothing is changed.
The exit code is not 0 if something is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{out: cmd.OutOrStdout()}
			d.examine(cmd)
			if d.troubles > 0 {
				return fmt.Errorf("%d checks failed", d.troubles)
			}
			return nil
		},
	}
}

// largeFile is a file of the database that takes some seconds to read, in bytes.
const largeFile = 256 << 20

// doctor says what is well, what is worth knowing, and what is wrong.
type doctor struct {
	out      io.Writer
	troubles int
}

func (d *doctor) well(subject, format string, args ...any) { d.say("ok   ", subject, format, args...) }
func (d *doctor) note(subject, format string, args ...any) { d.say("note ", subject, format, args...) }

func (d *doctor) wrong(subject, format string, args ...any) {
	d.troubles++
	d.say("WRONG", subject, format, args...)
}

func (d *doctor) say(mark, subject, format string, args ...any) {
	fmt.Fprintf(d.out, "%s  %-13s  %s\n", mark, subject, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

func (d *doctor) examine(cmd *cobra.Command) {
	caddyVersion, _ := caddy.Version()
	d.well("version", "Frontdesk %s in Caddy %s", snippet.Release(), caddyVersion)
	settings, err := databaseOf(cmd)
	if err != nil {
		d.wrong("configuration", "%v", err)
		return
	}
	named := cmd.Flags().Changed("database-sqlite") || cmd.Flags().Changed("database-postgres")
	var config *caddy.Config
	var app *caddymodule.App
	if _, _, err := loadConfig(cmd); !named || !errors.Is(err, errNoConfiguration) {
		config, app = d.configuration(cmd)
	}
	d.database(cmd.Context(), settings)
	if app != nil && !named {
		d.server(cmd.Context(), config, app)
	}
}

// configuration provisions the configuration, as "caddy validate" does.
func (d *doctor) configuration(cmd *cobra.Command) (*caddy.Config, *caddymodule.App) {
	encoded, file, err := loadConfig(cmd)
	if err != nil {
		d.wrong("configuration", "%v", err)
		return nil, nil
	}
	config, ctx, err := provision(encoded)
	if err != nil {
		d.wrong("configuration", "%v", err)
		return nil, nil
	}
	found, err := ctx.AppIfConfigured("frontdesk")
	if err != nil {
		d.wrong("configuration", "%s does not use frontdesk: expected the directive in a site", file)
		return nil, nil
	}
	app := found.(*caddymodule.App)
	if sites := app.KnownSites(); len(sites) > 0 {
		d.well("configuration", "%s tracks %s", file, strings.Join(sites, ", "))
	} else {
		d.note("configuration", "%s names no site; only sites from the console are tracked", file)
	}
	for _, doubt := range app.Doubts() {
		d.note(doubt.About, "%s: %s", doubt.Site, doubt.Words)
	}
	for _, server := range app.CredulousServers(encoded) {
		d.note("proxies", "server %s trusts proxies without trusted_proxies_strict: clients can choose the address that limits them", server)
	}
	if of, err := app.Networks.Examine(); err != nil {
		d.wrong("networks", "%v", err)
	} else if of != "" {
		d.well("networks", "%s", of)
	}
	if address := app.ConsoleAddress(); address != "" {
		d.well("console", "configured at %s", address)
	} else {
		d.note("console", "not configured: frontdesk_console in a site of its own serves it")
	}
	return config, app
}

func (d *doctor) database(ctx context.Context, settings db.Settings) {
	name := settings.Engine
	if settings.Engine == db.SQLite {
		name += " " + settings.Source
	}
	if info, err := os.Stat(settings.Source); settings.Engine == db.SQLite && err == nil && info.Size() > largeFile {
		d.note("database", "%s: read whole now, which may take minutes", name)
	}
	found, err := backend.Examine(ctx, settings)
	switch {
	case errors.Is(err, backend.ErrNoDatabase):
		d.note("database", "%s: does not exist yet; the first start makes it", name)
		return
	case err != nil:
		d.wrong("database", "%s: %v", name, err)
		return
	case found.Pending > 0:
		d.note("database", "%s: can be written; its schema is brought up to date at the next start (%d steps)", name, found.Pending)
		return
	}
	d.well("database", "%s: can be written; its schema is up to date", name)
	if settings.Engine == db.SQLite {
		d.well("database", "every page of the file is in order")
	}
	for _, of := range found.Replicas {
		d.wrong("replica", "%s is not asked: %v", of.Name, of.Err)
	}
	if settings.Read != "" && len(found.Replicas) == 0 {
		d.well("replica", "all replicas answer, and are near the primary")
	}
	if found.Operators == 0 {
		d.note("operators", `none yet: use the setup link that is logged at start, or "caddy frontdesk operator add"`)
	} else {
		d.well("operators", "%d with an account", found.Operators)
	}
}

// server asks the Caddy that runs with the configuration.
func (d *doctor) server(ctx context.Context, config *caddy.Config, app *caddymodule.App) {
	if config.Admin != nil && config.Admin.Disabled {
		d.note("server", "not checked: the admin endpoint is off")
		return
	}
	state, err := askHealth(ctx, config)
	switch {
	case err != nil:
		d.note("server", "not running, or not reachable: %v", err)
		return
	case !state.Ready:
		since := ""
		if state.Since != nil {
			since = ", since " + state.Since.Local().Format(time.DateTime)
		}
		d.wrong("server", "running and not ready: %s%s", state.Error, since)
	default:
		d.well("server", "running and ready")
	}
	for _, r := range state.Reasons {
		switch r.Code {
		case health.FormsWait, health.FormsUnsafe, health.Telephony: // they are told below
		default:
			if !r.Unhealthy {
				d.note("server", "degraded: %s", r.Text)
			}
		}
	}
	if state.Forms != nil {
		switch {
		case state.Forms.Error != "":
			d.wrong("forms", "%s: %s", state.Forms, state.Forms.Error)
		case state.Forms.Waiting > 0:
			d.note("forms", "%s", state.Forms)
		default:
			d.well("forms", "%s", state.Forms)
		}
	}
	if state.SIP != nil && state.SIP.Registered != nil {
		if *state.SIP.Registered {
			d.well("telephony", "registered at the SIP trunk")
		} else {
			d.wrong("telephony", "not registered at the SIP trunk; the log says why")
		}
	}
	for _, address := range app.ScriptAddresses() {
		if err := fetchScript(ctx, address); err != nil {
			d.wrong("site", "%s: %v", address, err)
		} else {
			d.well("site", "%s answers", address)
		}
	}
}

func decodeHealth(r io.Reader) (state caddymodule.Health, err error) {
	err = json.NewDecoder(io.LimitReader(r, 1<<16)).Decode(&state)
	return state, err
}
