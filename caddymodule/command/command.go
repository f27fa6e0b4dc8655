// Package command is the command line: "caddy frontdesk". It works on the database, and on a configuration that package
// caddymodule reads; a running server is asked by its admin endpoint.
package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/caddymodule"
	"github.com/seed-3405227d/frontdesk/caddymodule/command/account"
	"github.com/seed-3405227d/frontdesk/caddymodule/command/sites"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "frontdesk",
		Short: "Manages operators, sites, the database and waiting requests, erases persons, and checks the installation and pages",
		Long: `
Name the configuration of Caddy with --config, as for "caddy run". Default: a file named
Caddyfile in the current folder. Run commands that use the database as the user that runs
Caddy. "numbers", "verify" and "version" need no configuration; with --number, "rewrite" does not either.`,
		CobraFunc: setUpCommand,
	})
}

func setUpCommand(cmd *cobra.Command) {
	// What went wrong is printed; how a command is used is said by --help.
	cmd.SilenceUsage = true
	flags := cmd.PersistentFlags()
	flags.StringP("config", "c", "", "Configuration file")
	flags.StringP("adapter", "a", "", "Name of config adapter to apply")
	ofSeveral := append(account.Commands(withDatabase), sites.Command(sites.Installation{Database: withDatabase, Settings: databaseOf}))
	for _, command := range ofSeveral {
		refuseOthers(command)
	}
	ofDatabase := append(ofSeveral, doctorCommand(), forwardsCommand(), eraseCommand(), exportCommand(), backupCommand(), restoreCommand(), reportsCommand(), demoCommand())
	for _, command := range ofDatabase {
		flags := command.PersistentFlags()
		flags.String("database-sqlite", "", "Path of the SQLite database, instead of the configuration's")
		flags.String("database-postgres", "", "Connection string of the PostgreSQL database, instead of the configuration's; may be a placeholder such as {env.NAME}")
	}
	cmd.AddCommand(append(ofDatabase, verifyCommand(), numbersCommand(), rewriteCommand(), versionCommand())...)
	refuseOthers(cmd)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Prints the version of Frontdesk",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), snippet.Release())
			return nil
		},
	}
}

// refuseOthers has a command that only has subcommands refuse all other words. What is
// like one of them is suggested.
func refuseOthers(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		expected := cmd.SuggestionsFor(args[0])
		if len(expected) == 0 {
			for _, known := range cmd.Commands() {
				expected = append(expected, known.Name())
			}
		}
		return fmt.Errorf("unknown command %q of %q: expected %s", args[0], cmd.CommandPath(), strings.Join(expected, ", "))
	}
}

// quiet keeps Caddy from logging: a command's output is for people, and its errors say what fails.
func quiet() *caddy.Logging {
	return &caddy.Logging{Logs: map[string]*caddy.CustomLog{caddy.DefaultLoggerName: {BaseLog: caddy.BaseLog{Level: "PANIC"}}}}
}

// provision makes all of the configuration but what it logs to, and runs nothing.
func provision(encoded []byte) (*caddy.Config, caddy.Context, error) {
	config := new(caddy.Config)
	if err := caddy.StrictUnmarshalJSON(encoded, config); err != nil {
		return nil, caddy.Context{}, fmt.Errorf("reading configuration: %w", err)
	}
	config.Logging = quiet()
	ctx, err := caddy.ProvisionContext(config)
	return config, ctx, err
}

// databaseOf finds the database that the flags, or else the configuration, name.
func databaseOf(cmd *cobra.Command) (db.Settings, error) {
	if path, _ := cmd.Flags().GetString("database-sqlite"); path != "" {
		return (&caddymodule.Database{Engine: db.SQLite, Source: path}).Resolve()
	}
	if source, _ := cmd.Flags().GetString("database-postgres"); source != "" {
		return (&caddymodule.Database{Engine: db.Postgres, Source: source}).Resolve()
	}
	config, _, err := loadConfig(cmd)
	if errors.Is(err, errNoConfiguration) {
		return db.Settings{}, fmt.Errorf("%w, or --database-sqlite PATH, or --database-postgres CONNECTION_STRING", err)
	} else if err != nil {
		return db.Settings{}, err
	}
	return caddymodule.DatabaseOf(config)
}

// withDatabase opens and migrates the database for f.
func withDatabase(cmd *cobra.Command, f func(context.Context, *db.DB) error) error {
	settings, err := databaseOf(cmd)
	if err != nil {
		return err
	}
	d, err := db.Open(cmd.Context(), settings, zap.NewNop())
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Migrate(cmd.Context()); err != nil {
		return err
	}
	return f(cmd.Context(), d)
}

var errNoConfiguration = errors.New("expected a configuration: give --config FILE")

// loadConfig is the configuration as JSON, and the name of its file.
func loadConfig(cmd *cobra.Command) (config []byte, file string, err error) {
	if _, err := caddy.ProvisionContext(&caddy.Config{Logging: quiet()}); err != nil {
		return nil, "", err
	}
	name, _ := cmd.Flags().GetString("config")
	adapter, _ := cmd.Flags().GetString("adapter")
	config, file, _, err = caddycmd.LoadConfig(name, adapter)
	if err != nil {
		return nil, "", err
	}
	if len(config) == 0 {
		return nil, "", errNoConfiguration
	}
	return caddy.RemoveMetaFields(config), file, nil
}
