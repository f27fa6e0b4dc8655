package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func siteExportCommand() *cobra.Command {
	export := &cobra.Command{
		Use:   "export KEY",
		Short: "Writes what is set for a site to standard output, as lines of JSON",
		Long: `
Writes the settings, numbers, pools, rules, groups, canned replies and receivers of a site.
Caddy may be running. Visitors, leads, calls and conversations are not in it. Without --secrets,
only receivers of mail are. "caddy frontdesk site import" reads it.`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withTransfer(cmd, func(ctx context.Context, s transfer.Subjects) error {
				secrets, _ := cmd.Flags().GetBool("secrets")
				left, err := s.Export(ctx, cmd.OutOrStdout(), args[0], snippet.Release(), secrets, time.Now())
				if errors.Is(err, site.ErrUnknown) {
					return fmt.Errorf("site %.80q: %w", args[0], err)
				}
				if left > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d receivers are left out, because they have secrets: --secrets writes them too\n", left)
				}
				return err
			})
		},
	}
	export.Flags().Bool("secrets", false, "Also writes webhooks, chats and platforms, with their secrets: keep the file safe")
	return export
}

func siteImportCommand() *cobra.Command {
	importing := &cobra.Command{
		Use:   "import FILE",
		Short: "Makes a site of what another installation has exported",
		Long: `
Reads a file that "caddy frontdesk site export" has written, and makes the site, or changes
nothing if something is wrong. Caddy may be running: the site is in effect within a second.
"-" reads standard input.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			from := cmd.InOrStdin()
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer file.Close()
				from = file
			}
			read, err := transfer.Read(from)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return withTransfer(cmd, func(ctx context.Context, s transfer.Subjects) error {
				as, _ := cmd.Flags().GetString("as")
				over, _ := cmd.Flags().GetBool("over")
				key := cmp.Or(as, read.Site)
				done, err := s.Import(ctx, read, key, over)
				if errors.Is(err, site.ErrTaken) {
					return fmt.Errorf("site %.80q: %w: --over changes it, --as KEY makes another", key, site.ErrTaken)
				}
				if err != nil {
					return err
				}
				return printImported(cmd.OutOrStdout(), key, read, done)
			})
		},
	}
	importing.Flags().String("as", "", "The key of the site here, if it is to be another")
	importing.Flags().Bool("over", false, "Changes a site that is there already: its settings, and the groups and replies that the file has too")
	return importing
}

// printImported says what was done, and what somebody has to do still.
func printImported(w io.Writer, key string, read *transfer.File, done transfer.Imported) error {
	fmt.Fprintf(w, "site %s: settings, %d groups, %d canned replies, %d receivers\n", key, done.Groups, done.Replies, done.Receivers)
	if done.There > 0 {
		fmt.Fprintf(w, "%d receivers were there already and stay as they are\n", done.There)
	}
	if !read.Secrets {
		fmt.Fprintln(w, "the file has receivers of mail alone: add webhooks, chats and platforms in the console")
	}
	for _, name := range slices.Sorted(maps.Keys(done.Numbers)) {
		fmt.Fprintf(w, "group %q is number %d here: change group_id %d where pages name it\n", name, done.Numbers[name][1], done.Numbers[name][0])
	}
	for _, name := range slices.Sorted(maps.Keys(done.Missing)) {
		fmt.Fprintf(w, "group %q lacks members who have no account for the site here: %s; a group without members is of everybody\n", name, strings.Join(done.Missing[name], ", "))
	}
	return nil
}

func oneKey(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one key of a site: %s KEY", cmd.CommandPath())
	}
	return nil
}

// withTransfer opens the service's database for f.
func withTransfer(cmd *cobra.Command, f func(context.Context, transfer.Subjects) error) error {
	settings, err := databaseOf(cmd)
	if err != nil {
		return err
	}
	desk, err := backend.Open(cmd.Context(), settings, zap.NewNop(), nil)
	if err != nil {
		return err
	}
	defer desk.Close()
	return f(cmd.Context(), transfer.Subjects{DB: desk.DB, Sites: desk.Sites, Groups: desk.Groups, Replies: desk.Replies, Endpoints: desk.Deliveries.Endpoints, Operators: desk.Operators})
}
