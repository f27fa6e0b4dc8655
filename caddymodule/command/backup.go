package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/db/verify"
)

func backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copies a SQLite database, which may be in use, into a new file",
		Long: `
Copies a SQLite database into a new file. Caddy may be running. The copy shows one moment. It
is checked before it gets its name. "caddy frontdesk restore" puts it back.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := databaseOf(cmd)
			if err != nil {
				return err
			}
			size, err := db.Backup(cmd.Context(), settings, args[0])
			if errors.Is(err, db.ErrNotSQLite) {
				return errors.New(`the database is PostgreSQL: back it up with "pg_dump --format=custom --file=FILE CONNECTION_STRING"`)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "copied %s to %s (%d KB) and checked the copy\n", settings.Source, args[0], (size+1023)/1024)
			return nil
		},
	}
}

func restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Restores a SQLite database from a copy, while Caddy is stopped",
		Long: `
Checks a copy of a SQLite database and puts it in the place of the configured database, which
is kept under another name. Caddy must not be running. The copy stays as it is.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := databaseOf(cmd)
			if err != nil {
				return err
			}
			restored, err := db.Restore(cmd.Context(), settings, args[0], time.Now())
			switch {
			case errors.Is(err, db.ErrNotSQLite):
				return errors.New(`the database is PostgreSQL: stop all nodes, and restore a copy with "pg_restore --clean --if-exists --single-transaction --dbname=CONNECTION_STRING FILE"`)
			case errors.Is(err, db.ErrInUse):
				return err
			case err != nil:
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "restored %s to %s\n", args[0], settings.Source)
			if restored.Kept != "" {
				fmt.Fprintf(out, "the previous file is kept as %s; it contains visitors' data, so delete it when everything works\n", restored.Kept)
			}
			if restored.Pending > 0 {
				fmt.Fprintf(out, "its schema is brought up to date at the next start (%d steps)\n", restored.Pending)
			}
			fmt.Fprintln(out, "start Caddy now, and then run: caddy frontdesk doctor")
			return nil
		},
	}
}

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Checks a copy of a SQLite database",
		Long: `
Reads a copy of a SQLite database whole: whether each page is in order, its tables are those of Frontdesk
and of a release that this program can use, and its rows fit together. Nothing is changed. The exit code is
not 0 if something is wrong.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := verify.File(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "OK %s: whole, schema %d, %d sites, %d leads, %d visits\n", args[0], found.Version, found.Sites, found.Leads, found.Visits)
			if found.Leads > 0 {
				fmt.Fprintf(out, "the last lead came at %s\n", found.LastLead.UTC().Format(time.DateTime+" UTC"))
			}
			if found.Pending > 0 {
				fmt.Fprintf(out, "its schema is brought up to date when it is taken into use (%d steps)\n", found.Pending)
			}
			if !found.Own {
				fmt.Fprintln(out, `it was not made by "caddy frontdesk backup": whether it shows one moment is known to who made it`)
			}
			return nil
		},
	}
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one file: %s FILE", cmd.CommandPath())
	}
	return nil
}
