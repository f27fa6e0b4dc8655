package sites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/backend/transfer"
	"github.com/seed-3405227d/frontdesk/backend/transfer/rows"
	"github.com/seed-3405227d/frontdesk/snippet"
)

func (on Installation) exportCommand() *cobra.Command {
	export := &cobra.Command{
		Use:   "export KEY",
		Short: "Writes a site to standard output, as lines of JSON",
		Long: `
Writes the settings, numbers, pools, rules, groups, canned replies and receivers of a site.
Caddy may be running. Without --secrets, only receivers of mail are in it. With --data, all
that is stored of the site is in it, too: visits, leads, calls, conversations, costs and the
figures of reports. "caddy frontdesk site import" reads it.`,
		Args: one("key of a site", "KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on.withTransfer(cmd, func(ctx context.Context, s transfer.Subjects) error {
				secrets, _ := cmd.Flags().GetBool("secrets")
				data, _ := cmd.Flags().GetBool("data")
				done, err := s.Export(ctx, cmd.OutOrStdout(), transfer.Wanted{
					Key: args[0], Release: snippet.Release(), Secrets: secrets, Data: data, At: time.Now(), Tell: tellRows(cmd.ErrOrStderr(), "written"),
				})
				if err != nil {
					return fmt.Errorf("site %.80q: %w", args[0], err)
				}
				if done.Left > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d receivers are left out, because they have secrets: --secrets writes them too\n", done.Left)
				}
				if data {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d rows of data are written\n", done.Rows)
				}
				return nil
			})
		},
	}
	export.Flags().Bool("secrets", false, "Also writes webhooks, chats and platforms, with their secrets: keep the file safe")
	export.Flags().Bool("data", false, "Also writes what is stored of the site: keep the file safe, it has what visitors have told")
	return export
}

func (on Installation) importCommand() *cobra.Command {
	importing := &cobra.Command{
		Use:   "import FILE",
		Short: "Makes a site of what another installation has exported",
		Long: `
Reads a file that "caddy frontdesk site export" has written, and makes the site, or changes
nothing if something is wrong. Caddy may be running: the site is in effect within a second
when all is there. "-" reads standard input. A file with data makes a new site only. If its
import breaks off, the next one of the same site begins anew; --undo KEY takes it back.`,
		Args: one("file", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if undo, _ := cmd.Flags().GetBool("undo"); undo {
				return on.undoImport(cmd, args[0])
			}
			from := cmd.InOrStdin()
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer file.Close()
				from = file
			}
			as, _ := cmd.Flags().GetString("as")
			over, _ := cmd.Flags().GetBool("over")
			return on.withTransfer(cmd, func(ctx context.Context, s transfer.Subjects) error {
				read, err := transfer.Read(ctx, from)
				if err == nil && over && read.Data != nil {
					err = transfer.ErrNoData
				}
				if err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
				key := cmp.Or(as, read.Site)
				var done transfer.Imported
				if read.Data != nil {
					done, err = s.ImportData(ctx, read, key, progressOf(cmd))
				} else {
					done, err = s.Import(ctx, read, key, over)
				}
				switch {
				case errors.Is(err, site.ErrTaken) && read.Data != nil:
					return fmt.Errorf("site %.80q: %w: %w", key, site.ErrTaken, transfer.ErrNoData)
				case errors.Is(err, site.ErrTaken):
					return fmt.Errorf("site %.80q: %w: --over changes it, --as KEY makes another", key, site.ErrTaken)
				case err != nil:
					return fmt.Errorf("%s: %w", args[0], err)
				}
				return printImported(cmd.OutOrStdout(), key, read, done)
			})
		},
	}
	importing.Flags().String("as", "", "The key of the site here, if it is to be another")
	importing.Flags().Bool("over", false, "Changes a site that is there already: its settings, and the groups and replies that the file has too")
	importing.Flags().Bool("undo", false, "Takes back an import of data that has broken off: the argument is the key of the site")
	return importing
}

func (on Installation) undoImport(cmd *cobra.Command, key string) error {
	return on.withTransfer(cmd, func(ctx context.Context, s transfer.Subjects) error {
		if err := s.TakeBack(ctx, key, progressOf(cmd)); err != nil {
			return fmt.Errorf("site %.80q: %w", key, err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "site %s: the import is taken back\n", key)
		return nil
	})
}

func progressOf(cmd *cobra.Command) transfer.Progress {
	say := func(text string) func() { return func() { fmt.Fprintln(cmd.ErrOrStderr(), text) } }
	return transfer.Progress{
		Wait: say("waiting until no person is erased, no old visits are deleted, no figures are made, and no other import is under way"),
		Undo: say("taking back what has been imported"),
		Rows: tellRows(cmd.ErrOrStderr(), "imported"),
	}
}

// tellRows returns a function that tells now and then how many rows have been written or imported.
func tellRows(w io.Writer, what string) func(rows int64) {
	told := time.Now()
	return func(rows int64) {
		if time.Since(told) >= 5*time.Second {
			told = time.Now()
			fmt.Fprintf(w, "%d rows %s\n", rows, what)
		}
	}
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
	if done.Data != nil {
		printData(w, done.Data)
	}
	return nil
}

// printData says what has become of the data.
func printData(w io.Writer, data *rows.Done) {
	fmt.Fprintf(w, "data: %d rows\n", data.Rows)
	slices.Sort(data.Known)
	slices.Sort(data.Unknown)
	for _, told := range []struct {
		n    int
		what string
	}{
		{len(data.Known), "operators have accounts of the same login here, which have what they did: " + strings.Join(data.Known, ", ")},
		{len(data.Unknown), "operators have no account here, and what they did names nobody: " + strings.Join(data.Unknown, ", ")},
		{data.Conversations, "conversations had not ended: they are closed here: end them where they were"},
		{data.Callbacks, "callbacks were still to be made: they are closed here: make them where they were"},
		{data.Reports, "saved reports are left out, because those who have saved them have no account here"},
	} {
		if told.n > 0 {
			fmt.Fprintf(w, "%d %s\n", told.n, told.what)
		}
	}
}

// one takes one argument, of what it is said to be.
func one(what, name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("expected one %s: %s %s", what, cmd.CommandPath(), name)
		}
		return nil
	}
}

// withTransfer opens the service's database for f, whose context ends when the command is to stop.
func (on Installation) withTransfer(cmd *cobra.Command, f func(context.Context, transfer.Subjects) error) error {
	settings, err := on.Settings(cmd)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	desk, err := backend.Open(ctx, settings, zap.NewNop(), nil)
	if err != nil {
		return err
	}
	defer desk.Close()
	return f(ctx, transfer.Subjects{
		DB: desk.DB, Sites: desk.Sites, Groups: desk.Groups, Replies: desk.Replies, Endpoints: desk.Deliveries.Endpoints, Operators: desk.Operators,
		Keys: desk.Keys, Leads: desk.Leads,
	})
}
