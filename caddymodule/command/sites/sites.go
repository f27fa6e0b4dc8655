// Package sites has the commands for sites: they are suspended, resumed, listed, and moved to other installations.
package sites

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/site"
)

// Installation is what a command is about.
type Installation struct {
	// Database opens the database for f.
	Database func(cmd *cobra.Command, f func(context.Context, *db.DB) error) error
	// Settings are those of the database.
	Settings func(cmd *cobra.Command) (db.Settings, error)
}

// Command is the command with all others under it.
func Command(on Installation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Suspends and resumes sites, lists them, and moves one to another installation",
	}
	cmd.AddCommand(
		on.stopCommand("suspend", "Lets the pages of sites pass unchanged, on all servers; their data stay", true, "is suspended"),
		on.stopCommand("resume", "Goes on with sites that were suspended", false, "is resumed"),
		on.listCommand(), on.exportCommand(), on.importCommand())
	return cmd
}

// withSites opens the database for f.
func (on Installation) withSites(cmd *cobra.Command, f func(context.Context, *site.Sites) error) error {
	return on.Database(cmd, func(ctx context.Context, d *db.DB) error { return f(ctx, site.New(d, time.Now, zap.NewNop())) })
}

func (on Installation) stopCommand(use, short string, suspended bool, done string) *cobra.Command {
	return &cobra.Command{
		Use:   use + " KEY...",
		Short: short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, keys []string) error {
			return on.withSites(cmd, func(ctx context.Context, sites *site.Sites) error {
				known := make([]site.Site, len(keys))
				for i, key := range keys { // all or nothing
					var err error
					if known[i], err = sites.OfKey(ctx, key); err != nil {
						return fmt.Errorf("site %q: %w", key, err)
					}
				}
				for _, s := range known {
					if _, err := sites.Suspend(ctx, s.ID, suspended, ""); err != nil {
						return fmt.Errorf("site %q: %w", s.Key, err)
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", s.Key, done)
				}
				return nil
			})
		},
	}
}

func (on Installation) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Lists the sites, and which are suspended or retired",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on.withSites(cmd, func(ctx context.Context, sites *site.Sites) error {
				all, err := sites.List(ctx)
				if err != nil {
					return err
				}
				table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "ID\tKEY\tSTATE\tSINCE")
				for _, s := range all {
					state, since := "served", s.CreatedAt
					switch {
					case !s.SuspendedAt.IsZero():
						state, since = "suspended", s.SuspendedAt
					case !s.ArrivingAt.IsZero():
						state, since = "importing", s.ArrivingAt
					case !s.RetiredAt.IsZero():
						state, since = "retired", s.RetiredAt
					}
					fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", s.ID, s.Key, state, since.Format(time.DateOnly))
				}
				return table.Flush()
			})
		},
	}
}
