package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/seed-3405227d/frontdesk/backend/db"
	"github.com/seed-3405227d/frontdesk/backend/forward"
	"github.com/seed-3405227d/frontdesk/backend/queue"
	"github.com/seed-3405227d/frontdesk/backend/scope"
	"github.com/seed-3405227d/frontdesk/backend/site"
	"github.com/seed-3405227d/frontdesk/caddymodule/command/account"
)

func forwardsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forwards",
		Short: "Shows requests that wait for a service elsewhere, and those that it has refused",
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "Shows how many requests wait, and lists the refused ones with the reason",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withForwards(cmd, func(ctx context.Context, f forwards) error { return f.print(ctx, cmd.OutOrStdout()) })
		},
	}
	again := &cobra.Command{
		Use:   "again [ID...]",
		Short: "Sends refused items again: those with the ids, or --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			all, _ := cmd.Flags().GetBool("all")
			if all == (len(args) > 0) {
				return errors.New("expected the ids of refused items, as list shows them, or --all")
			}
			return withForwards(cmd, func(ctx context.Context, f forwards) error {
				return f.each(ctx, cmd.OutOrStdout(), args, "is sent again", f.queue.Again)
			})
		},
	}
	again.Flags().Bool("all", false, "All refused items")
	discard := &cobra.Command{
		Use:   "discard ID...",
		Short: "Deletes refused items for good",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("expected the ids of refused items, as list shows them")
			}
			return withForwards(cmd, func(ctx context.Context, f forwards) error {
				return f.each(ctx, cmd.OutOrStdout(), args, "is deleted", f.queue.Discard)
			})
		},
	}
	cmd.AddCommand(list, again, discard)
	refuseOthers(cmd)
	return cmd
}

// forwards are what waits for services elsewhere.
type forwards struct {
	queue *queue.Queue // which is not run
	sites *site.Sites
}

func withForwards(cmd *cobra.Command, f func(context.Context, forwards) error) error {
	return withDatabase(cmd, func(ctx context.Context, d *db.DB) error {
		return f(ctx, forwards{queue.New(d, zap.NewNop()), site.New(d, time.Now, zap.NewNop())})
	})
}

// refused are all items that were refused, the latest first.
func (f forwards) refused(ctx context.Context) (all []queue.Dead, err error) {
	const page = 500
	for last := (queue.Dead{}); ; {
		some, err := f.queue.Dead(ctx, forward.Kind, scope.All(), last, page)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < page {
			return all, nil
		}
		last = some[len(some)-1]
	}
}

func (f forwards) print(ctx context.Context, w io.Writer) error {
	waiting, oldest, err := f.queue.Waiting(ctx, forward.Kind, scope.All())
	if err != nil {
		return err
	}
	if waiting > 0 {
		fmt.Fprintf(w, "%d waiting, the oldest since %s\n", waiting, oldest.Format(time.DateTime))
	} else {
		fmt.Fprintln(w, "nothing is waiting")
	}
	refused, err := f.refused(ctx)
	if err != nil || len(refused) == 0 {
		return err
	}
	sites, err := f.sites.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSITE\tREFUSED\tSERVICE\tREASON")
	for _, j := range refused {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%q\n", j.ID, account.KeysOf(scope.Of(j.SiteID), sites), j.Since.Format(time.DateTime), j.Target, j.Reason)
	}
	return table.Flush()
}

// each changes the refused items of the ids, or all of them.
func (f forwards) each(ctx context.Context, w io.Writer, ids []string, done string, change func(ctx context.Context, siteID, id int64) (bool, error)) error {
	refused, err := f.refused(ctx)
	if err != nil {
		return err
	}
	siteOf := make(map[int64]int64, len(refused))
	var chosen []int64
	for _, j := range refused {
		siteOf[j.ID] = j.SiteID
		if len(ids) == 0 {
			chosen = append(chosen, j.ID)
		}
	}
	for _, text := range ids {
		id, err := strconv.ParseInt(text, 10, 64)
		if _, known := siteOf[id]; err != nil || !known {
			return fmt.Errorf("%.80q is not a refused item: expected an id that list shows", text)
		}
		chosen = append(chosen, id)
	}
	for _, id := range chosen {
		found, err := change(ctx, siteOf[id], id)
		if err != nil {
			return err
		}
		if found {
			fmt.Fprintf(w, "%d %s\n", id, done)
		}
	}
	return nil
}
